//! The keys of `jobs/*.yaml`: what may be written, in one table for each object.

use super::outputs;
use crate::ontology::file::shape::{Field, Kind, Shape, may, must};

const TEXTS: Kind = Kind::OneOrMore(&Kind::Text);
const NAMES: Kind = Kind::OneOrMore(&Kind::Name);
const VALUES: Kind = Kind::Keyed(&Kind::OneOrMore(&Kind::Blank));

/// The whole file.
pub(super) static JOB: Shape = Shape {
    name: "a job",
    doc: "A job: what to read, from where, and who answers for it.",
    keys: &[
        may("job", Kind::Name, "Its name. Default: the name of the file."),
        must("ontology", Kind::Name, "The ontology: the name of a file in `ontology/`."),
        may("owner", Kind::Text, "Who answers for it; goes into every alert."),
        may(
            "timezone",
            Kind::Text,
            "The IANA zone in which `today` is computed, one a workspace. Default `UTC`.",
        ),
        may("sources", Kind::Named(&Kind::Object(&SOURCE)), "The folders of documents, by name."),
        may("feeds", Kind::Named(&Kind::Object(&FEED)), "The master-data feeds, by name."),
        may("gates", Kind::Object(&GATES), "How large a change of one run may be."),
        may("golden", Kind::Object(&GOLDEN), "Edges that are known to be true, for `edgewright eval`."),
        may("metrics", Kind::Object(&outputs::METRICS), "The file of metrics, for Prometheus."),
        may("alerts", Kind::Object(&outputs::ALERTS), "Who is alerted of what is wrong with a run."),
        may("lineage", Kind::Object(&outputs::LINEAGE), "Who hears which data a run read and wrote."),
        may("retention", Kind::Object(&RETENTION), "What of what its runs leave may be deleted, and when."),
    ],
    rest: None,
};

static RETENTION: Shape = Shape {
    name: "a retention",
    doc: "What of what the runs of a job leave may be deleted, and when. What is not declared stays.",
    keys: &[may(
        "reports",
        Kind::Hours,
        "After how long the reports of a run go, such as `400 days`. The last 100 stay, and those of a run that is held or \
         has published what readers see.",
    )],
    rest: None,
};

static GOLDEN: Shape = Shape {
    name: "a golden set",
    doc: "Edges that are known to be true, against which `edgewright eval` measures what is read.",
    keys: &[
        must("file", Kind::Text, "The table of edges, relative to the workspace."),
        may(
            "map",
            Kind::Text,
            "The file that says how the table is read. Default: its columns are an edge's.",
        ),
        may("floors", Kind::Object(&FLOORS), "What must be reached, else `eval` ends with code 3."),
    ],
    rest: None,
};

static FLOORS: Shape = Shape {
    name: "`floors`",
    doc: "The least that each figure over all must be, and that of single edge types or groups.",
    keys: &[
        PRECISION,
        RECALL,
        F1,
        FROM,
        TO,
        may("types", Kind::Keyed(&Kind::Object(&FLOOR)), "The floors of an edge type or group, by its name."),
    ],
    rest: None,
};

static FLOOR: Shape = Shape {
    name: "a floor",
    doc: "The least that each figure must be.",
    keys: &[PRECISION, RECALL, F1, FROM, TO],
    rest: None,
};

const PRECISION: Field = may("precision", Kind::Share, "Of what was found, the share that is right.");
const RECALL: Field = may("recall", Kind::Share, "Of what must be found, the share that was.");
const F1: Field = may("f1", Kind::Share, "The harmonic mean of both.");
const FROM: Field = may("valid_from", Kind::Share, "Of the hits, the share that begins on the right day.");
const TO: Field = may("valid_to", Kind::Share, "Of the hits, the share that ends on the right day.");

