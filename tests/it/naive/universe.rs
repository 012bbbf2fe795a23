//! The universe of the histories: documents as lists of sentences, feeds as rows, an ontology with three knobs.
//! Out: the files that a user would have written, and the same as [`Inputs`] for the fold. No I/O.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::calendar::Day;
use super::world::{Attestation, Claim, Decision, Fact, Graph, Inputs, Kind, Origin, Says, Stated};

pub(crate) const SUPPLIERS: [(&str, &str); 4] =
    [("S1", "Alpha Works"), ("S2", "Beta Metals"), ("S3", "Gamma Tools"), ("S4", "Delta Optics")];
pub(crate) const COMPONENTS: [(&str, &str); 4] =
    [("C1", "Red Valve"), ("C2", "Blue Pump"), ("C3", "Green Bracket"), ("C4", "Amber Lens")];
pub(crate) const CONTRACTS: [(&str, &str); 3] =
    [("K1", "Oak Contract"), ("K2", "Elm Contract"), ("K3", "Ash Contract")];

/// What a sentence says of its dates.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum When {
    Undated,
    From(Day),
    /// The last day that counts.
    Until(Day),
    Between(Day, Day),
    FromMonth(i32, i32),
    InYear(i32),
}

/// The forms of sentences; each is read by one rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Form {
    Supplies,
    Listed,
    Ceased,
    /// An end of which nobody says when.
    HasCeased,
    Makes,
    Audited,
    Stocks,
    /// A denial that says nothing.
    DoesNot,
    Supersedes,
}

/// A sentence: indices into the tables above.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Sentence {
    pub(crate) form: Form,
    pub(crate) subject: usize,
    pub(crate) object: usize,
    pub(crate) when: When,
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn first_of_next_month(year: i32, month: i32) -> Day {
    if month == 12 { Day::new(year + 1, 1, 1) } else { Day::new(year, month + 1, 1) }
}

impl Sentence {
    /// The sentence as it stands in a document.
    pub(crate) fn text(self) -> String {
        let supplier = SUPPLIERS[self.subject % 4].1;
        let component = COMPONENTS[self.object % 4].1;
        let when = match self.when {
            When::Undated => String::new(),
            When::From(day) => format!(" from {day}"),
            When::Until(day) => format!(" until {day}"),
            When::Between(from, to) => format!(" from {from} to {to}"),
            When::FromMonth(year, month) => format!(" from {} {year}", MONTHS[month as usize - 1]),
            When::InYear(year) => format!(" in {year}"),
        };
        match self.form {
            Form::Supplies => format!("{supplier} supplies {component}{when}."),
            Form::Listed => format!("{supplier} is listed as source for {component}{when}."),
            Form::Ceased => {
                format!("{supplier} ceased to supply {component}{}.", when.replace("until", "on"))
            }
            Form::HasCeased => format!("{supplier} has ceased to supply {component}."),
            Form::Makes => format!("{supplier} makes {component}{when}."),
            Form::Audited => format!("{supplier} was audited for {component}{when}."),
            Form::Stocks => format!("{supplier} stocks {component}{when}."),
            Form::DoesNot => format!("{supplier} does not supply {component}."),
            Form::Supersedes => {
                format!(
                    "{} supersedes {}{when}.",
                    CONTRACTS[self.subject % 3].1,
                    CONTRACTS[self.object % 3].1
                )
            }
        }
    }

    /// What it says, if it says anything.
    pub(crate) fn claim(self) -> Option<Claim> {
        let (kind, rule) = match self.form {
            Form::Supplies => ("supplies", "supplies.plain"),
            Form::Listed => ("supplies", "supplies.listed"),
            Form::Ceased => ("supplies", "supplies.end"),
            Form::HasCeased => ("supplies", "supplies.ended"),
            Form::Makes => ("makes", "makes.plain"),
            Form::Audited => ("audited", "audited.plain"),
            Form::Stocks => ("stocks", "stocks.plain"),
            Form::Supersedes => ("supersedes", "supersedes.plain"),
            Form::DoesNot => return None,
        };
        let (subject, object) = if self.form == Form::Supersedes {
            (
                format!("Contract:{}", CONTRACTS[self.subject % 3].0),
                format!("Contract:{}", CONTRACTS[self.object % 3].0),
            )
        } else {
            (
                format!("Supplier:{}", SUPPLIERS[self.subject % 4].0),
                format!("Component:{}", COMPONENTS[self.object % 4].0),
            )
        };
        let (from, to) = match self.when {
            When::Undated => (None, None),
            When::From(day) => (Some(Stated::day(day)), None),
            When::Until(day) => (None, Some(day.next())),
            When::Between(from, to) => (Some(Stated::day(from)), Some(to.next())),
            When::FromMonth(year, month) => (
                Some(Stated { first: Day::new(year, month, 1), next: first_of_next_month(year, month) }),
                None,
            ),
            When::InYear(year) => {
                let next = Day::new(year + 1, 1, 1);
                (Some(Stated { first: Day::new(year, 1, 1), next }), Some(next))
            }
        };
        let says = if matches!(self.form, Form::Ceased | Form::HasCeased) { Says::Ends } else { Says::Holds };
        Some(Claim { rule, fact: Fact { subject, kind, object }, says, from, to })
    }
}

