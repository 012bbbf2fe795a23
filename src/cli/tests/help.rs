//! The help of every command, and arguments that mean nothing.

use expect_test::expect;

use super::super::{GROUPS, ask, command};
use super::{Exit, check, say, workspace};

#[test]
fn every_command_stands_in_a_group_and_has_examples() {
    let command = command();
    let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    assert_eq!(grouped, all);
    for subcommand in command.get_subcommands() {
        let name = subcommand.get_name();
        assert!(subcommand.get_about().is_some(), "{name}");
        let after = subcommand.get_after_help().map(ToString::to_string).unwrap_or_default();
        assert!(
            after.contains("Example") && after.contains(&format!("edgewright {name}")) || name == "decide",
            "{name}"
        );
    }
    let ask = command.find_subcommand("ask").unwrap();
    let grouped: Vec<&str> = ask::GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
    let mut all: Vec<&str> = ask.get_subcommands().map(clap::Command::get_name).collect();
    assert!(ask.get_subcommands().all(|question| question.get_about().is_some()));
    assert_eq!(grouped.len(), all.len());
    all.retain(|name| !grouped.contains(name));
    assert_eq!(all, [""; 0]);
    command.debug_assert();
}

#[test]
fn hostile_arguments_are_refused_without_a_panic() {
    let folder = workspace();
    let long = "x".repeat(50_000);
    let odd = [
        "\u{0}",
        "%00",
        "'",
        "\"",
        "../..",
        "*",
        "--",
        "-",
        ":",
        "Component:",
        ":C1",
        "\u{202e}",
        "ÄÖ\u{301}",
        &long,
    ];
    for word in odd {
        for line in [
            "show",
            "why",
            "history",
            "why FCU",
            "show FCU --known-at",
            "show FCU --as-of",
            "retract --reason x",
            "accept scope --reason x",
            "accept feed --reason x",
            "export --access",
            "export --since",
            "json-schema",
            "quarantine --edge",
            "quarantine --reason",
            "decide",
            "decide --undo",
            "-C",
        ] {
            let said = say(folder.path(), &format!("{line} {word}"));
            let nothing_asked =
                line.starts_with("quarantine") || line == "export --access" || word == "--" || word == "-";
            assert!(nothing_asked || said.exit != Exit::Done, "{line} {word:.20}");
        }
    }
}

#[test]
fn help_groups_the_commands_and_lists_the_exit_codes() {
    let folder = tempfile::tempdir().unwrap();
    let said = say(folder.path(), "--help");
    assert_eq!((said.exit, said.talk.as_str()), (Exit::Done, ""));
    check(
        &said.data,
        &expect![[r#"
            Keeps a knowledge graph that is extracted from documents true over time

            Usage: edgewright [OPTIONS] <COMMAND>

            Write the files:
              init         Write a small working workspace, or draft one from your own files
              check        List everything that is wrong with ontology and jobs
              json-schema  Print the JSON Schema of a file or of a command's JSON
              ontology     List types and rules with what the graph holds of them
              test         Run the examples of the rules
              try          Show what a rule finds, and what it nearly finds
              gaps         List unknown names, pairs without a rule, and documents that yield nothing

            Keep the graph true:
              plan         Say what a run would do, and write nothing
              run          Read what changed and publish what follows from it
              accept       Give your word that a shrunken feed, an emptied folder or a finding of the drift report is as it should be
              retract      Withdraw a document: its edges become unusable, its text hidden
              edit         Change the graph by hand: entities, edges, events; or take such a change back
              purge        Erase a document everywhere, for good

            Judge a held run, or go back:
              release      Publish the held run as it is
              discard      Drop the held run
              rollback     Put the graph back to what it was in a generation, as a new generation
              freeze       Hold every run that would change something, until `unfreeze`
              unfreeze     Let the graph change again

            Ask the graph:
              search       Search the texts, old and new
              show         Show an entity and its edges
              why          Explain why an edge is there: sentences, dates, and what ended it
              history      Show what each generation changed in an entity or a fact
              diff         Show what differs between two generations, fact by fact, with causes
              ask          Ask questions over the graph: paths, what hangs on what, measures
              export       Write the graph for other programs
              quarantine   List what waits for a decision
              decide       Answer questions of the quarantine from a file, or take an answer back

            Measure it:
              eval         Measure the graph against edges that are known to be true
              sample       Draw edges for a person to judge, and read their verdicts

            Look after it:
              runs         List the last runs, edits and acts: when each began, how long it took, how it ended
              drift        Show what a run changed, by cause, and what a person should look at
              feeds        List the feeds: when each was last read, what changed, what is withheld and why
              status       Show what stands, what waits, and how the last run went
              notify       Send alerts that did not come through, or a test
              verify       Compare the graph with its records, digests and changelog
              replay       Rebuild a graph from a changelog, in a new or empty folder

            Options:
              -C, --workspace <DIR>  The workspace; default: this folder or the nearest above it with
                                     `ontology/` and `jobs/`
                  --output <FORM>    How to write the answer: text, or json (one line, with a version)
              -q, --quiet            Say nothing but the answer and errors; of `run`, only what is wrong
              -v, --verbose...       Say more while working; twice for still more
              -h, --help             Print help
              -V, --version          Print version

            Exit codes:
              0  done (warnings included)
              1  something unexpected failed; trying again may help
              2  the command line or the configuration is invalid; trying again does not help
              3  the run looks wrong and is held, or `eval` is below a floor; do not try again, look at it
              4  finished, but some inputs failed or were withheld; the rest is published
              5  another run holds the lock
        "#]],
    );
    assert_eq!(say(folder.path(), "shwo FCU").exit, Exit::Invalid);
    assert_eq!(say(folder.path(), "").exit, Exit::Invalid);
}

#[test]
fn only_a_command_that_has_a_table_offers_csv() {
    let folder = workspace();
    for command in GROUPS.iter().flat_map(|(_, names)| names.iter()) {
        let help = say(folder.path(), &format!("{command} --help")).data;
        let (_, options) = help.split_once("--output <FORM>").unwrap();
        assert_eq!(options.contains("or csv,"), *command == "quarantine", "{help}");
    }
    for line in ["quarantine --output csv", "--output csv quarantine"] {
        let said = say(folder.path(), line);
        assert_eq!((said.exit, said.data.starts_with("question,decision,")), (Exit::Done, true), "{line}");
    }
    assert!(say(folder.path(), "--output json quarantine").data.starts_with('{'));
    assert_eq!(say(folder.path(), "gaps --output csv").exit, Exit::Invalid);
}

#[test]
fn what_is_no_number_is_said_in_plain_words() {
    let folder = workspace();
    for (line, says) in [
        ("gaps --limit ten", "invalid value 'ten' for '--limit <N>': it is not a whole number"),
        ("search x --limit 1.5", "invalid value '1.5' for '--limit <N>': it is not a whole number"),
        ("decide --undo 99999999999999999999", "the number is too large"),
        (
            "ask risk Supplier --to Component --decay a",
            "invalid value 'a' for '--decay <N>': it is not a number",
        ),
    ] {
        let said = say(folder.path(), line);
        assert_eq!(said.exit, Exit::Invalid, "{line}");
        assert!(said.talk.contains(says), "{}", said.talk);
    }
}
