//! Examples: the sentences beside the rules, run as tests.
//!
//! An example is a small document. Names come from the feeds as they are now, so an example reads like the
//! text that it stands for; what the document would define elsewhere is `given`.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use crate::config::Loaded;
use crate::extract::Setting;
use crate::link::Lexicon;
use crate::model::assertion::{Reading, Slot};
use crate::model::chunk::Chunk;
use crate::model::id::{ChunkId, EntityKey};
use crate::model::job::{Connections, Limits};
use crate::model::mention::Name;
use crate::model::time::{Date, DateBase};
use crate::model::token::fold;
use crate::ontology::{Example, Filler, Ontology, Rule, RuleKind, Zone};
use crate::source::feed::{self, Reach, Unpacking};
use crate::worker::Pool;
use crate::{chunk, parse};

use super::setup::{Reader, Setup};
use super::{Error, Workspace, external};

/// What the examples came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExamplesReport {
    /// The version of this form.
    pub version: u32,
    /// Examples that found what they must.
    pub passed: u64,
    /// Rules without an example.
    pub without: Vec<String>,
    /// Examples that did not.
    pub failed: Vec<ExampleReport>,
}

/// An example that did not find what it must.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ExampleReport {
    /// The rule.
    pub rule: String,
    /// The file in which it stands.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The text.
    pub text: String,
    /// What must be found; empty: nothing.
    pub expected: Vec<String>,
    /// What was found.
    pub found: Vec<String>,
}

/// Runs the examples of these rules; of every rule if none is named. `program` is this program, under which those run
/// that rules ask.
pub fn examples(
    workspace: &Workspace,
    loaded: Loaded,
    rules: &[String],
    connections: &Connections,
    program: &Path,
) -> Result<ExamplesReport, Error> {
    let workers = external::pool(workspace, program);
    let (setup, _) = Setup::new(loaded, &[])?;
    if let Some(unknown) = rules.iter().find(|rule| setup.ontology.rule(rule).is_none()) {
        let known = setup.ontology.rules.iter().map(|rule| rule.id.as_str());
        let hint = crate::diag::nearest(unknown, known).map(|near| format!("did you mean `{near}`?"));
        return Err(Error::Usage { message: format!("there is no rule `{unknown}`"), hint });
    }
    let mut report = ExamplesReport { version: 1, passed: 0, without: Vec::new(), failed: Vec::new() };
    let unpack = |asked: &Unpacking, bytes, limits: &Limits| workers.unpack(asked, bytes, limits);
    let names = names(Reach { root: workspace.root(), connections, unpack: &unpack }, &setup);
    for reader in setup.readers.values() {
        let known =
            names.iter().filter(|name| reader.ontology.entities.contains_key(name.entity.entity_type()));
        let lexicon = Lexicon::build(&reader.ontology, reader.language, known.cloned());
        for rule in reader.ontology.rules.iter().filter(|rule| rules.is_empty() || rules.contains(&rule.id)) {
            if rule.examples.is_empty() {
                report.without.push(rule.id.clone());
            }
            for example in &rule.examples {
                let (expected, found) = check(reader, &lexicon, rule, example, &workers);
                if expected == found {
                    report.passed += 1;
                } else {
                    report.failed.push(ExampleReport {
                        rule: rule.id.clone(),
                        file: rule.at.0.clone(),
                        line: example.line,
                        text: example.text.clone(),
                        expected,
                        found,
                    });
                }
            }
        }
    }
    Ok(report)
}

/// The names that the feeds give now. A feed that cannot be read gives none; `check` and `run` say why.
pub(super) fn names(reach: Reach<'_>, setup: &Setup) -> Vec<Name> {
    let mut names = Vec::new();
    for (feed, reader) in setup.feeds() {
        for row in feed::read(reach, feed, &reader.ontology, None).rows {
            for claim in feed::meaning(feed, &row).entities {
                let name = |text: &str, full| Name {
                    entity: claim.entity.clone(),
                    text: text.to_owned(),
                    full,
                    former: false,
                };
                names.extend(claim.names.iter().enumerate().map(|(at, text)| name(text, at == 0)));
                names.push(name(claim.entity.key(), false));
            }
        }
    }
    names
}

