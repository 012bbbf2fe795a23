//! The gate's tests: one assertion, what it is worth, as text.

use std::collections::BTreeMap;

use super::*;
use crate::model::access::Labels;
use crate::model::assertion::{Evidence, Left, Origin, Says};
use crate::model::decision::Question;
use crate::model::id::{AssertionId, DocumentId, EntityKey, FactId, Fingerprint};
use crate::model::job::Authority;
use crate::model::mention::Resolution;
use crate::model::time::{Bound, DateExpr, Period, StatedDate};
use crate::ontology::{EdgeType, Filler, Property, Rule, RuleKind, Side, ValueKind};

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

fn key(text: &str) -> EntityKey {
    text.parse().unwrap()
}

fn on(text: &str) -> Option<Bound> {
    Some(Bound::end(StatedDate::day(day(text)).unwrap()))
}

fn edge(name: &str) -> EdgeType {
    EdgeType {
        name: name.to_owned(),
        subject: vec!["S".to_owned()],
        object: vec!["C".to_owned()],
        at_most_one: None,
        ends_object: false,
        inverse: None,
        symmetric: false,
        acyclic: false,
        properties: BTreeMap::new(),
        review_always: false,
        threshold: 0.8,
        access: Labels::new(),
    }
}

fn rule(id: &str, confidence: f64) -> Rule {
    Rule {
        id: id.to_owned(),
        revision: Fingerprint::of(&[id]),
        edge: Some("supplies".to_owned()),
        says: Says::Holds,
        kind: RuleKind::Mentions { side: Side::Subject, types: vec!["S".to_owned()] },
        subject: None,
        object: Some(Filler::Document),
        valid_from: Vec::new(),
        valid_to: Vec::new(),
        within: Vec::new(),
        not_within: Vec::new(),
        despite: Default::default(),
        confidence,
        precision: None,
        examples: Vec::new(),
        at: (String::new(), 1),
    }
}

fn ontology() -> Ontology {
    let property = Property { kind: ValueKind::Text, identity: true, conflict: false, access: Labels::new() };
    let edges = [
        edge("supplies"),
        EdgeType { review_always: true, ..edge("covers") },
        EdgeType { ends_object: true, ..edge("supersedes") },
        EdgeType { symmetric: true, object: vec!["S".to_owned()], ..edge("partners") },
        EdgeType { properties: BTreeMap::from([("site".to_owned(), property)]), ..edge("ships") },
    ];
    Ontology {
        language: "en".to_owned(),
        entities: BTreeMap::new(),
        edges: edges.into_iter().map(|edge| (edge.name.clone(), edge)).collect(),
        rules: vec![rule("sure", 0.95), rule("unsure", 0.6)],
    }
}

fn assertion(edge_type: &str) -> Assertion {
    Assertion {
        id: AssertionId::of(&["a"]),
        origin: Origin::Row { feed: "f".to_owned(), row: "1".to_owned() },
        edge_type: edge_type.to_owned(),
        says: Says::Holds,
        subject: Resolution::Known(key("S:1")),
        object: Resolution::Known(key("C:1")),
        fact: None,
        valid_from: on("2024-01-01"),
        valid_to: None,
        properties: BTreeMap::new(),
        confidence: None,
        evidence: Evidence { quote: "q".to_owned(), span: None, support: Vec::new() },
        quote_hash: Fingerprint::of(&["q"]),
        rule: "sure".to_owned(),
        revision: Fingerprint::of(&["sure"]),
        left: None,
    }
}

fn decided(answer: Answer) -> Decision {
    Decision {
        number: 7,
        question: Question {
            fact: FactId::of(&["f"]),
            document: DocumentId::new("s", "d"),
            quote: Fingerprint::of(&["q"]),
        },
        answer,
        by: "ann".to_owned(),
        at: "2024-01-01T00:00:00Z".to_owned(),
        quote: "q".to_owned(),
    }
}

fn correct(from: Option<&str>, to: Option<&str>, subject: Option<&str>) -> Answer {
    Answer::Correct {
        valid_from: from.map(day),
        valid_to: to.map(day),
        subject: subject.map(key),
        object: None,
    }
}

struct Case<'a> {
    assertion: Assertion,
    decision: Option<Answer>,
    confirmed: bool,
    withdrawn: bool,
    crowd: u32,
    imprecise: bool,
    anchor: Option<&'a str>,
}