/// The map of a golden file.
pub(super) static GOLDEN_MAP: Shape = Shape {
    name: "a golden map",
    doc: "How a table of edges that are known to be true is read.",
    keys: &[
        may("format", Kind::Object(&FORMAT), "How the table is written."),
        may(
            "subject",
            Kind::Text,
            "The column of the subject: a key, a name or an alias. Default `subject`.",
        ),
        may("object", Kind::Text, "The column of the object, likewise. Default `object`."),
        may("type", Kind::Text, "The column of the edge type. Default `type`, `edge` or `edge_type`."),
        may("valid_from", Kind::Text, "The column of the start. Default `valid_from`, if there is one."),
        may("valid_to", Kind::Text, "The column of the end. Default `valid_to`, if there is one."),
        may("dates", Kind::Object(&GOLDEN_DATES), "How its dates are written."),
        may(
            "edges",
            Kind::List(&Kind::Object(&MAPPED)),
            "What a row is in the graph: the first entry that fits. A row that none fits may be found.",
        ),
        may(
            "asked",
            VALUES,
            "Columns and the values of rows that must be found; the others count neither way. Default: all.",
        ),
        may(
            "judged",
            Kind::Object(&JUDGED),
            "Whose edges are judged. Default: those of the subjects of the file.",
        ),
        may("together", Kind::Keyed(&NAMES), "Edge types that are counted as one, by the name of the group."),
    ],
    rest: None,
};

static MAPPED: Shape = Shape {
    name: "an entry of `edges`",
    doc: "What some rows are in the graph.",
    keys: &[
        must("edge", NAMES, "The edge type, or several of which any is right."),
        may("where", VALUES, "Columns and the values of the rows. Default: all that no entry before fits."),
    ],
    rest: None,
};

static JUDGED: Shape = Shape {
    name: "`judged`",
    doc: "Whose edges are judged: one that these have and the table does not is wrong.",
    keys: &[
        may("side", Kind::Words(&["subject", "object"]), "The side on which they stand. Default `subject`."),
        may("feed", Kind::Name, "The feed whose rows make them. Default: those that the table names."),
        may("where", VALUES, "Columns of the feed and the values of the rows that count. Default: all."),
    ],
    rest: None,
};

static GATES: Shape = Shape {
    name: "`gates`",
    doc: "How large a change of one run may be, for the sources and feeds of the job.",
    keys: &[
        GATE,
        UNEXPLAINED,
        may("audit", COUNT, "Edges that unchanged documents read differently. Default `fail: 1`."),
        PLANNED,
        EMPTIED,
        REPLACED,
        may(
            "silent_documents",
            SHARE,
            "Of the documents that were read again and had edges, those that have none. Default 10% and 40%.",
        ),
        SAME_DOCUMENTS,
        RETRACTIONS,
        may(
            "new_documents",
            SHARE,
            "How much less new documents yield than those of their source do. Default `warn: 50%`.",
        ),
        REVIVED,
        may("golden", COUNT, "Figures of the golden set that are below their floors. Default `fail: 1`."),
        may("precision", COUNT, "Rules that fell below the floor of their precision. Default `warn: 1`."),
        may("stale", COUNT, "Sources that are older than `expect` says. Default `warn: 1`."),
        TOTALS,
        may("types", Kind::Keyed(&Kind::Object(&TYPE_GATES)), "What an edge type has of its own, by name."),
    ],
    rest: None,
};

static TYPE_GATES: Shape = Shape {
    name: "the gates of an edge type",
    doc: "The limits of an edge type, which is judged apart from the others of its source.",
    keys: &[GATE, UNEXPLAINED, PLANNED, EMPTIED, REPLACED, SAME_DOCUMENTS, RETRACTIONS, REVIVED, TOTALS],
    rest: None,
};

const GATE: Field = may(
    "gate",
    Kind::Words(&["block", "report"]),
    "Whether a failure holds the run (`block`, the default) or is only said (`report`).",
);
const UNEXPLAINED: Field = may("unexplained", COUNT, "Changes without a cause. Default `fail: 1`.");
const PLANNED: Field = may(
    "planned",
    SHARE,
    "The share of a segment that a change of ontology, parser or job takes away. Default any, and 2%.",
);
const EMPTIED: Field = may(
    "emptied",
    COUNT,
    "How many edges a type had in a source that now has none of it there. Default `fail: 5`.",
);
const REPLACED: Field = may(
    "replaced",
    COUNT,
    "How many edges a type had in a source that now has none of these, but others. Default `fail: 5`.",
);
const SAME_DOCUMENTS: Field = may(
    "same_documents",
    SHARE,
    "How much less, or more, documents yield that were read again. Default `fail: 25%`.",
);
const RETRACTIONS: Field =
    may("retractions", SHARE, "The share of a source's edges that a run retracts. Default 5% and 20%.");
const REVIVED: Field =
    may("revived", COUNT, "Edges that hold longer because what ended them is gone. Default `warn: 1`.");
const TOTALS: Field = may("totals", SHARE, "How far the total of an edge type moves. Default `warn: 20%`.");