/// What an example must find and what it finds, both in one canonical form and sorted.
fn check(
    reader: &Reader,
    lexicon: &Lexicon,
    rule: &Rule,
    example: &Example,
    workers: &Pool,
) -> (Vec<String>, Vec<String>) {
    let known = Known { lexicon, ontology: &reader.ontology };
    let stands_for = stands_for(known, rule, example);
    let mut chunks = chunks(reader, example);
    put_in_zone(&mut chunks, rule);
    let mut setting = Setting {
        stands_for: stands_for.clone(),
        fields: fields(example, rule),
        effective: example.given.contains_key("effective"),
        date_order: None,
        path: "example.md".to_owned(),
        targets: BTreeMap::new(),
    };
    setting.fields.dedup();
    let (mentions, bindings) = super::names::link(lexicon, &reader.extractor, &setting, &chunks);
    if let (RuleKind::Bind { name, .. }, false) = (&rule.kind, example.finds.is_empty()) {
        let mut expected: Vec<String> = example.finds.iter().map(|finds| fold(finds)).collect();
        expected.sort();
        return (
            expected,
            bindings.given(name).iter().map(|text| fold(&format!("{name} is {text}"))).collect(),
        );
    }
    let effective = example.given.get("effective").and_then(|day| day.parse::<Date>().ok());
    let mut found = Vec::new();
    for (at, chunk) in chunks.iter().enumerate() {
        let input = reader.extractor.input(&setting, &bindings, at, chunk, &mentions[at]);
        let asked =
            external::ask(&reader.extractor, &input, workers, &BTreeMap::new(), &|asks| asks == rule.id);
        found.extend(asked.silent.values().map(|silence| format!("no answer: {}", silence.why)));
        let extraction = reader.extractor.extract(&input, &asked.answers);
        found.extend(extraction.refused.iter().map(|refusal| format!("refused: {}", refusal.message)));
        for reading in extraction.readings {
            if reading.rule == rule.id {
                found.push(found_form(&reading, effective));
            }
        }
    }
    let mut expected: Vec<String> =
        example.finds.iter().map(|finds| expected_form(finds, rule, known, stands_for.as_ref())).collect();
    found.sort();
    expected.sort();
    (expected, found)
}

/// The example's text as a document; what is `given` stands before it as definitions.
fn chunks(reader: &Reader, example: &Example) -> Vec<Chunk> {
    let mut text = example.text.replace(['…'], "\n\n");
    for (term, value) in &example.given {
        if ["self", "effective"].contains(&term.as_str()) {
            continue;
        }
        let definition = match value.parse::<Date>() {
            Ok(day) => format!("This paper takes effect as of {day} (the \"{term}\")."),
            Err(_) => format!("{value} (\"{term}\")"),
        };
        text = format!("{text}\n\n{definition}\n");
    }
    let (document, _) = parse::parse("example.md", parse::Format::Markdown, text.as_bytes());
    document.map(|document| chunk::split(&document, reader.language)).unwrap_or_default()
}

fn fields(example: &Example, rule: &Rule) -> Vec<crate::model::document::HeaderField> {
    let (document, _) = parse::parse("example.md", parse::Format::Markdown, example.text.as_bytes());
    let mut fields = document.map(|document| document.fields).unwrap_or_default();
    for zone in &rule.within {
        if let (Zone::Field(name, values), false) =
            (zone, fields.iter().any(|field| zone_names(zone, &field.name)))
        {
            let value = values.first().cloned().unwrap_or_default();
            fields.push(crate::model::document::HeaderField { name: name.clone(), value, span: None });
        }
    }
    fields
}

fn zone_names(zone: &Zone, name: &str) -> bool {
    matches!(zone, Zone::Field(field, _) if field.eq_ignore_ascii_case(name))
}

/// An example of a rule with a zone stands in that zone, unless its text says where it stands.
fn put_in_zone(chunks: &mut [Chunk], rule: &Rule) {
    for zone in &rule.within {
        for chunk in chunks.iter_mut() {
            match zone {
                Zone::Part(part) => chunk.body.context.part = *part,
                Zone::Heading(names) if chunk.body.context.headings.is_empty() => {
                    chunk.body.context.headings.extend(names.first().cloned());
                }
                Zone::Heading(_) | Zone::Field(..) => {}
            }
            chunk.id = ChunkId::of(&[&format!("{:?}", chunk.body)]);
        }
    }
}

/// For which entity the example's document stands: the one that is given, else one that is only `self`.
fn stands_for(known: Known<'_>, rule: &Rule, example: &Example) -> Option<EntityKey> {
    let edge = rule.edge.as_ref().and_then(|name| known.ontology.edges.get(name));
    let types = edge.map(|edge| match (&rule.subject, &rule.object) {
        (Some(Filler::Document), _) => edge.subject.clone(),
        _ => edge.object.clone(),
    });
    let types = types.unwrap_or_default();
    let given = match example.given.get("self") {
        Some(given) => given.as_str(),
        None => "self",
    };
    if let Some(known) = known
        .candidates(given)
        .into_iter()
        .find(|key| types.is_empty() || types.contains(&key.entity_type().to_owned()))
    {
        return Some(known);
    }
    types.first().and_then(|entity_type| EntityKey::new(entity_type, given))
}

