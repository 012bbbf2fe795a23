//! The worked cases that the fold decides, each named after its number.

use super::notation::{Given, check};
use super::*;
use crate::model::cause::Change;

#[test]
fn case_03_two_intervals_are_two_edges() {
    check(
        "a: S supplies C [2022-01-01, 2023-01-01)
         b: S supplies C [2024-01-01, inf)",
        "S supplies C [2022-01-01, 2023-01-01) [2024-01-01, ∞) by a b",
    );
}

#[test]
fn case_04_touching_intervals_are_one_edge() {
    check(
        "a: S supplies C [2024-01-01, 2024-02-01)
         b: S supplies C [2024-02-01, inf)",
        "S supplies C [2024-01-01, ∞) by a b",
    );
}

#[test]
fn case_05_overlapping_intervals_unite_and_part_again() {
    check(
        "a: S supplies C [2022-01-01, 2023-06-01)
         b: S supplies C [2023-01-01, 2024-01-01)",
        "S supplies C [2022-01-01, 2024-01-01) by a b",
    );
    check("b: S supplies C [2023-01-01, 2024-01-01)", "S supplies C [2023-01-01, 2024-01-01) by b");
}

#[test]
fn case_06_an_empty_interval_holds_on_no_day() {
    check("a: S supplies C [2024-01-01, 2024-01-01)", "");
}

#[test]
fn case_07_coarse_bounds_stand_where_nobody_is_finer() {
    check("a: S supplies C [2024-02, inf)", "S supplies C [2024-02-01 month, ∞) by a");
    check("a: S supplies C [?, 2024-02)", "S supplies C [?, 2024-03-01) by a");
    check("a: S supplies C [2024, 2024)", "S supplies C [2024-01-01 year, 2025-01-01) by a");
    check("a: S supplies C [2025Q3, 2025Q3)", "S supplies C [2025-07-01 quarter, 2025-10-01) by a");
}

#[test]
fn case_13_an_actual_end_replaces_a_projected_one() {
    check("a: S supplies C [?, 2026-01-13)", "S supplies C [?, 2026-01-13) by a");
    check("a: S supplies C [?, 2025-12-18)", "S supplies C [?, 2025-12-18) by a");
}

#[test]
fn case_15_an_undated_contract_joins_a_dated_notice() {
    check(
        "contract: S supplies C [?, inf)
         notice: S supplies C [2024-02-17, inf)",
        "S supplies C [2024-02-17, ∞) by contract~ notice",
    );
    check("contract: S supplies C [?, inf)", "S supplies C [?, ∞) by contract");
}

#[test]
fn case_15_several_intervals_the_undated_one_joins_the_latest() {
    check(
        "a: S supplies C [2020-01-01, 2021-01-01)
         b: S supplies C [2023-01-01, 2024-01-01)
         c: S supplies C [?, inf)",
        "S supplies C [2020-01-01, 2021-01-01) [2023-01-01, 2024-01-01) by a b c~",
    );
    check(
        "a: S supplies C [2020-01-01, 2021-01-01)
         b: S supplies C [2023-01-01, 2024-01-01)
         c: S supplies C [?, 2021-06-01)",
        "S supplies C [2020-01-01, 2021-01-01) [2023-01-01, 2024-01-01) by a b c~",
    );
}

#[test]
fn case_16_a_year_joins_a_day_within_it() {
    check(
        "a: S supplies C [2024, 2024)
         b: S supplies C [2024-03-05, inf)",
        "S supplies C [2024-03-05, ∞) by a~ b",
    );
    check("a: S supplies C [2024, 2024)", "S supplies C [2024-01-01 year, 2025-01-01) by a");
    check(
        "a: S supplies C [2024, 2024)
         b: S supplies C [2024-02, inf)
         c: S supplies C [2024-02-17, 2024-11-30)",
        "S supplies C [2024-02-17, 2024-11-30) by a~ b~ c",
    );
    check(
        "a: S supplies C [2024, 2024)
         b: S supplies C [2025-03-05, inf)",
        "S supplies C [2024-01-01 year, 2025-01-01) [2025-03-05, ∞) by a b",
    );
}

