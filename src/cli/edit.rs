//! `edit`: change the graph by hand, at once, with who, why and where it was decided as the evidence.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::args::Access;
use super::exit::Exit;
use super::failure::Failure;
use super::plan::step;
use super::render;
use super::shell::Shell;
use crate::diag::{Diagnostic, Place};
use crate::run::edits::{self, EditReport, Field, Operation, Value, Written, lines_of};
use crate::run::once::Options;
use crate::run::{self, Step};
use crate::serve::edit_log;

/// Change the graph by hand: entities, edges, events; or take such a change back
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright edit add-entity Supplier SUP-010 --name \"Nordhaven Castings AB\" --reason onboarded --ticket CHG-7 --dry-run
  edgewright edit add-relationship SUP-010 supplies CMP-004 --from 2026-07-01 --reason \"second source\" --ticket CHG-8
  edgewright edit expire-relationship SUP-004 supplies CMP-004 --on 2026-07-01 --reason \"flood\" --ticket CHG-8
  edgewright edit add-risk-event EVT-009 --title \"Port strike\" --severity high --text bulletin.md --reason new --ticket INC-3
  edgewright edit apply changes.jsonl --dry-run
  edgewright edit undo 3 --reason \"wrong part\"

It takes effect at once and scans nothing. Entities are named by `Type:key`, by a key, or by a name.
Days are half-open: `--to` and `--on` are the first day on which the edge no longer holds.")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Add an entity; texts that hold its names are linked again
    AddEntity {
        /// The entity type.
        #[arg(value_name = "TYPE")]
        entity_type: String,
        /// The key in its system of record.
        key: String,
        /// A name by which texts call it, the full one first.
        #[arg(long = "name", value_name = "NAME")]
        names: Vec<String>,
        /// A property of the entity.
        #[arg(long = "property", value_name = "NAME=VALUE", value_parser = property)]
        properties: Vec<(String, String)>,
        #[command(flatten)]
        word: Word,
    },
    /// Remove an entity: its edges are retracted, its names stay linked
    RemoveEntity {
        /// The entity: `Type:key`, a key or a name.
        entity: String,
        #[command(flatten)]
        word: Word,
    },
    /// Add an edge
    AddRelationship {
        #[command(flatten)]
        fact: Fact,
        /// The first day on which it holds, or `unknown`.
        #[arg(long, value_name = "DATE")]
        from: Option<String>,
        /// The first day on which it no longer holds; open without one.
        #[arg(long, value_name = "DATE")]
        to: Option<String>,
        #[command(flatten)]
        word: Word,
    },
    /// End an edge on a day
    ExpireRelationship {
        #[command(flatten)]
        fact: Fact,
        /// The first day on which it no longer holds.
        #[arg(long, value_name = "DATE")]
        on: Option<String>,
        #[command(flatten)]
        word: Word,
    },
    /// Add an event with its bulletin, from which the ontology's rules derive whom it affects
    AddRiskEvent {
        /// The key of the event.
        key: String,
        /// What the event is called.
        #[arg(long)]
        title: String,
        /// The file with the bulletin, as Markdown.
        #[arg(long, value_name = "FILE")]
        text: PathBuf,
        /// The entity type of the event; default `RiskEvent`.
        #[arg(long = "type", value_name = "TYPE")]
        entity_type: Option<String>,
        /// Another name by which texts call it.
        #[arg(long = "name", value_name = "NAME")]
        names: Vec<String>,
        /// How severe it is: a property of the event.
        #[arg(long)]
        severity: Option<String>,
        /// The day of the event: a property of it.
        #[arg(long)]
        date: Option<String>,
        /// A property of the event.
        #[arg(long = "property", value_name = "NAME=VALUE", value_parser = property)]
        properties: Vec<(String, String)>,
        #[command(flatten)]
        word: Word,
    },
    /// Take an edit back: the state is exactly the one before it
    Undo {
        /// The number of the edit, as the edit and `why` print it.
        number: String,
        /// Why, for the audit.
        #[arg(long)]
        reason: String,
        /// Where it was decided.
        #[arg(long)]
        ticket: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// Carry out a file of edits, one JSON object a line, all of them or none
    Apply {
        /// The file; `edgewright json-schema edit-line` prints the form of a line.
        file: PathBuf,
        #[command(flatten)]
        how: How,
    },
    /// List the edits: who, when, why, and what was taken back
    List,
}

/// A fact, and what tells it from others.
#[derive(Debug, clap::Args)]
struct Fact {
    /// The subject: `Type:key`, a key or a name.
    subject: String,
    /// The edge type.
    #[arg(value_name = "TYPE")]
    edge_type: String,
    /// The object: `Type:key`, a key or a name.
    object: String,
    /// A property of the edge that its type declares.
    #[arg(long = "property", value_name = "NAME=VALUE", value_parser = property)]
    properties: Vec<(String, String)>,
}

/// Who says so, why, and where it was decided.
#[derive(Debug, clap::Args)]
struct Word {
    /// Why, for the audit.
    #[arg(long)]
    reason: String,
    /// Where it was decided: a ticket, a mail, minutes.
    #[arg(long)]
    ticket: String,
    #[command(flatten)]
    how: How,
}

/// How to go about it.
#[derive(Debug, clap::Args)]
pub(super) struct How {
    /// Who says so; default: the user.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// Say exactly what would change, and write nothing.
    #[arg(long)]
    dry_run: bool,
    /// Stop at a step as if killed.
    #[arg(long, hide = true, value_name = "STEP", value_parser = step)]
    stop_at: Option<Step>,
}