impl Case<'_> {
    fn of(assertion: Assertion) -> Self {
        Self {
            assertion,
            decision: None,
            confirmed: false,
            withdrawn: false,
            crowd: 1,
            imprecise: false,
            anchor: None,
        }
    }

    fn decided(assertion: Assertion, answer: Answer) -> Self {
        Self { decision: Some(answer), ..Self::of(assertion) }
    }

    fn with<T>(&self, act: impl Fn(&Circumstances<'_>) -> T) -> T {
        let ontology = ontology();
        let decision = self.decision.clone().map(decided);
        let days = |_: &DateBase| self.anchor.map(day);
        act(&Circumstances {
            ontology: &ontology,
            decision: decision.as_ref(),
            confirmed: self.confirmed,
            withdrawn: self.withdrawn,
            crowd: self.crowd,
            imprecise: self.imprecise,
            days: &days,
        })
    }

    #[track_caller]
    fn gives(self, expected: &str) {
        let verdict = match self.with(|circumstances| judge(&self.assertion, circumstances)) {
            Verdict::Accept => "accept".to_owned(),
            Verdict::Reject(reason) => format!("reject: {reason}"),
            Verdict::Quarantine(reasons) => reasons.iter().map(Reason::code).collect::<Vec<_>>().join(" "),
        };
        assert_eq!(verdict, expected);
    }

    fn attests(self, witness: &Witness) -> String {
        let Some(at) = self.with(|circumstances| attest(&self.assertion, circumstances, witness)) else {
            return "nothing".to_owned();
        };
        let bound = |bound: Option<(Date, _)>| bound.map_or("-".to_owned(), |(day, _)| day.to_string());
        let same = at.fact == Assertion::fact_id(&at.subject, &at.edge_type, &at.object, &at.identity);
        assert!(same, "the fact id is the hash of what stands here");
        let (start, end) = (bound(at.start), bound(at.end));
        format!(
            "{} {} {} {start} {end} {:?} {:?}",
            at.subject, at.edge_type, at.object, at.identity, at.approved
        )
    }
}

#[test]
fn what_is_sure_is_accepted() {
    Case::of(assertion("supplies")).gives("accept");
    Case::of(Assertion { rule: "feed:f".to_owned(), ..assertion("supplies") }).gives("accept");
}

#[test]
fn case_60_a_feed_that_confirms_lifts_low_confidence_and_nothing_else() {
    let unsure = Assertion { rule: "unsure".to_owned(), ..assertion("supplies") };
    Case::of(unsure.clone()).gives("confidence-low");
    Case { confirmed: true, ..Case::of(unsure.clone()) }.gives("accept");
    Case { confirmed: true, ..Case::of(Assertion { edge_type: "covers".to_owned(), ..unsure }) }
        .gives("review-required");
}

#[test]
fn reasons_come_together_and_sorted() {
    let bad = Assertion {
        rule: "unsure".to_owned(),
        subject: Resolution::Unknown { surface: "Foo".to_owned(), types: Vec::new() },
        object: Resolution::Ambiguous { surface: "Bar".to_owned(), candidates: Vec::new() },
        valid_from: Some(Bound {
            date: DateExpr::Ambiguous { text: "03/04/2024".to_owned() },
            inclusive: true,
        }),
        ..assertion("covers")
    };
    let reasons = "confidence-low review-required endpoint-ambiguous endpoint-unknown date-ambiguous \
                   snippet-crowded withdrawn";
    Case { crowd: 13, withdrawn: true, ..Case::of(bad.clone()) }.gives(reasons);
    let left = "endpoint-ambiguous endpoint-unknown date-ambiguous withdrawn";
    Case { crowd: 13, withdrawn: true, ..Case::decided(bad, Answer::Approve) }.gives(left);
    Case { crowd: 12, ..Case::of(assertion("supplies")) }.gives("accept");
    Case { imprecise: true, ..Case::of(assertion("supplies")) }.gives("rule-imprecise");
    Case { imprecise: true, ..Case::decided(assertion("supplies"), Answer::Approve) }.gives("accept");
    Case { imprecise: true, confirmed: true, ..Case::of(assertion("supplies")) }.gives("accept");
}

#[test]
fn case_6_an_interval_needs_a_day() {
    let empty = Assertion { valid_to: on("2024-01-01"), ..assertion("supplies") };
    Case::of(empty.clone()).gives("interval-empty");
    Case::decided(empty.clone(), Answer::Approve).gives("interval-empty");
    Case::decided(empty.clone(), correct(None, Some("2024-02-01"), None)).gives("accept");
    assert_eq!(Case::of(empty).attests(&Witness::default()), "nothing");
}

