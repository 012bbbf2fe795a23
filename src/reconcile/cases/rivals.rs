//! Cases 31 to 40: where there is at most one, who stands, who ends, and who waits.

use super::super::notation::{Given, check};
use super::change;
use crate::model::cause::Change;

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