fn property(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as name=value")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let (how, edits, problems) = match &args.what {
        What::List => {
            let opened = shell.open_now(&Access::everything())?;
            let log = edit_log(&opened.graph()?)?;
            shell.out.value(&log, render::edit_log)?;
            return Ok(Exit::Done);
        }
        What::Apply { file, how } => {
            let text = shell.read_file(file)?;
            let (edits, problems) = lines_of(&file.display().to_string(), &text);
            if edits.is_empty() && problems.is_empty() {
                return Err(Failure::usage(
                    format!("`{}` holds no edit", file.display()),
                    "write one JSON object a line; `edgewright json-schema edit-line` prints its form",
                ));
            }
            (how, edits, problems)
        }
        one => {
            let (operation, given, how) = fields(shell, one)?;
            let place = Place::file(format!("edit {}", operation.name()));
            let named = given.into_iter().map(|(name, value)| {
                let at = Place::file(format!("edit {}: {name}", operation.name()));
                (name.to_owned(), at.clone(), Field { value, at })
            });
            match Written::new(operation, place, named.collect()) {
                Ok(edit) => (how, vec![edit], Vec::new()),
                Err(problems) => (how, Vec::new(), problems),
            }
        }
    };
    let report = carry_out(shell, how, &edits, problems)?;
    if !report.problems.is_empty() && !shell.out.json {
        shell.out.complain(&render::edited(&report))?;
        return Ok(exit_of(&report));
    }
    shell.out.value(&report, render::edited)?;
    Ok(exit_of(&report))
}

fn carry_out(
    shell: &Shell<'_>,
    how: &How,
    edits: &[Written],
    problems: Vec<Diagnostic>,
) -> Result<EditReport, Failure> {
    let (workspace, loaded) = (shell.workspace()?, shell.loaded()?);
    let by = how.by.as_deref().unwrap_or(&shell.world.user);
    let options = how.options(shell, &loaded);
    Ok(edits::edit(&workspace, loaded, &options, &|_, _, _| {}, by, edits, problems)?)
}

impl How {
    /// The time, and how to go about it.
    fn options(&self, shell: &Shell<'_>, loaded: &crate::config::Loaded) -> Options {
        Options { plan: self.dry_run, stop_at: self.stop_at, ..shell.options(loaded) }
    }
}

/// Something was wrong, or everything is done.
pub(super) fn exit_of(report: &EditReport) -> Exit {
    match report.problems.is_empty() {
        true if report.drift == "fail" => Exit::Held,
        // The edit is done; a program that is to read its text gave no answer, and is asked again by the next run.
        true if report.diagnostics.iter().any(|one| one.severity == "error") => Exit::Partial,
        true => Exit::Done,
        false => Exit::Invalid,
    }
}

type Given = Vec<(&'static str, Value)>;

/// What a command gives as the fields of an edit.
fn fields<'w>(shell: &Shell<'_>, what: &'w What) -> Result<(Operation, Given, &'w How), Failure> {
    let text = |text: &str| Value::Text(text.to_owned());
    let (operation, mut given, word) = match what {
        What::AddEntity { entity_type, key, names, properties, word } => {
            let given = vec![("type", text(entity_type)), ("key", text(key))];
            (Operation::AddEntity, with(given, names, properties), word)
        }
        What::RemoveEntity { entity, word } => {
            (Operation::RemoveEntity, vec![("entity", text(entity))], word)
        }
        What::AddRelationship { fact, from, to, word } => {
            let mut given = fact.fields();
            given.extend(from.iter().map(|day| ("from", text(day))));
            given.extend(to.iter().map(|day| ("to", text(day))));
            (Operation::AddRelationship, given, word)
        }
        What::ExpireRelationship { fact, on, word } => {
            let mut given = fact.fields();
            given.extend(on.iter().map(|day| ("on", text(day))));
            (Operation::ExpireRelationship, given, word)
        }
        What::AddRiskEvent {
            key,
            title,
            text: file,
            entity_type,
            names,
            severity,
            date,
            properties,
            word,
        } => {
            let bulletin = shell.read_file(file)?;
            let given = vec![("key", text(key)), ("title", text(title)), ("text", Value::Text(bulletin))];
            let mut given = with(given, names, properties);
            for (name, value) in [("type", entity_type), ("severity", severity), ("date", date)] {
                given.extend(value.iter().map(|value| (name, text(value))));
            }
            (Operation::AddRiskEvent, given, word)
        }
        What::Undo { number, reason, ticket, how } => {
            let mut given = vec![("number", text(number)), ("reason", text(reason))];
            given.extend(ticket.iter().map(|ticket| ("ticket", text(ticket))));
            return Ok((Operation::Undo, given, how));
        }
        What::Apply { .. } | What::List => {
            return Err(run::Error::Bug("only an edit has fields".to_owned()).into());
        }
    };
    given.extend([("reason", text(&word.reason)), ("ticket", text(&word.ticket))]);
    Ok((operation, given, &word.how))
}

/// With names and properties, if there are any.
fn with(mut given: Given, names: &[String], properties: &[(String, String)]) -> Given {
    if !names.is_empty() {
        given.push(("names", Value::Texts(names.to_vec())));
    }
    if !properties.is_empty() {
        let pairs: BTreeMap<String, String> = properties.iter().cloned().collect();
        given.push(("properties", Value::Pairs(pairs)));
    }
    given
}

impl Fact {
    fn fields(&self) -> Given {
        let text = |text: &str| Value::Text(text.to_owned());
        let given = vec![
            ("subject", text(&self.subject)),
            ("type", text(&self.edge_type)),
            ("object", text(&self.object)),
        ];
        with(given, &[], &self.properties)
    }
}