const SHARE: Kind = Kind::Object(&SHARE_LIMIT);
const COUNT: Kind = Kind::Object(&COUNT_LIMIT);

static SHARE_LIMIT: Shape = Shape {
    name: "a limit",
    doc: "A share above which a person should look, or the run looks wrong.",
    keys: &[
        may("warn", Kind::ShareOrOff, "A person should look at more than this share."),
        may("fail", Kind::ShareOrOff, "The run looks wrong with more than this share."),
        GATE,
    ],
    rest: None,
};

static COUNT_LIMIT: Shape = Shape {
    name: "a least number",
    doc: "A number at which a person should look, or the run looks wrong.",
    keys: &[
        may("warn", Kind::CountOrOff, "A person should look at this many or more."),
        may("fail", Kind::CountOrOff, "The run looks wrong with this many or more."),
        GATE,
    ],
    rest: None,
};

static SOURCE: Shape = Shape {
    name: "a source",
    doc: "A folder of documents.",
    keys: &[
        must("path", Kind::Text, "The folder, relative to the workspace."),
        may("include", TEXTS, "Globs of files to read, relative to the folder. Default `**/*`."),
        may("exclude", TEXTS, "Globs of files to leave out."),
        may("access", NAMES, "The labels that a reader needs for everything in it."),
        may(
            "documents",
            Kind::List(&Kind::Object(&STANDS_FOR)),
            "What a file stands for (`self`), first match first.",
        ),
        may("register", Kind::Object(&REGISTER), "The feed with one row a document."),
        may(
            "only",
            VALUES,
            "Register columns and the values that select a document; the rest is not selected, never gone.",
        ),
        may(
            "withdrawn",
            VALUES,
            "Register columns or header fields and the values that withdraw a document.",
        ),
        may(
            "effective",
            Kind::Text,
            "The register column or header field with the document's effective date.",
        ),
        may(
            "edits",
            Kind::Words(&["correct", "amend"]),
            "What an edit means: `correct` (the default), text that left was wrong; `amend`, the new version takes effect later.",
        ),
        may("gone", GONE, "What a missing document means. Default `retract`."),
        may(
            "date_order",
            Kind::Words(&["day first", "month first"]),
            "How `03/04/2024` is read. Default: it is ambiguous.",
        ),
        may("max_size", Kind::Bytes, "Larger files are reported and left out. Default `64MiB`."),
        may("limits", Kind::Object(&PARSING), "What parsing one document may take."),
        may("parser", Kind::Object(&PARSER), "The program that parses some of its documents."),
        may("expect", Kind::Object(&EXPECT_OF_SOURCE), "What must hold of it."),
    ],
    rest: None,
};

static PARSER: Shape = Shape {
    name: "a parser",
    doc: "A program that is given a file's path and writes its text, as `docs/external.md` says.",
    keys: &[
        must("command", TEXTS, "The program and its arguments; the file's path goes last."),
        must("for", TEXTS, "Globs of the files that it parses, relative to the source's folder."),
        must("version", Kind::Text, "Names what it makes of given bytes: another version parses them anew."),
        may("environment", Kind::Keyed(&Kind::Blank), "Its environment, which is all that it is given."),
    ],
    rest: None,
};

static PARSING: Shape = Shape {
    name: "the limits of parsing",
    doc: "What parsing one document may take; a document that takes more is withheld and stays as it was.",
    keys: &[
        may("time", Kind::Time, "Wall time, such as `30s` or `500ms`. Default `30s`."),
        may("memory", Kind::Bytes, "Memory of the process that parses it. Default `1GiB`."),
        may("pages", Kind::Number, "Pages. Default 2000."),
        may("characters", Kind::Number, "Characters of its text, such as `20M`. Default `20M`."),
    ],
    rest: None,
};

const GONE: Kind = Kind::Either(&[Kind::Words(&["retract", "expire", "keep"]), Kind::Object(&EXPIRE)]);

static EXPIRE: Shape = Shape {
    name: "an end",
    doc: "What is gone ends on a date.",
    keys: &[must("expire", Kind::Text, "The column with the date of the end, as last seen.")],
    rest: None,
};

static STANDS_FOR: Shape = Shape {
    name: "an entry of `documents`",
    doc: "A file name that says for which entity the document stands.",
    keys: &[
        must("self", Kind::Name, "The entity type."),
        must("name", Kind::Text, "The pattern of the file's name, with `{slot}` and `*`."),
        may(
            "key",
            NAMES,
            "The slots whose values make the key, in order. Default: all slots of the pattern.",
        ),
        may(
            "document",
            NAMES,
            "The slots whose values make the document's own key, in order. Default: its path is its key.",
        ),
    ],
    rest: None,
};

