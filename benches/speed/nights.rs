//! A generator of nights: a corpus in numbers, what a night does to it, and faults that are planted. Pure and seeded.
//!
//! Twenty sources of two edge types each, of 20 to 20,000 documents; every fifth is a feed. A night edits, adds and
//! removes documents as people do; on weekends nothing happens; now and then a source grows by 30 % or an eighth of
//! it is withdrawn. The drift stage of the program judges each night, as a run does.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::convert::Infallible;

use edgewright::drift::{
    Audited, Census, Consent, Context, Draw, DriftReport, Entry, Example, Ledger, Look, Looked, Observed,
    Segment, Yield, far_apart, spread, untold,
};
use edgewright::model::cause::{Cause, Change};
use edgewright::model::gates::GateBook;
use edgewright::model::id::{FactId, Fingerprint};

/// Pseudo-random numbers of a seed (splitmix64).
#[derive(Debug, Clone)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `most`.
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next() % most.max(1)
    }

    /// True with this probability.
    fn is(&mut self, share: f64) -> bool {
        (self.next() as f64 / u64::MAX as f64) < share
    }

    /// How many of `all` happen, if each does with this probability: as many as on average, give or take.
    fn of(&mut self, all: usize, share: f64) -> usize {
        let mean = all as f64 * share;
        let spread =
            mean.sqrt() * ((0..4).map(|_| self.next() as f64 / u64::MAX as f64).sum::<f64>() - 2.0) * 1.7;
        let (whole, rest) = ((mean + spread).max(0.0).floor(), (mean + spread).max(0.0).fract());
        (whole as usize + usize::from(self.is(rest))).min(all)
    }
}

const TYPES: [&str; 2] = ["supplies", "uses"];
/// How many documents each source has at first.
const SIZES: [usize; 20] = [
    20, 20, 20, 20, 20, 20, 20, 200, 200, 200, 200, 200, 200, 200, 2_000, 2_000, 2_000, 2_000, 20_000, 20_000,
];

/// A document by its place in the draw: its source, and where it stands in it.
type Placed = (Fingerprint, usize, usize);
/// An edge: its type and who it is.
type Edge = (u8, u64);
type Edges = Vec<Edge>;

/// A document, or a row of a feed.
#[derive(Debug, Clone)]
struct Doc {
    name: u64,
    /// The hash of its content, by which slices are cut.
    hash: String,
    edges: Edges,
}

impl Doc {
    fn new(name: u64, edges: Edges) -> Self {
        Self { name, hash: Fingerprint::of(&[&name.to_string()]).to_string(), edges }
    }
}

/// Over how many nights small losses are added up, and from how many a run learns.
const WEEK: usize = 7;
const PAST: usize = 60;
/// How many chunks each document has.
const CHUNKS: u64 = 10;

/// A source of documents, or a feed.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// Its name.
    pub(crate) name: String,
    /// True if it is a feed.
    pub(crate) is_feed: bool,
    docs: Vec<Doc>,
}

impl Source {
    /// How many documents it has.
    pub(crate) fn len(&self) -> usize {
        self.docs.len()
    }

    fn count(&self, kind: u8) -> u64 {
        self.docs.iter().map(|doc| doc.edges.iter().filter(|edge| edge.0 == kind).count() as u64).sum()
    }
}

/// The corpus as it was last published.
#[derive(Debug, Clone)]
pub(crate) struct Corpus {
    /// Its sources.
    pub(crate) sources: Vec<Source>,
    census: BTreeMap<(usize, u8), u64>,
    next: u64,
    turn: u64,
    /// What was said of the nights before, the last one first; nothing of weekends.
    past: VecDeque<Option<DriftReport>>,
}

/// What a night does to one document.
#[derive(Debug, Clone)]
struct Event {
    name: u64,
    look: Look,
    cause: Cause,
    before: Edges,
    after: Edges,
    /// Of the edges that went, those of which the sentence still stands.
    unread: BTreeSet<u64>,
}

/// What a night does, by source, and which edges of unchanged documents would read differently.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tonight {
    events: BTreeMap<usize, Vec<Event>>,
    silent: BTreeSet<u64>,
}

