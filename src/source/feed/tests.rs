//! Feeds as they are met in the wild: input text → rows, diagnostics and meaning.

#![expect(clippy::disallowed_methods, reason = "the feeds of these tests are files")]

use std::collections::BTreeMap;

use super::*;
use crate::model::access::Labels;
use crate::model::job::{
    Authority, Columns, EdgeMapping, Endpoint, EntityMapping, FeedDates, Format, Gone, Levels, Limits,
    OnDuplicate,
};
use crate::model::time::{Bound, DateExpr};
use crate::ontology::{EdgeType, Property, ValueKind};

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn feed() -> Feed {
    Feed {
        name: "vendors".to_owned(),
        path: "erp/feed.csv".to_owned(),
        format: Format::default(),
        query: None,
        limits: Limits::default(),
        only: BTreeMap::new(),
        access: Labels::new(),
        entity: None,
        edge: None,
        dates: FeedDates::default(),
        authority: Authority::Confirms,
        columns: Columns::Evolve,
        on_duplicate: OnDuplicate::Error,
        gone: Gone::Retract,
        levels: None,
        fresh_within: None,
    }
}

/// A feed of suppliers: `id` is the key, `name` the name.
fn suppliers() -> Feed {
    Feed {
        entity: Some(EntityMapping {
            entity_type: "Supplier".to_owned(),
            key: owned(&["id"]),
            names: vec![owned(&["name"])],
            many: BTreeMap::new(),
            properties: BTreeMap::new(),
            merged_into: None,
        }),
        ..feed()
    }
}

fn endpoint(types: &[&str], columns: &[&str]) -> Endpoint {
    Endpoint { types: owned(types), columns: owned(columns), many: None }
}

/// A source list: component, supplier, from, to.
fn source_list() -> Feed {
    Feed {
        format: Format { delimiter: b';', ..Format::default() },
        edge: Some(EdgeMapping {
            edge_type: "supplied_by".to_owned(),
            subject: endpoint(&["Component"], &["MATNR"]),
            object: endpoint(&["Supplier"], &["LIFNR"]),
            valid_from: Some("VDATU".to_owned()),
            valid_to: Some("BDATU".to_owned()),
            properties: BTreeMap::new(),
        }),
        dates: FeedDates {
            format: Some("%Y%m%d".to_owned()),
            ends_inclusive: true,
            open: owned(&["99991231", "00000000", ""]),
        },
        ..feed()
    }
}

fn ontology() -> Ontology {
    let property =
        |identity| Property { kind: ValueKind::Text, identity, conflict: false, access: Labels::new() };
    let edge = EdgeType {
        name: "supplied_by".to_owned(),
        subject: owned(&["Component"]),
        object: owned(&["Supplier"]),
        at_most_one: None,
        ends_object: false,
        inverse: None,
        symmetric: false,
        acyclic: false,
        properties: [("plant".to_owned(), property(true)), ("price".to_owned(), property(false))].into(),
        review_always: false,
        threshold: 0.8,
        access: Labels::new(),
    };
    Ontology {
        language: "en".to_owned(),
        entities: BTreeMap::new(),
        edges: [(edge.name.clone(), edge)].into(),
        rules: Vec::new(),
    }
}