/// A document as it is on disk.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Document {
    pub(crate) effective: Option<Day>,
    pub(crate) sentences: Vec<Sentence>,
    /// A number in its head, so that no two documents are ever byte-equal.
    pub(crate) reference: u32,
    /// True if the file on disk holds hardly more than its head: a broken export.
    pub(crate) broken: bool,
}

/// Text that no rule reads; it keeps a document from losing half of its text by one deletion. The number of the
/// document stands in it so often that no two documents share five words in a row.
fn filler(reference: u32) -> String {
    let crates = (1..=12).map(|at| {
        format!("Crate {reference}-{at} stands beside rack {reference}/{at} below lamp {reference}x{at}.\n\n")
    });
    crates.collect()
}

impl Document {
    /// The file.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("Ref: {}\n", self.reference);
        if let Some(day) = self.effective {
            let _ = writeln!(text, "Effective: {day}");
        }
        if self.broken {
            text.push_str("\nGENERAL NOTES\n");
            return text;
        }
        text.push_str("\nGENERAL NOTES\n\n");
        text.push_str(&filler(self.reference));
        text.push_str("STATEMENTS\n\n");
        for sentence in &self.sentences {
            let _ = write!(text, "{}\n\n", sentence.text());
        }
        text
    }
}

/// A row of a feed of edges.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Row {
    pub(crate) supplier: usize,
    pub(crate) component: usize,
    pub(crate) from: Option<Day>,
    pub(crate) to: Option<Day>,
}

/// Everything that a user can change.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Universe {
    /// By path below `docs/`; `acts/` is amended, the rest is corrected.
    pub(crate) documents: BTreeMap<String, Document>,
    pub(crate) suppliers: BTreeSet<usize>,
    pub(crate) components: BTreeSet<usize>,
    /// Confirms `supplies`.
    pub(crate) source_list: BTreeSet<Row>,
    /// Decides `stocks`.
    pub(crate) stock_list: BTreeSet<Row>,
    /// True if the folder of the notes is an empty mount.
    pub(crate) unmounted: bool,
    /// The threshold of `supplies`, in percent.
    pub(crate) threshold: u32,
    pub(crate) at_most_one: bool,
    /// The confidence of `supplies.listed`, in percent.
    pub(crate) listed: u32,
}

/// A sentence that a later version of an amended document left out.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Kept {
    pub(crate) path: String,
    pub(crate) attestation: Attestation,
}

/// What the program remembers from the nights before, as far as the design makes it an input.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Memory {
    pub(crate) kept: Vec<Kept>,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) last: Graph,
    /// The documents as they were accepted last night.
    pub(crate) documents: BTreeMap<String, Document>,
    /// The lists as they were accepted last night: the source list, the stock list.
    pub(crate) lists: [BTreeSet<Row>; 2],
    /// What tonight's run could not take as proven.
    pub(crate) withheld: BTreeSet<&'static str>,
}

