//! The command line: arguments in, text or JSON and an exit code out.
//!
//! One file a command; `render` is the only place that lays out text, `exit` knows the codes, `out` the
//! two streams. Only this folder reads the clock, the environment and the working directory.

mod accept;
mod args;
mod ask;
mod attempt;
mod check;
mod decide;
mod diff;
mod drift;
mod edit;
mod eval;
mod examples;
mod exit;
mod export;
mod failure;
mod feeds;
mod gaps;
mod held;
mod history;
mod init;
mod json_schema;
mod notify;
mod ontology;
mod out;
mod parquet;
mod plan;
mod purge;
mod quarantine;
mod render;
mod replay;
mod retract;
mod runs;
mod sample;
mod search;
mod shell;
mod show;
mod status;
mod tell;
#[cfg(test)]
mod tests;
mod verify;
mod why;

use std::ffi::OsString;
use std::io::{ErrorKind, IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

pub use exit::Exit;
pub use shell::World;

use crate::store::Stamp;
use crate::worker;
use args::{Global, Output};
use failure::Failure;
use out::Out;
use shell::Shell;

/// Keeps a knowledge graph that is extracted from documents true over time.
#[derive(Debug, Parser)]
#[command(name = "edgewright", version, after_help = exit::HELP)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Args),
    Check(check::Args),
    JsonSchema(json_schema::Args),
    Ontology(ontology::Args),
    Test(examples::Args),
    Try(attempt::Args),
    Gaps(gaps::Args),
    Plan(plan::PlanArgs),
    Run(plan::RunArgs),
    Accept(accept::Args),
    Retract(retract::Args),
    Edit(edit::Args),
    Purge(purge::Args),
    Release(held::ReleaseArgs),
    Discard(held::DiscardArgs),
    Rollback(held::RollbackArgs),
    Freeze(held::FreezeArgs),
    Unfreeze(held::UnfreezeArgs),
    Search(search::Args),
    Show(show::Args),
    Why(why::Args),
    History(history::Args),
    Diff(diff::Args),
    Ask(Box<ask::Args>),
    Export(export::Args),
    Quarantine(quarantine::Args),
    Decide(decide::Args),
    Eval(eval::Args),
    Sample(sample::Args),
    Runs(runs::Args),
    Drift(drift::Args),
    Feeds(feeds::Args),
    Status(status::Args),
    Notify(notify::Args),
    Verify(verify::Args),
    Replay(replay::Args),
}

/// The commands as `--help` groups them, in the order in which a person comes to need them.
const GROUPS: [(&str, &[&str]); 6] = [
    ("Write the files", &["init", "check", "json-schema", "ontology", "test", "try", "gaps"]),
    ("Keep the graph true", &["plan", "run", "accept", "retract", "edit", "purge"]),
    ("Judge a held run, or go back", &["release", "discard", "rollback", "freeze", "unfreeze"]),
    ("Ask the graph", &["search", "show", "why", "history", "diff", "ask", "export", "quarantine", "decide"]),
    ("Measure it", &["eval", "sample"]),
    ("Look after it", &["runs", "drift", "feeds", "status", "notify", "verify", "replay"]),
];

/// The program: what the system gives in, an exit code out.
pub fn main() -> ExitCode {
    #[cfg(feature = "sabotage")]
    #[expect(clippy::disallowed_methods, reason = "the tests of the tests say here what is to be broken")]
    if let Ok(behavior) = std::env::var("EDGEWRIGHT_SABOTAGE") {
        crate::model::sabotage::switch_off(&behavior);
    }
    // A child that parses documents for another process of this program takes no command line of a person.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == worker::CALLED) {
        return be_a_child(words);
    }
    #[expect(clippy::disallowed_methods, reason = "this is where the program meets the system")]
    let world = World {
        folder: std::env::current_dir().unwrap_or_default(),
        now: jiff::Timestamp::now(),
        user: std::env::var("USER")
            .ok()
            .filter(|user| !user.is_empty())
            .unwrap_or_else(|| "unknown".to_owned()),
        terminal: std::io::stderr().is_terminal(),
        program: std::env::current_exe().unwrap_or_default(),
        bold: std::io::stdout().is_terminal() && std::env::var("NO_COLOR").is_err(),
        variable: |name| std::env::var(name).ok(),
    };
    let mut data = std::io::BufWriter::new(std::io::stdout().lock());
    let exit = execute(std::env::args_os(), &world, &mut data, &mut std::io::stderr());
    // Whatever is left goes out here; a reader that went away has what it wanted.
    match data.flush() {
        Err(error) if exit == Exit::Done => output_failed(&error, &mut std::io::stderr()).into(),
        _ => exit.into(),
    }
}