fn read_bytes(feed: &Feed, bytes: &[u8], known: Option<&[String]>) -> FeedRead {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(&feed.path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
    read_below(root.path(), feed, known)
}

fn read_below(root: &Path, feed: &Feed, known: Option<&[String]>) -> FeedRead {
    let here = |asked: &Unpacking, bytes, _: &Limits| Ok(unpack(asked, bytes));
    read(Reach { root, connections: &Connections::default(), unpack: &here }, feed, &ontology(), known)
}

fn read_text(feed: &Feed, text: &str) -> FeedRead {
    read_bytes(feed, text.as_bytes(), None)
}

/// One line a row: `line key | cells in the order of the columns`; then the diagnostics.
fn show(read: &FeedRead) -> String {
    let mut lines = Vec::new();
    for row in &read.rows {
        let cells: Vec<String> = read
            .columns
            .iter()
            .filter_map(|column| row.cells.get(column))
            .map(|cell| format!("{cell:?}"))
            .collect();
        lines.push(format!("{} {} | {}", row.line, row.key, cells.join(" ")));
    }
    if !read.usable {
        lines.push("withheld".to_owned());
    }
    lines.extend(
        read.diagnostics
            .iter()
            .map(|at| format!("{}:{} {}[{}] {}", at.at.line, at.at.column, at.severity, at.code, at.message)),
    );
    lines.join("\n")
}

#[track_caller]
fn check(feed: &Feed, text: &str, expected: &str) {
    assert_eq!(show(&read_text(feed, text)), expected, "{text:?}");
}

#[test]
fn cells_stay_as_written() {
    check(
        &suppliers(),
        "id,name,city\n007, Acme ,NULL\n7,\"Acme, Inc.\",NaN\n1E5,true,\n0870,2024-01-01,x\n",
        "2 007 | \"007\" \" Acme \" \"NULL\"\n3 7 | \"7\" \"Acme, Inc.\" \"NaN\"\n\
         4 1E5 | \"1E5\" \"true\" \"\"\n5 0870 | \"0870\" \"2024-01-01\" \"x\"",
    );
}

/// Case 66: every key is itself, in the row and in the entity.
#[test]
fn case_66_keys_of_any_kind_are_kept_apart() {
    let keys = [
        "007", "7", "1E5", "0870", "a b", "(", "a/b", "a\\/b", "a,b", "|", "\"q\"", " 7", "7 ", "ключ", "É",
        "E\u{301}",
    ];
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["id", "name"]).unwrap();
    for key in keys {
        writer.write_record([key, "n"]).unwrap();
    }
    let read = read_bytes(&suppliers(), &writer.into_inner().unwrap(), None);
    assert!(read.usable && read.diagnostics.is_empty(), "{:?}", read.diagnostics);
    let found: Vec<String> =
        read.rows.iter().map(|row| meaning(&suppliers(), row).entities[0].entity.key().to_owned()).collect();
    assert_eq!(found, keys);
}

#[test]
fn case_66_compound_keys_do_not_collide() {
    let mut feed = suppliers();
    feed.entity.as_mut().unwrap().key = owned(&["id", "name"]);
    check(
        &feed,
        "id,name\na,bc\nab,c\na/b,c\na,b/c\na\\,b\na,\\b\n",
        "2 a/bc | \"a\" \"bc\"\n3 ab/c | \"ab\" \"c\"\n4 a\\/b/c | \"a/b\" \"c\"\n5 a/b\\/c | \"a\" \"b/c\"\n\
         6 a\\\\/b | \"a\\\\\" \"b\"\n7 a/\\\\b | \"a\" \"\\\\b\"",
    );
}

#[test]
fn t08_a_byte_order_mark_before_a_quoted_header() {
    let expected = "2 1 | \"1\" \"x\"";
    assert_eq!(show(&read_bytes(&suppliers(), b"\xef\xbb\xbf\"id\",name\n1,x\n", None)), expected);
    assert_eq!(show(&read_bytes(&suppliers(), b"\xef\xbb\xbf\xef\xbb\xbfid,name\n1,x\n", None)), expected);
    let utf16: Vec<u8> =
        "\u{feff}id,name\r\n1,x\r\n".encode_utf16().flat_map(|unit| unit.to_le_bytes()).collect();
    assert_eq!(show(&read_bytes(&suppliers(), &utf16, None)), expected);
}

#[test]
fn t09_line_ends_inside_and_outside_of_quotes() {
    let expected = "2 1 | \"1\" \"line1\\nline2\"\n4 2 | \"2\" \"a\\rb\"";
    check(&suppliers(), "id,name\n1,\"line1\nline2\"\n2,\"a\rb\"\n", expected);
    check(&suppliers(), "id,name\r\n1,\"line1\r\nline2\"\r\n2,\"a\rb\"\r\n", expected);
    check(&suppliers(), "id,name\r\r\n1,\"line1\nline2\"\r\r\n2,a\rb", expected);
    check(&suppliers(), "id,name\r1,x\r2,y", "2 1 | \"1\" \"x\"\n3 2 | \"2\" \"y\"");
}

#[test]
fn blank_lines_and_rows_of_delimiters_are_no_rows() {
    let read = read_text(&suppliers(), "\n\nid,name\n\n1,x\n,\n\n\n2,\"y\n\nz\"\n\n,,,,\n3,w\n\n");
    assert_eq!(show(&read), "5 1 | \"1\" \"x\"\n9 2 | \"2\" \"y\\n\\nz\"\n14 3 | \"3\" \"w\"");
    assert_eq!(read.total, 3);
}

