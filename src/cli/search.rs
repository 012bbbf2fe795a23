//! `search`: texts that fit a query, with what the day makes of them.

use std::collections::BTreeSet;

use clap::ValueEnum;

use super::args::ReadArgs;
use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::{Opened, Shell};
use crate::index::{self, Problem, Reader};
use crate::serve::{Asked, Standing, TextState, search, standing};

/// Search the texts, old and new
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Queries:
  flight control        any of the words; texts with all of them first
  \"flight control\"      the words in a row
  suppl*                a word that begins so
  shenzhen~             a word that is written almost so (`~2`: two letters may differ)
  +must -not ( )        what must and must not be there; a group
  title:review          in one field: text, title, section, document, entity, fact

Examples:
  edgewright search flight control unit supplier
  edgewright search flight control unit supplier --as-of 2024-02-16
  edgewright search '\"procurement partner\"' --state all
  edgewright search 'entity:CMP-001 -title:notice' --known-at 3")]
pub(super) struct Args {
    /// What to search for; several words are one query.
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// Which texts: those that count on the day, all, or those in these states.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "current")]
    state: Vec<States>,
    /// How many results at most.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum States {
    /// What counts on the day, `mixed` among it.
    Current,
    /// Every text.
    All,
    /// Something that it asserts holds, and something has ended.
    Mixed,
    /// What it asserts has not begun.
    Future,
    /// What it asserts has ended.
    Expired,
    /// It left its document, or another document supersedes it.
    Superseded,
    /// Its document was withdrawn.
    Retracted,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let text = args.query.join(" ");
    let query = index::parse(&text).map_err(|problem| unreadable(&text, &problem))?;
    let folder = shell.workspace()?.index();
    let mut opened = shell.open(&args.read)?;
    let reader = pinned(shell, &folder, &mut opened, args)?;
    let asked = Asked { text, query, states: states(&args.state), limit: usize::from(args.limit) };
    let view = search(&opened.graph()?, &reader, &asked)?;
    let bold = shell.world.bold;
    shell.out.value(&view, |view| render::search(view, bold))?;
    Ok(Exit::Done)
}

/// The index, with the graph at the generation that the index has.
fn pinned(
    shell: &mut Shell<'_>,
    folder: &std::path::Path,
    opened: &mut Opened,
    args: &Args,
) -> Result<Reader, Failure> {
    let asked_for = args.read.known_at.is_some().then(|| opened.lens().known_at);
    let (reader, behind) = match standing(folder, opened.store(), None)? {
        Standing::Ready(reader) => (reader, false),
        Standing::Behind(reader) => (reader, true),
        Standing::Empty => {
            return Err(Failure::usage(
                "there is nothing to search: the graph is empty",
                "`edgewright run` fills it",
            ));
        }
        Standing::Unusable { why, .. } => {
            return Err(Failure::usage(
                format!("there is no text index to search: {why}"),
                "`edgewright run` builds it",
            ));
        }
    };
    let has = reader.stamp().generation;
    match asked_for {
        Some(asked_for) if args.read.known_at.as_deref() == Some("held") => {
            return Err(Failure::usage(
                format!("the texts of the held run are not in the text index: {asked_for} is not published"),
                "`show`, `why`, `ask`, `export` and `diff` look at a held run",
            ));
        }
        Some(asked_for) if asked_for > has => {
            return Err(Failure::usage(
                format!("the text index stands at generation {has}, and {asked_for} was asked for"),
                "`edgewright run` brings it up to date",
            ));
        }
        Some(_) => {}
        None => {
            if behind {
                shell.out.say(&format!(
                    "note: the text index stands at generation {has}, and so does this answer (`edgewright run` brings it up to date)"
                ))?;
            }
            opened.know_at(has);
        }
    }
    if reader.stamp().entries == 0 {
        shell.out.say("note: there is nothing to search: no document has any text")?;
    }
    Ok(reader)
}

fn states(asked: &[States]) -> BTreeSet<TextState> {
    use TextState::{Current, Expired, Future, Mixed, Retracted, Superseded};
    if asked.contains(&States::All) {
        return [Current, Mixed, Future, Expired, Superseded, Retracted].into();
    }
    let of = |state: &States| -> &[TextState] {
        match state {
            States::Current => &[Current, Mixed],
            States::Mixed => &[Mixed],
            States::Future => &[Future],
            States::Expired => &[Expired],
            States::Superseded => &[Superseded],
            States::Retracted => &[Retracted],
            States::All => &[],
        }
    };
    let states: BTreeSet<TextState> = asked.iter().flat_map(of).copied().collect();
    // What nobody narrowed is what the index may narrow by itself.
    if states == [Current, Mixed].into() { BTreeSet::new() } else { states }
}

fn unreadable(text: &str, problem: &Problem) -> Failure {
    let hint = format!("{}\n{}", problem.hint, render::pointer(text, problem.at));
    Failure::usage(format!("the query cannot be read: {}", problem.message), hint)
}