impl Universe {
    /// A contract stands behind a file `K1_….txt`.
    fn stands_for(path: &str) -> Option<String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let key = name.split('_').next().unwrap_or_default();
        CONTRACTS.iter().any(|(own, _)| *own == key && name.contains('_')).then(|| format!("Contract:{key}"))
    }

    /// What a document says.
    pub(crate) fn said(path: &str, document: &Document) -> Vec<Attestation> {
        let mut said = Vec::new();
        if document.broken {
            return said;
        }
        for (at, sentence) in document.sentences.iter().enumerate() {
            let Some(claim) = sentence.claim() else { continue };
            said.push(Attestation {
                origin: Origin::Document(path.to_owned()),
                quote: sentence.text(),
                occurrence: document.sentences[..at].iter().filter(|earlier| *earlier == sentence).count(),
                claim,
                dated: document.effective,
                stands_for: Self::stands_for(path),
                left: None,
            });
        }
        said
    }

    /// What the rows of a feed say.
    fn rows(feed: &'static str, kind: &'static str, rows: &BTreeSet<Row>) -> Vec<Attestation> {
        rows.iter()
            .map(|row| Attestation {
                origin: Origin::Row(feed),
                quote: row_text(row),
                occurrence: 0,
                claim: Claim {
                    rule: feed,
                    fact: Fact {
                        subject: format!("Supplier:{}", SUPPLIERS[row.supplier].0),
                        kind,
                        object: format!("Component:{}", COMPONENTS[row.component].0),
                    },
                    says: Says::Holds,
                    from: row.from.map(Stated::day),
                    to: row.to,
                },
                dated: None,
                stands_for: None,
                left: None,
            })
            .collect()
    }

    /// Takes in what is on disk tonight, as far as it is proven, and takes note of what amended documents leave
    /// out.
    pub(crate) fn accept(&self, memory: &mut Memory) {
        memory.withheld.clear();
        let mut documents = BTreeMap::new();
        for (path, document) in &self.documents {
            match memory.documents.get(path) {
                Some(old) if document.broken && !old.broken => {
                    memory.withheld.insert("parse-loss");
                    documents.insert(path.clone(), old.clone());
                }
                _ => {
                    documents.insert(path.clone(), document.clone());
                }
            }
        }
        if self.unmounted {
            memory.withheld.insert("unproven");
            documents.retain(|path, _| !path.starts_with("notes/"));
            let old = memory.documents.iter().filter(|(path, _)| path.starts_with("notes/"));
            documents.extend(old.map(|(path, document)| (path.clone(), document.clone())));
        }
        memory.kept.retain(|kept| documents.contains_key(&kept.path));
        for (path, document) in documents.iter().filter(|(path, _)| path.starts_with("acts/")) {
            let Some(old) = memory.documents.get(path) else { continue };
            let now = Self::said(path, document);
            for mut one in Self::said(path, old) {
                let stays = now.iter().any(|new| new.quote == one.quote && new.occurrence == one.occurrence);
                if !stays {
                    one.left = document.effective;
                    memory.kept.push(Kept { path: path.clone(), attestation: one });
                }
            }
        }
        memory.documents = documents;
        for (old, new) in memory.lists.iter_mut().zip([&self.source_list, &self.stock_list]) {
            if new.len() * 2 < old.len() {
                memory.withheld.insert("feed");
            } else {
                old.clone_from(new);
            }
        }
    }

    /// Everything that the fold needs.
    pub(crate) fn inputs(&self, memory: &Memory) -> Inputs {
        let plain = Kind { at_most_one: false, ends_object: false, review: false, threshold: 80 };
        let mut attestations: Vec<Attestation> =
            memory.documents.iter().flat_map(|(path, document)| Self::said(path, document)).collect();
        attestations.extend(memory.kept.iter().map(|kept| kept.attestation.clone()));
        attestations.extend(Self::rows("source_list", "supplies", &memory.lists[0]));
        attestations.extend(Self::rows("stock_list", "stocks", &memory.lists[1]));
        let mut entities: BTreeSet<String> =
            self.suppliers.iter().map(|at| format!("Supplier:{}", SUPPLIERS[*at].0)).collect();
        entities.extend(self.components.iter().map(|at| format!("Component:{}", COMPONENTS[*at].0)));
        entities.extend(CONTRACTS.iter().map(|(key, _)| format!("Contract:{key}")));
        Inputs {
            attestations,
            entities,
            kinds: BTreeMap::from([
                ("supplies", Kind { at_most_one: self.at_most_one, threshold: self.threshold, ..plain }),
                ("stocks", Kind { at_most_one: true, ..plain }),
                ("makes", plain),
                ("audited", Kind { review: true, ..plain }),
                ("supersedes", Kind { ends_object: true, ..plain }),
            ]),
            confidence: BTreeMap::from([
                ("supplies.plain", 95),
                ("supplies.listed", self.listed),
                ("supplies.end", 95),
                ("supplies.ended", 95),
                ("makes.plain", 95),
                ("audited.plain", 95),
                ("stocks.plain", 95),
                ("supersedes.plain", 95),
            ]),
            deciding: BTreeSet::from(["stock_list"]),
            decisions: memory.decisions.clone(),
            incumbents: memory.last.incumbents.clone(),
            stood: memory.last.stood.clone(),
        }
    }

    /// The files of the workspace by path, all of them.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for (path, document) in &self.documents {
            if self.unmounted && path.starts_with("notes/") {
                continue;
            }
            files.insert(format!("docs/{path}"), document.text());
        }
        let table = |head: &str, names: &[(&str, &str)], who: &BTreeSet<usize>| {
            who.iter()
                .fold(format!("{head}\n"), |text, at| format!("{text}{},{}\n", names[*at].0, names[*at].1))
        };
        files.insert("feeds/suppliers.csv".to_owned(), table("No,Name", &SUPPLIERS, &self.suppliers));
        files.insert("feeds/components.csv".to_owned(), table("No,Name", &COMPONENTS, &self.components));
        files.insert(
            "feeds/contracts.csv".to_owned(),
            table("No,Name", &CONTRACTS, &BTreeSet::from([0, 1, 2])),
        );
        for (name, rows) in [("source_list", &self.source_list), ("stock_list", &self.stock_list)] {
            let text = rows
                .iter()
                .fold("Supplier,Component,From,To\n".to_owned(), |text, row| text + &row_text(row) + "\n");
            files.insert(format!("feeds/{name}.csv"), text);
        }
        files.insert("jobs/nightly.yaml".to_owned(), JOB.to_owned());
        let one = if self.at_most_one { ", at_most_one: subject" } else { "" };
        let ontology = ONTOLOGY
            .replace("@at_most_one", one)
            .replace("@threshold", &format!("0.{}", self.threshold))
            .replace("@listed", &format!("0.{}", self.listed));
        files.insert("ontology/parts.yaml".to_owned(), ontology);
        files
    }
}