#[test]
fn quotes_inside_of_unquoted_cells_are_text() {
    check(
        &suppliers(),
        "id,name\n1,Pipe 5\"\n2,\"Pipe 5\"\"\"\n3,5\" and 6\"\n4, \"x\"\n5,\"\"\n",
        "2 1 | \"1\" \"Pipe 5\\\"\"\n3 2 | \"2\" \"Pipe 5\\\"\"\n4 3 | \"3\" \"5\\\" and 6\\\"\"\n\
         5 4 | \"4\" \" \\\"x\\\"\"\n6 5 | \"5\" \"\"",
    );
}

/// A fault names the physical line and column, also behind a quoted line end.
#[test]
fn faults_of_shape_withhold_the_feed_and_name_their_place() {
    check(
        &suppliers(),
        "id,name\n1,\"a\nb\"\n2,x,y\n3\n",
        "withheld\n4:5 error[feed-row-ragged] the row has 3 cells, the header 2\n\
         5:2 error[feed-row-ragged] the row has 1 cells, the header 2",
    );
    check(
        &suppliers(),
        "id,name\n1,\"a\nb\",z\n",
        "withheld\n3:4 error[feed-row-ragged] the row has 3 cells, the header 2",
    );
    check(
        &suppliers(),
        "id,name\n1,\"a\n\"\n2,\"Müller\" x\n",
        "withheld\n4:11 error[feed-quotes] text follows the closing quote of the cell",
    );
    check(
        &suppliers(),
        "id,name\n1,x\n2,\"y\n3,z\n",
        "withheld\n3:3 error[feed-quotes] the cell that begins here has no closing quote",
    );
}

#[test]
fn a_diagnostic_shows_the_line() {
    let read = read_text(&suppliers(), "id,name\n1,x,y\n");
    assert_eq!(
        read.diagnostics[0].to_string(),
        "erp/feed.csv:2:5: error[feed-row-ragged]: the row has 3 cells, the header 2\n 2 | 1,x,y\n   |     ^\n  \
         hint: quote cells that contain the delimiter; a last row cut short is a broken transfer"
    );
}

#[test]
fn tabs_semicolons_other_quotes_and_lines_around_the_table() {
    let with = |format: Format| Feed { format, ..suppliers() };
    let expected = "2 1 | \"1\" \"x\"";
    check(&with(Format { delimiter: b'\t', ..Format::default() }), "id\tname\n1\tx\n", expected);
    check(&with(Format { quote: b'\'', ..Format::default() }), "id,name\n'1',x\n", expected);
    let sap = Format { delimiter: b';', skip_lines: 2, skip_footer: 1, ..Format::default() };
    check(
        &with(sap.clone()),
        "Vendors; \"list\n\nid;name\r\n1;\"a\r\nb\"\r\n2;c\r\n2 lines\r\n",
        "4 1 | \"1\" \"a\\nb\"\n6 2 | \"2\" \"c\"",
    );
    check(
        &with(sap.clone()),
        "Vendors\n\nid;name\n1;x\n2;y\n",
        "4 1 | \"1\" \"x\"\n\
         4:0 warning[feed-footer-row] `skip_footer` left out a line that looks like a row: `2;y`",
    );
    check(&with(sap.clone()), "Vendors\n\nid;name\n1;x\nTOTAL;\n", "4 1 | \"1\" \"x\"");
    check(&with(sap), "Vendors\n\n2 lines", "withheld\n0:0 error[feed-empty] the file has no header");
    let same = Format { delimiter: b'"', ..Format::default() };
    assert!(show(&read_text(&with(same), "a")).contains("feed-unreadable"));
    let high = Format { delimiter: 0xc3, ..Format::default() };
    assert!(show(&read_text(&with(high), "é")).contains("feed-unreadable"));
}

#[test]
fn encodings_declared_and_guessed() {
    let declared = |name: &str| Feed {
        format: Format { encoding: Some(name.to_owned()), ..Format::default() },
        ..suppliers()
    };
    let latin = "id,name\n1,M\u{fc}ller GmbH, K\u{f6}ln"
        .replace("GmbH,", "GmbH")
        .chars()
        .map(|letter| u8::try_from(u32::from(letter)).unwrap())
        .collect::<Vec<u8>>();
    let row = "2 1 | \"1\" \"Müller GmbH Köln\"";
    assert_eq!(show(&read_bytes(&declared("windows-1252"), &latin, None)), row);
    assert_eq!(
        show(&read_bytes(&suppliers(), &latin, None)),
        format!("{row}\n0:0 note[feed-encoding-guessed] read as windows-1252, which was guessed")
    );
    assert_eq!(
        show(&read_bytes(&declared("utf-8"), &latin, None)),
        "withheld\n2:4 error[feed-encoding] the bytes here are not UTF-8"
    );
    assert_eq!(
        show(&read_bytes(&declared("ebcdic"), b"id,name\n", None)),
        "withheld\n0:0 error[feed-encoding] `ebcdic` is not the name of an encoding"
    );
}

