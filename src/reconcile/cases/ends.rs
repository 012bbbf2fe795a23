//! Cases 41 to 81: superseding, circles, ends, master data, decisions, and what a reader sees.

use super::super::notation::{Given, check};
use super::super::*;
use super::change;
use crate::model::cause::Change;

const SUPERSEDED: &str = "x: S supplies C [2020-01-01, inf) for=Schedule7
                          a: A2 supersedes Schedule7 [2024-01-01, inf) for=A2\n";

#[test]
fn case_41_superseding_ends_what_the_superseded_text_attests() {
    check(
        SUPERSEDED,
        "A2 supersedes Schedule7 [2024-01-01, ∞) by a
         S supplies C [2020-01-01, 2024-01-01) by x; 2024-01-01 superseded A2 supersedes Schedule7",
    );
    check(
        &format!("{SUPERSEDED}y: S supplies C [2021-01-01, inf)"),
        "A2 supersedes Schedule7 [2024-01-01, ∞) by a
         S supplies C [2020-01-01, ∞) by x y",
    );
}

#[test]
fn case_42_superseding_a_superseding_text_revives_nothing() {
    check(
        &format!(
            "{SUPERSEDED}b: A3 supersedes A2 [2025-01-01, inf) for=A3
             y: S supplies D [2024-01-01, inf) for=A2"
        ),
        "A2 supersedes Schedule7 [2024-01-01, ∞) by a
         A3 supersedes A2 [2025-01-01, ∞) by b
         S supplies C [2020-01-01, 2024-01-01) by x; 2024-01-01 superseded A2 supersedes Schedule7
         S supplies D [2024-01-01, 2025-01-01) by y; 2025-01-01 superseded A3 supersedes A2",
    );
}

#[test]
fn case_43_without_its_cause_the_end_goes() {
    let without = SUPERSEDED.lines().next().unwrap();
    assert_eq!(change(SUPERSEDED, without), Some(Change::Changed { revived: true }));
}

#[test]
fn case_44_of_a_circle_the_later_one_goes() {
    check(
        "a: A supersedes B [2024-01-01, inf)
         b: B supersedes A [2025-01-01, inf)",
        "A supersedes B [2024-01-01, ∞) by a
         quarantined b: cycle A supersedes B",
    );
    let same_day = Given::read(
        "a: A supersedes B [2024-01-01, inf)
         b: B supersedes A [2024-01-01, inf)",
    );
    let folded = same_day.fold();
    let larger = same_day.attestations.iter().map(|at| at.fact).max().unwrap();
    assert_eq!(folded.facts.len(), 1);
    assert_ne!(folded.facts[0].id, larger);
}

#[test]
fn case_44_acyclic_types_care_for_days() {
    check(
        "a: A uses B [2020-01-01, inf)
         b: B uses C [2021-01-01, inf)
         c: C uses A [2022-01-01, inf)
         d: D uses A [2022-01-01, inf)",
        "A uses B [2020-01-01, ∞) by a
         B uses C [2021-01-01, ∞) by b
         D uses A [2022-01-01, ∞) by d
         quarantined c: cycle A uses B",
    );
    check(
        "a: A uses B [2020-01-01, 2021-01-01)
         b: B uses A [2022-01-01, inf)",
        "A uses B [2020-01-01, 2021-01-01) by a
         B uses A [2022-01-01, ∞) by b",
    );
    check("a: A uses A [2020-01-01, inf)", "quarantined a: cycle A uses A");
    // The move of A ends what would have been a circle.
    check(
        "a: A sits_in B [2020-01-01, inf)
         b: A sits_in C [2023-01-01, inf)
         c: B sits_in A [2024-01-01, inf)",
        "A sits_in B [2020-01-01, 2023-01-01) by a; 2023-01-01 newcomer A sits_in C
         A sits_in C [2023-01-01, ∞) by b
         B sits_in A [2024-01-01, ∞) by c",
    );
}

#[test]
fn case_45_an_inverse_is_not_a_fact() {
    let folded = Given::read(SUPERSEDED).fold();
    assert_eq!(folded.facts.len(), 2);
}

#[test]
fn case_46_without_a_start_nothing_is_cut() {
    // The gate quarantines it; if a person vouches for it all the same, it still ends nothing.
    check(
        "x: S supplies C [2020-01-01, inf) for=Schedule7
         a: A2 supersedes Schedule7 [?, inf)",
        "A2 supersedes Schedule7 [?, ∞) by a
         S supplies C [2020-01-01, ∞) by x",
    );
}

#[test]
fn case_48_an_end_ends_what_began_before_it() {
    for start in ["?", "2020-01-01"] {
        check(
            &format!("s: S supplies C [{start}, inf)\ne: S ends supplies C 2024-02-17"),
            &format!("S supplies C [{start}, 2024-02-17) by e! s; 2024-02-17 ended e"),
        );
    }
    check(
        "s: S supplies C [2020-01-01, inf)
         e: S ends supplies C 2024-02-17
         again: S supplies C [2025-01-01, inf)",
        "S supplies C [2020-01-01, 2024-02-17) [2025-01-01, ∞) by again e! s; 2024-02-17 ended e",
    );
}

#[test]
fn case_49_an_end_waits_for_an_attestation() {
    check("e: S ends supplies C 2024-02-17", "waits e: S supplies C");
}