impl Tonight {
    /// True if nothing happens.
    pub(crate) fn is_quiet(&self) -> bool {
        self.events.is_empty()
    }
}

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// Tonight's documents yield nothing.
    ParserYieldsNothing,
    /// Tonight's documents lose 40 % of their edges.
    ParserLosesPart,
    /// A rule is lost, and with it an edge type in the source.
    RuleLost,
    /// A feed comes with seven of ten rows.
    FeedTruncated,
    /// The keys of everybody are others: as many edges, and none of them.
    IdsChanged,
    /// Everything is read anew by another extractor, and 5 % of an edge type is lost.
    SilentLoss,
    /// A library reads 5 % of the edges differently, and nothing says that it changed.
    LibraryChanged,
}

impl Fault {
    /// All faults.
    pub(crate) const ALL: [Self; 7] = [
        Self::ParserYieldsNothing,
        Self::ParserLosesPart,
        Self::RuleLost,
        Self::FeedTruncated,
        Self::IdsChanged,
        Self::SilentLoss,
        Self::LibraryChanged,
    ];

    /// In words.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ParserYieldsNothing => "tonight's documents yield nothing",
            Self::ParserLosesPart => "tonight's documents lose 40 %",
            Self::RuleLost => "a rule is lost",
            Self::FeedTruncated => "a feed is cut to 70 %",
            Self::IdsChanged => "all keys are others",
            Self::SilentLoss => "a new extractor loses 5 %",
            Self::LibraryChanged => "a library reads 5 % differently, without a bump",
        }
    }

    /// True if it can strike a source of this kind.
    pub(crate) fn strikes(self, source: &Source) -> bool {
        match self {
            Self::FeedTruncated => source.is_feed,
            Self::IdsChanged => true,
            _ => !source.is_feed,
        }
    }
}

impl Corpus {
    /// A corpus whose sources have no more documents than this at first.
    pub(crate) fn new(dice: &mut Dice, largest: usize) -> Self {
        let mut corpus =
            Self { sources: Vec::new(), census: BTreeMap::new(), next: 0, turn: 1, past: VecDeque::new() };
        for (at, size) in SIZES.into_iter().enumerate().filter(|(_, size)| *size <= largest) {
            let is_feed = at % 5 == 4;
            let docs = (0..size).map(|_| corpus.doc(dice, is_feed)).collect();
            let kind = if is_feed { "feed" } else { "source" };
            corpus.sources.push(Source { name: format!("{kind}{at:02}"), is_feed, docs });
        }
        corpus.census = corpus.counted();
        corpus
    }

    fn counted(&self) -> BTreeMap<(usize, u8), u64> {
        let both = |(at, source): (usize, &Source)| [0, 1].map(|kind| ((at, kind), source.count(kind)));
        self.sources.iter().enumerate().flat_map(both).collect()
    }

    fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn edge(&mut self, dice: &mut Dice) -> Edge {
        (dice.below(2) as u8, self.fresh())
    }

    /// A document: mostly few edges, often none, seldom many. A row has one.
    fn doc(&mut self, dice: &mut Dice, is_row: bool) -> Doc {
        let edges = match () {
            () if is_row => 1,
            () if dice.is(0.02) => 20 + dice.below(40),
            () => dice.below(6),
        };
        let name = self.fresh();
        Doc::new(name, (0..edges).map(|_| self.edge(dice)).collect())
    }

    /// What an editor makes of a document: mostly next to nothing, seldom another text, hardly ever an empty one.
    fn edited(&mut self, dice: &mut Dice, edges: &Edges, is_row: bool) -> Edges {
        let keep = match () {
            () if is_row => 0.5,
            () if dice.is(0.01) => 0.0,
            () if dice.is(0.03) => 0.5,
            () => 0.95,
        };
        let mut after: Edges = edges.iter().filter(|_| dice.is(keep)).copied().collect();
        let more = if is_row { 1 - after.len() as u64 } else { u64::from(dice.is(0.15)) };
        for _ in 0..more {
            after.push(self.edge(dice));
        }
        after
    }