#[test]
fn a_feed_that_is_not_there_or_empty_is_withheld() {
    let root = tempfile::tempdir().unwrap();
    let missing = read_below(root.path(), &suppliers(), None);
    assert_eq!(show(&missing), "withheld\n0:0 error[feed-unreadable] `erp/feed.csv` does not exist");
    std::fs::create_dir_all(root.path().join("erp/feed.csv")).unwrap();
    let folder = read_below(root.path(), &suppliers(), None);
    assert_eq!(show(&folder), "withheld\n0:0 error[feed-unreadable] `erp/feed.csv` is not a regular file");
    for text in ["", "\n\n", "\u{feff}"] {
        check(&suppliers(), text, "withheld\n0:0 error[feed-empty] the file has no header");
    }
    let bare = read_text(&suppliers(), "id,name\n");
    assert!(bare.usable && bare.rows.is_empty() && shrunk(1, bare.rows.len()));
}

/// Case 69, T11: a column renamed overnight.
#[test]
fn case_69_a_renamed_column_is_a_contract_error() {
    let mut feed = suppliers();
    feed.entity.as_mut().unwrap().key = owned(&["supplier_id"]);
    let read = read_text(&feed, "supplierId,name\n1,x\n");
    assert_eq!(show(&read), "withheld\n1:1 error[feed-column-missing] there is no column `supplier_id`");
    assert_eq!(
        read.diagnostics[0].hint.as_deref(),
        Some("`supplierId` looks like it; if it was renamed, rename it in the job")
    );
    let read = read_text(&feed, "supplier_id;name\n1;x\n");
    assert_eq!(read.diagnostics[0].hint.as_deref(), Some("the header is one cell; is the delimiter `;`?"));
}

#[test]
fn a_header_of_one_cell_hints_at_the_delimiter() {
    let mut feed = source_list();
    feed.format.delimiter = b',';
    let read = read_text(&feed, "MATNR;LIFNR;VDATU;BDATU\n");
    assert_eq!(read.diagnostics.len(), 4);
    assert_eq!(read.diagnostics[0].hint.as_deref(), Some("the header is one cell; is the delimiter `;`?"));
}

#[test]
fn columns_with_one_name_or_none() {
    let read = read_text(&suppliers(), "id,name,,note,note\n1,x,a,b,c\n");
    assert_eq!(read.columns, ["id", "name", "column 3", "note", "note (2)"]);
    assert_eq!(show(&read), "2 1 | \"1\" \"x\" \"a\" \"b\" \"c\"");
    let read = read_text(&suppliers(), "id,name,x,x (2),x,x\n1,n,,,,\n");
    assert_eq!(read.columns, ["id", "name", "x", "x (2)", "x (3)", "x (4)"]);
    check(
        &suppliers(),
        "id,name,id\n1,x,2\n",
        "withheld\n1:9 error[feed-column-duplicate] there are two columns `id`",
    );
}

#[test]
fn contracts() {
    let with = |columns| Feed { columns, ..suppliers() };
    let known = owned(&["id", "name", "city"]);
    let text = b"name,id,zip,fax\nx,1,,\ny,2,99,\n";
    let shown = |columns| show(&read_bytes(&with(columns), text, Some(&known)));
    let change = "the columns changed; new: `fax`, `zip`; gone: `city`";
    let rows = "2 1 | \"x\" \"1\" \"\" \"\"\n3 2 | \"y\" \"2\" \"99\" \"\"";
    assert_eq!(shown(Columns::Evolve), format!("{rows}\n1:1 note[feed-columns-changed] {change}"));
    assert_eq!(shown(Columns::Freeze), format!("withheld\n1:1 error[feed-columns-changed] {change}"));
    assert_eq!(
        shown(Columns::DiscardValue),
        format!("2 1 | \"x\" \"1\"\n3 2 | \"y\" \"2\"\n1:1 note[feed-columns-changed] {change}")
    );
    assert_eq!(
        shown(Columns::DiscardRow),
        format!(
            "2 1 | \"x\" \"1\" \"\" \"\"\n1:1 note[feed-columns-changed] {change}\n3:0 warning[feed-row-discarded] \
             the row has a value in a column that the mapping does not know"
        )
    );
    let reordered = read_bytes(&with(Columns::Freeze), b"city,name,id\nc,x,1\n", Some(&known));
    assert!(reordered.usable && reordered.diagnostics.is_empty());
    assert!(read_bytes(&with(Columns::Freeze), text, None).usable, "there is nothing to compare with");
}

