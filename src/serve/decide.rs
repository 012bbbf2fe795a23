//! A curator's file of answers: read, checked as a whole, and turned into what `decide` queues.
//!
//! Nothing is written here. A file with one wrong row gives problems and no request.

use std::collections::BTreeMap;

use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Serialize;

use super::evidence::read_date;
use super::find::find;
use super::waiting::{answer_text, side};
use super::{Error, Graph};
use crate::diag::{count, json_fault};
use crate::model::assertion::Assertion;
use crate::model::decision::{Answer, Decision, Question};
use crate::model::fact::{Quarantined, Reason};
use crate::model::id::{AssertionId, EntityKey};
use crate::model::mention::Resolution;
use crate::store::RequestBody;

/// How a file of answers is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFormat {
    /// Comma- or semicolon-separated values with a header.
    Csv,
    /// One JSON object a line.
    JsonLines,
}

/// The columns of a file that a person fills in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Form {
    /// Those that are read; the others are for people.
    pub(super) read: &'static [&'static str],
    /// Those that must be there.
    pub(super) required: &'static [&'static str],
    /// Those that are written for people beside those that are read.
    pub(super) shown: &'static [&'static str],
}

/// The form of a file of answers.
const ANSWERS: Form = Form { read: &READ, required: &["question", "decision"], shown: &SHOWN };

const READ: [&str; 7] = ["question", "decision", "reason", "valid_from", "valid_to", "subject", "object"];

const SHOWN: [&str; 6] = ["edge_type", "quote", "document", "line", "reasons", "confidence"];

/// One answer as written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// The line of the file.
    pub line: u64,
    /// Column → cell, trimmed.
    cells: BTreeMap<&'static str, String>,
}

impl Row {
    /// An answer to a question, with its reason.
    pub(super) fn answering(&self, decision: &'static str) -> Self {
        let cells =
            [("decision", decision), ("question", self.cell("question")), ("reason", self.cell("reason"))];
        Self { line: self.line, cells: cells.map(|(column, cell)| (column, cell.to_owned())).into() }
    }

    pub(super) fn cell(&self, column: &'static str) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }
}

/// What is wrong with a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Problem {
    /// The line of the file; 0 for the file as a whole.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

/// An answer that is ready to be queued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The line of the file; 0 if it was not read from one.
    pub line: u64,
    /// What to queue.
    pub request: RequestBody,
    /// What it will do, in words.
    pub does: String,
}

/// Reads the rows of a file of answers, and what is wrong with its form.
pub fn rows_of(format: RowFormat, text: &str) -> (Vec<Row>, Vec<Problem>) {
    filled(format, text, ANSWERS)
}

/// Reads the rows of a file that a person filled in, and what is wrong with its form.
pub(super) fn filled(format: RowFormat, text: &str, form: Form) -> (Vec<Row>, Vec<Problem>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match format {
        RowFormat::Csv => csv_rows(text, form),
        RowFormat::JsonLines => json_rows(text, form),
    }
}

fn csv_rows(text: &str, form: Form) -> (Vec<Row>, Vec<Problem>) {
    let first = text.lines().next().unwrap_or_default();
    // Spreadsheets of many countries save with semicolons; no column name contains either.
    let delimiter = if first.matches(';').count() > first.matches(',').count() { b';' } else { b',' };
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text.as_bytes());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => return (Vec::new(), vec![Problem { line: 1, message: error.to_string() }]),
    };
    let mut problems = Vec::new();
    let place = |column: &str| header.iter().position(|name| name.trim() == column);
    for column in form.required {
        if place(column).is_none() {
            problems.push(Problem { line: 1, message: format!("there is no column `{column}`") });
        }
    }
    let mut rows = Vec::new();
    let mut lines = Lines { text, at: 0, line: 1 };
    for record in reader.records() {
        match record {
            Ok(record) => {
                let line = lines.of(record.position());
                if record.len() != header.len() {
                    let message =
                        format!("{} where the header has {}", count(record.len(), "cell"), header.len());
                    problems.push(Problem { line, message });
                    continue;
                }
                let cell = |column: &'static str| {
                    place(column).and_then(|at| record.get(at)).map(|cell| (column, plain(cell)))
                };
                rows.push(Row { line, cells: form.read.iter().copied().filter_map(cell).collect() });
            }
            Err(error) => {
                let line = lines.of(error.position());
                problems.push(Problem { line, message: error.to_string() });
            }
        }
    }
    (rows, problems)
}

