//! The keys of `ontology/*.yaml`: what may be written, in one table for each object.

use super::shape::{Kind, Shape, may, must};

const TEXTS: Kind = Kind::OneOrMore(&Kind::Text);
const NAMES: Kind = Kind::OneOrMore(&Kind::Name);

/// The whole file.
pub static ONTOLOGY: Shape = Shape {
    name: "an ontology",
    doc: "Entity types, edge types, word lists and extraction rules.",
    keys: &[
        may("language", Kind::Name, "The language of the rules' words. Default `en`."),
        must("entities", Kind::Named(&Kind::Object(&ENTITY)), "Entity types by name."),
        may("edges", Kind::Named(&Kind::Object(&EDGE)), "Edge types by name."),
        may(
            "words",
            Kind::Named(&TEXTS),
            "Word lists by name; a pattern uses a list by its upper-case name.",
        ),
        may("rules", Kind::List(&Kind::Object(&RULE)), "Extraction rules."),
    ],
    rest: None,
};

static ENTITY: Shape = Shape {
    name: "an entity type",
    doc: "An entity type: how its entities are named, and where they come from.",
    keys: &[
        may("system_of_record", Kind::Name, "The feed that is the system of record."),
        may(
            "names",
            Kind::Words(&["plain", "company", "exact", "keys", "durations"]),
            "How names are compared. `plain` (the default) folds case, `company` also makes legal forms such as `Inc` optional, `exact` keeps case; `keys`: texts name entities of this type by their keys alone, so a slot takes no name that nobody knows; `durations`: likewise by lengths of time such as \"one (1) year\", whose key is `P1Y`.",
        ),
        may(
            "written",
            Kind::Either(&[Kind::Text, Kind::Object(&WRITTEN)]),
            "The form in which the text names an entity, or what does not count when names are compared.",
        ),
        may(
            "keys",
            Kind::Either(&[Kind::Text, Kind::Object(&KEYS)]),
            "The form of its keys in running text, such as `CMP-{number}`, or that form with what texts write for it.",
        ),
        may(
            "on_unknown",
            Kind::Words(&["quarantine", "create", "drop"]),
            "What becomes of an assertion whose text nobody knows. Default `quarantine`.",
        ),
        may("part_of", NAMES, "The types that an entity of this type may be a part of."),
        may("key", NAMES, "The names of the parts of a compound key, in order."),
        may(
            "create",
            Kind::Words(&["never", "from document", "from text"]),
            "Where entities come from besides feeds. Default `never`.",
        ),
        may(
            "cite",
            TEXTS,
            "The forms in which the text cites an entity; slots are properties, `key` or `title`.",
        ),
        may("access", NAMES, "The labels that a reader needs to see entities of this type."),
    ],
    rest: None,
};

static KEYS: Shape = Shape {
    name: "the form of keys",
    doc: "The form of the keys of a type, and the forms in which texts write them.",
    keys: &[
        must("form", Kind::Text, "The form of the key itself, such as `CMP-{number}`."),
        must(
            "written",
            TEXTS,
            "What texts write for it, such as `part no. {number}`. Each has the slots of the form; what its other slots hold is no part of the key.",
        ),
        may(
            "listed",
            Kind::Text,
            "What a further one of a list looks like, such as `{number}` for `part nos. 7, 8 and 9`: it counts right behind a key and a comma, `and` or `or`.",
        ),
    ],
    rest: None,
};

static WRITTEN: Shape = Shape {
    name: "a written form",
    doc: "The form in which the text names an entity, and what does not count when names are compared.",
    keys: &[
        may("form", Kind::Text, "The form, such as `(Schedule|Exhibit) {number}`."),
        may(
            "ignore",
            Kind::OneOrMore(&Kind::Words(&["leading zeros", "spaces", "hyphens"])),
            "What does not count when names are compared.",
        ),
    ],
    rest: None,
};

static EDGE: Shape = Shape {
    name: "an edge type",
    doc: "An edge type: what it may join, and what follows from it.",
    keys: &[
        must("subject", NAMES, "The entity types that its subject may have."),
        must("object", NAMES, "The entity types that its object may have."),
        may(
            "at_most_one",
            Kind::Words(&["subject", "object"]),
            "`object`: a subject has at most one object on one day. `subject`: the other way round.",
        ),
        may(
            "ends",
            Kind::Words(&["object"]),
            "`object`: what documents that stand for the object attest ends when this edge starts.",
        ),
        may("inverse", Kind::Name, "The name of the inverse, derived on reading and never counted."),
        may("symmetric", Kind::Flag, "True if subject and object may be exchanged."),
        may("acyclic", Kind::Flag, "True if a circle is a mistake."),
        may(
            "properties",
            Kind::Named(&Kind::Either(&[Kind::Words(VALUES), Kind::Object(&PROPERTY)])),
            "Properties by name.",
        ),
        may(
            "review",
            Kind::Words(&["always", "doubtful"]),
            "`always`: an edge lives only by approved assertions. Default `doubtful`.",
        ),
        may("threshold", Kind::Share, "Assertions of less confidence are quarantined. Default 0.8."),
        may("access", NAMES, "The labels that a reader needs to see edges of this type."),
    ],
    rest: None,
};