/// Case 68, T12.
#[test]
fn case_68_a_key_with_two_meanings_withholds_the_feed() {
    check(
        &suppliers(),
        "id,name\n1,a\n2,x\n1,b\n1,c\n1,a\n",
        "withheld\n4:0 error[feed-duplicate-key] the key `1` stands on line 2 with another `name`\n\
         5:0 error[feed-duplicate-key] the key `1` stands on line 2 with another `name`\n\
         6:0 note[feed-row-repeated] the row says the same as line 2; it counts once",
    );
    let last = Feed { on_duplicate: OnDuplicate::Last, ..suppliers() };
    check(
        &last,
        "id,name\n1,a\n2,x\n1,b\n",
        "3 2 | \"2\" \"x\"\n4 1 | \"1\" \"b\"\n\
         4:0 note[feed-duplicate-key] the key `1` stands on line 2 too; the later row counts",
    );
}

#[test]
fn an_edge_may_hold_in_several_periods_and_plants() {
    let read = read_text(
        &source_list(),
        "MATNR;WERKS;LIFNR;VDATU;BDATU\nC;1;S;20200101;20211231\nC;1;S;20240101;\nC;2;S;20240101;\n",
    );
    assert_eq!(
        show(&read),
        "2 C/S/20200101 | \"C\" \"1\" \"S\" \"20200101\" \"20211231\"\n3 C/S/20240101 | \"C\" \"1\" \"S\" \"20240101\" \"\"\n\
         4:0 note[feed-row-repeated] the row says the same as line 3; it counts once"
    );
    let mut feed = source_list();
    let edge = feed.edge.as_mut().unwrap();
    edge.properties = [("plant".to_owned(), "WERKS".to_owned())].into();
    let read = read_text(&feed, "MATNR;WERKS;LIFNR;VDATU;BDATU\nC;1;S;20240101;\nC;2;S;20240101;\n");
    assert_eq!(
        show(&read),
        "2 C/S/1/20240101 | \"C\" \"1\" \"S\" \"20240101\" \"\"\n3 C/S/2/20240101 | \"C\" \"2\" \"S\" \"20240101\" \"\"",
        "an identity property tells rows apart"
    );
    let edge = feed.edge.as_mut().unwrap();
    edge.properties = [("price".to_owned(), "WERKS".to_owned())].into();
    let read = read_text(&feed, "MATNR;WERKS;LIFNR;VDATU;BDATU\nC;1;S;20240101;\nC;2;S;20240101;\n");
    assert!(!read.usable, "another property does not");
}

#[test]
fn only_selects_and_the_rest_is_counted() {
    let mut feed = suppliers();
    feed.only =
        [("del".to_owned(), owned(&[""])), ("state".to_owned(), owned(&["active", "on hold"]))].into();
    let read = read_text(
        &feed,
        "id,name,del,state\n1,a,,active\n2,b,X,active\n3,c,,on hold\n4,d,,Active\n5,e,, active\n",
    );
    assert_eq!(show(&read), "2 1 | \"1\" \"a\" \"\" \"active\"\n4 3 | \"3\" \"c\" \"\" \"on hold\"");
    assert_eq!((read.total, read.not_selected), (5, 3));
}

#[test]
fn an_empty_key_leaves_the_row_out() {
    check(
        &suppliers(),
        "id,name\n,a\n \t,b\n3,c\n",
        "4 3 | \"3\" \"c\"\n2:1 warning[feed-key-empty] the key column `id` is empty; the row was left out\n\
         3:1 warning[feed-key-empty] the key column `id` is empty; the row was left out",
    );
    check(
        &source_list(),
        "MATNR;LIFNR;VDATU;BDATU\nC;;20240101;\n",
        "2:3 warning[feed-key-empty] the key column `LIFNR` is empty; the row was left out",
    );
}

