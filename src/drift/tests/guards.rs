//! The guards' tests: a night in words, its findings out. Each guard stands at, below and above its limit.

use std::collections::{BTreeMap, BTreeSet};

use super::census;
use crate::drift::*;
use crate::model::cause::{Cause, Change};
use crate::model::gates::{Gate, GateBook, Gates, Guard, Limit};
use crate::model::id::FactId;

/// What a night is: lines of words.
///
/// | line | meaning |
/// |---|---|
/// | `had T@S n` | so many edges of a type in a source before |
/// | `lost T@S n cause`, `came …`, `changed …`, `revived …` | so many of them did that |
/// | `doc S name T b a k` | a document was read again: it said b edges and says a, k of them the same |
/// | `doc … unread n` | the same, and of n that went the sentence still stands |
/// | `new S name T a`, `gone S name T b` | a document came, or went |
/// | `documents S n` | so many documents the source had |
/// | `audit T@S said lost gained` | an unchanged document; `outside …` one that a program parsed |
/// | `week S n` | so many edges the source lost on the nights before, and nobody was told |
/// | `stale S`, `golden F`, `imprecise T rule` | the other things that are seen |
/// | `accepted S`, `consent rule T@S n [also rule T@S n …]` | a person's word |
pub(super) struct Night {
    census: Census,
    entries: Vec<(String, String, Change, Cause)>,
    pub(super) observed: Observed,
    accepted: BTreeSet<String>,
    consents: BTreeMap<String, Consent>,
}

fn number(word: &str) -> u64 {
    word.parse().unwrap()
}

fn facts(document: &str, edge_type: &str, from: u64, count: u64) -> Yield {
    let fact = |nth: u64| FactId::of(&[document, edge_type, &nth.to_string()]);
    (from..from + count).map(|nth| (edge_type.to_owned(), fact(nth))).collect()
}

fn parts(word: &str) -> (String, String) {
    let (edge_type, source) = word.split_once('@').unwrap();
    (edge_type.to_owned(), source.replace('_', " "))
}