#[test]
fn case_8_an_end_counts_from_a_day_that_other_data_gives() {
    let date = DateExpr::Relative {
        base: DateBase::DocumentEffective,
        period: Period { days: 225, ..Period::default() },
    };
    let relative = Assertion { valid_to: Some(Bound { date, inclusive: false }), ..assertion("supplies") };
    Case { anchor: Some("2024-01-01"), ..Case::of(relative.clone()) }.gives("accept");
    let attested = Case { anchor: Some("2024-01-01"), ..Case::of(relative.clone()) };
    assert_eq!(attested.attests(&Witness::default()), "S:1 supplies C:1 2024-01-01 2024-08-13 {} None");
    Case::of(relative).gives("date-missing");
}

#[test]
fn case_46_a_superseding_edge_needs_a_start() {
    let undated = Assertion { valid_from: None, ..assertion("supersedes") };
    Case::of(undated.clone()).gives("date-missing");
    Case::of(Assertion { valid_from: None, ..assertion("supplies") }).gives("accept");
    Case::decided(undated, correct(Some("2024-01-01"), None, None)).gives("accept");
}

#[test]
fn case_9_and_18_dates_without_a_day() {
    let with =
        |date| Assertion { valid_from: Some(Bound { date, inclusive: true }), ..assertion("supplies") };
    let text = "x".to_owned();
    Case::of(with(DateExpr::Invalid { text: text.clone() })).gives("date-invalid");
    let blank = with(DateExpr::Blank { text });
    Case::of(blank.clone()).gives("accept");
    assert_eq!(Case::of(blank.clone()).attests(&Witness::default()), "S:1 supplies C:1 - - {} None");
    // The document's effective date, where one is declared, fills a blank start.
    let declared = Case { anchor: Some("2019-09-12"), ..Case::of(blank) };
    assert_eq!(declared.attests(&Witness::default()), "S:1 supplies C:1 2019-09-12 - {} None");
}

#[test]
fn types_must_fit() {
    let turned = Assertion {
        subject: Resolution::Known(key("C:1")),
        object: Resolution::Known(key("S:1")),
        ..assertion("supplies")
    };
    Case::of(turned).gives("domain-range");
    Case::of(assertion("gone")).gives("domain-range");
    assert_eq!(Case::of(assertion("gone")).attests(&Witness::default()), "nothing");
}

#[test]
fn case_70_to_74_a_person_decides() {
    let reject = Answer::Reject { reason: "a quotation".to_owned() };
    Case::decided(assertion("supplies"), reject).gives("reject: a quotation");
    Case::decided(assertion("covers"), Answer::Approve).gives("accept");
    Case::decided(assertion("covers"), Answer::Undo { decision: 1 }).gives("review-required");
    let corrected = correct(Some("2024-03-01"), None, Some("S:2"));
    Case::decided(assertion("covers"), corrected.clone()).gives("accept");
    assert_eq!(
        Case::decided(assertion("covers"), corrected).attests(&Witness::default()),
        "S:2 covers C:1 2024-03-01 - {} Some(7)"
    );
}

#[test]
fn symmetric_facts_and_identity_properties_have_one_form() {
    let object = Resolution::Known(key("S:0"));
    let partners = Assertion { object, ..assertion("partners") };
    assert_eq!(Case::of(partners).attests(&Witness::default()), "S:0 partners S:1 2024-01-01 - {} None");
    let properties = [("site", "Ulm"), ("note", "x")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    let ships = Assertion { properties: BTreeMap::from(properties), ..assertion("ships") };
    assert_eq!(
        Case::of(ships).attests(&Witness::default()),
        "S:1 ships C:1 2024-01-01 - {\"site\": \"Ulm\"} None"
    );
}

#[test]
fn an_end_takes_its_day_from_either_bound() {
    let ends = Assertion { says: Says::Ends, ..assertion("supplies") };
    assert_eq!(Case::of(ends.clone()).attests(&Witness::default()), "S:1 supplies C:1 - 2024-01-01 {} None");
    let both = Assertion { valid_to: on("2023-01-01"), ..ends };
    Case::of(both.clone()).gives("accept");
    assert_eq!(Case::of(both).attests(&Witness::default()), "S:1 supplies C:1 - 2023-01-01 {} None");
}

#[test]
fn a_feed_that_informs_attests_nothing() {
    let left = Some(Left { on: day("2024-06-01"), why: String::new(), dated: None });
    let informs = Witness { authority: Some(Authority::Informs), ..Witness::default() };
    assert_eq!(Case::of(Assertion { left, ..assertion("supplies") }).attests(&informs), "nothing");
}