/// Case 57: half is the limit, whatever the size.
#[test]
fn case_57_a_feed_below_half_has_shrunk() {
    for (before, now, expected) in [
        (27, 1, true),
        (27, 0, true),
        (1, 0, true),
        (27, 13, true),
        (27, 14, false),
        (2, 1, false),
        (0, 0, false),
        (1, 9, false),
    ] {
        assert_eq!(shrunk(before, now), expected, "{before} → {now}");
    }
    assert!(!shrunk(5, usize::MAX));
}

/// Cases 56 and 58: a snapshot is only its rows; equal rows have equal keys on every night.
#[test]
fn cases_56_and_58_rows_are_told_by_their_keys() {
    let keys =
        |text: &str| read_text(&suppliers(), text).rows.into_iter().map(|row| row.key).collect::<Vec<_>>();
    assert_eq!(keys("id,name\n1,a\n2,b\n"), ["1", "2"]);
    assert_eq!(keys("id,name\n2,b\n"), ["2"]);
    assert_eq!(keys("id,name\n2,b\n\n1,a\n"), ["2", "1"]);
}

#[test]
fn many_faults_are_counted_and_not_all_shown() {
    let text = format!("id,name\n{}", "1\n".repeat(500));
    let read = read_text(&suppliers(), &text);
    assert_eq!(read.diagnostics.len(), 11);
    assert_eq!(read.diagnostics[10].message, "490 more of the same");
}

fn bom() -> Feed {
    Feed {
        levels: Some(Levels { column: "Level".to_owned(), item: "Item".to_owned() }),
        edge: Some(EdgeMapping {
            edge_type: "uses".to_owned(),
            subject: endpoint(&["Sku", "Component"], &["parent"]),
            object: endpoint(&["Component"], &["Item"]),
            valid_from: None,
            valid_to: None,
            properties: [("quantity".to_owned(), "Qty".to_owned())].into(),
        }),
        ..feed()
    }
}

/// `subject -type-> object [from, to) {properties} "quote"`, a line each.
fn readings(feed: &Feed, text: &str) -> String {
    let read = read_text(feed, text);
    assert!(read.usable, "{}", show(&read));
    let mut lines = Vec::new();
    for row in &read.rows {
        let said = meaning(feed, row);
        for reading in said.readings {
            let side = |slot: &crate::model::assertion::Slot| {
                slot.candidates.iter().map(ToString::to_string).collect::<Vec<_>>().join("|")
            };
            lines.push(format!(
                "{} -{}-> {} [{}, {}) {:?} {:?}",
                side(&reading.subject),
                reading.edge_type,
                side(&reading.object),
                bound(reading.valid_from.as_ref()),
                bound(reading.valid_to.as_ref()),
                reading.properties,
                reading.evidence.quote,
            ));
        }
        lines.extend(said.diagnostics.iter().map(|at| {
            format!("{}:{} {}[{}] {}", at.at.line, at.at.column, at.severity, at.code, at.message)
        }));
    }
    lines.join("\n")
}

fn bound(bound: Option<&Bound>) -> String {
    match bound {
        None => "-".to_owned(),
        Some(Bound { date: DateExpr::Stated(date), inclusive }) => {
            format!("{}{}", date.first, if *inclusive { " inclusive" } else { "" })
        }
        Some(Bound { date, .. }) => format!("{date:?}"),
    }
}

#[test]
fn an_indented_bill_of_material_has_parents() {
    assert_eq!(
        readings(&bom(), "Level,Item,Qty\n1,A,\n..2,B,2\n..3,C,4\n..3,D,1\n  2,E,3\n1,F,\n3,G,9\n"),
        "Sku:A|Component:A -uses-> Component:B [-, -) {\"quantity\": \"2\"} \"parent=A; Item=B; Qty=2\"\n\
         Sku:B|Component:B -uses-> Component:C [-, -) {\"quantity\": \"4\"} \"parent=B; Item=C; Qty=4\"\n\
         Sku:B|Component:B -uses-> Component:D [-, -) {\"quantity\": \"1\"} \"parent=B; Item=D; Qty=1\"\n\
         Sku:A|Component:A -uses-> Component:E [-, -) {\"quantity\": \"3\"} \"parent=A; Item=E; Qty=3\"\n\
         Sku:F|Component:F -uses-> Component:G [-, -) {\"quantity\": \"9\"} \"parent=F; Item=G; Qty=9\""
    );
}