/// Counts lines up to ascending positions. The reader's own count stands before a `\r\n` and not after it.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: u64,
}

impl Lines<'_> {
    fn of(&mut self, position: Option<&csv::Position>) -> u64 {
        let Some(position) = position else { return 0 };
        let bytes = self.text.as_bytes();
        let mut begin = (position.byte() as usize).clamp(self.at, bytes.len());
        while begin < bytes.len() && matches!(bytes[begin], b'\r' | b'\n') {
            begin += 1;
        }
        self.line += bytes[self.at..begin].iter().filter(|byte| **byte == b'\n').count() as u64;
        self.at = begin;
        self.line
    }
}

/// A cell without the apostrophe that keeps a spreadsheet from reading it as a formula.
fn plain(cell: &str) -> String {
    let cell = cell.trim();
    match cell.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@']) => rest.to_owned(),
        _ => cell.to_owned(),
    }
}

fn json_rows(text: &str, form: Form) -> (Vec<Row>, Vec<Problem>) {
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    for (at, written) in text.lines().enumerate().filter(|(_, written)| !written.trim().is_empty()) {
        let line = at as u64 + 1;
        let object: serde_json::Map<String, serde_json::Value> = match serde_json::from_str(written) {
            Ok(object) => object,
            Err(error) => {
                problems
                    .push(Problem { line, message: format!("not a JSON object: {}", json_fault(&error)) });
                continue;
            }
        };
        let mut cells = BTreeMap::new();
        for (name, value) in &object {
            let column = form.read.iter().copied().find(|column| column == name);
            match (column, value) {
                (Some(column), serde_json::Value::String(text)) => {
                    cells.insert(column, text.trim().to_owned());
                }
                (Some(_), serde_json::Value::Null) => {}
                (Some(column), _) => {
                    problems.push(Problem { line, message: format!("`{column}` must be a text") });
                }
                (None, _) if form.shown.contains(&name.as_str()) => {}
                (None, _) => problems.push(Problem { line, message: format!("unknown key `{name}`") }),
            }
        }
        rows.push(Row { line, cells });
    }
    (rows, problems)
}

/// Checks every row against the graph: what to queue, and everything that is wrong.
pub fn decide(graph: &Graph<'_>, rows: &[Row]) -> Result<(Vec<Answered>, Vec<Problem>), Error> {
    let mut answers = Vec::new();
    let mut problems = Vec::new();
    let mut asked: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows.iter().filter(|row| !row.cell("decision").is_empty()) {
        if let Some(line) = asked.insert(row.cell("question"), row.line) {
            let message = format!("the same question is answered on line {line}");
            problems.push(Problem { line: row.line, message });
            continue;
        }
        match answer(graph, row)? {
            Ok(answered) => answers.push(answered),
            Err(messages) => {
                problems.extend(messages.into_iter().map(|message| Problem { line: row.line, message }));
            }
        }
    }
    problems.sort();
    Ok((answers, problems))
}

/// The answer of one row, or everything that is wrong with it.
pub(super) fn answer(graph: &Graph<'_>, row: &Row) -> Result<Result<Answered, Vec<String>>, Error> {
    let question = row.cell("question");
    let Ok(id) = question.parse::<AssertionId>() else {
        return Ok(Err(vec![format!("`{question}` is not a question's id")]));
    };
    let assertion = match graph.assertion(&id)? {
        Some(assertion) if graph.sees(&assertion)? => assertion,
        _ => {
            let gone =
                format!("there is no question `{question}` any more: its sentence has changed or gone");
            return Ok(Err(vec![gone]));
        }
    };
    let waits: Option<Quarantined> = graph.view().get(&id.to_string())?;
    let changed = changes(graph, row, &assertion)?;
    let answer = match row.cell("decision").to_lowercase().as_str() {
        "approve" => {
            let question = Question::of(&assertion);
            let standing = graph.standing_decisions()?.iter().rfind(|one| one.question == question);
            let approved = waits.is_none() && standing.is_some_and(|one| one.answer == Answer::Approve);
            approve(&assertion, waits.as_ref(), approved, changed)
        }
        "reject" if row.cell("reason").is_empty() => Err(vec!["a rejection needs a `reason`".to_owned()]),
        "reject" => Ok(Answer::Reject { reason: row.cell("reason").to_owned() }),
        "correct" => correct(&assertion, changed),
        other => Err(vec![format!("`{other}` is not a decision: write approve, reject or correct")]),
    };
    let answer = match answer {
        Ok(answer) => match standing_same(graph, &assertion, &answer)? {
            Some(standing) => {
                return Ok(Err(vec![format!(
                    "it is decided already, by {1} at {2} (decision {3}: {0}); `edgewright decide --undo {4}` takes that back",
                    answer_text(&standing.answer),
                    standing.by,
                    standing.at,
                    standing.number,
                    standing.number
                )]));
            }
            None => Ok(answer),
        },
        wrong => wrong,
    };
    Ok(answer.map(|answer| {
        let says =
            format!("{} {} {}", side(&assertion.subject), assertion.edge_type, side(&assertion.object));
        Answered {
            line: row.line,
            does: format!("{says}: {}", answer_text(&answer)),
            request: RequestBody::Decide {
                question: Question::of(&assertion),
                answer,
                quote: assertion.evidence.quote,
            },
        }
    }))
}

