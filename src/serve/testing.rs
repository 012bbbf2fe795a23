//! A small graph built by hand, with a public and a secret side, for the tests of reading and of the
//! command line.
//!
//! Three documents: `contracts/old.md` and `contracts/new.md` are public, `letters/secret.md` needs the
//! label `secret`. Whatever stands only in the secret one contains one of [`SECRETS`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::{Catalog, Graph, Lens};
use crate::model::access::{Labels, Reader};
use crate::model::assertion::{Assertion, Evidence, Origin, Says, Supporting};
use crate::model::cause::Cause;
use crate::model::chunk::{Chunk, ChunkBody, ChunkKind, Context, Part};
use crate::model::entity::EntityClaim;
use crate::model::fact::{Edge, Fact, Quarantined, Reason};
use crate::model::id::{AssertionId, DocumentId, EntityKey, FactId, Fingerprint};
use crate::model::mention::{Known, Mention, Resolution};
use crate::model::time::{Bound, Date, StatedDate};
use crate::model::token::Span;
use crate::ontology::Side;
use crate::store::{
    Change, ChangeKind, ChunkRecord, ChunkRef, DocumentRecord, Extraction, Kind, Record, RowRecord,
    ScopeRecord, Store, Writer,
};

/// What only a reader of the secret document may see, in lower case.
pub(crate) const SECRETS: [&str; 6] = ["zanzibar", "quillon", "777", "2020-05-01", "secret", "letters"];

/// The public text that says that TechChip supplies.
pub(crate) const NEW: &str = "TechChip supplies the Flight Control Unit from 17 February 2024.";
const OLD: &str = "ShenzenChip supplies the Flight Control Unit.";
const SECRET: &str =
    "ShenzenChip supplies the Flight Control Unit from 1 May 2020 at 777, says Quillon of Zanzibar.";

pub(crate) fn key(text: &str) -> EntityKey {
    text.parse().unwrap()
}

pub(crate) fn date(text: &str) -> Date {
    text.parse().unwrap()
}

pub(crate) fn fact_id(subject: &str, edge_type: &str, object: &str) -> FactId {
    Assertion::fact_id(&key(subject), edge_type, &key(object), &BTreeMap::new())
}

/// A chunk of one sentence under a heading.
fn body(text: &str) -> ChunkBody {
    ChunkBody {
        text: format!("Signed in Berlin. {text} Copies are void."),
        context: Context { headings: vec!["Supply".to_owned()], parents: Vec::new(), part: Part::Body },
        kind: ChunkKind::Prose,
        links: Vec::new(),
    }
}

/// What a document says, as an assertion.
pub(crate) struct Said<'t> {
    pub(crate) document: &'t str,
    pub(crate) quote: &'t str,
    pub(crate) edge_type: &'t str,
    pub(crate) subject: Resolution,
    pub(crate) object: Resolution,
    pub(crate) from: Option<&'t str>,
    pub(crate) last: Option<&'t str>,
}

impl Said<'_> {
    pub(crate) fn assertion(&self) -> Assertion {
        let chunk = Chunk::id_of(&body(self.quote));
        let bound = |day: &str| StatedDate::day(date(day)).unwrap();
        let fact = match (self.subject.known(), self.object.known()) {
            (Some(subject), Some(object)) => {
                Some(Assertion::fact_id(subject, self.edge_type, object, &BTreeMap::new()))
            }
            _ => None,
        };
        let sides = format!("{:?} {:?}", self.subject, self.object);
        Assertion {
            id: AssertionId::of(&[self.document, self.quote, self.edge_type, &sides]),
            origin: Origin::Chunk { document: self.document.parse().unwrap(), chunk, occurrence: 0 },
            edge_type: self.edge_type.to_owned(),
            says: Says::Holds,
            subject: self.subject.clone(),
            object: self.object.clone(),
            fact,
            valid_from: self.from.map(|day| Bound::start(bound(day))),
            valid_to: self.last.map(|day| Bound::last(bound(day))),
            properties: BTreeMap::new(),
            confidence: None,
            evidence: Evidence {
                quote: self.quote.to_owned(),
                span: Some(Span::new(18, 18 + self.quote.len())),
                support: Vec::new(),
            },
            quote_hash: Fingerprint::of_bytes(self.quote.as_bytes()),
            rule: "supplies.clause".to_owned(),
            revision: Fingerprint::of(&["rule"]),
            left: None,
        }
    }
}