const VALUES: &[&str] = &["text", "number", "duration", "date"];

static PROPERTY: Shape = Shape {
    name: "a property",
    doc: "A property of an edge.",
    keys: &[
        must("type", Kind::Words(VALUES), "What its values look like."),
        may("identity", Kind::Flag, "True if it is part of the fact's identity."),
        may("conflict", Kind::Flag, "True if two values are a conflict instead of the later one winning."),
        may("access", NAMES, "The labels that a reader needs to see it."),
    ],
    rest: None,
};

/// The keys of a rule of which exactly one says what it does; `match` also serves `bind`.
pub const ACTIONS: &[&str] = &["match", "mentions", "defines", "field", "table", "link", "external"];

/// The classes of cues that make a statement doubtful. The others make another one of it.
const DOUBTS: &[&str] = &["hypothetical", "permission", "attribution"];

static RULE: Shape = Shape {
    name: "a rule",
    doc: "An extraction rule.",
    keys: &[
        must("id", Kind::Name, "Its id, unique over the workspace."),
        may("edge", Kind::Name, "The edge type that it feeds. Every rule but `bind` has one."),
        may(
            "asserts",
            Kind::Words(&["fact", "end"]),
            "Whether it asserts that the fact holds or that it has ended. Default `fact`.",
        ),
        may("match", Kind::Text, "Finds a pattern within one sentence."),
        may("mentions", Kind::Object(&MENTIONS), "Asserts for every mention of a type in the zone."),
        may(
            "defines",
            Kind::Object(&MENTIONS),
            "Asserts for everyone for whom the document defines a term, as in `Acme plc (the \"Buyer\")`.",
        ),
        may("field", Kind::Object(&FIELD), "Reads header fields of the document."),
        may("table", Kind::Object(&TABLE), "Reads tables."),
        may(
            "link",
            Kind::Either(&[Kind::Words(&["document"]), Kind::Object(&LINK)]),
            "Reads links: `document` for links to documents, or the form of the target.",
        ),
        may("external", Kind::Object(&EXTERNAL), "Asks a program, as `docs/external.md` says."),
        may("bind", Kind::Name, "Asserts nothing; gives what the slot of this name holds to other rules."),
        may(
            "for",
            Kind::Words(&["document", "items below", "section", "table"]),
            "How far a `bind` reaches. Default `document`.",
        ),
        may(
            "take",
            Kind::Words(&["agreed", "first"]),
            "What a `bind` for the whole document names that finds several: what all places agree on (the default), or the first.",
        ),
        may("subject", Kind::Name, "What fills the subject if no slot does: `self` or a bound name."),
        may("object", Kind::Name, "What fills the object if no slot does: `self` or a bound name."),
        may(
            "valid_from",
            TEXTS,
            "What fills the start if no slot does: `effective`, `effective + 30 days`, or a term that the document defines; of several the first that the document has.",
        ),
        may("valid_to", TEXTS, "What fills the end if no slot does, likewise."),
        may(
            "in",
            Kind::OneOrMore(&Kind::Object(&ZONE)),
            "Where it applies: one of these. Default everywhere.",
        ),
        may("not_in", Kind::OneOrMore(&Kind::Object(&ZONE)), "Where it does not apply."),
        may(
            "despite",
            Kind::OneOrMore(&Kind::Words(DOUBTS)),
            "The kinds of words that are no reason to doubt what a `match` reads, such as `hypothetical`: \"renews for a year unless …\".",
        ),
        may("confidence", Kind::Share, "How sure it is. Default 0.95."),
        may(
            "precision",
            Kind::Share,
            "The floor of its reviewed precision, below which what it reads waits for a person. Default none.",
        ),
        may("examples", Kind::List(&Kind::Object(&EXAMPLE)), "Sentences that are tests."),
    ],
    rest: None,
};

static MENTIONS: Shape = Shape {
    name: "a `mentions` or `defines` rule",
    doc: "The side that the names fill, and their types.",
    keys: &[
        may("subject", NAMES, "The types of the names that fill the subject."),
        may("object", NAMES, "The types of the names that fill the object."),
    ],
    rest: None,
};