/// The standing decision that has said the same of this question already, with whatever reason.
fn standing_same<'g>(
    graph: &'g Graph<'_>,
    assertion: &Assertion,
    answer: &Answer,
) -> Result<Option<&'g Decision>, Error> {
    let question = Question::of(assertion);
    let standing = graph.standing_decisions()?.iter().rfind(|one| one.question == question);
    Ok(standing.filter(|one| match (&one.answer, answer) {
        (Answer::Reject { .. }, Answer::Reject { .. }) => true,
        (Answer::Correct { .. }, _) => one.answer == *answer,
        _ => false,
    }))
}

/// What a row says otherwise than the assertion.
#[derive(Default)]
struct Changes {
    valid_from: Option<Date>,
    valid_to: Option<Date>,
    subject: Option<EntityKey>,
    object: Option<EntityKey>,
    /// The interval as it is with the changes.
    interval: (Option<Date>, Option<Date>),
    problems: Vec<String>,
}

fn changes(graph: &Graph<'_>, row: &Row, assertion: &Assertion) -> Result<Changes, Error> {
    let mut changes = Changes::default();
    let read = |bound, end| {
        read_date(graph, &assertion.origin, bound, end).map(|read| read.and_then(|read| read.day))
    };
    let from = read(assertion.valid_from.as_ref(), false)?;
    let to = read(assertion.valid_to.as_ref(), true)?;
    changes.valid_from = changed_day(row, "valid_from", from, &mut changes.problems);
    changes.valid_to = changed_day(row, "valid_to", to, &mut changes.problems);
    changes.interval = (changes.valid_from.or(from), changes.valid_to.or(to));
    let endpoints = graph.catalog().endpoints.get(&assertion.edge_type);
    let types = |object: bool| {
        endpoints.map(|(subjects, objects)| if object { objects.as_slice() } else { subjects.as_slice() })
    };
    changes.subject =
        changed_side(graph, row, "subject", &assertion.subject, types(false), &mut changes.problems)?;
    changes.object =
        changed_side(graph, row, "object", &assertion.object, types(true), &mut changes.problems)?;
    Ok(changes)
}

fn changed_day(
    row: &Row,
    column: &'static str,
    read: Option<Date>,
    problems: &mut Vec<String>,
) -> Option<Date> {
    // A column that the file does not have says nothing; an empty cell where a day was read does.
    let written = row.cells.get(column)?.as_str();
    if written.is_empty() {
        if read.is_some() {
            problems.push(format!(
                "`{column}` is empty, but a day was read: a day can be corrected and not taken away"
            ));
        }
        return None;
    }
    match written.parse::<Date>() {
        Ok(day) if Some(day) == read => None,
        Ok(day) => Some(day),
        Err(_) => {
            problems.push(format!("`{column}`: `{written}` is not a day such as 2024-02-17"));
            None
        }
    }
}