static REGISTER: Shape = Shape {
    name: "a register",
    doc: "The feed with one row a document.",
    keys: &[
        must("feed", Kind::Name, "The feed, of this job."),
        must("on", Kind::Text, "The column with the document's file name or path."),
        may("key", Kind::Text, "The column with the document's own key. Default: its path is its key."),
    ],
    rest: None,
};

static FEED: Shape = Shape {
    name: "a feed",
    doc: "A master-data feed: a table whose rows make entities, edges, or both.",
    keys: &[
        may("path", Kind::Text, "The file, relative to the workspace; not with `connection`."),
        may("format", Kind::Object(&FORMAT), "How the file is written."),
        may(
            "connection",
            Kind::Object(&CONNECTION),
            "The PostgreSQL server that is asked, instead of a `path`.",
        ),
        may("query", Kind::Text, "What a database is asked: one `select`."),
        may("table", Kind::Text, "The table of a database that is read, instead of a `query`."),
        may(
            "limits",
            Kind::Object(&READING),
            "When the reading of a database, workbook or Parquet file is given up.",
        ),
        may(
            "where",
            VALUES,
            "Columns and the values that select a row; the rest is counted as not selected.",
        ),
        may("only", VALUES, "The same as `where`."),
        may("access", NAMES, "The labels that a reader needs for everything in it."),
        may("expect", Kind::Object(&EXPECT), "What must hold of it."),
        may("entity", Kind::Object(&ENTITY), "The entity that a row makes."),
        may("edge", Kind::Object(&EDGE), "The edge that a row makes."),
        may("dates", Kind::Object(&DATES), "How its dates are written."),
        may(
            "authority",
            Kind::Words(&["confirms", "decides", "informs"]),
            "Its word against documents. Default `confirms`.",
        ),
        may(
            "columns",
            Kind::Words(&["evolve", "freeze", "discard_row", "discard_value"]),
            "What to do with columns that the mapping does not know. Default `evolve`.",
        ),
        may(
            "on_duplicate",
            Kind::Words(&["error", "last"]),
            "What to do with a key that comes twice. Default `error`.",
        ),
        may("gone", GONE, "What a missing row means. Default `retract`."),
        may("levels", Kind::Object(&LEVELS), "The columns of an indented bill of material."),
    ],
    rest: None,
};

static CONNECTION: Shape = Shape {
    name: "a connection",
    doc: "A PostgreSQL server. Where it is and who asks stands in the environment, never in a file.",
    keys: &[must("env", Kind::Name, "The variable of the environment that holds the connection string.")],
    rest: None,
};

static READING: Shape = Shape {
    name: "the limits of a feed",
    doc: "When the reading of a feed is given up; it is withheld then.",
    keys: &[
        may("seconds", Kind::Count(86_400), "How long a query may take. Default 60."),
        may("rows", Kind::Count(100_000_000), "How many rows it may give. Default 1,000,000."),
        may("time", Kind::Time, "How long unpacking a workbook or Parquet file may take. Default `5min`."),
        may("memory", Kind::Bytes, "Memory of the process that unpacks it. Default `4GiB`."),
    ],
    rest: None,
};

static FORMAT: Shape = Shape {
    name: "a format",
    doc: "How a feed's file is written.",
    keys: &[
        may(
            "kind",
            Kind::Words(&["csv", "sheet", "jsonl", "parquet", "sqlite"]),
            "What the file is. Default: what its extension says, else `csv`.",
        ),
        may(
            "sheet",
            Kind::Text,
            "The sheet of a workbook: its name, or its place counted from 1. Default 1.",
        ),
        may(
            "operation",
            Kind::Text,
            "The column that says what is done to the row: rows are changes to those last accepted.",
        ),
        may(
            "order",
            Kind::Text,
            "The column by which changes are put in order. Default: their order in the file.",
        ),
        may(
            "key",
            TEXTS,
            "The columns that tell which row is changed. Default: the key of the entity; of an edge its ends, identity properties and start.",
        ),
        may(
            "envelope",
            Kind::Words(&["debezium"]),
            "Each line of JSON is a change event, whose `after` (or `before`) is the row.",
        ),
        may("delimiter", Kind::Blank, "What separates cells: one character, or `tab`. Default `,`."),
        may(
            "encoding",
            Kind::Text,
            "A WHATWG encoding name such as `windows-1252`. Default: it is detected.",
        ),
        may("skip_lines", Kind::Count(10_000), "Lines, or rows of a sheet, above the header. Default 0."),
        may("skip_footer", Kind::Count(10_000), "Lines, or rows of a sheet, below the last row. Default 0."),
        may("quote", Kind::Blank, "What quotes a cell: one character. Default `\"`."),
    ],
    rest: None,
};