pub(crate) fn known(text: &str) -> Resolution {
    Resolution::Known(key(text))
}

fn said<'t>(document: &'t str, quote: &'t str, subject: &str, edge_type: &'t str, object: &str) -> Said<'t> {
    Said {
        document,
        quote,
        edge_type,
        subject: known(subject),
        object: known(object),
        from: None,
        last: None,
    }
}

/// A fact, by its JSON form: attestations are (assertion, start, exclusive end).
pub(crate) fn fact(
    ends: [&str; 3],
    edges: &[(Option<&str>, Option<&str>)],
    attested: &[(AssertionId, Option<&str>, Option<&str>, Value)],
    cuts: &[Value],
) -> Fact {
    let [subject, edge_type, object] = ends;
    let mut attestations: Vec<Value> = attested
        .iter()
        .map(|(id, from, to, properties)| {
            let interval = json!({ "from": from, "to": to });
            let cut = cuts.iter().any(|cut| cut["on"] == json!(to));
            let stated = |day: &Option<&str>| day.map_or(Value::Null, |day| json!([day, "day"]));
            let end = if cut { Value::Null } else { stated(to) };
            let cut = if cut { json!(to) } else { Value::Null };
            let claim = json!({ "from": stated(from), "to": end, "properties": properties, "cut": cut });
            json!({ "assertion": id, "interval": interval, "alone": interval, "defines": from.is_some(), "claim": claim })
        })
        .collect();
    attestations.sort_by_key(|one| one["assertion"].to_string());
    let edges: Vec<Value> = edges
        .iter()
        .map(|(from, to)| json!({ "interval": { "from": from, "to": to }, "from_precision": from.map(|_| "day") }))
        .collect();
    serde_json::from_value(json!({
        "id": fact_id(subject, edge_type, object), "subject": subject, "edge_type": edge_type, "object": object,
        "edges": edges, "attestations": attestations, "cuts": cuts,
    }))
    .unwrap()
}

fn scope(writer: &Writer<'_>, name: &str, access: &[&str]) {
    let record = ScopeRecord {
        name: name.to_owned(),
        config: Fingerprint::of(&["config"]),
        content: None,
        rows: 0,
        columns: Vec::new(),
        access: labels(access),
        changed_at: None,
        accepted: None,
    };
    writer.put(&record).unwrap();
}