    /// A night on which nothing is wrong. `night` counts from 0, which is a Monday.
    pub(crate) fn benign(&mut self, dice: &mut Dice, night: u64) -> Tonight {
        let mut tonight = Tonight::default();
        if night % 7 >= 5 {
            return tonight;
        }
        for at in 0..self.sources.len() {
            let (len, is_feed) = (self.sources[at].len(), self.sources[at].is_feed);
            let grows = night % 45 == 3 && at as u64 == dice.below(20);
            let shrinks = night % 60 == 8 && at as u64 == dice.below(20);
            let edits = dice.of(len, 0.02);
            let gone = dice.of(len, if shrinks { 0.12 } else { 0.001 });
            let new = dice.of(len, if grows { 0.30 } else { 0.002 });
            let mut events = Vec::new();
            let mut seen = BTreeSet::new();
            for nth in 0..edits + gone {
                let which = dice.below(len as u64) as usize;
                if !seen.insert(which) {
                    continue;
                }
                let doc = self.sources[at].docs[which].clone();
                let is_gone = nth >= edits;
                let after = if is_gone { Edges::new() } else { self.edited(dice, &doc.edges, is_feed) };
                events.push(Event {
                    name: doc.name,
                    look: if is_gone { Look::Gone } else { Look::Again },
                    cause: match (is_feed, is_gone) {
                        (true, _) => Cause::FeedRow,
                        (false, true) => Cause::DocumentGone,
                        (false, false) => Cause::TextRemoved,
                    },
                    unread: doc.edges.iter().filter(|_| dice.is(0.02)).map(|edge| edge.1).collect(),
                    before: doc.edges,
                    after,
                });
            }
            for _ in 0..new {
                let doc = self.doc(dice, is_feed);
                let cause = if is_feed { Cause::FeedRow } else { Cause::NewDocument };
                let (name, after) = (doc.name, doc.edges);
                let (before, unread) = (Edges::new(), BTreeSet::new());
                events.push(Event { name, look: Look::New, cause, before, after, unread });
            }
            tonight.events.insert(at, events);
        }
        tonight
    }

    /// The night with a fault in a source, and how many edges it takes, or makes others: of a fault of tonight's
    /// documents without the one that it takes most from, since one document is no pattern.
    pub(crate) fn with_fault(
        &mut self,
        dice: &mut Dice,
        tonight: &Tonight,
        fault: Fault,
        at: usize,
    ) -> (Tonight, u64) {
        let mut struck = tonight.clone();
        let mut expected = 0;
        let events = struck.events.entry(at).or_default();
        let again = |events: &mut Vec<Event>, docs: &[Doc], cause: Cause, look: Look| {
            // A document that tonight's events leave alone is read again as it is.
            let known: BTreeSet<u64> = events.iter().map(|event| event.name).collect();
            for doc in docs.iter().filter(|doc| !known.contains(&doc.name)) {
                let (before, after) = (doc.edges.clone(), doc.edges.clone());
                events.push(Event { name: doc.name, look, cause, before, after, unread: BTreeSet::new() });
            }
        };
        let docs = self.sources[at].docs.clone();
        match fault {
            Fault::ParserYieldsNothing | Fault::ParserLosesPart => {
                let keep = if fault == Fault::ParserLosesPart { 0.6 } else { 0.0 };
                let mut most = 0;
                for event in events.iter_mut().filter(|event| event.look == Look::Again) {
                    let had = event.after.clone();
                    event.after.retain(|_| dice.is(keep));
                    let lost = (had.len() - event.after.len()) as u64;
                    (expected, most) = (expected + lost, most.max(lost));
                    // A parser that yields nothing leaves no sentence; rules that read less do.
                    if fault == Fault::ParserLosesPart {
                        event.unread.extend(had.iter().map(|edge| edge.1));
                    }
                }
                expected -= most;
            }
            Fault::RuleLost | Fault::SilentLoss => {
                let (lost, cause) = match fault {
                    Fault::RuleLost => (1.0, Cause::OntologyChanged),
                    _ => (0.05, Cause::ExtractorChanged),
                };
                again(events, &docs, cause, Look::Planned);
                for event in events.iter_mut() {
                    let had = event.after.len();
                    event.after.retain(|edge| edge.0 == 0 || !dice.is(lost));
                    expected += (had - event.after.len()) as u64;
                    if event.look == Look::Again {
                        event.look = Look::Planned;
                    }
                }
            }
            Fault::FeedTruncated => {
                again(events, &docs, Cause::FeedRow, Look::Again);
                for event in events.iter_mut().filter(|_| dice.is(0.3)) {
                    expected += event.after.len() as u64;
                    event.after.clear();
                }
            }
            Fault::IdsChanged => {
                again(events, &docs, Cause::FeedRow, Look::Again);
                for event in events.iter_mut() {
                    expected += event.before.len() as u64;
                    for edge in &mut event.after {
                        self.next += 1;
                        edge.1 = self.next;
                    }
                }
            }
            Fault::LibraryChanged => {
                let touched: BTreeSet<u64> = events.iter().map(|event| event.name).collect();
                // A source to which nothing happens tonight is not audited tonight.
                let unchanged = docs.iter().filter(|doc| !touched.is_empty() && !touched.contains(&doc.name));
                let edges = unchanged.flat_map(|doc| &doc.edges).filter(|_| dice.is(0.05));
                struck.silent = edges.map(|edge| edge.1).collect();
                expected = struck.silent.len() as u64;
            }
        }
        (struck, expected)
    }