impl Night {
    pub(super) fn of(text: &str) -> Self {
        let mut night = Self {
            census: census(&[], &[]),
            entries: Vec::new(),
            observed: Observed::default(),
            accepted: BTreeSet::new(),
            consents: BTreeMap::new(),
        };
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let words: Vec<&str> = line.split_whitespace().collect();
            night.line(&words);
        }
        night
    }

    fn line(&mut self, words: &[&str]) {
        match words {
            ["had", place, count] => {
                let (edge_type, source) = parts(place);
                *self.census.edge_types.entry(edge_type.clone()).or_default() += number(count);
                self.census.segments.insert(Segment { edge_type, source }, number(count));
            }
            [what @ ("lost" | "came" | "changed" | "revived"), place, count, cause] => {
                let change = match *what {
                    "lost" => Change::Retracted,
                    "came" => Change::Added,
                    what => Change::Changed { revived: what == "revived" },
                };
                let cause = serde_json::from_str(&format!("\"{cause}\"")).unwrap();
                let (edge_type, source) = parts(place);
                for _ in 0..number(count) {
                    self.entries.push((edge_type.clone(), source.clone(), change, cause));
                }
            }
            ["doc", source, name, edge_type, before, after, same] => {
                let (before, after, same) = (number(before), number(after), number(same));
                let after = facts(name, edge_type, before - same, after);
                let before = facts(name, edge_type, 0, before);
                self.look(source, name, Look::Again, [&before, &after, &Yield::new()]);
            }
            ["doc", source, name, edge_type, before, after, same, "unread", unread] => {
                let (before, after, same) = (number(before), number(after), number(same));
                let unread = facts(name, edge_type, 0, number(unread));
                let after = facts(name, edge_type, before - same, after);
                let before = facts(name, edge_type, 0, before);
                self.look(source, name, Look::Again, [&before, &after, &unread]);
            }
            ["new", source, name, edge_type, after] => {
                let after = facts(name, edge_type, 0, number(after));
                self.look(source, name, Look::New, [&Yield::new(), &after, &Yield::new()]);
            }
            ["gone", source, name, edge_type, before] => {
                let before = facts(name, edge_type, 0, number(before));
                self.look(source, name, Look::Gone, [&before, &Yield::new(), &Yield::new()]);
            }
            ["documents", source, count] => {
                self.observed.documents.insert((*source).to_owned(), number(count));
            }
            [how @ ("audit" | "outside"), place, said, lost, gained] => {
                let (edge_type, source) = parts(place);
                let some = |what: &str, count: &str| -> Vec<(String, FactId, Example)> {
                    let one = |nth: u64| FactId::of(&[what, place, &nth.to_string()]);
                    (0..number(count)).map(|nth| (edge_type.clone(), one(nth), Example::default())).collect()
                };
                self.observed.audit.note(&Audited {
                    source: &source,
                    outside: *how == "outside",
                    chunks: 1,
                    said: &BTreeMap::from([(edge_type.clone(), number(said))]),
                    lost: &some("lost", lost),
                    gained: &some("gained", gained),
                });
            }
            ["week", source, count] => {
                self.observed.week.insert((*source).to_owned(), number(count));
            }
            ["stale", source] => {
                self.observed.stale.push(Stale { source: (*source).to_owned(), hours: 51, limit: 36 });
            }
            ["golden", golden] => self.observed.golden.push(BelowFloor {
                golden: (*golden).to_owned(),
                name: "all".to_owned(),
                says: "recall of all is 0.800, and its floor 0.9".to_owned(),
            }),
            ["imprecise", edge_type, rule] => self.observed.imprecise.push(Imprecise {
                rule: (*rule).to_owned(),
                edge_type: (*edge_type).to_owned(),
                says: "2 of 9 reviewed readings are right".to_owned(),
            }),
            ["accepted", source] => drop(self.accepted.insert((*source).to_owned())),
            ["consent", said @ ..] => {
                let one = |words: &[&str]| {
                    let (edge_type, source) = parts(words[1]);
                    let segment = Segment { edge_type, source };
                    let failing = Failing { rule: words[0], segment: &segment, count: number(words[2]) };
                    (failing.key(), failing.count)
                };
                let said: Vec<(String, u64)> = said.split(|word| *word == "also").map(one).collect();
                let word = "Ana at noon: meant".to_owned();
                self.consents.insert(said[0].0.clone(), Consent { counts: said.into_iter().collect(), word });
            }
            _ => panic!("no such line: {words:?}"),
        }
    }

    fn look(&mut self, source: &str, document: &str, look: Look, [before, after, unread]: [&Yield; 3]) {
        let example = |fact: FactId| Example { fact: fact.to_string(), ..Example::default() };
        let example = &example;
        self.observed.cohort.note(&Looked { source, document, look, before, after, unread, example });
    }

    pub(super) fn report(&self, gates: &GateBook) -> DriftReport {
        let mut ledger = Ledger::new(self.census.clone());
        for (nth, (edge_type, source, change, cause)) in self.entries.iter().enumerate() {
            let there = BTreeSet::from([source.clone()]);
            let none = BTreeSet::new();
            let fact = FactId::of(&["entry", &nth.to_string()]);
            ledger.record(&Entry {
                fact,
                edge_type,
                before: if *change == Change::Added { &none } else { &there },
                after: if *change == Change::Retracted { &none } else { &there },
                change: *change,
                cause: *cause,
                rules: &BTreeMap::from([(source.clone(), BTreeSet::from([format!("by-{edge_type}")]))]),
                example: &|_| Example { fact: fact.to_string(), ..Example::default() },
            });
        }
        let context = Context {
            gates,
            accepted: &self.accepted,
            consents: &self.consents,
            observed: &self.observed,
            ..super::context()
        };
        ledger.finish(&context).unwrap()
    }
}

/// The findings of a night: `Fail drift-emptied uses in a 6->0 (6) text_removed; also drift-retractions`.
fn found(text: &str) -> String {
    found_by(text, &GateBook::default())
}