#[test]
fn a_bill_of_material_keeps_its_structure_when_rows_are_not_selected() {
    let mut feed = bom();
    feed.only = [("Qty".to_owned(), owned(&["4"]))].into();
    let read = read_text(&feed, "Level,Item,Qty\n1,A,\n2,B,2\n3,C,4\n");
    assert_eq!(read.rows[0].cells.get("parent"), Some("B"));
    assert_eq!(read.columns, ["Level", "Item", "Qty"]);
    check(
        &bom(),
        "Level,Item,Qty\n1,A,\ntwo,B,2\n",
        "withheld\n3:1 error[feed-level-invalid] `two` is not a level; it and the rows below it have no parent",
    );
    check(
        &bom(),
        "Level,Item,Qty,parent\n1,A,,x\n",
        "withheld\n1:1 error[feed-column-duplicate] the file has a column `parent`, and `levels` makes one",
    );
}

#[test]
fn dates_become_bounds() {
    assert_eq!(
        readings(
            &source_list(),
            "MATNR;LIFNR;VDATU;BDATU\nC1;S;20210301;20240216\nC2;S;20240217;99991231\nC3;S;00000000;\n"
        ),
        "Component:C1 -supplied_by-> Supplier:S [2021-03-01 inclusive, 2024-02-16 inclusive) {} \
         \"MATNR=C1; LIFNR=S; VDATU=20210301; BDATU=20240216\"\n\
         Component:C2 -supplied_by-> Supplier:S [2024-02-17 inclusive, -) {} \
         \"MATNR=C2; LIFNR=S; VDATU=20240217; BDATU=99991231\"\n\
         Component:C3 -supplied_by-> Supplier:S [-, -) {} \"MATNR=C3; LIFNR=S; VDATU=00000000; BDATU=\""
    );
    let mut feed = source_list();
    feed.dates = FeedDates::default();
    assert_eq!(
        readings(&feed, "MATNR;LIFNR;VDATU;BDATU\nC1;S;2021;2024-02\n"),
        "Component:C1 -supplied_by-> Supplier:S [2021-01-01 inclusive, 2024-02-01) {} \
         \"MATNR=C1; LIFNR=S; VDATU=2021; BDATU=2024-02\"",
        "an end that is not inclusive"
    );
}

#[test]
fn a_date_that_is_none_goes_on_as_such_and_names_its_place() {
    assert_eq!(
        readings(
            &source_list(),
            "MATNR;T;LIFNR;VDATU;BDATU\nC0;\"two\nlines\";S;20240101;\nC1;\"a\n\nb\";S;\"20240231\";soon\n"
        )
        .lines()
        .skip(1)
        .collect::<Vec<_>>()
        .join("\n"),
        "Component:C1 -supplied_by-> Supplier:S [Invalid { text: \"20240231\" }, Invalid { text: \"soon\" }) {} \
         \"MATNR=C1; LIFNR=S; VDATU=20240231; BDATU=soon\"\n\
         6:6 warning[feed-date-invalid] there is no such day as `20240231`, in the column `VDATU`\n\
         6:17 warning[feed-date-invalid] `soon` is not a date of the form `%Y%m%d`, in the column `BDATU`"
    );
}

#[test]
fn a_row_without_places_still_names_its_line() {
    let read = read_text(&source_list(), "MATNR;LIFNR;VDATU;BDATU\nC1;S;soon;\n");
    let stored = serde_json::to_string(&read.rows[0]).unwrap();
    assert!(!stored.contains("dates_at"));
    let row: Row = serde_json::from_str(&stored).unwrap();
    assert_eq!(meaning(&source_list(), &row).diagnostics[0].at, Place::at("erp/feed.csv", 2, 0));
}

#[test]
fn many_values_in_one_cell_give_several_readings() {
    let mut feed = source_list();
    let edge = feed.edge.as_mut().unwrap();
    edge.object.many = Some(",".to_owned());
    edge.subject = Endpoint { many: Some("|".to_owned()), ..endpoint(&["Part"], &["MATNR", "T"]) };
    let text = "MATNR;T;LIFNR;VDATU;BDATU\nC;a|b;S1, S2,,S1;;\nC;c; , ;;\n";
    let shown = readings(&feed, text);
    let pairs: Vec<&str> = shown.lines().map(|line| line.split(" [").next().unwrap()).collect();
    assert_eq!(
        pairs,
        [
            "Part:C/a -supplied_by-> Supplier:S1",
            "Part:C/a -supplied_by-> Supplier:S2",
            "Part:C/b -supplied_by-> Supplier:S1",
            "Part:C/b -supplied_by-> Supplier:S2",
        ]
    );
    let cell = (0..200).map(|number| number.to_string()).collect::<Vec<_>>();
    let text = format!("MATNR;T;LIFNR;VDATU;BDATU\nC;{};{};;\n", cell.join("|"), cell.join(","));
    assert_eq!(
        show(&read_text(&feed, &text)),
        "withheld\n2:0 error[feed-too-many-pairs] the row says more than 10000 edges at once"
    );
}

