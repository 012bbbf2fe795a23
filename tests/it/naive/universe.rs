//! The universe of the histories: documents as lists of sentences, feeds as rows, an ontology with three knobs.
//! Out: the files that a user would have written, and the same as [`Inputs`] for the fold. No I/O.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::calendar::Day;
use super::workspace::row_text;
use super::world::{
    Attestation, ByHand, Claim, Decision, Fact, Graph, Inputs, Key, Kind, Origin, Says, Stated,
};

/// The last is in no feed: a person adds it by hand.
pub(crate) const SUPPLIERS: [(&str, &str); 5] = [
    ("S1", "Alpha Works"),
    ("S2", "Beta Metals"),
    ("S3", "Gamma Tools"),
    ("S4", "Delta Optics"),
    ("S5", "Omega Forge"),
];
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

/// What a sentence is read by only if the ontology's rule knows its word.
pub(crate) const NAMED: &str = "supplies.listed, named";

/// The forms of sentences; each is read by one rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Form {
    Supplies,
    Listed,
    /// Read only if the rule knows the word.
    Named,
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
        let supplier = SUPPLIERS[self.subject % SUPPLIERS.len()].1;
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
            Form::Named => format!("{supplier} is named as source for {component}{when}."),
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
            Form::Named => ("supplies", NAMED),
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
                format!("Supplier:{}", SUPPLIERS[self.subject % SUPPLIERS.len()].0),
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
    /// True if the rule of `supplies.listed` knows "named" too.
    pub(crate) named: bool,
    /// True if `audited` is under mandatory review.
    pub(crate) review: bool,
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
    /// What it took as proven only because a person had said so.
    pub(crate) proven: BTreeSet<&'static str>,
    /// What people have vouched for as really gone, for the next run only: `notes`, `notes/n1.txt`, `stock_list`.
    pub(crate) vouched_gone: BTreeSet<String>,
    /// The entities that last night's master data held.
    pub(crate) entities: BTreeSet<Key>,
    /// The edits that were not taken back, by their numbers.
    pub(crate) by_hand: BTreeMap<u64, ByHand>,
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
                asked: claim.fact.clone(),
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
        let fact = |row: &Row| Fact {
            subject: format!("Supplier:{}", SUPPLIERS[row.supplier].0),
            kind,
            object: format!("Component:{}", COMPONENTS[row.component].0),
        };
        rows.iter()
            .map(|row| Attestation {
                origin: Origin::Row(feed),
                quote: row_text(row),
                occurrence: 0,
                asked: fact(row),
                claim: Claim {
                    rule: feed,
                    fact: fact(row),
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
        memory.proven.clear();
        let mut documents = BTreeMap::new();
        for (path, document) in &self.documents {
            let old = memory.documents.get(path).filter(|old| document.broken && !old.broken).cloned();
            let kept = old.filter(|_| memory.doubts(path, "parse-loss", "loss accepted"));
            documents.insert(path.clone(), kept.unwrap_or_else(|| document.clone()));
        }
        if self.unmounted {
            documents.retain(|path, _| !path.starts_with("notes/"));
            let before = memory.documents.clone();
            for (path, old) in before.into_iter().filter(|(path, _)| path.starts_with("notes/")) {
                if memory.doubts(&path, "unproven", "scope accepted") {
                    documents.insert(path, old);
                }
            }
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
        let lists = [("source_list", &self.source_list), ("stock_list", &self.stock_list)];
        for (at, (name, new)) in lists.into_iter().enumerate() {
            let shrunk = new.len() * 2 < memory.lists[at].len();
            if !shrunk || !memory.doubts(name, "feed", "feed accepted") {
                memory.lists[at].clone_from(new);
            }
        }
        memory.vouched_gone.clear();
        memory.entities = self.entities();
        let added = memory.by_hand.values().filter_map(|edit| match edit {
            ByHand::Adds(key) | ByHand::Brings(key, _) => Some(key.clone()),
            ByHand::Removes(_) | ByHand::Says(_) => None,
        });
        memory.entities.extend(added.collect::<Vec<_>>());
        for edit in memory.by_hand.values() {
            if let ByHand::Removes(key) = edit {
                memory.entities.remove(key);
            }
        }
    }

    /// The entities that the master data holds.
    fn entities(&self) -> BTreeSet<Key> {
        let mut entities: BTreeSet<Key> =
            self.suppliers.iter().map(|at| format!("Supplier:{}", SUPPLIERS[*at].0)).collect();
        entities.extend(self.components.iter().map(|at| format!("Component:{}", COMPONENTS[*at].0)));
        entities.extend(CONTRACTS.iter().map(|(key, _)| format!("Contract:{key}")));
        entities
    }

    /// Everything that the fold needs.
    pub(crate) fn inputs(&self, memory: &Memory) -> Inputs {
        let plain = Kind { at_most_one: false, ends_object: false, review: false, threshold: 80 };
        let mut attestations: Vec<Attestation> =
            memory.documents.iter().flat_map(|(path, document)| Self::said(path, document)).collect();
        attestations.retain(|one| self.named || one.claim.rule != NAMED);
        attestations.extend(memory.kept.iter().map(|kept| kept.attestation.clone()));
        attestations.extend(Self::rows("source_list", "supplies", &memory.lists[0]));
        attestations.extend(Self::rows("stock_list", "stocks", &memory.lists[1]));
        for edit in memory.by_hand.values() {
            match edit {
                ByHand::Says(claim) => attestations.push(Attestation {
                    origin: Origin::Row("edit"),
                    quote: String::new(),
                    occurrence: 0,
                    asked: claim.fact.clone(),
                    claim: claim.clone(),
                    dated: None,
                    stands_for: None,
                    left: None,
                }),
                ByHand::Brings(_, said) => attestations.extend(said.iter().cloned()),
                ByHand::Adds(_) | ByHand::Removes(_) => {}
            }
        }
        Inputs {
            attestations,
            entities: memory.entities.clone(),
            kinds: BTreeMap::from([
                ("supplies", Kind { at_most_one: self.at_most_one, threshold: self.threshold, ..plain }),
                ("stocks", Kind { at_most_one: true, ..plain }),
                ("makes", plain),
                ("audited", Kind { review: self.review, ..plain }),
                ("supersedes", Kind { ends_object: true, ..plain }),
            ]),
            confidence: BTreeMap::from([
                ("supplies.plain", 95),
                ("supplies.listed", self.listed),
                (NAMED, self.listed),
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
}

impl Memory {
    /// True if nobody has said that what is missing of a document or feed is really gone; takes note of either.
    fn doubts(&mut self, name: &str, withheld: &'static str, proven: &'static str) -> bool {
        // Who says that a folder is empty does not say that what is in it is as short as it looks.
        let whole = (withheld == "unproven").then(|| "notes".to_owned());
        let vouched = whole.iter().chain([&name.to_owned()]).any(|one| self.vouched_gone.contains(one));
        let list = if vouched { &mut self.proven } else { &mut self.withheld };
        list.insert(if vouched { proven } else { withheld });
        !vouched
    }

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