pub(crate) fn labels(names: &[&str]) -> Labels {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn entity(writer: &Writer<'_>, feed: &str, entity: &str, names: &[&str]) {
    let entity = key(entity);
    let row = RowRecord {
        feed: feed.to_owned(),
        key: entity.key().to_owned(),
        line: 2,
        cells: BTreeMap::from([("NAME".to_owned(), names.join("|"))]),
    };
    writer.put(&row).unwrap();
    let claim = EntityClaim {
        origin: Origin::Row { feed: feed.to_owned(), row: entity.key().to_owned() },
        entity,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        former: BTreeMap::new(),
        properties: BTreeMap::new(),
        merged_into: None,
        gone: false,
    };
    writer.put(&claim).unwrap();
}

/// Puts a document of one chunk a sentence, with the mentions in it.
pub(crate) fn document(
    writer: &Writer<'_>,
    id: &str,
    access: &[&str],
    quotes: &[&str],
    names: &[(&str, &str)],
) {
    let id: DocumentId = id.parse().unwrap();
    let mut chunks = Vec::new();
    for (at, quote) in quotes.iter().enumerate() {
        let body = body(quote);
        let chunk = ChunkRecord { id: Chunk::id_of(&body), body };
        let mentions = names
            .iter()
            .filter_map(|(name, entity)| {
                let start = chunk.body.text.find(name)?;
                let span = Span::new(start, start + name.len());
                Some(Mention { span, candidates: vec![key(entity)], how: Known::Name })
            })
            .collect();
        let extraction = Extraction {
            document: id.clone(),
            chunk: chunk.id,
            occurrence: 0,
            input: Fingerprint::of(&["input"]),
            mentions,
            answered: BTreeMap::new(),
        };
        writer.put(&extraction).unwrap();
        writer.put(&chunk).unwrap();
        chunks.push(ChunkRef {
            id: chunk.id,
            occurrence: 0,
            start: 0,
            line: 3 + 2 * at as u32,
            breaks: Vec::new(),
            spots: Vec::new(),
        });
    }
    let record = DocumentRecord {
        path: id.key().to_owned(),
        content: Fingerprint::of(quotes),
        text_len: 100,
        title: String::new(),
        stands_for: None,
        effective: None,
        dated: None,
        access: labels(access),
        withdrawn: false,
        retracted: None,
        fields: Vec::new(),
        withheld: BTreeSet::new(),
        chunks,
        document: id,
    };
    writer.put(&record).unwrap();
}

fn change(writer: &Writer<'_>, fact: &Fact, kind: ChangeKind, before: &[Edge], cause: Cause, detail: &str) {
    let after = if kind == ChangeKind::Retracted { Vec::new() } else { fact.edges.clone() };
    let record = Change {
        generation: writer.generation(),
        fact: fact.id,
        says: format!("{} {} {}", fact.subject, fact.edge_type, fact.object),
        change: kind,
        before: before.to_vec(),
        after,
        cause,
        detail: detail.to_owned(),
    };
    writer.put(&record).unwrap();
}

/// Puts a fact as new, with its change.
fn added(writer: &Writer<'_>, fact: &Fact, detail: &str) {
    writer.put(fact).unwrap();
    change(writer, fact, ChangeKind::Added, &[], Cause::NewDocument, detail);
}

fn quarantined(writer: &Writer<'_>, assertion: &Assertion, reasons: Vec<Reason>) {
    writer.put(assertion).unwrap();
    writer.put(&Quarantined { assertion: assertion.id, reasons }).unwrap();
}

/// What the configuration says of the tale.
pub(crate) fn catalog() -> Catalog {
    Catalog {
        at_most_one: BTreeMap::from([("supplies".to_owned(), Side::Subject)]),
        confidences: BTreeMap::from([("supplies.clause".to_owned(), 0.95)]),
        endpoints: BTreeMap::from([(
            "supplies".to_owned(),
            (vec!["Supplier".to_owned()], vec!["Component".to_owned()]),
        )]),
        paths: BTreeMap::from([
            ("contracts".to_owned(), "docs/contracts".to_owned()),
            ("letters".to_owned(), "docs/letters".to_owned()),
            ("suppliers".to_owned(), "erp/suppliers.csv".to_owned()),
        ]),
        ..Catalog::default()
    }
}

/// Four generations: ShenzenChip supplies; TechChip takes over; one of two attestations goes; the other too.
pub(crate) fn tell(store: &Store) {
    first(store);
    second(store);
    let certifies = |documents: &[&str]| {
        let attested: Vec<_> =
            documents.iter().map(|document| (certified(document).id, None, None, json!({}))).collect();
        fact(["Supplier:S2", "certifies", "Component:C2"], &[(None, None)], &attested, &[])
    };
    let writer = store.begin(false).unwrap();
    writer.close(Kind::Assertion, &certified("contracts/old.md").id.to_string()).unwrap();
    writer.put(&certifies(&["contracts/new.md"])).unwrap();
    writer.publish("run-3", "2024-03-01T02:00:00Z", &[]).unwrap();
    let writer = store.begin(false).unwrap();
    writer.close(Kind::Assertion, &certified("contracts/new.md").id.to_string()).unwrap();
    let last = certifies(&["contracts/new.md"]);
    writer.close(Kind::Fact, &last.id.to_string()).unwrap();
    change(&writer, &last, ChangeKind::Retracted, &last.edges, Cause::TextRemoved, "contracts/new.md");
    writer.publish("run-4", "2024-04-01T02:00:00Z", &[]).unwrap();
}

fn certified(document: &str) -> Assertion {
    said(document, "TechChip certifies the Radio Module.", "Supplier:S2", "certifies", "Component:C2")
        .assertion()
}

fn first(store: &Store) {
    let writer = store.begin(false).unwrap();
    for (name, access) in
        [("suppliers", &[][..]), ("components", &[]), ("contracts", &[]), ("letters", &["secret"])]
    {
        scope(&writer, name, access);
    }
    entity(&writer, "suppliers", "Supplier:S1", &["ShenzenChip"]);
    entity(&writer, "suppliers", "Supplier:S2", &["TechChip Inc", "TechChip"]);
    entity(&writer, "components", "Component:C1", &["Flight Control Unit", "FCU"]);
    entity(&writer, "components", "Component:C2", &["Radio Module"]);
    entity(&writer, "components", "Component:C3", &["Door Seal"]);
    entity(&writer, "components", "Component:C9", &["Flight Control Lever"]);
    let names = [("ShenzenChip", "Supplier:S1"), ("Flight Control Unit", "Component:C1")];
    let certify = "TechChip certifies the Radio Module.";
    document(&writer, "contracts/old.md", &[], &[OLD, certify], &names);
    let old = said("contracts/old.md", OLD, "Supplier:S1", "supplies", "Component:C1").assertion();
    writer.put(&old).unwrap();
    let supplies = fact(
        ["Supplier:S1", "supplies", "Component:C1"],
        &[(None, None)],
        &[(old.id, None, None, json!({}))],
        &[],
    );
    added(&writer, &supplies, "contracts/old.md");
    for document in ["contracts/old.md", "contracts/new.md"] {
        writer.put(&certified(document)).unwrap();
    }
    let both = [
        (certified("contracts/old.md").id, None, None, json!({})),
        (certified("contracts/new.md").id, None, None, json!({})),
    ];
    let certifies = fact(["Supplier:S2", "certifies", "Component:C2"], &[(None, None)], &both, &[]);
    added(&writer, &certifies, "contracts/old.md");
    writer.publish("run-1", "2024-01-10T02:00:00Z", &[]).unwrap();
}

fn second(store: &Store) {
    let writer = store.begin(false).unwrap();
    let certify = "TechChip certifies the Radio Module.";
    let names = [
        ("TechChip", "Supplier:S2"),
        ("ShenzenChip", "Supplier:S1"),
        ("Flight Control Unit", "Component:C1"),
        ("Quillon", "Supplier:Quillon"),
    ];
    document(&writer, "contracts/new.md", &[], &[NEW, certify], &names);
    document(&writer, "letters/secret.md", &["secret"], &[SECRET], &names);
    let secret_origin = |quote: &str| Origin::Chunk {
        document: "letters/secret.md".parse().unwrap(),
        chunk: Chunk::id_of(&body(quote)),
        occurrence: 0,
    };
    let quillon = EntityClaim {
        entity: key("Supplier:Quillon"),
        origin: secret_origin(SECRET),
        names: vec!["Quillon".to_owned()],
        former: BTreeMap::new(),
        properties: BTreeMap::new(),
        merged_into: None,
        gone: false,
    };
    writer.put(&quillon).unwrap();

    let mut new = said("contracts/new.md", NEW, "Supplier:S2", "supplies", "Component:C1");
    new.from = Some("2024-02-17");
    let mut new = new.assertion();
    new.evidence.support = vec![Supporting {
        role: "definition".to_owned(),
        text: "TechChip, Inc. (\"Supplier\")".to_owned(),
        chunk: None,
    }];
    writer.put(&new).unwrap();
    let takes_over = fact(
        ["Supplier:S2", "supplies", "Component:C1"],
        &[(Some("2024-02-17"), None)],
        &[(new.id, Some("2024-02-17"), None, json!({}))],
        &[],
    );
    added(&writer, &takes_over, "contracts/new.md");

    // The secret letter knows since when ShenzenChip supplied, and for how much.
    let mut secret = said("letters/secret.md", SECRET, "Supplier:S1", "supplies", "Component:C1");
    secret.from = Some("2020-05-01");
    let mut secret = secret.assertion();
    secret.properties.insert("price".to_owned(), "777".to_owned());
    writer.put(&secret).unwrap();
    let old = said("contracts/old.md", OLD, "Supplier:S1", "supplies", "Component:C1").assertion();
    let before = store.view(1).get::<Fact>(&Record::id(&fact_of_shenzen(&old))).unwrap().unwrap();
    let mut ended = fact(
        ["Supplier:S1", "supplies", "Component:C1"],
        &[(Some("2020-05-01"), Some("2024-02-17"))],
        &[
            (old.id, None, Some("2024-02-17"), json!({})),
            (secret.id, Some("2020-05-01"), Some("2024-02-17"), json!({ "price": "777" })),
        ],
        &[json!({ "on": "2024-02-17", "by": { "newcomer": takes_over.id } })],
    );
    ended.edges[0].properties.insert("price".to_owned(), "777".to_owned());
    writer.put(&ended).unwrap();
    change(&writer, &ended, ChangeKind::Changed, &before.edges, Cause::NewDocument, "letters/secret.md");

    // ShenzenChip's door seals end for a reason that only the secret letter knows.
    let seal = said("contracts/old.md", OLD, "Supplier:S1", "supplies", "Component:C3").assertion();
    let hidden =
        said("letters/secret.md", SECRET, "Supplier:Quillon", "supplies", "Component:C3").assertion();
    writer.put(&seal).unwrap();
    writer.put(&hidden).unwrap();
    let newcomer = fact(
        ["Supplier:Quillon", "supplies", "Component:C3"],
        &[(Some("2023-03-03"), None)],
        &[(hidden.id, Some("2023-03-03"), None, json!({}))],
        &[],
    );
    added(&writer, &newcomer, "letters/secret.md");
    let sealed = fact(
        ["Supplier:S1", "supplies", "Component:C3"],
        &[(None, Some("2023-03-03"))],
        &[(seal.id, None, Some("2023-03-03"), json!({}))],
        &[json!({ "on": "2023-03-03", "by": { "newcomer": newcomer.id } })],
    );
    added(&writer, &sealed, "contracts/old.md");

    // One fact with two edges, and one that has not begun.
    let twice = said("contracts/new.md", NEW, "Supplier:S1", "supplies", "Component:C2").assertion();
    writer.put(&twice).unwrap();
    let periods = [(Some("2022-01-01"), Some("2023-01-01")), (Some("2024-01-01"), Some("2025-01-01"))];
    let attested = periods.map(|(from, to)| (twice.id, from, to, json!({})));
    added(
        &writer,
        &fact(["Supplier:S1", "supplies", "Component:C2"], &periods, &attested, &[]),
        "contracts/new.md",
    );
    let mut later = said("contracts/new.md", NEW, "Supplier:S2", "supplies", "Component:C2");
    later.from = Some("2030-01-01");
    let later = later.assertion();
    writer.put(&later).unwrap();
    let future = fact(
        ["Supplier:S2", "supplies", "Component:C2"],
        &[(Some("2030-01-01"), None)],
        &[(later.id, Some("2030-01-01"), None, json!({}))],
        &[],
    );
    added(&writer, &future, "contracts/new.md");

    waiting(&writer);
    writer.publish("run-2", "2024-02-20T02:00:00Z", &[]).unwrap();
}

fn fact_of_shenzen(old: &Assertion) -> Fact {
    fact(
        ["Supplier:S1", "supplies", "Component:C1"],
        &[(None, None)],
        &[(old.id, None, None, json!({}))],
        &[],
    )
}

/// The quarantine: one unknown name behind two assertions, a conflict, and a secret one.
fn waiting(writer: &Writer<'_>) {
    let unknown = |surface: &str| Resolution::Unknown {
        surface: surface.to_owned(),
        types: vec!["Supplier".to_owned()],
    };
    for (document, quote, object) in
        [("contracts/old.md", OLD, "Component:C2"), ("contracts/new.md", NEW, "Component:C3")]
    {
        let mut says = said(document, quote, "Supplier:S1", "supplies", object);
        says.subject = unknown("Voltanix");
        let reason = Reason::EndpointUnknown { surface: "Voltanix".to_owned() };
        quarantined(writer, &says.assertion(), vec![reason]);
    }
    let mut rival = said("contracts/new.md", NEW, "Supplier:S2", "supplies", "Component:C3");
    rival.from = Some("2023-03-03");
    let with = fact_id("Supplier:Quillon", "supplies", "Component:C3");
    quarantined(writer, &rival.assertion(), vec![Reason::Conflict { with }]);
    let mut secret = said("letters/secret.md", SECRET, "Supplier:S1", "supplies", "Component:C1");
    secret.subject = unknown("Zanzibar Ltd");
    let reason = Reason::EndpointUnknown { surface: "Zanzibar Ltd".to_owned() };
    quarantined(writer, &secret.assertion(), vec![reason]);
}

/// The tale in a store in memory.
pub(crate) fn tale() -> Store {
    let store = Store::in_memory().unwrap();
    tell(&store);
    store
}

/// The last generation through the eyes of a reader, on a day.
pub(crate) fn lens(reader: Reader, known_at: u64) -> Lens {
    Lens { as_of: None, known_at, reader, pending: false, today: date("2024-06-01") }
}

/// A reader without labels.
pub(crate) fn public() -> Reader {
    Reader::Holding(BTreeSet::new())
}

/// Calls `ask` with the tale as a reader sees it in a generation.
pub(crate) fn with_graph<T>(reader: Reader, known_at: u64, ask: impl FnOnce(&Graph<'_>) -> T) -> T {
    let (store, catalog) = (tale(), catalog());
    let graph = Graph::new(&store, lens(reader, known_at), &catalog).unwrap();
    ask(&graph)
}