    /// Publishes a night.
    pub(crate) fn publish(&mut self, tonight: &Tonight) {
        let report = (!tonight.is_quiet()).then(|| self.judge(tonight));
        self.past.push_front(report);
        self.past.truncate(PAST);
        for (at, events) in &tonight.events {
            let changed: BTreeMap<u64, &Event> = events.iter().map(|event| (event.name, event)).collect();
            let docs = &mut self.sources[*at].docs;
            docs.retain(|doc| changed.get(&doc.name).is_none_or(|event| event.look != Look::Gone));
            for doc in docs.iter_mut() {
                if let Some(event) = changed.get(&doc.name) {
                    doc.edges.clone_from(&event.after);
                }
            }
            for event in events.iter().filter(|event| event.look == Look::New) {
                docs.push(Doc::new(event.name, event.after.clone()));
            }
            for kind in [0, 1] {
                self.census.insert((*at, kind), self.sources[*at].count(kind));
            }
        }
        self.turn += u64::from(!tonight.events.is_empty());
    }

    /// How many edges each segment has after a night.
    pub(crate) fn totals(&self, tonight: &Tonight) -> BTreeMap<(usize, u8), u64> {
        let mut totals = self.census.clone();
        for (at, events) in &tonight.events {
            for kind in [0, 1] {
                let of = |edges: &Edges| edges.iter().filter(|edge| edge.0 == kind).count() as u64;
                let (lost, gained) = events
                    .iter()
                    .fold((0, 0), |sums, event| (sums.0 + of(&event.before), sums.1 + of(&event.after)));
                let total = totals.entry((*at, kind)).or_default();
                *total = *total + gained - lost;
            }
        }
        totals
    }