/// Parses documents for another process of this program, or becomes a parser of the user's for it.
fn be_a_child(mut words: impl Iterator<Item = OsString>) -> ExitCode {
    let how = words.next();
    if how.as_ref().is_some_and(|how| how == worker::UNDER) {
        let error = worker::become_program(words);
        // The parent reads it; if it is gone, there is nobody to tell.
        drop(writeln!(std::io::stderr(), "it cannot be started: {error}"));
        return ExitCode::from(127);
    }
    match worker::serve(how.is_some_and(|how| how == worker::FAULTY)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Carries out a command line in a world. Never reads or writes anything but what it is given, the
/// workspace, and the files that the command line names.
pub fn execute(
    args: impl IntoIterator<Item = OsString>,
    world: &World,
    data: &mut dyn Write,
    talk: &mut dyn Write,
) -> Exit {
    let mut out = Out::new(data, talk);
    let parsed = command().try_get_matches_from(args).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => {
            let text = plainly(error.render().to_string());
            let written = if error.use_stderr() { out.complain(&text) } else { out.text(&text) };
            return match (error.exit_code(), written) {
                (0, Ok(())) => Exit::Done,
                (_, Err(error)) => output_failed(&error, talk),
                _ => Exit::Invalid,
            };
        }
    };
    out.json = cli.global.output == Output::Json;
    out.quiet = cli.global.quiet;
    talk_more(cli.global.verbose);
    let mut shell = Shell { out, world, global: cli.global, unlocked: None };
    let ended = dispatch(&mut shell, cli.command).and_then(|exit| {
        shell.unlocked.as_ref().map_or(Ok(()), Stamp::stands)?;
        shell.out.flush()?;
        Ok(exit)
    });
    match ended {
        Ok(exit) => exit,
        Err(Failure::Output(error)) => output_failed(&error, talk),
        Err(Failure::Run(error)) => {
            let exit = Exit::from(&error);
            match shell.out.complain(&render::error(&error)).and_then(|()| shell.out.flush()) {
                Ok(()) => exit,
                Err(error) => output_failed(&error, talk),
            }
        }
    }
}

fn dispatch(shell: &mut Shell<'_>, command: Command) -> Result<Exit, Failure> {
    let has_table = matches!(command, Command::Quarantine(_) | Command::Sample(_) | Command::Diff(_));
    if shell.global.output == Output::Csv && !has_table {
        return Err(Failure::usage(
            "only `quarantine`, `sample` and `diff` write `--output csv`",
            "write `--output text` or `json`",
        ));
    }
    let is_page = matches!(shell.global.output, Output::Markdown | Output::Junit | Output::Html);
    if is_page && !matches!(command, Command::Drift(_)) {
        return Err(Failure::usage(
            "only `drift` writes `--output markdown`, `junit` and `html`",
            "write `--output text` or `json`",
        ));
    }
    match command {
        Command::Init(args) => init::run(shell, &args),
        Command::Check(args) => check::run(shell, &args),
        Command::JsonSchema(args) => json_schema::run(shell, &args),
        Command::Ontology(args) => ontology::run(shell, &args),
        Command::Test(args) => examples::run(shell, &args),
        Command::Try(args) => attempt::run(shell, &args),
        Command::Gaps(args) => gaps::run(shell, &args),
        Command::Plan(args) => plan::plan(shell, &args),
        Command::Run(args) => plan::run(shell, &args),
        Command::Accept(args) => accept::run(shell, &args),
        Command::Retract(args) => retract::run(shell, &args),
        Command::Purge(args) => purge::run(shell, &args),
        Command::Edit(args) => edit::run(shell, &args),
        Command::Release(args) => held::release(shell, &args),
        Command::Discard(args) => held::discard(shell, &args),
        Command::Rollback(args) => held::rollback(shell, &args),
        Command::Freeze(args) => held::freeze(shell, &args),
        Command::Unfreeze(args) => held::unfreeze(shell, &args),
        Command::Search(args) => search::run(shell, &args),
        Command::Show(args) => show::run(shell, &args),
        Command::Why(args) => why::run(shell, &args),
        Command::History(args) => history::run(shell, &args),
        Command::Diff(args) => diff::run(shell, &args),
        Command::Ask(args) => ask::run(shell, *args),
        Command::Export(args) => export::run(shell, &args),
        Command::Quarantine(args) => quarantine::run(shell, &args),
        Command::Decide(args) => decide::run(shell, &args),
        Command::Eval(args) => eval::run(shell, &args),
        Command::Sample(args) => sample::run(shell, &args),
        Command::Runs(args) => runs::run(shell, &args),
        Command::Drift(args) => drift::run(shell, &args),
        Command::Notify(args) => notify::run(shell, &args),
        Command::Feeds(args) => feeds::run(shell, &args),
        Command::Status(args) => status::run(shell, &args),
        Command::Verify(args) => verify::run(shell, &args),
        Command::Replay(args) => replay::run(shell, &args),
    }
}

/// What is said of an argument, without the standard library's words for numbers.
fn plainly(mut text: String) -> String {
    for (said, meant) in [
        ("invalid digit found in string", "it is not a whole number"),
        ("invalid float literal", "it is not a number"),
        ("cannot parse integer from empty string", "a number is missing"),
        ("cannot parse float from empty string", "a number is missing"),
        ("number too large to fit in target type", "the number is too large"),
        ("number too small to fit in target type", "the number is too small"),
    ] {
        text = text.replace(said, meant);
    }
    text
}

/// The command with its help grouped by [`GROUPS`].
fn command() -> clap::Command {
    // No color at all: the output reads the same in a terminal, a file and a log.
    let command =
        Cli::command().color(clap::ColorChoice::Never).disable_help_subcommand(true).term_width(100);
    let help = template(&command, &GROUPS);
    let command = command.help_template(help);
    command.mut_subcommands(|one| match one.get_name() {
        "ask" => {
            let help = template(&one, &ask::GROUPS);
            one.help_template(help).disable_help_subcommand(true)
        }
        // What else a command writes it says in its own help.
        "quarantine" => one.arg(args::output_with_table()),
        "drift" => one.arg(args::output_with_pages()),
        _ => one,
    })
}

/// The help of a command with its subcommands in groups.
fn template(command: &clap::Command, groups: &[(&str, &[&str])]) -> String {
    let about = |name: &str| {
        let found = command.find_subcommand(name).and_then(clap::Command::get_about);
        found.map(ToString::to_string).unwrap_or_default()
    };
    let mut listed = String::new();
    for (title, names) in groups {
        listed.push_str(&format!("{title}:\n"));
        for name in *names {
            listed.push_str(&format!("  {name:<12} {}\n", about(name)));
        }
        listed.push('\n');
    }
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}{{after-help}}"
    )
}

/// A broken pipe means that the reader has seen enough.
fn output_failed(error: &std::io::Error, talk: &mut dyn Write) -> Exit {
    if error.kind() == ErrorKind::BrokenPipe {
        return Exit::Done;
    }
    // If this cannot be written either, there is nobody left to tell.
    drop(writeln!(talk, "error: the output cannot be written\n  caused by: {error}"));
    Exit::Unexpected
}

/// Turns on the spans and events of the stages, on the talk stream.
fn talk_more(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => tracing::Level::INFO,
        2 => tracing::Level::DEBUG,
        _ => tracing::Level::TRACE,
    };
    let subscriber =
        tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).with_ansi(false);
    // A second call in one process, as in tests, keeps the first.
    drop(subscriber.try_init());
}