#[test]
fn case_16_a_coarse_end_takes_a_finer_one_and_what_joins_moves_nothing() {
    check(
        "a: S supplies C [2023-01-01, 2024)
         b: S supplies C [2023-01-01, 2024-09-30)",
        "S supplies C [2023-01-01, 2024-09-30) by a b",
    );
    check(
        "a: S supplies C [2020, 2023)
         b: S supplies C [2020-05-01, 2021-06-01)",
        "S supplies C [2020-05-01, 2021-06-01) by a~ b",
    );
}

#[test]
fn case_15_an_end_without_a_start_joins_and_moves_nothing() {
    check(
        "a: S supplies C [2020-01-01, inf)
         b: S supplies C [?, 2022-01-01)",
        "S supplies C [2020-01-01, ∞) by a b~",
    );
    check(
        "a: S supplies C [2024-01-01, inf)
         b: S supplies C [?, 2022-01-01)",
        "S supplies C [?, 2022-01-01) [2024-01-01, ∞) by a b",
    );
    check(
        "a: S supplies C [?, inf)
         b: S supplies C [?, 2022-01-01)",
        "S supplies C [?, 2022-01-01) by a~ b",
    );
}

#[test]
fn case_35_evidence_of_a_loser_is_folded_anew() {
    // The undated contract of 2023 does not go with the loser: it holds until the one who stands.
    check(
        "t: T sole C [2024-01-01, inf) feed=decides
         u: U sole C [2024-01-01, inf) feed=confirms
         c: U sole C [?, inf) dated=2023-05-01",
        "T sole C [2024-01-01, ∞) by t
         U sole C [?, 2024-01-01) by c; 2024-01-01 newcomer T sole C
         log: T sole C > U sole C
         quarantined u: conflict T sole C",
    );
    // One that is not dated cannot stand by itself either.
    check(
        "t: T sole C [2024-01-01, inf) feed=confirms
         u: U sole C [2024-01-01, inf)
         c: U sole C [?, inf)
         log: T sole C > U sole C",
        "T sole C [2024-01-01, ∞) by t
         log: T sole C > U sole C
         quarantined c: conflict T sole C
         quarantined u: conflict T sole C",
    );
}

#[test]
fn case_19_and_20_the_edge_stays_while_one_evidence_lives() {
    let both = "a: S supplies C [2024-01-01, inf)
                b: S supplies C [2024-01-01, inf)";
    check(both, "S supplies C [2024-01-01, ∞) by a b");
    check("b: S supplies C [2024-01-01, inf)", "S supplies C [2024-01-01, ∞) by b");
    check("", "");
    let one = "b: S supplies C [2024-01-01, inf)";
    assert_eq!(change(both, one), Some(Change::SupportOnly));
    assert_eq!(change(one, ""), Some(Change::Retracted));
    assert_eq!(change("", one), Some(Change::Added));
    assert_eq!(change(one, one), None);
}

#[test]
fn case_24_twice_in_a_document_and_two_spans_in_a_sentence() {
    check(
        "a: S supplies C [2024-01-01, inf) doc=d
         b: S supplies C [2024-01-01, inf) doc=d",
        "S supplies C [2024-01-01, ∞) by a b",
    );
    check(
        "a: S supplies C [2020-01-01, 2021-01-01) doc=d
         b: S supplies C [2023-01-01, inf) doc=d",
        "S supplies C [2020-01-01, 2021-01-01) [2023-01-01, ∞) by a b",
    );
}

#[test]
fn case_27_amended_text_ends_and_goes_on_by_others() {
    check(
        "a: S supplies C [2024-01-01, inf) left=2024-06-01",
        "S supplies C [2024-01-01, 2024-06-01) by a; 2024-06-01 left a",
    );
    check(
        "a: S supplies C [2024-01-01, inf) left=2024-06-01
         b: S supplies C [?, inf)",
        "S supplies C [2024-01-01, ∞) by a b~",
    );
    check("a: S supplies C [2024-07-01, inf) left=2024-06-01", "");
}