fn found_by(text: &str, gates: &GateBook) -> String {
    let report = Night::of(text).report(gates);
    let line = |finding: &Finding| {
        let Finding { severity, rule, segment, before, after, count, .. } = finding;
        let mut line = format!("{severity:?} {rule} {segment} {before}->{after} ({count})");
        for cause in finding.causes.keys() {
            line += &format!(" {cause}");
        }
        let also: Vec<&str> = finding.also.iter().map(|also| also.rule.as_str()).collect();
        if !also.is_empty() {
            line += &format!("; also {}", also.join(" "));
        }
        line
    };
    report.findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_segment_of_five_that_is_empty_is_found_and_one_of_four_or_one_is_not() {
    assert_eq!(
        found("had uses@a 5\n lost uses@a 5 text_removed"),
        "Fail drift-emptied uses in a 5->0 (5) text_removed; also drift-retractions"
    );
    assert_eq!(found("had uses@a 4\n lost uses@a 4 text_removed"), "");
    assert_eq!(found("had uses@a 1\n lost uses@a 1 text_removed"), "");
    assert_eq!(
        found("had uses@a 6\n lost uses@a 5 text_removed"),
        "Fail drift-retractions * in a 6->1 (5) text_removed"
    );
}

#[test]
fn a_feed_of_27_rows_falls_to_1_and_then_to_0() {
    // A feed that shrinks so is withheld before; what comes through all the same is found.
    assert_eq!(
        found("had uses@bom 27\n lost uses@bom 26 feed_row"),
        "Fail drift-retractions * in bom 27->1 (26) feed_row"
    );
    assert_eq!(found("had uses@bom 1\n lost uses@bom 1 feed_row"), "", "one row says nothing by itself");
    let others = "had uses@b 10\n had uses@c 900\n";
    assert_eq!(
        found(&format!("{others} had uses@bom 1\n lost uses@bom 1 feed_row\n lost uses@b 4 feed_row")),
        "Fail drift-retractions * in small sources 11->6 (5) feed_row",
        "and counts among the small sources that lost something"
    );
}

#[test]
fn six_for_six_others_is_no_calm() {
    assert_eq!(
        found("had uses@a 6\n lost uses@a 6 text_removed\n came uses@a 6 text_added"),
        "Fail drift-replaced uses in a 6->6 (6) text_removed; also drift-retractions"
    );
    assert_eq!(
        found("had uses@a 6\n lost uses@a 5 text_removed\n came uses@a 5 text_added"),
        "Fail drift-retractions * in a 6->6 (5) text_removed"
    );
    assert_eq!(found("had uses@a 4\n lost uses@a 4 text_removed\n came uses@a 4 text_added"), "");
    // Of many, a part: the share of the source tells, whatever came instead.
    assert_eq!(
        found("had uses@a 60\n lost uses@a 30 feed_row\n came uses@a 30 feed_row"),
        "Fail drift-retractions * in a 60->60 (30) feed_row"
    );
}

#[test]
fn retractions_are_judged_by_their_share_of_a_source() {
    let of = |lost: u64| found(&format!("had uses@a 100\n lost uses@a {lost} text_removed"));
    assert_eq!(of(5), "");
    assert_eq!(of(6), "Warn drift-retractions * in a 100->94 (6) text_removed");
    assert_eq!(of(20), "Warn drift-retractions * in a 100->80 (20) text_removed");
    assert_eq!(of(21), "Fail drift-retractions * in a 100->79 (21) text_removed");
    assert_eq!(found("had uses@a 20\n lost uses@a 4 text_removed"), "", "four are no share");
    assert_eq!(found("had uses@a 100\n lost uses@a 49 curator"), "", "a person did it");
}

#[test]
fn fourteen_of_fifteen_contracts_are_missed_however_small_and_many_the_other_sources_are() {
    let others: String = (0..20).map(|nth| format!("had uses@o{nth} 19\n")).collect();
    let gone = |count: u64| -> String {
        let each = (0..count).map(|nth| format!("gone a c{nth}.md uses 1\n"));
        format!("{others} had uses@a 15\n lost uses@a {count} document_gone\n{}", each.collect::<String>())
    };
    assert_eq!(found(&gone(14)), "Fail drift-retractions * in a 15->1 (14) document_gone");
    assert_eq!(found(&gone(6)), "Fail drift-retractions * in a 15->9 (6) document_gone");
    assert_eq!(
        found(&gone(5)),
        "Warn drift-retractions * in a 15->10 (5) document_gone",
        "four beside the document that lost most"
    );
    assert_eq!(found(&gone(4)), "", "four are no share");
}

#[test]
fn small_losses_of_small_sources_are_judged_together() {
    let others: String = (0..20).map(|nth| format!("had uses@o{nth} 19\n")).collect();
    let night = |sources: u64, each: u64| -> String {
        let one = |nth: u64| {
            format!(
                "had uses@s{nth} 8\n lost uses@s{nth} {each} text_removed\n gone s{nth} d.md uses {each}\n"
            )
        };
        format!("{others}{}", (0..sources).map(one).collect::<String>())
    };
    assert_eq!(
        found(&night(3, 4)),
        "Fail drift-retractions * in small sources 24->12 (12) text_removed",
        "those that lost nothing hide nothing"
    );
    assert_eq!(
        found(&night(2, 4)),
        "Warn drift-retractions * in small sources 16->8 (8) text_removed",
        "without the document that lost most, four"
    );
    assert_eq!(found(&night(4, 1)), "", "four are no share");
    assert_eq!(
        found(&night(8, 1)),
        "Warn drift-retractions * in small sources 64->56 (8) text_removed",
        "an edge here and there"
    );
}

#[test]
fn a_person_accepts_what_all_guards_found_of_a_cause_and_no_more() {
    // The first guard finds what a type lost, and another what the whole source did.
    let night = |makes: u64| {
        format!(
            "had uses@a 6\n had makes@a 90\n lost uses@a 6 text_removed\n lost makes@a {makes} text_removed\n"
        )
    };
    let report = Night::of(&night(34)).report(&GateBook::default());
    assert_eq!(
        found(&night(34)),
        "Fail drift-emptied uses in a 6->0 (6) text_removed; also drift-retractions"
    );
    let failing: Vec<String> =
        report.findings[0].failing().iter().map(|one| format!("{} {}", one.segment, one.count)).collect();
    assert_eq!(failing, ["uses in a 6", "* in a 40"]);
    let with = |makes: u64, word: &str| {
        let report =
            Night::of(&(night(makes) + "consent drift-emptied uses@a " + word)).report(&GateBook::default());
        (report.holds, report.findings[0].says.clone().unwrap_or_default())
    };
    let both = "6 also drift-retractions *@a 40";
    assert_eq!(with(34, both), (false, String::new()));
    assert_eq!(with(30, both), (false, String::new()), "fewer are covered");
    let grown = "drift-retractions of * in a was accepted for up to 40 facts by Ana at noon: meant";
    assert_eq!(with(35, both), (true, grown.to_owned()), "the same cause has grown");
    let alone = "drift-retractions of * in a was not accepted with it by Ana at noon: meant";
    assert_eq!(with(34, "46"), (true, alone.to_owned()), "a sum hides nothing");
}

#[test]
fn a_few_edges_a_night_add_up_to_a_warning_within_a_week() {
    let night = |before: u64, had: u64, lost: u64| {
        found(&format!("had uses@a {had}\n lost uses@a {lost} text_removed\n week a {before}"))
    };
    assert_eq!(night(4, 16, 2), "Warn drift-retractions * in a 16->14 (6) text_removed", "6 of 20");
    assert_eq!(night(4, 25, 2), "Warn drift-retractions * in a 25->23 (6) text_removed", "6 of 29");
    assert_eq!(night(4, 26, 2), "", "6 of 30 are a fifth and no more");
    assert_eq!(night(2, 16, 2), "", "four are no share");
    assert_eq!(night(4, 16, 0), "", "nothing goes tonight");
    assert_eq!(night(0, 16, 4), "", "one night says nothing");
    assert_eq!(night(20, 30, 5), "Warn drift-retractions * in a 30->25 (5) text_removed", "judged by itself");
    let of_people = "had uses@a 16\n lost uses@a 2 curator\n week a 10";
    assert_eq!(found(of_people), "");
}

#[test]
fn what_was_told_of_a_week_is_over() {
    let night = |text: &str| Night::of(text).report(&GateBook::default());
    let little = night(
        "had uses@a 30\n had uses@b 9\n lost uses@a 3 text_removed\n lost uses@a 1 curator\n lost uses@b 1 feed_row",
    );
    let told = night("had uses@a 30\n lost uses@a 9 text_removed");
    assert_eq!((little.state, told.state), (State::Pass, State::Fail));
    assert_eq!(untold("a", [&little, &little]), 6);
    assert_eq!(untold("b", [&little, &told, &little]), 2, "it was told of another source");
    assert_eq!(untold("a", [&little, &told, &little]), 3);
    assert_eq!(untold("a", [&told, &little]), 0);
}

#[test]
fn a_finding_names_the_rules_that_had_read_what_went() {
    let night = "had uses@a 30\n had makes@a 30\n lost uses@a 20 text_removed\n lost makes@a 3 text_removed\n came uses@a 9 text_added";
    let report = Night::of(night).report(&GateBook::default());
    assert_eq!(report.findings[0].rule, "drift-retractions");
    assert_eq!(report.findings[0].read_by().as_deref(), Some("by-uses 20, by-makes 3"));
    // Where documents are compared, what their source lost tells.
    let silent: String = (0..5).map(|nth| format!("doc a d{nth}.md uses 4 0 0\n")).collect();
    let night = format!("had uses@a 400\n lost uses@a 20 text_removed\n{silent}");
    let report = Night::of(&night).report(&GateBook::default());
    assert_eq!(report.findings[0].rule, "drift-silent-documents");
    assert_eq!(report.findings[0].read_by().as_deref(), Some("by-uses 20"));
}

#[test]
fn a_finding_about_an_edge_type_shows_no_edges_of_another() {
    let night = Night::of(
        "had uses@a 9\n had makes@a 9\n changed uses@a 1 unexplained\n changed makes@a 2 unexplained",
    );
    let report = night.report(&GateBook::default());
    let (finding, also) = (&report.findings[0], &report.findings[0].also[0]);
    assert_eq!((finding.segment.edge_type.as_str(), finding.examples.len()), ("makes", 2));
    assert_eq!((also.segment.edge_type.as_str(), also.count), ("uses", 1));
}

#[test]
fn two_types_that_lose_as_much_are_both_told() {
    let night = "had uses@a 30\n had makes@a 30\n lost uses@a 30 text_removed\n lost makes@a 30 text_removed";
    assert_eq!(
        found(night),
        "Fail drift-emptied makes in a 30->0 (30) text_removed; also drift-emptied drift-retractions"
    );
}

#[test]
fn what_one_document_takes_away_is_a_warning() {
    let night = "had uses@a 100\n lost uses@a 30 document_gone\n gone a big.md uses";
    assert_eq!(
        found(&format!("{night} 10")),
        "Warn drift-retractions * in a 100->70 (30) document_gone",
        "without it, 20 of 100"
    );
    assert_eq!(found(&format!("{night} 9")), "Fail drift-retractions * in a 100->70 (30) document_gone");
}

#[test]
fn documents_that_say_nothing_any_more_are_named() {
    let silent = |count: u32, others: u32, edges: u64| {
        let mut night = "had uses@a 900\n lost uses@a 1 text_removed\n".to_owned();
        for nth in 0..count {
            night += &format!("doc a s{nth}.md uses {edges} 0 0\n");
        }
        for nth in 0..others {
            night += &format!("doc a t{nth}.md uses 1 1 1\n");
        }
        night
    };
    let five = Night::of(&silent(5, 7, 1)).report(&GateBook::default());
    assert_eq!(five.findings[0].documents, ["s0.md", "s1.md", "s2.md", "s3.md", "s4.md"]);
    assert_eq!(
        five.findings[0].says.as_deref(),
        Some("5 of 12 documents that were read again and said something say nothing")
    );
    let said = |count, others, edges| found(&silent(count, others, edges));
    assert_eq!(said(5, 7, 1), "Fail drift-silent-documents * in a 5->0 (5) text_removed");
    assert_eq!(said(4, 2, 1), "Warn drift-silent-documents * in a 4->0 (4) text_removed", "too few");
    assert_eq!(said(3, 27, 1), "Info drift-silent-documents * in a 3->0 (3) text_removed", "10 %");
    assert_eq!(said(2, 2, 1), "Info drift-silent-documents * in a 2->0 (2) text_removed", "two");
    assert_eq!(said(5, 8, 1), "Warn drift-silent-documents * in a 5->0 (5) text_removed", "38 %");
    assert_eq!(said(1, 0, 90), "Info drift-silent-documents * in a 90->0 (90) text_removed", "one alone");
    assert_eq!(
        said(2, 1, 10),
        "Fail drift-silent-documents * in a 20->0 (20) text_removed; also drift-same-documents",
        "two, with many edges"
    );
    assert_eq!(
        found("had uses@a 900\n doc a s.md uses 19 0 0\n doc a t.md uses 1 0 0"),
        "Info drift-silent-documents * in a 20->0 (20)",
        "and not if one of them had most"
    );
}

#[test]
fn the_same_documents_are_compared_with_themselves() {
    let of = |before: u64, after: u64, documents: u64| {
        let (mut night, mut rest, mut now) = ("had uses@a 9000\n".to_owned(), before, after);
        for nth in 0..documents {
            let (had, has) = (rest.div_ceil(documents - nth), now.div_ceil(documents - nth));
            night += &format!("doc a d{nth}.md uses {had} {has} {}\n", had.min(has));
            (rest, now) = (rest - had, now - has);
        }
        found(&night)
    };
    assert_eq!(
        of(100, 48, 50),
        "Fail drift-same-documents uses in a 100->48 (52); also drift-silent-documents"
    );
    assert_eq!(of(100, 76, 50), "", "less than a quarter");
    assert_eq!(of(40, 20, 20), "", "less than four standard deviations");
    assert_eq!(of(19, 0, 1), "Info drift-silent-documents * in a 19->0 (19)", "too few for a comparison");
    assert_eq!(of(100, 210, 50), "Warn drift-same-documents uses in a 100->210 (110)", "more is odd");
    // One big document that is rewritten is no sign of anything.
    assert_eq!(found("had uses@a 9000\n doc a big.md uses 100 10 10\n doc a b.md uses 30 30 30"), "");
    // As many as before, and others.
    let churn = |same: u64| {
        let one = |nth: u64| format!("doc a d{nth}.md uses 10 10 {same}\n");
        found(&format!("had uses@a 9000\n{}", (0..6).map(one).collect::<String>()))
    };
    assert_eq!(churn(4), "Fail drift-same-documents uses in a 60->60 (36)");
    assert_eq!(churn(5), "");
}

#[test]
fn sentences_that_still_stand_and_are_read_no_more_are_no_chance() {
    let of = |unread: u64| {
        let one = |nth: u64| {
            let (lost, still) = (u64::from(nth < unread), u64::from(nth < unread));
            format!("doc a d{nth}.md uses 5 {} {} unread {still}\n", 5 - lost, 5 - lost)
        };
        found(&format!("had uses@a 9000\n{}", (0..10).map(one).collect::<String>()))
    };
    assert_eq!(of(6), "", "without the document that changed most, five of 45: one of 500 nights");
    assert_eq!(of(7), "Fail drift-same-documents uses in a 50->43 (7)");
    assert_eq!(found("had uses@a 9000\n doc a big.md uses 50 10 10 unread 40"), "", "one document");
}

#[test]
fn few_documents_of_several_sources_are_compared_together() {
    let one = |source: &str| {
        (0..6).map(|nth| format!("doc {source} {source}{nth}.md uses 3 1 1\n")).collect::<String>()
    };
    assert_eq!(found(&format!("had uses@a 900\n{}", one("a"))), "");
    let three = format!("had uses@a 900\n{}{}{}", one("a"), one("b"), one("c"));
    assert_eq!(found(&three), "Fail drift-same-documents * in small sources 54->18 (36)");
}

#[test]
fn new_documents_that_say_little_are_worth_a_warning() {
    let night = |edges: u64| {
        let new = |nth: u64| format!("new a n{nth}.md uses {edges}\n");
        found(&format!("had uses@a 300\n documents a 100\n{}", (0..20).map(new).collect::<String>()))
    };
    assert_eq!(night(1), "Warn drift-new-documents * in a 0->20 (40)");
    assert_eq!(night(2), "");
    assert_eq!(night(0), "Warn drift-new-documents * in a 0->0 (60)");
}

#[test]
fn a_planned_change_is_accepted_by_a_person() {
    let night = |lost: u64| format!("had uses@a 400\n lost uses@a {lost} ontology_changed\n");
    assert_eq!(found(&night(4)), "Warn drift-planned uses in a 400->396 (4) ontology_changed");
    assert_eq!(found(&night(8)), "Warn drift-planned uses in a 400->392 (8) ontology_changed");
    assert_eq!(found(&night(9)), "Fail drift-planned uses in a 400->391 (9) ontology_changed");
    assert_eq!(
        found("had uses@a 40\n lost uses@a 4 ontology_changed"),
        "Warn drift-planned uses in a 40->36 (4) ontology_changed",
        "few are said"
    );
    assert_eq!(
        found("had uses@a 400\n came uses@a 90 ontology_changed"),
        "Info drift-planned uses in a 400->490 (90) ontology_changed"
    );
    let word = |most: u64| format!("consent drift-planned uses@a {most} also drift-retractions *@a 200");
    let accepted = Night::of(&(night(200) + &word(200))).report(&GateBook::default());
    assert_eq!((accepted.state, accepted.holds), (State::Warn, false));
    assert_eq!(accepted.findings[0].accepted.as_deref(), Some("Ana at noon: meant"));
    let more = Night::of(&(night(200) + &word(199))).report(&GateBook::default());
    assert_eq!((more.state, more.holds), (State::Fail, true), "one more is another matter");
    let says = more.findings[0].says.as_ref().unwrap();
    let covered = "; drift-planned of uses in a was accepted for up to 199 facts by Ana at noon: meant";
    assert!(says.ends_with(covered), "{says}");
    assert!(more.findings[0].accept.as_ref().unwrap().starts_with("edgewright accept finding "));
}

#[test]
fn one_difference_of_an_unchanged_document_is_one_too_many() {
    assert_eq!(found("had uses@a 900\n audit uses@a 50 0 0"), "");
    assert_eq!(
        found("had uses@a 900\n audit uses@a 50 1 0"),
        "Fail drift-audit uses in a 50->49 (1) unexplained"
    );
    // A program outside may differ now and then: three of fifty are chance at 2 %, seven are not.
    let outside = |lost: u64| found(&format!("had uses@a 900\n outside uses@a 50 {lost} 0"));
    assert_eq!(outside(2), "");
    assert_eq!(outside(5), "");
    assert_eq!(outside(6), "Fail drift-audit uses in a 50->44 (6) unexplained");
    assert_eq!(
        found("had uses@a 9\n outside uses@a 3 3 0"),
        "Fail drift-audit uses in a 3->0 (3) unexplained"
    );
}

#[test]
fn what_has_no_cause_fails() {
    assert_eq!(
        found("had uses@a 900\n changed uses@a 1 unexplained"),
        "Fail drift-unexplained uses in a 900->900 (1) unexplained"
    );
}

#[test]
fn the_other_things_that_are_seen_are_said() {
    assert_eq!(
        found("had uses@a 100\n revived uses@a 1 document_gone"),
        "Warn drift-revived uses in a 100->100 (1) document_gone"
    );
    assert_eq!(
        found("had uses@bom 30\n had makes@bom 4\n stale bom"),
        "Warn drift-stale * in bom 34->34 (34)"
    );
    assert_eq!(found("had uses@a 1\n golden truth.csv"), "Fail drift-golden * in truth.csv 0->0 (1)");
    assert_eq!(found("had uses@a 1\n imprecise uses r"), "Warn drift-precision uses in r 0->0 (1)");
}

#[test]
fn totals_are_a_notice() {
    let lost = |count: u64| found(&format!("had uses@a 250\n had uses@b 250\n lost uses@a {count} curator"));
    assert_eq!(lost(100), "");
    assert_eq!(lost(101), "Warn drift-totals uses in * 500->399 (101) curator");
    assert_eq!(found("had uses@a 100\n lost uses@a 49 curator"), "", "less than fifty");
    assert_eq!(
        found("had uses@a 100\n came uses@a 50 new_document"),
        "Info drift-totals uses in * 100->150 (50) new_document"
    );
}

#[test]
fn one_cause_is_one_finding_with_the_segments_that_it_struck() {
    let night = "
        had uses@a 10
        had makes@a 30
        had makes@b 40
        lost uses@a 10 text_removed
        lost makes@a 30 text_removed
        lost makes@b 12 feed_row";
    assert_eq!(
        found(night),
        "Fail drift-emptied makes in a 30->0 (30) text_removed; also drift-emptied drift-retractions\n\
         Fail drift-retractions * in b 40->28 (12) feed_row"
    );
    let report = Night::of(night).report(&GateBook::default());
    assert_eq!(report.findings[0].examples.len(), EXAMPLES);
    assert_eq!(report.findings[0].also[0].segment.to_string(), "uses in a");
}

#[test]
fn a_source_that_a_person_has_accepted_warns() {
    let night = "had uses@a 60\n lost uses@a 60 document_gone\n";
    assert!(found(night).starts_with("Fail drift-emptied"));
    assert!(found(&format!("{night} accepted a")).starts_with("Warn drift-emptied"));
}

#[test]
fn a_job_has_limits_of_its_own_for_all_and_for_an_edge_type() {
    let limit = |warn, fail, gate| Limit { warn, fail, gate };
    let mut book = GateBook::default();
    let gates = Gates {
        all: BTreeMap::from([(Guard::Retractions, limit(None, Some(0.5), Gate::Block))]),
        types: BTreeMap::from([(
            "makes".to_owned(),
            BTreeMap::from([
                (Guard::Retractions, limit(Some(0.0), Some(0.1), Gate::Report)),
                (Guard::Emptied, limit(Some(2.0), None, Gate::Block)),
            ]),
        )]),
    };
    book.enter(gates, ["a".to_owned()]);
    book.enter(Gates::default(), ["b".to_owned()]);
    assert_eq!(found_by("had uses@a 90\n lost uses@a 45 text_removed", &book), "");
    let night = "had uses@a 100\n had makes@a 20\n lost makes@a 5 text_removed";
    assert_eq!(
        found_by(night, &book),
        "Fail drift-retractions makes in a 20->15 (5) text_removed",
        "an edge type with a limit is judged apart"
    );
    let report = Night::of(night).report(&book);
    assert_eq!((report.state, report.holds), (State::Fail, false), "and its gate only reports");
    assert_eq!(
        found_by("had makes@a 2\n lost makes@a 2 text_removed", &book),
        "Warn drift-emptied makes in a 2->0 (2) text_removed"
    );
    assert!(found_by("had makes@b 5\n lost makes@b 5 text_removed", &book).starts_with("Fail drift-emptied"));
}

#[test]
fn the_first_night_finds_nothing() {
    let night = Night::of("came uses@a 900 new_document\n audit uses@a 50 9 0");
    let context = Context { baseline: None, observed: &night.observed, ..super::context() };
    let report = Ledger::new(Census::default()).finish(&context).unwrap();
    assert_eq!((report.state, report.holds, report.findings.len()), (State::NoBaseline, false, 0));
}