#[test]
fn a_row_claims_an_entity_with_its_names() {
    let mut feed = suppliers();
    let entity = feed.entity.as_mut().unwrap();
    entity.names = vec![owned(&["n1", "n2"]), owned(&["short"]), owned(&["alias"])];
    entity.many = [("alias".to_owned(), ";".to_owned())].into();
    entity.properties = [("city".to_owned(), "city".to_owned()), ("fax".to_owned(), "fax".to_owned())].into();
    entity.merged_into = Some("merged".to_owned());
    let text = "id,n1,n2,short,alias,city,fax,merged\n\
                1,Tech,Chip Inc,TechChip,TC; T-C ;;TechChip,Austin,,\n\
                2,Solo,,,, Köln ,,1\n3,,,,,,,3\n";
    let read = read_text(&feed, text);
    let claims: Vec<String> = read
        .rows
        .iter()
        .flat_map(|row| meaning(&feed, row).entities)
        .map(|claim| {
            format!("{:?} {:?} {:?} {:?}", claim.entity, claim.names, claim.properties, claim.merged_into)
        })
        .collect();
    assert_eq!(
        claims,
        [
            "Supplier:1 [\"Tech Chip Inc\", \"TechChip\", \"TC\", \"T-C\"] {\"city\": \"Austin\"} None",
            "Supplier:2 [\"Solo\"] {\"city\": \" Köln \"} Some(Supplier:1)",
            "Supplier:3 [] {} None",
        ]
    );
}

/// A row may make an entity and an edge; a missing reference is no edge and no fault.
#[test]
fn an_entity_row_without_its_reference_makes_no_edge() {
    let mut feed = suppliers();
    feed.edge = Some(EdgeMapping {
        edge_type: "part_of".to_owned(),
        subject: endpoint(&["Supplier"], &["id"]),
        object: endpoint(&["Group"], &["group"]),
        valid_from: None,
        valid_to: None,
        properties: BTreeMap::new(),
    });
    let read = read_text(&feed, "id,name,group\n1,a,G\n2,b,\n");
    assert!(read.diagnostics.is_empty());
    let said: Vec<(usize, usize)> = read
        .rows
        .iter()
        .map(|row| meaning(&feed, row))
        .map(|said| (said.entities.len(), said.readings.len()))
        .collect();
    assert_eq!(said, [(1, 1), (1, 0)]);
}

/// Nothing panics, nothing hangs, and a feed that is used has a row for each of its records.
#[test]
fn hostile_bytes_never_panic() {
    let alphabet: [&[u8]; 16] = [
        b"\"",
        b",",
        b"\n",
        b"\r",
        b"\r\n",
        b"a",
        b"\0",
        b"\xff",
        b"\xc3",
        "é".as_bytes(),
        b"\"\"",
        b";",
        b"\xef\xbb\xbf",
        b"id,name\n",
        b" ",
        b"1",
    ];
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for round in 0..200 {
        let mut bytes = if round % 4 != 0 { b"id,name\n".to_vec() } else { Vec::new() };
        for _ in 0..round % 60 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes.extend_from_slice(alphabet[(state % 16) as usize]);
        }
        let read = read_bytes(&suppliers(), &bytes, None);
        assert!(
            !read.diagnostics.iter().any(|at| at.code == "feed-readers-disagree"),
            "{bytes:?}: {}",
            show(&read)
        );
        for row in &read.rows {
            meaning(&suppliers(), row);
        }
    }
    let wide = format!("id,name{}\n1,x{}\n", ",c".repeat(5000), ",".repeat(5000));
    assert_eq!(read_text(&suppliers(), &wide).rows.len(), 1);
    let long = format!("id,name\n1,\"{}\"\n", "\n\"\"".repeat(100_000));
    assert_eq!(read_text(&suppliers(), &long).rows.len(), 1);
}