    /// The drift report of a night.
    pub(crate) fn judge(&self, tonight: &Tonight) -> DriftReport {
        let mut census = Census::default();
        for ((at, kind), count) in self.census.iter().filter(|(_, count)| **count > 0) {
            let edge_type = TYPES[usize::from(*kind)].to_owned();
            *census.edge_types.entry(edge_type.clone()).or_default() += count;
            census.segments.insert(Segment { edge_type, source: self.sources[*at].name.clone() }, *count);
        }
        let mut ledger = Ledger::new(census);
        let mut observed = Observed::default();
        for (at, events) in &tonight.events {
            let source = &self.sources[*at];
            observed.documents.insert(source.name.clone(), source.len() as u64);
            for event in events {
                book(&mut ledger, source, event);
                note(&mut observed, source, event);
            }
        }
        self.audit(&mut observed, tonight);
        let lost = |source: String| {
            let untold = untold(&source, self.past.iter().take(WEEK - 1).flatten());
            (source, untold)
        };
        observed.week = ledger.lost_little().into_iter().map(lost).collect();
        let gates = GateBook::none();
        let spread = |segment: Segment| {
            let spread = spread(&segment, self.past.iter().flatten());
            (segment, spread)
        };
        observed.spread = far_apart(&observed.cohort, &gates).into_iter().map(spread).collect();
        let context = Context {
            job: "nights",
            run: "1",
            baseline: Some(1),
            gates: &gates,
            accepted: &BTreeSet::new(),
            consents: &BTreeMap::<String, Consent>::new(),
            observed: &observed,
            counted: None,
        };
        ledger.finish(&context).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// The audit sample, as a run draws it: of each source that is touched tonight, and of all. Of a run's bounds those
    /// of bytes and of programs outside are not there.
    fn audit(&self, observed: &mut Observed, tonight: &Tonight) {
        let is_source = |at: &usize| !self.sources[*at].is_feed;
        let of = tonight.events.iter().filter(|(at, events)| is_source(at) && !events.is_empty());
        let events: BTreeMap<usize, &Vec<Event>> = of.map(|(at, events)| (*at, events)).collect();
        if events.is_empty() {
            return;
        }
        let read = events.values().flat_map(|events| events.iter()).filter(|event| event.look != Look::Gone);
        let read = read.count() as u64;
        let touched: BTreeSet<u64> = tonight.events.values().flatten().map(|event| event.name).collect();
        let sources = || self.sources.iter().enumerate().filter(|(_, source)| !source.is_feed);
        let documents: u64 = sources().map(|(_, source)| source.len() as u64).sum();
        let draw = Draw::new(self.turn, (documents, documents * CHUNKS), read);
        let placed = |at: usize, is_in: &dyn Fn(&Doc) -> bool| -> Vec<Placed> {
            let docs = self.sources[at].docs.iter().enumerate();
            let free = docs.filter(|(_, doc)| is_in(doc) && !touched.contains(&doc.name));
            free.map(|(nth, doc)| (draw.place(&doc.name.to_string()), at, nth)).collect()
        };
        let fitting = |budget: u64, drawn: &BTreeSet<Placed>| -> BTreeSet<Placed> {
            let sized = drawn.iter().map(|one| Ok((one.0, CHUNKS, *one)));
            let Ok(fitting) = draw.fit::<_, Infallible>(budget, sized);
            fitting.into_iter().collect()
        };
        let budget = Draw::budget_of_source(events.len() as u64);
        let mut sample = BTreeSet::new();
        for at in events.keys().filter(|at| Draw::lists(self.sources[**at].len() as u64)) {
            sample.extend(fitting(budget, &placed(*at, &|_| true).into_iter().collect()));
        }
        let slice = draw.of_all();
        let of_all = sources().flat_map(|(at, _)| placed(at, &|doc| slice.holds(&doc.hash)));
        let of_all: BTreeSet<Placed> = of_all.filter(|one| !sample.contains(one)).collect();
        sample.extend(fitting(draw.budget_of_all(), &of_all));
        for (_, at, nth) in sample {
            self.again(observed, tonight, at, &self.sources[at].docs[nth]);
        }
    }

    /// A document is read again.
    fn again(&self, observed: &mut Observed, tonight: &Tonight, at: usize, doc: &Doc) {
        let mut said = BTreeMap::new();
        let mut lost = Vec::new();
        for (kind, edge) in &doc.edges {
            let edge_type = TYPES[usize::from(*kind)].to_owned();
            *said.entry(edge_type.clone()).or_insert(0) += 1;
            if tonight.silent.contains(edge) {
                lost.push((edge_type, fact(*edge), Example::default()));
            }
        }
        observed.audit.note(&Audited {
            source: &self.sources[at].name,
            outside: false,
            chunks: CHUNKS,
            said: &said,
            lost: &lost,
            gained: &[],
        });
    }
}

fn fact(edge: u64) -> FactId {
    FactId::of(&[&edge.to_string()])
}

fn book(ledger: &mut Ledger, source: &Source, event: &Event) {
    let (there, none) = (BTreeSet::from([source.name.clone()]), BTreeSet::new());
    let before: BTreeSet<&Edge> = event.before.iter().collect();
    let after: BTreeSet<&Edge> = event.after.iter().collect();
    for edge in before.symmetric_difference(&after) {
        let went = before.contains(edge);
        ledger.record(&Entry {
            fact: fact(edge.1),
            edge_type: TYPES[usize::from(edge.0)],
            before: if went { &there } else { &none },
            after: if went { &none } else { &there },
            change: if went { Change::Retracted } else { Change::Added },
            cause: if went || event.cause != Cause::TextRemoved { event.cause } else { Cause::TextAdded },
            rules: &BTreeMap::new(),
            example: &|_| Example::default(),
        });
    }
}

fn note(observed: &mut Observed, source: &Source, event: &Event) {
    if source.is_feed {
        return;
    }
    let of = |edges: &[Edge]| -> Yield {
        edges.iter().map(|edge| (TYPES[usize::from(edge.0)].to_owned(), fact(edge.1))).collect()
    };
    let went = |edge: &&Edge| event.unread.contains(&edge.1) && !event.after.contains(edge);
    let unread: Edges = event.before.iter().filter(went).copied().collect();
    observed.cohort.note(&Looked {
        source: &source.name,
        document: &event.name.to_string(),
        look: event.look,
        before: &of(&event.before),
        after: &of(&event.after),
        unread: &of(&unread),
        example: &|_| Example::default(),
    });
}