static EXPECT: Shape =
    Shape { name: "an expectation", doc: "What must hold of a feed.", keys: &[FRESH_WITHIN], rest: None };

static EXPECT_OF_SOURCE: Shape = Shape {
    name: "an expectation",
    doc: "What must hold of a source.",
    keys: &[
        FRESH_WITHIN,
        may(
            "withdrawn_within",
            Kind::Hours,
            "After how long a document that was withdrawn or is gone must be out of the graph, such as `24h`.",
        ),
    ],
    rest: None,
};

const FRESH_WITHIN: Field = may("fresh_within", Kind::Hours, "How long it may stay as it is, such as `36h`.");

static ENTITY: Shape = Shape {
    name: "an entity mapping",
    doc: "The entity that a row makes.",
    keys: &[
        must("type", Kind::Name, "The entity type."),
        must("key", TEXTS, "The column of the key, or the columns of a compound key."),
        may(
            "names",
            Kind::OneOrMore(&TEXTS),
            "The columns of the names; those of an inner list are joined with a space. The first is the full name.",
        ),
        may(
            "many",
            Kind::Keyed(&Kind::Blank),
            "The columns of `names` with many names in one cell, and what separates them.",
        ),
        may("properties", Kind::Named(&Kind::Text), "The columns of properties, by property."),
        may("merged_into", Kind::Text, "The column with the key into which this one was merged."),
    ],
    rest: None,
};

static EDGE: Shape = Shape {
    name: "an edge mapping",
    doc: "The edge that a row makes.",
    keys: &[
        must("type", Kind::Name, "The edge type."),
        must("subject", ENDPOINT, "The column of the subject's key, or the columns of a compound key."),
        must("object", ENDPOINT, "The column of the object's key, or the columns of a compound key."),
        may("valid_from", Kind::Text, "The column of the start."),
        may("valid_to", Kind::Text, "The column of the end."),
        may("properties", Kind::Named(&Kind::Text), "The columns of properties, by property."),
    ],
    rest: None,
};

const ENDPOINT: Kind = Kind::Either(&[TEXTS, Kind::Object(&COLUMNS)]);

static COLUMNS: Shape = Shape {
    name: "an endpoint",
    doc: "The columns of a key, with what else is known of them.",
    keys: &[
        must("column", TEXTS, "The column of the key, or the columns of a compound key."),
        may("type", NAMES, "The entity types that it may have. Default: those of the edge type."),
        may("many", Kind::Blank, "What separates several keys in one cell."),
    ],
    rest: None,
};

static DATES: Shape = Shape {
    name: "`dates`",
    doc: "How a feed's dates are written.",
    keys: &[
        DATE_FORMAT,
        may(
            "ends",
            Kind::Words(&["exclusive", "inclusive"]),
            "Whether an end is the last day that counts. Default `exclusive`.",
        ),
        NO_DATE,
    ],
    rest: None,
};

static GOLDEN_DATES: Shape = Shape {
    name: "`dates`",
    doc: "How a golden set's dates are written.",
    keys: &[
        DATE_FORMAT,
        may(
            "ends",
            Kind::Words(&["exclusive", "inclusive", "either"]),
            "Whether an end is the last day that counts; `either`: the table does not say which. Default `exclusive`.",
        ),
        NO_DATE,
    ],
    rest: None,
};

const DATE_FORMAT: Field = may(
    "format",
    Kind::Text,
    "A format such as `%Y%m%d`, or `days` for days counted from 1970-01-01. Default: ISO days, months and years.",
);
const NO_DATE: Field =
    may("open", Kind::OneOrMore(&Kind::Blank), "Values that mean `no bound`. Default: an empty cell.");

static LEVELS: Shape = Shape {
    name: "`levels`",
    doc: "An indented bill of material: a row's parent is the nearest row above with a smaller level.",
    keys: &[
        must("column", Kind::Text, "The column with the level."),
        must("item", Kind::Text, "The column with the item's key; the parent's becomes the column `parent`."),
    ],
    rest: None,
};