/// Who is known by which name.
#[derive(Clone, Copy)]
struct Known<'k> {
    lexicon: &'k Lexicon,
    ontology: &'k Ontology,
}

impl Known<'_> {
    /// Everyone whose name a text is as a whole.
    fn candidates(self, text: &str) -> Vec<EntityKey> {
        let body = crate::model::chunk::ChunkBody {
            text: text.to_owned(),
            context: Default::default(),
            kind: crate::model::chunk::ChunkKind::Prose,
            links: Vec::new(),
        };
        let chunk = Chunk { id: Chunk::id_of(&body), occurrence: 0, start: 0, marks: Vec::new(), body };
        let mentions = self.lexicon.mentions(&[chunk], None, &[]);
        mentions
            .into_iter()
            .flatten()
            .find(|mention| mention.span.of(text).trim_end_matches('.') == text.trim().trim_end_matches('.'))
            .map(|mention| mention.candidates)
            .or_else(|| self.part(text))
            .unwrap_or_default()
    }

    /// A part as examples name it, after what it is a part of: "MSA-17 Schedule 7".
    fn part(self, text: &str) -> Option<Vec<EntityKey>> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_part =
            |word: &&str| self.ontology.entities.get(*word).is_some_and(|kind| !kind.part_of.is_empty());
        let at = words.iter().rposition(is_part).filter(|at| *at > 0)?;
        let part_of = &self.ontology.entities.get(words[at])?.part_of;
        let owners = self.candidates(&words[..at].join(" "));
        let owners = owners.iter().filter(|owner| part_of.iter().any(|kind| kind == owner.entity_type()));
        let key = |owner: &EntityKey| {
            let parts: Vec<&str> =
                std::iter::once(owner.key()).chain(words[at + 1..].iter().copied()).collect();
            EntityKey::compound(words[at], &parts)
        };
        Some(owners.filter_map(key).collect())
    }
}

fn found_form(reading: &Reading, effective: Option<Date>) -> String {
    let days = |base: &DateBase| match base {
        DateBase::DocumentEffective => effective,
        DateBase::Property { .. } => None,
    };
    let side = |slot: &Slot| match slot.candidates.as_slice() {
        [] => fold(&slot.surface),
        several => several.iter().map(EntityKey::to_string).collect::<Vec<_>>().join(" or "),
    };
    let mut form = format!("{} {} {}", side(&reading.subject), reading.edge_type, side(&reading.object));
    if let Some(Ok((from, _))) = reading.valid_from.as_ref().map(|bound| bound.as_start(&days)) {
        form.push_str(&format!(" from {from}"));
    }
    if let Some(Ok((to, _))) = reading.valid_to.as_ref().map(|bound| bound.as_end(&days)) {
        let last = to.yesterday().unwrap_or(to);
        form.push_str(&format!(" until {last}"));
    }
    form
}

/// `<subject> <edge type> <object> [from DATE] [until DATE]`, with names put into keys.
fn expected_form(finds: &str, rule: &Rule, known: Known<'_>, stands_for: Option<&EntityKey>) -> String {
    let edge = rule.edge.clone().unwrap_or_default();
    let Some((subject, rest)) = finds.split_once(&format!(" {edge} ")) else { return finds.to_owned() };
    let (rest, until) = tail(rest, " until ");
    let (object, from) = tail(rest, " from ");
    let (object, until) = match until {
        Some(until) => (object, Some(until)),
        None => tail(object, " until "),
    };
    let side = |name: &str| match (name.trim(), stands_for) {
        ("self", Some(key)) => key.to_string(),
        (name, _) => {
            let known = known.candidates(name);
            if known.is_empty() {
                stands_for.filter(|key| key.key() == name).map_or_else(|| fold(name), EntityKey::to_string)
            } else {
                known.iter().map(EntityKey::to_string).collect::<Vec<_>>().join(" or ")
            }
        }
    };
    let mut form = format!("{} {edge} {}", side(subject), side(object));
    for (word, date) in [("from", from), ("until", until)] {
        if let Some(date) = date {
            form.push_str(&format!(" {word} {date}"));
        }
    }
    form
}

/// Cuts `word DATE` off the end of a text.
fn tail<'t>(text: &'t str, word: &str) -> (&'t str, Option<&'t str>) {
    match text.rsplit_once(word) {
        Some((before, date)) if date.trim().parse::<Date>().is_ok() => (before, Some(date.trim())),
        _ => (text, None),
    }
}