/// A row as it stands in the file.
pub(crate) fn row_text(row: &Row) -> String {
    let date = |day: Option<Day>| day.map(|day| day.to_string()).unwrap_or_default();
    format!(
        "{},{},{},{}",
        SUPPLIERS[row.supplier].0,
        COMPONENTS[row.component].0,
        date(row.from),
        date(row.to)
    )
}

const JOB: &str = r#"job: nightly
ontology: parts
owner: parts-data
sources:
  notes:
    path: docs/notes
    documents:
      - { self: Contract, name: "{contract}_*.txt" }
    effective: Effective
    edits: correct
    gone: retract
  acts:
    path: docs/acts
    effective: Effective
    edits: amend
    gone: retract
feeds:
  suppliers:
    path: feeds/suppliers.csv
    entity: { type: Supplier, key: No, names: [Name] }
  components:
    path: feeds/components.csv
    entity: { type: Component, key: No, names: [Name] }
  contracts:
    path: feeds/contracts.csv
    entity: { type: Contract, key: No, names: [Name] }
  source_list:
    path: feeds/source_list.csv
    edge: { type: supplies, subject: Supplier, object: Component, valid_from: From, valid_to: To }
    authority: confirms
  stock_list:
    path: feeds/stock_list.csv
    edge: { type: stocks, subject: Supplier, object: Component, valid_from: From, valid_to: To }
    authority: decides
gates: { retractions: { warn: 90%, fail: 100% } }
"#;

const ONTOLOGY: &str = r#"language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company, on_unknown: quarantine }
  Component: { system_of_record: components, on_unknown: quarantine }
  Contract:  { system_of_record: contracts, on_unknown: quarantine }
edges:
  supplies:   { subject: Supplier, object: Component, threshold: @threshold@at_most_one }
  stocks:     { subject: Supplier, object: Component, at_most_one: subject }
  makes:      { subject: Supplier, object: Component }
  audited:    { subject: Supplier, object: Component, review: always }
  supersedes: { subject: Contract, object: Contract, ends: object }
rules:
- id: supplies.plain
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component} [from {valid_from:date}] [in {valid:date}] [(to|until) {valid_to:date}]"
- id: supplies.listed
  edge: supplies
  confidence: @listed
  match: "{subject:Supplier} is listed as source for {object:Component} [from {valid_from:date}] [(to|until) {valid_to:date}]"
- id: supplies.end
  edge: supplies
  asserts: end
  match: "{subject:Supplier} ceased to supply {object:Component} on {valid_to:date}"
- id: supplies.ended
  edge: supplies
  asserts: end
  match: "{subject:Supplier} has ceased to supply {object:Component}"
- id: makes.plain
  edge: makes
  match: "{subject:Supplier} makes {object:Component} [from {valid_from:date}] [in {valid:date}] [(to|until) {valid_to:date}]"
- id: audited.plain
  edge: audited
  match: "{subject:Supplier} was audited for {object:Component} [from {valid_from:date}]"
- id: stocks.plain
  edge: stocks
  match: "{subject:Supplier} stocks {object:Component}"
- id: supersedes.plain
  edge: supersedes
  match: "{subject:Contract} supersedes {object:Contract} [from {valid_from:date}]"
"#;

impl Memory {
    /// A document goes on under another path: one event that re-points what is remembered of it.
    pub(crate) fn rename(&mut self, from: &str, to: &str) {
        for decision in self.decisions.iter_mut().filter(|decision| decision.document == from) {
            decision.document = to.to_owned();
        }
        if let Some(document) = self.documents.remove(from) {
            self.documents.insert(to.to_owned(), document);
        }
    }
}
