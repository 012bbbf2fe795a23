//! Laws that hold for every input, tried on small random slices in which things collide often.

use super::notation::{Given, show_edge};
use super::*;
use crate::model::fact::Edge;

/// A small generator of numbers, so that a failure can be told by its seed.
struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.roll(of.len() as u64) as usize]
    }
}

const STARTS: &[&str] = &["?", "?", "2020", "2021-01", "2021Q1", "2021-01-01", "2021-02-01", "2022-01-01"];
const ENDS: &[&str] = &["inf", "inf", "inf", "2021", "2021-03", "2021-06-01", "2022-01-01", "2023-01-01"];
const DAYS: &[&str] = &["2020-06-01", "2021-01-01", "2021-02-01", "2021-08-01", "2022-06-01"];

/// A random text of attestations; some have empty intervals on purpose.
fn text(dice: &mut Dice) -> String {
    let mut text = String::new();
    for nth in 0..1 + dice.roll(7) {
        let (subject, object) = (dice.pick(&["S", "T", "U"]), dice.pick(&["C", "C", "S"]));
        let edge_type = dice.pick(&["sole", "sole", "supplies", "sits_in", "supersedes", "rated", "uses"]);
        let says = if dice.roll(6) == 0 {
            format!(
                "{subject} ends {edge_type} {object} {}",
                dice.pick(&["?", "2021", "2021-02-01", "2022-01-01"])
            )
        } else {
            format!("{subject} {edge_type} {object} [{}, {})", dice.pick(STARTS), dice.pick(ENDS))
        };
        text += &format!("a{nth}: {says}");
        for (one_in, option) in [
            (2, format!(" dated={}", dice.pick(DAYS))),
            (5, format!(" left={}", dice.pick(DAYS))),
            (4, format!(" for={}", dice.pick(&["S", "C"]))),
            (6, format!(" approved={}", 1 + nth)),
            (5, format!(" feed={}", dice.pick(&["decides", "confirms", "informs"]))),
            (3, format!(" qty={}", dice.pick(&["5", "7"]))),
        ] {
            if dice.roll(one_in) == 0 {
                text += &option;
            }
        }
        text += "\n";
    }
    for _ in 0..dice.roll(3) {
        text += &format!("published: {} sole C\n", dice.pick(&["S", "T", "U"]));
    }
    if dice.roll(3) == 0 {
        text += dice.pick(&["log: S sole C > T sole C\n", "log: T sole C > S sole C\n"]);
    }
    text
}

/// How many texts a law is tried on: enough to meet every pair of constraints, few enough to wait for.
const SEEDS: u64 = 600;

/// Tries a law on many texts.
fn always(law: impl Fn(&Given, &mut Dice) -> Result<(), String>) {
    for seed in 1..=SEEDS {
        let mut dice = Dice::of(seed);
        let text = text(&mut dice);
        let given = Given::read(&text);
        if let Err(broken) = law(&given, &mut dice) {
            let shown = given.show(&given.fold());
            panic!("seed {seed}: {broken}\n--- given\n{text}--- folded\n{shown}");
        }
    }
}

fn same(what: &str, one: &Folded, other: &Folded) -> Result<(), String> {
    if one == other { Ok(()) } else { Err(format!("{what} differs:\n{one:#?}\n{other:#?}")) }
}

#[test]
fn the_order_of_the_attestations_does_not_matter() {
    always(|given, dice| {
        let folded = given.fold();
        let mut shuffled = given.clone();
        for at in (1..shuffled.attestations.len()).rev() {
            shuffled.attestations.swap(at, dice.roll(at as u64 + 1) as usize);
        }
        shuffled.attestations.extend(given.attestations.first().cloned());
        same("the order", &folded, &shuffled.fold())
    });
}

#[test]
fn folding_again_with_the_log_that_was_kept_gives_the_same_even_in_a_rebuild() {
    always(|given, _| {
        let folded = given.fold();
        let mut again = given.clone();
        again.log = folded.incumbents.clone();
        same("folding again", &folded, &again.fold())?;
        again.published.clear();
        let rebuilt = again.fold();
        same("a rebuild", &folded, &rebuilt)
    });
}

#[test]
fn folding_after_publishing_gives_the_same_graph_and_log() {
    always(|given, _| {
        let folded = given.fold();
        let mut next = given.clone();
        next.log = folded.incumbents.clone();
        let edges = |fact: &Fact| fact.edges.iter().map(|edge| edge.interval).collect();
        next.published = folded.facts.iter().map(|fact| (fact.id, edges(fact))).collect();
        let again = next.fold();
        // The log too: what a fold adds to it or drops, no later fold of the same adds or drops.
        let told =
            |folded: &Folded| (folded.facts.clone(), folded.quarantined.clone(), folded.incumbents.clone());
        let (was, is) = (told(&folded), told(&again));
        if was == is { Ok(()) } else { Err(format!("publishing changes {was:#?}\nto {is:#?}")) }
    });
}

#[test]
fn an_attestation_that_goes_and_comes_back_leaves_no_trace() {
    always(|given, dice| {
        let folded = given.fold();
        let mut without = given.clone();
        let gone = without.attestations.remove(dice.roll(given.attestations.len() as u64) as usize);
        without.log = folded.incumbents.clone();
        let meanwhile = without.fold();
        // Who was an incumbent and left comes back as a newcomer: that is the one trace it may leave.
        if meanwhile.incumbents != folded.incumbents {
            return Ok(());
        }
        without.log = meanwhile.incumbents;
        without.attestations.push(gone);
        without.published = given.published.clone();
        same("coming back", &folded, &without.fold())
    });
}

