//! The tests of the tests: each behavior is switched off once, and a named test must notice.
//!
//! Without the `sabotage` feature only the list is checked; with it each test runs once as it is, which must
//! pass, and once with its behavior broken, which must fail.

use edgewright::model::sabotage::SWITCHES;

/// Switch → the test that notices.
const NOTICED_BY: [(&str, &str); SWITCHES.len()] = [
    ("ending", "at_most_one::case_31_a_newcomer_ends_the_incumbent_whose_text_stays"),
    (
        "stated-starts",
        "dates::case_15_an_undated_contract_joins_the_dated_notice_and_is_undated_again_without_it",
    ),
    ("union", "dates::case_05_overlapping_intervals_unite_and_one_document_less_leaves_the_other_ones"),
    (
        "known-at",
        "dates::case_13_an_actual_date_replaces_a_projected_one_and_the_earlier_generation_still_knows_the_projection",
    ),
    ("access", "access::case_81_a_public_reader_sees_the_public_period_and_of_a_secret_end_its_date_only"),
    ("context-fingerprint", "denials::case_55_a_changed_definition_extracts_exactly_its_users"),
    (
        "decision-input",
        "curation::case_70_a_rejection_lasts_through_reextraction_moves_renamed_rules_and_a_rebuild",
    ),
    ("sweep", "stops::killed_when_a_batch_is_written"),
    (
        "absence-proof",
        "evidence::case_26_an_unproven_absence_retracts_nothing_until_a_person_gives_their_word",
    ),
    ("block-sum", "scans::one_changed_file_among_many_is_found"),
    ("conflict", "at_most_one::case_35_the_incumbent_stays_and_a_rebuild_says_the_same"),
    ("cut-said", "ask::a_cut_answer_says_so_and_what_was_cut"),
    ("index-follow", "text_index::a_generation_behind_is_said_by_search_and_mended_by_the_next_run"),
    ("index-words", "search::case_78_whatever_the_alias_only_chunks_that_hold_it_are_read_and_written_again"),
    (
        "text-state",
        "search::case_77_the_passing_of_a_day_rewrites_nothing_and_search_labels_the_text_from_that_day_on",
    ),
    ("edit-survives", "edits::an_edge_by_hand_is_not_ended_by_a_letter_that_comes_later_which_is_a_conflict"),
    ("hold", "held::a_run_that_looks_wrong_is_held_and_readers_keep_the_last_graph"),
    ("undone-mark", "held::what_a_rollback_undid_holds_the_next_run_until_it_is_released_or_changes"),
    ("backfill", "backfill::a_backfill_overrules_nothing_that_was_read_for_a_later_day"),
    (
        "purged-bytes",
        "purge::the_bytes_of_a_purged_document_are_not_read_again_and_others_under_its_name_are",
    ),
    ("purged-changelog", "purge::the_changelog_of_a_purged_graph_replays_to_it"),
    (
        "purged-quotes",
        "purge::quotes::an_ontology_that_still_quotes_is_no_change_and_is_kept_without_the_quote",
    ),
    ("silent-change", "drift::a_silent_change_of_a_stage_is_caught_by_the_audit_sample"),
    ("audit", "drift::a_program_that_reads_unchanged_documents_differently_is_caught_by_the_audit_sample"),
    ("identities", "drift::as_many_edges_as_before_and_none_of_them_is_no_calm"),
    ("alert-resolved", "notify::failed_and_stale_inputs_are_alerts_until_they_are_mended"),
    ("alert-spool", "notify::what_a_receiver_does_not_take_is_kept_and_never_fails_a_run"),
];

/// True if a test of this binary passes, with a behavior broken or not.
fn passes(test: &str, broken: Option<&str>) -> bool {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact"]).env("RUST_BACKTRACE", "0");
    match broken {
        Some(behavior) => command.env("EDGEWRIGHT_TEST_SABOTAGE", behavior),
        None => command.env_remove("EDGEWRIGHT_TEST_SABOTAGE"),
    };
    let done = command.output().unwrap();
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(text.contains("running 1 test"), "there is no test `{test}`:\n{text}");
    done.status.success()
}

#[test]
fn each_switch_is_noticed() {
    let listed: Vec<&str> = NOTICED_BY.iter().map(|(switch, _)| *switch).collect();
    assert_eq!(listed, SWITCHES, "each switch has its test");
    if !cfg!(feature = "sabotage") {
        return;
    }
    let mut unnoticed = Vec::new();
    for (switch, test) in NOTICED_BY {
        assert!(passes(test, None), "`{test}` fails as it is");
        if passes(test, Some(switch)) {
            unnoticed.push(format!("`{switch}` is off and `{test}` does not notice"));
        }
    }
    assert!(unnoticed.is_empty(), "{}", unnoticed.join("\n"));
}