#[test]
fn case_29_the_later_stated_start_gives_the_property_then_authority() {
    check(
        "a: S supplies C [2022-01-01, inf) qty=500
         b: S supplies C [2024-01-01, inf) qty=700",
        "S supplies C [2022-01-01, ∞) qty=700 by a b",
    );
    check(
        "a: S supplies C [2024-01-01, inf) qty=500 feed=confirms
         b: S supplies C [2024-01-01, inf) qty=700",
        "S supplies C [2024-01-01, ∞) qty=500 by a b",
    );
    check(
        "a: S rated C [2022-01-01, inf) qty=500
         b: S rated C [2024-01-01, inf) qty=700",
        "S rated C [2024-01-01, ∞) qty=700 by b
         quarantined a: conflict S rated C",
    );
}

const OLD_CONTRACT: &str = "s: S sole C [?, inf) dated=2023-01-15\n";
const NEWCOMER: &str = "t: T sole C [2024-02-17, inf) dated=2024-02-01\n";

#[test]
fn case_31_to_33_a_newcomer_ends_the_incumbent_in_any_order_of_arrival() {
    check(
        &format!("{OLD_CONTRACT}{NEWCOMER}"),
        "S sole C [?, 2024-02-17) by s; 2024-02-17 newcomer T sole C
         T sole C [2024-02-17, ∞) by t",
    );
    let revived = Change::Changed { revived: true };
    assert_eq!(change(&format!("{OLD_CONTRACT}{NEWCOMER}"), OLD_CONTRACT), Some(revived));
    check(
        &format!("{OLD_CONTRACT}{NEWCOMER}u: U sole C [2023-06-01, inf)"),
        "S sole C [?, 2023-06-01) by s; 2023-06-01 newcomer U sole C
         T sole C [2024-02-17, ∞) by t
         U sole C [2023-06-01, 2024-02-17) by u; 2024-02-17 newcomer T sole C",
    );
}

#[test]
fn case_32_a_newcomer_that_starts_later_is_a_correction_not_a_revival() {
    let later = NEWCOMER.replace("2024-02-17", "2024-03-17");
    assert_eq!(
        change(&format!("{OLD_CONTRACT}{NEWCOMER}"), &format!("{OLD_CONTRACT}{later}")),
        Some(Change::Changed { revived: false })
    );
}

#[test]
fn case_34_a_fact_that_is_stated_again_starts_anew() {
    check(
        "s: S sole C [2020-01-01, inf)
         t: T sole C [2022-01-01, inf)
         again: S sole C [2024-01-01, inf)",
        "S sole C [2020-01-01, 2022-01-01) [2024-01-01, ∞) by again s; 2022-01-01 newcomer T sole C
         T sole C [2022-01-01, 2024-01-01) by t; 2024-01-01 newcomer S sole C",
    );
}

const SAME_DAY: &str = "t: T sole C [2024-01-01, inf)
                        u: U sole C [2024-01-01, inf)\n";

#[test]
fn case_35_the_incumbent_stays_and_a_rebuild_says_the_same() {
    for (stands, goes, label) in [("T", "U", "u"), ("U", "T", "t")] {
        let other = if label == "u" { "t" } else { "u" };
        let stays = format!(
            "{stands} sole C [2024-01-01, ∞) by {other}
             log: {stands} sole C > {goes} sole C
             quarantined {label}: conflict {stands} sole C"
        );
        check(&format!("{SAME_DAY}published: {stands} sole C"), &stays);
        check(&format!("{SAME_DAY}log: {stands} sole C > {goes} sole C"), &stays);
        let both = format!("{SAME_DAY}log: {stands} sole C > {goes} sole C\npublished: {goes} sole C");
        check(&both, &stays);
    }
}

#[test]
fn case_35_without_an_incumbent_master_data_then_dates_then_documents_decide() {
    let stands = |input: &str| {
        let given = Given::read(input);
        let folded = given.fold();
        let names: Vec<&str> = folded.facts.iter().map(|fact| fact.subject.key()).collect();
        assert_eq!(folded.quarantined.is_empty(), names.len() > 1);
        names.join(" ")
    };
    assert_eq!(
        stands("t: T sole C [2024-01-01, inf) feed=decides\nu: U sole C [2024-01-01, inf) feed=confirms"),
        "T"
    );
    assert_eq!(stands("t: T sole C [2024-01-01, inf)\nu: U sole C [2024-01-01, inf) feed=decides"), "U");
    assert_eq!(stands("t: T sole C [2024-01-01, inf)\nu: U sole C [?, inf) dated=2025-01-01"), "T");
    assert_eq!(stands(&format!("{SAME_DAY}v: U sole C [2024-01-01, inf)")), "U");
    assert_eq!(stands(&format!("{SAME_DAY}v: T sole C [2024-01-01, inf)")), "T");
    assert_eq!(
        stands(&format!("{SAME_DAY}v: U sole C [2024-01-01, inf) doc=u\nw: T sole C [2024-01-01, inf)")),
        "T"
    );
}