static FIELD: Shape = Shape {
    name: "a `field` rule",
    doc: "What fills which slot: the names that a header field may have.",
    keys: &[
        may("subject", TEXTS, "The names that the subject's field may have."),
        may("object", TEXTS, "The names that the object's field may have."),
        may("valid_from", TEXTS, "The names that the start's field may have."),
        may("valid_to", TEXTS, "The names that the end's field may have."),
        may("valid", TEXTS, "The names of a field with a date that bounds as the word before it says."),
        may("during", TEXTS, "The names of a field with a month, quarter or year that is both bounds."),
        may(
            "properties",
            Kind::Named(&TEXTS),
            "For a property of the edge, the names that its field may have.",
        ),
    ],
    rest: Some(TEXTS),
};

static TABLE: Shape = Shape {
    name: "a `table` rule",
    doc: "Which tables are read, and which column fills which slot.",
    keys: &[
        may(
            "under",
            Kind::Either(&[TEXTS, Kind::Object(&HEADING)]),
            "The table stands under a heading that contains one of these texts.",
        ),
        may("subject", TEXTS, "The names that the subject's column may have."),
        may("object", TEXTS, "The names that the object's column may have."),
        may("valid_from", TEXTS, "The names that the start's column may have."),
        may("valid_to", TEXTS, "The names that the end's column may have."),
        may("valid", TEXTS, "The names of a column with a date that bounds as the word before it says."),
        may("during", TEXTS, "The names of a column with a month, quarter or year that is both bounds."),
        may(
            "properties",
            Kind::Named(&TEXTS),
            "For a property of the edge, the names that its column may have.",
        ),
        may("fill_down", NAMES, "Slots whose empty cells take the value above."),
        may("skip_rows", TEXTS, "Rows whose first cell begins with one of these are left out."),
    ],
    rest: Some(TEXTS),
};

static HEADING: Shape = Shape {
    name: "a heading",
    doc: "A heading that contains one of these texts.",
    keys: &[must("heading", TEXTS, "Texts of which the heading contains one, without regard to case.")],
    rest: None,
};

static LINK: Shape = Shape {
    name: "a `link` rule",
    doc: "The form of the links' target.",
    keys: &[must(
        "target",
        Kind::Text,
        "The form of the target; its slot `subject` or `object` holds a key.",
    )],
    rest: None,
};

static EXTERNAL: Shape = Shape {
    name: "an `external` rule",
    doc: "A program that is asked what each chunk asserts, as `docs/external.md` says.",
    keys: &[
        must("command", TEXTS, "The program and its arguments."),
        must("version", Kind::Text, "Names what it makes of a chunk: another version is asked anew."),
        may("environment", Kind::Keyed(&Kind::Blank), "Its environment, which is all that it is given."),
        may("edges", NAMES, "The edge types that it may assert beside `edge`."),
        may(
            "words",
            Kind::Text,
            "A pattern of words: it is asked only about chunks that hold one, such as `(supply~|deliver~)`. Default all chunks.",
        ),
        may("fields", TEXTS, "The header fields of the document that it is told."),
        may("limits", Kind::Object(&CALLING), "What an answer may take."),
    ],
    rest: None,
};

static CALLING: Shape = Shape {
    name: "the limits of a program",
    doc: "What an answer may take; a program that takes more is ended, and what the rule said stays as it was.",
    keys: &[
        may("time", Kind::Time, "Wall time of one answer, such as `30s` or `500ms`. Default `30s`."),
        may("memory", Kind::Bytes, "Memory of its process. Default `1GiB`."),
    ],
    rest: None,
};

/// The parts of a document.
pub const PARTS: &[&str] =
    &["preamble", "recitals", "definitions", "body", "schedule", "signature", "heading"];

static ZONE: Shape = Shape {
    name: "a zone",
    doc: "A part of a document. One key; a list of zones means one of them.",
    keys: &[
        may("part", Kind::OneOrMore(&Kind::Words(PARTS)), "A structural part."),
        may("heading", TEXTS, "Under a heading that contains one of these texts, without regard to case."),
        may("field", Kind::Keyed(&TEXTS), "In a document whose header field has one of these values."),
    ],
    rest: None,
};

static EXAMPLE: Shape = Shape {
    name: "an example",
    doc: "A sentence with what the rule must find in it.",
    keys: &[
        must("text", Kind::Text, "The text: a small document. `…` stands for text left out."),
        may(
            "given",
            Kind::Keyed(&Kind::Text),
            "Terms that the document defines elsewhere: a date, or an entity's name.",
        ),
        must(
            "finds",
            TEXTS,
            "What must be found, as `SUBJECT edge_type OBJECT [from DATE] [until DATE]`, or `nothing`.",
        ),
    ],
    rest: None,
};