fn changed_side(
    graph: &Graph<'_>,
    row: &Row,
    column: &'static str,
    read: &Resolution,
    types: Option<&[String]>,
    problems: &mut Vec<String>,
) -> Result<Option<EntityKey>, Error> {
    let written = row.cell(column);
    if written.is_empty() || written == side(read) {
        return Ok(None);
    }
    let key = match find(graph, written) {
        Ok(found) => found.entity,
        Err(Error::Asked { message, hint }) => {
            let hint = hint.map(|hint| format!(" ({})", hint.replace("\n    ", "; "))).unwrap_or_default();
            problems.push(format!("`{column}`: {message}{hint}"));
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    if let Some(types) = types
        && !types.iter().any(|name| name == key.entity_type())
    {
        problems.push(format!("`{column}`: {key} is not one of {}", types.join(", ")));
        return Ok(None);
    }
    Ok((Some(&key) != read.known()).then_some(key))
}

/// What waits is approved to be published; what is published, to say that its rule read it rightly.
fn approve(
    assertion: &Assertion,
    waits: Option<&Quarantined>,
    approved: bool,
    changes: Changes,
) -> Result<Answer, Vec<String>> {
    let mut problems = changes.problems;
    let altered = [
        changes.valid_from.map(|_| "valid_from"),
        changes.valid_to.map(|_| "valid_to"),
        changes.subject.map(|_| "subject"),
        changes.object.map(|_| "object"),
    ];
    for column in altered.into_iter().flatten() {
        problems.push(format!("`{column}` was changed: write `correct` instead of `approve`"));
    }
    if approved {
        problems.push("it is approved already: nothing is left to approve".to_owned());
        return Err(problems);
    }
    for resolution in [&assertion.subject, &assertion.object] {
        if resolution.known().is_none() {
            let surface = side(resolution);
            problems.push(format!("\"{surface}\" is nobody yet: write `correct` and a key in its place"));
        }
    }
    for reason in waits.iter().flat_map(|waits| &waits.reasons) {
        match reason {
            Reason::DateAmbiguous { .. }
            | Reason::DateInvalid { .. }
            | Reason::DateMissing
            | Reason::IntervalEmpty => {
                problems
                    .push(format!("its dates cannot stand ({}): write `correct` and a day", reason.code()));
            }
            _ => {}
        }
    }
    if problems.is_empty() { Ok(Answer::Approve) } else { Err(problems) }
}

fn correct(assertion: &Assertion, changes: Changes) -> Result<Answer, Vec<String>> {
    let mut problems = changes.problems;
    let Changes { valid_from, valid_to, subject, object, .. } = changes;
    let nothing = valid_from.is_none() && valid_to.is_none() && subject.is_none() && object.is_none();
    if nothing && problems.is_empty() {
        problems
            .push("a correction that changes nothing: change a day or a key, or write `approve`".to_owned());
    }
    if let (Some(from), Some(to)) = changes.interval
        && to <= from
    {
        problems.push(format!(
            "`valid_to` {to} is not after `valid_from` {from}; it is the first day after the last"
        ));
    }
    for (column, resolution, corrected) in
        [("subject", &assertion.subject, &subject), ("object", &assertion.object, &object)]
    {
        if resolution.known().is_none() && corrected.is_none() && problems.is_empty() {
            problems.push(format!(
                "`{column}`: \"{}\" is nobody yet: write a key in its place",
                side(resolution)
            ));
        }
    }
    if problems.is_empty() {
        Ok(Answer::Correct { valid_from, valid_to, subject, object })
    } else {
        Err(problems)
    }
}

/// The request that takes a decision back.
pub fn undo(graph: &Graph<'_>, number: u64) -> Result<Answered, Error> {
    let stand = graph.standing_decisions()?;
    let Some(decision) = stand.iter().find(|decision| decision.number == number) else {
        let known = graph.view().get::<Decision>(&format!("{number:08}"))?.is_some();
        if known {
            return Err(Error::asked(
                format!("decision {number} does not stand"),
                "it was taken back before, or is an undo itself",
            ));
        }
        let hint = match stand.last() {
            Some(last) => format!("the last decision that stands is number {}", last.number),
            None => "no decision stands".to_owned(),
        };
        return Err(Error::asked(format!("there is no decision {number}"), hint));
    };
    let answer = Answer::Undo { decision: number };
    Ok(Answered {
        line: 0,
        does: format!("takes decision {number} back ({})", answer_text(&decision.answer)),
        request: RequestBody::Decide {
            question: decision.question.clone(),
            answer,
            quote: decision.quote.clone(),
        },
    })
}