#[test]
fn case_35_the_log_forgets_who_is_no_longer_attested() {
    check(
        "u: U sole C [2024-01-01, inf)
         log: T sole C > U sole C",
        "U sole C [2024-01-01, ∞) by u",
    );
    check(
        "t: T sole C [2024-01-01, inf)
         log: T sole C > U sole C",
        "T sole C [2024-01-01, ∞) by t
         log: T sole C > U sole C",
    );
}

#[test]
fn case_36_a_stated_end_is_not_overruled() {
    for start in ["2020-01-01", "?"] {
        check(
            &format!("s: S sole C [{start}, 2025-01-01)\nt: T sole C [2024-02-17, inf)"),
            &format!(
                "S sole C [{start}, 2025-01-01) by s\nlog: S sole C > T sole C\nquarantined t: conflict S sole C"
            ),
        );
    }
    check(
        "s: S sole C [2020-01-01, inf)
         e: S ends sole C 2025-01-01
         t: T sole C [2024-02-17, inf)",
        "S sole C [2020-01-01, 2025-01-01) by e! s; 2025-01-01 ended e
         log: S sole C > T sole C
         quarantined t: conflict S sole C",
    );
}

#[test]
fn case_37_an_undated_contract_ends_nobody_silently() {
    check(
        "s: S sole C [2020-01-01, inf)
         t: T sole C [?, inf) dated=2024-05-01
         published: S sole C",
        "S sole C [2020-01-01, ∞) by s
         log: S sole C > T sole C
         quarantined t: conflict S sole C",
    );
    check(
        "s: S sole C [2020-01-01, inf)
         t: T sole C [?, inf)",
        "S sole C [2020-01-01, ∞) by s
         log: S sole C > T sole C
         quarantined t: conflict S sole C",
    );
}

#[test]
fn case_37_a_fact_that_is_stated_of_another_time_tonight_is_a_newcomer_there() {
    // S's contract was dated before T's start, and T has been moved to a day before that contract.
    check(
        "s: S sole C [?, inf) dated=2024-06-01
         t: T sole C [2025-01-01, inf)
         again: T sole C [2024-01-01, inf)
         published: S sole C [?, 2025-01-01)
         published: T sole C [2025-01-01, inf)",
        "S sole C [?, 2025-01-01) by s; 2025-01-01 newcomer T sole C
         T sole C [2025-01-01, ∞) by t
         log: S sole C > T sole C
         quarantined again: conflict S sole C",
    );
}

#[test]
fn who_joined_an_interval_that_waits_does_not_wait_with_it() {
    check(
        "a: S sole C [2024-01-01, inf)
         b: T sole C [2024-02-17, 2025-01-02)
         c: S sole C [2025-01-01, inf)
         d: S sole C [?, inf)",
        "S sole C [2024-01-01, 2024-02-17) by a d~; 2024-02-17 newcomer T sole C
         T sole C [2024-02-17, 2025-01-02) by b
         log: T sole C > S sole C
         nobody sole C [2025-01-02, ∞)
         quarantined c: conflict T sole C",
    );
}

#[test]
fn case_38_after_a_bounded_newcomer_nobody_holds() {
    check(
        "s: S sole C [?, inf) dated=2023-01-15
         t: T sole C [2024-02-17, 2024-06-01)",
        "S sole C [?, 2024-02-17) by s; 2024-02-17 newcomer T sole C
         T sole C [2024-02-17, 2024-06-01) by t
         nobody sole C [2024-06-01, ∞)",
    );
    check(
        "s: S sole C [2020-01-01, 2021-01-01)
         t: T sole C [2022-01-01, inf)",
        "S sole C [2020-01-01, 2021-01-01) by s
         T sole C [2022-01-01, ∞) by t
         nobody sole C [2021-01-01, 2022-01-01)",
    );
}