#[test]
fn case_50_an_end_without_a_day_ends_on_the_day_of_its_document() {
    check(
        "s: S supplies C [2020-01-01, inf)
         e: S ends supplies C ? dated=2024-03-01",
        "S supplies C [2020-01-01, 2024-03-01 or before) by e! s; 2024-03-01 ended e",
    );
    check(
        "s: S supplies C [2020-01-01, inf)
         e: S ends supplies C ? dated=2024-03-01
         f: S ends supplies C 2024-02-17",
        "S supplies C [2020-01-01, 2024-02-17) by e! f! s; 2024-02-17 ended f",
    );
    check(
        "s: S supplies C [2020-01-01, inf)
         e: S ends supplies C ?",
        "S supplies C [2020-01-01, ∞) by s
         quarantined e: date-missing",
    );
}

#[test]
fn case_59_a_document_does_not_contradict_master_data_that_decides() {
    check(
        "m: S sole C [2020-01-01, inf) feed=decides
         d: T sole C [2024-02-17, inf)",
        "S sole C [2020-01-01, ∞) by m
         quarantined d: contradicts-master S sole C",
    );
    // Ending where the master data begins is no contradiction.
    check(
        "m: T sole C [2024-02-17, inf) feed=decides
         d: S sole C [?, inf) dated=2023-01-15",
        "S sole C [?, 2024-02-17) by d; 2024-02-17 newcomer T sole C
         T sole C [2024-02-17, ∞) by m",
    );
    check(
        "m: S supplies C [2020-01-01, inf) feed=decides
         d: S supplies C [2020-03-01, inf)
         e: S supplies C [2020, inf)
         f: S supplies C [2015-01-01, 2016-01-01)
         g: S supplies C [?, 2023-01-01)
         h: S ends supplies C 2024-02-17",
        "S supplies C [2015-01-01, 2016-01-01) [2020-01-01, ∞) by e~ f g~ m
         quarantined d: contradicts-master S supplies C
         quarantined h: contradicts-master S supplies C",
    );
    // A person's word stands above.
    check(
        "m: S sole C [2024-01-01, inf) feed=decides
         d: T sole C [2024-01-01, inf) approved=3",
        "T sole C [2024-01-01, ∞) by d
         quarantined m: conflict T sole C",
    );
}

#[test]
fn case_60_a_confirming_row_and_a_document_are_two_evidences() {
    check(
        "m: S supplies C [2024-01-01, inf) feed=confirms
         d: S supplies C [?, inf)
         i: S supplies C [2019-01-01, inf) feed=informs",
        "S supplies C [2024-01-01, ∞) by d~ m",
    );
}

#[test]
fn case_72_a_decision_is_not_evidence() {
    check("published: S supplies C", "");
}

#[test]
fn case_73_the_same_sentence_elsewhere_stands_by_itself() {
    check("other: S supplies C [2024-01-01, inf)", "S supplies C [2024-01-01, ∞) by other");
}

#[test]
fn case_74_a_corrected_interval_is_the_curators() {
    check(
        "a: S supplies C [2024-03-01, inf) approved=2
         b: S supplies C [2024, inf)",
        "S supplies C [2024-03-01, ∞) by a b~",
    );
}

#[test]
fn case_81_a_reader_sees_the_periods_of_what_they_see() {
    let given = Given::read(
        "public: S supplies C [2022-01-01, 2023-01-01) qty=1
         secret: S supplies C [2022-06-01, 2024-01-01) qty=2
         undated: S supplies C [?, inf) qty=3",
    );
    assert_eq!(given.seen("public"), "S supplies C [2022-01-01, 2023-01-01) qty=1\n");
    assert_eq!(given.seen("secret"), "S supplies C [2022-06-01, 2024-01-01) qty=2\n");
    assert_eq!(given.seen("undated"), "S supplies C [?, ∞) qty=3\n");
    assert_eq!(given.seen("public undated"), "S supplies C [2022-01-01, 2023-01-01) qty=1\n");
    assert_eq!(given.seen("public secret undated"), "S supplies C [2022-01-01, 2024-01-01) qty=2\n");
    assert_eq!(given.seen(""), "");
    // What joined a secret interval adds nothing of it to a visible one.
    let again = Given::read(
        "public: S sole C [2020-01-01, inf)
         t: T sole C [2022-01-01, inf)
         secret: S sole C [2024-01-01, inf)
         undated: S sole C [?, inf)",
    );
    assert_eq!(again.seen("public undated"), "S sole C [2020-01-01, 2022-01-01)\n");
    // An end that a secret document causes is for everyone.
    let ended = Given::read(
        "public: S supplies C [2022-01-01, inf)
         secret: S ends supplies C ? dated=2024-02-17",
    );
    assert_eq!(ended.seen("public"), "S supplies C [2022-01-01, 2024-02-17 or before)\n");
    assert_eq!(ended.seen("secret"), "");
}

#[test]
fn groups_do_not_collide_and_hold_what_belongs_together() {
    let ontology = notation::ontology();
    let of = |edge_type: &str, subject: &str, object: &str| {
        let (subject, object) = (notation::entity(subject), notation::entity(object));
        let fact =
            crate::model::assertion::Assertion::fact_id(&subject, edge_type, &object, &BTreeMap::new());
        ontology.edges[edge_type].group(&subject, &object, fact)
    };
    assert_eq!(of("sole", "S", "C"), of("sole", "T", "C"));
    assert_ne!(of("sole", "S", "C"), of("sole", "S", "D"));
    assert_eq!(of("uses", "A", "B"), of("uses", "C", "D"));
    assert_eq!(of("sits_in", "A", "B"), of("sits_in", "C", "D"));
    assert_ne!(of("supplies", "a|E:b", "c"), of("supplies", "a", "b|E:c"));
    assert_eq!((ontology.edges["supersedes"].stratum(), ontology.edges["uses"].stratum()), (1, 2));
}