#[test]
fn edges_ascend_and_never_touch_and_rest_on_attestations() {
    always(|given, _| {
        for fact in &given.fold().facts {
            if fact.edges.is_empty() {
                return Err("a fact without an edge".to_owned());
            }
            for pair in fact.edges.windows(2) {
                if pair[0].interval >= pair[1].interval || pair[0].interval.touches(&pair[1].interval) {
                    return Err("edges touch or do not ascend".to_owned());
                }
            }
            for edge in &fact.edges {
                let mut by = fact.attestations.iter().filter(|attested| !attested.ends);
                if !by.any(|attested| attested.interval.overlaps(&edge.interval)) {
                    return Err(format!("{} rests on nothing", show_edge(edge)));
                }
            }
            for attested in fact.attestations.iter().filter(|attested| !attested.ends) {
                let (from, to) = (attested.interval.from(), attested.interval.to());
                let within = |edge: &Edge| {
                    let starts =
                        edge.interval.from().is_none_or(|start| from.is_some_and(|from| start <= from));
                    let ends = edge.interval.to().is_none_or(|end| to.is_some_and(|to| to <= end));
                    starts && ends
                };
                if !fact.edges.iter().any(within) {
                    return Err(format!("{} is in no edge", attested.interval));
                }
            }
            for cut in &fact.cuts {
                if !fact.edges.iter().any(|edge| edge.interval.to() == Some(cut.on)) {
                    return Err("a cut that ends no edge".to_owned());
                }
            }
        }
        Ok(())
    });
}

#[test]
fn at_most_one_holds_on_every_day() {
    always(|given, _| {
        let folded = given.fold();
        for (nth, one) in folded.facts.iter().enumerate() {
            for other in &folded.facts[nth + 1..] {
                let rivals = one.edge_type == other.edge_type
                    && match one.edge_type.as_str() {
                        "sole" => one.object == other.object,
                        "sits_in" => one.subject == other.subject,
                        _ => false,
                    };
                let overlap = one
                    .edges
                    .iter()
                    .any(|edge| other.edges.iter().any(|with| edge.interval.overlaps(&with.interval)));
                if rivals && overlap {
                    return Err("two hold on one day".to_owned());
                }
            }
        }
        Ok(())
    });
}

#[test]
fn who_sees_everything_sees_the_edges_and_who_sees_less_sees_no_more_facts() {
    always(|given, dice| {
        for fact in &given.fold().facts {
            let all = visible(fact, &|_| true);
            if all != fact.edges {
                let show = |edges: &[Edge]| edges.iter().map(show_edge).collect::<Vec<_>>().join(" ");
                return Err(format!("all-seeing {} is not {}", show(&all), show(&fact.edges)));
            }
            let hidden = fact.attestations[dice.roll(fact.attestations.len() as u64) as usize].assertion;
            let some = visible(fact, &|assertion| *assertion != hidden);
            for pair in some.windows(2) {
                if pair[0].interval.touches(&pair[1].interval) {
                    return Err("visible edges touch".to_owned());
                }
            }
            if !visible(fact, &|_| false).is_empty() {
                return Err("the blind see".to_owned());
            }
        }
        Ok(())
    });
}

#[test]
fn who_waits_for_a_conflict_has_a_rival_that_stands() {
    always(|given, _| {
        let folded = given.fold();
        for row in &folded.quarantined {
            let at = given.attestations.iter().find(|at| at.assertion == row.assertion);
            let stands = row.reasons.iter().any(|reason| match reason {
                Reason::Conflict { with } | Reason::Cycle { with } => {
                    at.is_some_and(|at| at.fact == *with) || folded.facts.iter().any(|fact| fact.id == *with)
                }
                _ => true,
            });
            if !stands {
                return Err("a conflict with nobody".to_owned());
            }
        }
        Ok(())
    });
}

#[test]
fn every_assertion_is_accounted_for_at_most_once() {
    always(|given, _| {
        let folded = given.fold();
        let mut seen: Vec<AssertionId> = folded
            .facts
            .iter()
            .flat_map(|fact| fact.attestations.iter().map(|attested| attested.assertion))
            .chain(folded.quarantined.iter().map(|row| row.assertion))
            .chain(folded.pending.iter().map(|end| end.assertion))
            .collect();
        let count = seen.len();
        seen.sort();
        seen.dedup();
        if seen.len() == count { Ok(()) } else { Err("an assertion stands in two places".to_owned()) }
    });
}

#[test]
fn where_everybody_clashes_each_loser_is_kept_once() {
    for count in [20, 40, 200] {
        let text: String =
            (0..count).map(|nth| format!("a{nth}: S{nth} sole C [2024-01-01, inf)\n")).collect();
        let folded = Given::read(&text).fold();
        let reasons: usize = folded.quarantined.iter().map(|row| row.reasons.len()).sum();
        let kept = (folded.facts.len(), folded.quarantined.len(), reasons, folded.incumbents.len());
        assert_eq!(kept, (1, count - 1, count - 1, count - 1), "of {count}");
    }
}