#[test]
fn case_39_approving_the_loser_makes_it_stand_and_undoing_gives_the_state_before() {
    let logged = "log: T sole C > U sole C";
    check(
        &format!(
            "{}{logged}",
            SAME_DAY.replace("u: U sole C [2024-01-01, inf)", "u: U sole C [2024-01-01, inf) approved=4")
        ),
        "U sole C [2024-01-01, ∞) by u
         log: T sole C > U sole C
         quarantined t: conflict U sole C",
    );
    check(
        "t: T sole C [2024-01-01, inf) approved=5
         u: U sole C [2024-01-01, inf) approved=4",
        "T sole C [2024-01-01, ∞) by t
         quarantined u: conflict T sole C",
    );
    check(
        &format!("{SAME_DAY}{logged}\npublished: U sole C"),
        "T sole C [2024-01-01, ∞) by t
         log: T sole C > U sole C
         quarantined u: conflict T sole C",
    );
}

#[test]
fn case_40_a_type_that_declares_nothing_ends_nothing() {
    check(
        "s: S supplies C [?, inf) dated=2023-01-15
         t: T supplies C [2024-02-17, inf)",
        "S supplies C [?, ∞) by s
         T supplies C [2024-02-17, ∞) by t",
    );
}

#[test]
fn the_loser_of_a_conflict_ends_nobody() {
    check(
        "p: P sole C [2020-01-01, inf)
         q: Q sole C [2022-01-01, inf)
         r: R sole C [2022-01-01, inf)
         log: R sole C > Q sole C
         s: S sole C [2023-01-01, inf) left=2023-01-01",
        "P sole C [2020-01-01, 2022-01-01) by p; 2022-01-01 newcomer R sole C
         R sole C [2022-01-01, ∞) by r
         log: R sole C > Q sole C
         quarantined q: conflict R sole C",
    );
}

#[test]
fn who_was_beaten_only_by_a_loser_stands() {
    // T beats S and R beats T; S and R do not clash, because S ends before R starts.
    check(
        "s: S sole C [2022-01-01, 2023-01-01)
         t: T sole C [2022-01-01, 2024-01-01)
         r: R sole C [2023-06-01, inf)
         log: R sole C > T sole C
         log: T sole C > S sole C",
        "R sole C [2023-06-01, ∞) by r
         S sole C [2022-01-01, 2023-01-01) by s
         log: R sole C > T sole C
         log: T sole C > S sole C
         nobody sole C [2023-01-01, 2023-06-01)
         quarantined t: conflict R sole C
         quarantined t: conflict S sole C",
    );
}

#[test]
fn a_log_that_runs_in_a_circle_still_decides() {
    let three = "r: R sole C [2022-01-01, inf) feed=decides
                 s: S sole C [2022-01-01, inf) feed=confirms
                 t: T sole C [2022-01-01, inf) feed=confirms
                 log: R sole C > S sole C
                 log: S sole C > T sole C
                 log: T sole C > R sole C";
    let folded = Given::read(three).fold();
    assert_eq!(folded.facts.len(), 1);
    assert_eq!(folded.facts[0].subject.key(), "R");
    assert_eq!(folded.quarantined.len(), 2);
}

#[test]
fn who_lost_to_a_later_loser_comes_back() {
    // U's notice loses to S, whose end is stated; then U's contract alone stands against S, approved.
    check(
        "n: U sole C [2021-02-01, inf)
         c: U sole C [2021Q1, 2022-01-01) approved=3
         s: S sole C [2021-01, 2023-01-01)",
        "U sole C [2021-02-01, ∞) by c~ n
         quarantined s: conflict U sole C",
    );
}

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

/// What became of the fact `S … C` between two texts.
fn change(before: &str, after: &str) -> Option<Change> {
    let of = |text: &str| {
        let folded = Given::read(text).fold();
        folded.facts.into_iter().find(|fact| fact.subject.key() == "S")
    };
    differences(of(before).as_ref(), of(after).as_ref())
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
