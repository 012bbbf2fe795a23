//! A small world for tests: rules as YAML, documents as a few lines, names as a list.

use serde_json::Value as Json;

use super::*;
use crate::ontology::language::Language;

type Edge = (&'static str, &'static str, &'static str, &'static [(&'static str, ValueKind)]);

/// The edge types of the tests: name, subject, object, properties.
const EDGES: &[Edge] = &[
    (
        "supplies",
        "Supplier",
        "Component",
        &[
            ("quantity", ValueKind::Number),
            ("lead_time", ValueKind::Duration),
            ("renews", ValueKind::Duration),
            ("note", ValueKind::Text),
        ],
    ),
    ("party_to", "Supplier", "Contract", &[]),
    ("covers", "Contract", "Component", &[]),
    ("cites", "Contract", "Contract", &[]),
    ("amends", "Contract", "CodeSection", &[]),
];

pub(super) fn english() -> &'static Language {
    Language::of("en").unwrap()
}

/// Entity keys with their names.
pub(super) type Names = Vec<(EntityKey, String)>;

pub(super) fn names(block: &str) -> Names {
    let mut found = Vec::new();
    for line in block.lines() {
        let (kind, entities) = line.split_once(": ").unwrap();
        for entity in entities.split("; ") {
            let (key, aliases) = entity.split_once(" = ").unwrap_or((entity, ""));
            let key_id = EntityKey::new(kind, key).unwrap();
            for name in std::iter::once(key).chain(aliases.split(", ").filter(|name| !name.is_empty())) {
                found.push((key_id.clone(), name.to_owned()));
            }
        }
    }
    found
}

/// The mentions of a text: the longest names from the left, at word boundaries.
pub(super) fn link(text: &str, names: &Names) -> Vec<Mention> {
    let words = tokens(text);
    let spelled: Vec<(&EntityKey, Vec<String>)> = names
        .iter()
        .map(|(key, name)| (key, tokens(name).into_iter().map(|token| token.folded.into()).collect()))
        .collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let fits = |name: &[String]| {
            at + name.len() <= words.len()
                && name.iter().zip(&words[at..]).all(|(word, token)| *word == token.folded)
                && !words[at].glued
                && !words.get(at + name.len()).is_some_and(|next| next.glued)
        };
        let hits: Vec<_> = spelled.iter().filter(|(_, name)| fits(name)).collect();
        match hits.iter().map(|(_, name)| name.len()).max() {
            Some(length) => {
                let mut candidates: Vec<EntityKey> = hits
                    .iter()
                    .filter(|(_, name)| name.len() == length)
                    .map(|(key, _)| (*key).clone())
                    .collect();
                candidates.sort();
                candidates.dedup();
                let span = Span::new(words[at].span.start, words[at + length - 1].span.end);
                found.push(Mention { span, candidates, how: Known::Name });
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

fn list(value: &Json) -> Vec<String> {
    match value {
        Json::String(one) => vec![one.clone()],
        Json::Array(all) => all.iter().flat_map(list).collect(),
        _ => Vec::new(),
    }
}

fn zones(value: &Json) -> Vec<Zone> {
    let mut found = Vec::new();
    for (kind, value) in value.as_object().into_iter().flatten() {
        match kind.as_str() {
            "part" => {
                for part in list(value) {
                    found.push(Zone::Part(serde_json::from_value(Json::String(part)).unwrap()));
                }
            }
            "heading" => found.push(Zone::Heading(list(value))),
            field => found.push(Zone::Field(field.to_owned(), list(value))),
        }
    }
    found
}

fn table(value: &Json) -> TableRule {
    let mut rule = TableRule::default();
    for (name, value) in value.as_object().unwrap() {
        match name.as_str() {
            "under" => rule.under = list(&value["heading"]),
            "fill_down" => rule.fill_down = list(value).into_iter().collect(),
            "skip_rows" => rule.skip_rows = list(value),
            slot => {
                rule.columns.insert(slot.to_owned(), list(value));
            }
        }
    }
    rule
}

pub(super) fn words() -> BTreeMap<String, Vec<String>> {
    let supply = ["supply~", "sell~", "deliver~"].map(str::to_owned).to_vec();
    BTreeMap::from([("SUPPLY".to_owned(), supply)])
}

fn rule(value: &Json) -> Rule {
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let pattern = |source: &str| Pattern::parse(source, &words()).unwrap();
    let filler = |name: &str| {
        text(name).map(|name| if name == "self" { Filler::Document } else { Filler::Binding(name) })
    };
    let date = |name: &str| {
        let names =
            value[name].as_str().map(|name| vec![name.to_owned()]).unwrap_or_else(|| list(&value[name]));
        let filler =
            |name| if name == "effective" { DateFiller::Effective } else { DateFiller::Binding(name) };
        names.into_iter().map(filler).collect()
    };
    let kind = if let Some(name) = text("bind") {
        let scope = match text("for").unwrap().as_str() {
            "document" => Scope::Document,
            "items below" => Scope::ItemsBelow,
            "section" => Scope::Section,
            _ => Scope::Table,
        };
        RuleKind::Bind {
            name,
            pattern: pattern(&text("match").unwrap()),
            scope,
            first: text("take").as_deref() == Some("first"),
        }
    } else if let Some(source) = text("match") {
        RuleKind::Match(pattern(&source))
    } else if let Some(names) = value["mentions"].as_object().or_else(|| value["defines"].as_object()) {
        let (side, types) = names.iter().next().unwrap();
        let side = if side == "subject" { Side::Subject } else { Side::Object };
        let types = list(types);
        if value["defines"].is_null() {
            RuleKind::Mentions { side, types }
        } else {
            RuleKind::Defines { side, types }
        }
    } else if let Some(fields) = value["field"].as_object() {
        RuleKind::Field(fields.iter().map(|(slot, names)| (slot.clone(), list(names))).collect())
    } else if value["table"].is_object() {
        RuleKind::Table(table(&value["table"]))
    } else {
        let target = value["link"]["target"].as_str().map(|source| Template::parse(source).unwrap());
        RuleKind::Link { target }
    };
    Rule {
        id: text("id").unwrap(),
        revision: Fingerprint::of(&[&value.to_string()]),
        edge: text("edge"),
        says: if text("asserts").as_deref() == Some("end") { Says::Ends } else { Says::Holds },
        kind,
        subject: filler("subject"),
        object: filler("object"),
        valid_from: date("valid_from"),
        valid_to: date("valid_to"),
        within: zones(&value["in"]),
        not_within: zones(&value["not_in"]),
        despite: list(&value["despite"]).into_iter().collect(),
        confidence: value["confidence"].as_f64().unwrap_or(0.95),
        precision: None,
        examples: Vec::new(),
        at: ("test.yaml".to_owned(), 1),
    }
}

/// An ontology with these rules, as YAML.
pub(super) fn ontology(yaml: &str) -> Ontology {
    let rules: Vec<Json> = serde_yaml::from_str(yaml).unwrap();
    let edge = |(name, subject, object, properties): &Edge| {
        let property = |kind| Property { kind, identity: false, conflict: false, access: Default::default() };
        let edge = EdgeType {
            name: (*name).to_owned(),
            subject: vec![(*subject).to_owned()],
            object: vec![(*object).to_owned()],
            at_most_one: None,
            ends_object: false,
            inverse: None,
            symmetric: false,
            acyclic: false,
            properties: properties.iter().map(|(name, kind)| ((*name).to_owned(), property(*kind))).collect(),
            review_always: false,
            threshold: 0.8,
            access: Default::default(),
        };
        ((*name).to_owned(), edge)
    };
    Ontology {
        language: "en".to_owned(),
        entities: BTreeMap::new(),
        edges: EDGES.iter().map(edge).collect(),
        rules: rules.iter().map(rule).collect(),
    }
}

pub(super) fn extractor(yaml: &str) -> Extractor {
    Extractor::new(Arc::new(ontology(yaml)), english()).with_misses(true)
}

/// A document in a few lines: headings, paragraphs, items, tables, quotes, or header fields only.
pub(super) struct Doc {
    pub(super) setting: Setting,
    pub(super) chunks: Vec<Chunk>,
}

pub(super) fn document(text: &str, setting: Setting, part: Part) -> Doc {
    let mut doc = Doc { setting, chunks: Vec::new() };
    let is_field = |line: &str| {
        line.split_once(": ").is_some_and(|(name, _)| name.len() < 16 && !name.contains(['|', '#', '>', '"']))
    };
    if text.lines().all(is_field) {
        doc.fields(text);
        return doc;
    }
    let mut builder =
        Builder { doc, part, headings: Vec::new(), parents: Vec::new(), paragraph: String::new() };
    let mut at = 0;
    let mut start = 0;
    for line in text.split('\n') {
        let bare = line.trim_start();
        let block = ["#", ">", "- ", "|"].iter().any(|mark| bare.starts_with(mark)) || bare.is_empty();
        let same_table = bare.starts_with('|') && builder.paragraph.starts_with('|');
        if (block && !same_table) || (!block && builder.paragraph.starts_with('|')) {
            builder.close(start);
        }
        if builder.paragraph.is_empty() {
            start = at;
            builder.paragraph = line.to_owned();
        } else {
            builder.paragraph.push('\n');
            builder.paragraph.push_str(line);
        }
        if block && !bare.starts_with('|') {
            builder.close(start);
        }
        at += line.len() + 1;
    }
    builder.close(start);
    builder.doc
}

impl Doc {
    fn fields(&mut self, text: &str) {
        let mut at = 0;
        for line in text.split('\n') {
            let (name, value) = line.split_once(": ").unwrap();
            let start = at + name.len() + 2;
            self.setting.fields.push(HeaderField {
                name: name.to_owned(),
                value: value.to_owned(),
                span: Some(Span::new(start, start + value.len())),
            });
            at += line.len() + 1;
        }
        self.push(text, 0, ChunkKind::Fields, Context::default());
    }

    fn push(&mut self, text: &str, start: usize, kind: ChunkKind, context: Context) {
        let body = ChunkBody { text: text.to_owned(), context, kind, links: links(text) };
        let id = Chunk::id_of(&body);
        let occurrence = self.chunks.iter().filter(|chunk| chunk.id == id).count() as u32;
        self.chunks.push(Chunk { id, occurrence, start, marks: Vec::new(), body });
    }

    pub(super) fn run(&self, extractor: &Extractor, names: &Names) -> Vec<Extraction> {
        self.inputs(extractor, names).iter().map(|input| extractor.extract(input, &BTreeMap::new())).collect()
    }

    pub(super) fn inputs(&self, extractor: &Extractor, names: &Names) -> Vec<Input> {
        let mentions: Vec<Vec<Mention>> =
            self.chunks.iter().map(|chunk| link(&chunk.body.text, names)).collect();
        let bindings = extractor.bind(&self.setting, &self.chunks, &mentions);
        let one = |(at, chunk): (usize, &Chunk)| {
            extractor.input(&self.setting, &bindings, at, chunk, &mentions[at])
        };
        self.chunks.iter().enumerate().map(one).collect()
    }
}

/// `[text](target)` as links, by the span of the text.
fn links(text: &str) -> Vec<(Span, String)> {
    let form = regex::Regex::new(r"\[([^\]]+)\]\(([^)]*)\)").unwrap();
    let all = form.captures_iter(text);
    all.map(|found| (Span::from(found.get(1).unwrap().range()), found[2].to_owned())).collect()
}

struct Builder {
    doc: Doc,
    part: Part,
    headings: Vec<(usize, String)>,
    /// (depth, text) of the lines under which an item may stand.
    parents: Vec<(usize, String)>,
    paragraph: String,
}

impl Builder {
    fn close(&mut self, start: usize) {
        let text = std::mem::take(&mut self.paragraph);
        let bare = text.trim_start();
        let begin = start + (text.len() - bare.len());
        let mut context = Context {
            headings: self.headings.iter().map(|(_, heading)| heading.clone()).collect(),
            parents: Vec::new(),
            part: self.part,
        };
        if bare.is_empty() {
        } else if bare.starts_with('#') {
            let level = bare.len() - bare.trim_start_matches('#').len();
            let heading = bare[level..].trim();
            while self.headings.last().is_some_and(|(above, _)| *above >= level) {
                self.headings.pop();
            }
            self.parents.clear();
            context.headings = self.headings.iter().map(|(_, heading)| heading.clone()).collect();
            context.part = Part::Heading;
            self.headings.push((level, heading.to_owned()));
            let at = begin + bare.len() - bare[level..].trim_start().len();
            self.doc.push(heading, at, ChunkKind::Heading, context);
        } else if let Some(quote) = bare.strip_prefix("> ") {
            self.doc.push(quote, begin + 2, ChunkKind::Quote, context);
        } else if let Some(item) = bare.strip_prefix("- ") {
            let depth = 1 + (text.len() - bare.len());
            while self.parents.last().is_some_and(|(above, _)| *above >= depth) {
                self.parents.pop();
            }
            context.parents = self.parents.iter().map(|(_, parent)| parent.clone()).collect();
            self.parents.push((depth, item.to_owned()));
            self.doc.push(item, begin + 2, ChunkKind::Item, context);
        } else if bare.starts_with('|') {
            self.table(&text, start, context);
        } else {
            self.parents = vec![(0, bare.to_owned())];
            self.doc.push(bare, begin, ChunkKind::Prose, context);
        }
    }

    fn table(&mut self, text: &str, start: usize, context: Context) {
        let mut rows = Vec::new();
        let mut at = 0;
        for line in text.split('\n') {
            rows.push(cells(line, at));
            at += line.len() + 1;
        }
        let header: Vec<String> = rows[0].iter().map(|cell| cell.of(text).to_owned()).collect();
        let body = if rows.len() > 2 { rows.split_off(2) } else { Vec::new() };
        let above = vec![String::new(); header.len()];
        let cells = Table { header: Vec::new(), rows: body };
        self.doc.push(text, start, ChunkKind::Rows { header, cells, above }, context);
    }
}

/// The trimmed cells of a line `| a | b |`.
pub(super) fn cells(line: &str, at: usize) -> Vec<Span> {
    let mut found = Vec::new();
    let mut begin = 1;
    for (end, _) in line.match_indices('|').skip(1) {
        let cell = &line[begin..end];
        let trimmed = cell.trim();
        let start = at + begin + (cell.len() - cell.trim_start().len()).min(cell.len());
        found.push(Span::new(start, start + trimmed.len()));
        begin = end + 1;
    }
    found
}

/// A reading in one line, with unknown names marked and ambiguous ones spelled out.
pub(super) fn show(reading: &Reading, names: &Names) -> String {
    let mut shown = reading.clone();
    for slot in [&mut shown.subject, &mut shown.object] {
        let named = |key: &EntityKey| {
            let known = names.iter().any(|(known, _)| known == key);
            format!("{}{}", if known { "" } else { "=" }, key.key())
        };
        slot.surface = match slot.candidates.as_slice() {
            _ if slot.surface == draft::DOCUMENT => continue,
            [] => format!("?{}", slot.surface),
            several => several.iter().map(named).collect::<Vec<_>>().join("|"),
        };
    }
    let mut line = describe(&shown);
    if !reading.properties.is_empty() {
        let properties = reading.properties.iter().map(|(name, value)| format!("{name}={value}"));
        line.push_str(&format!(" {{{}}}", properties.collect::<Vec<_>>().join(", ")));
    }
    line
}
