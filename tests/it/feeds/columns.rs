//! JSON lines and Parquet as feeds, and the graph as Parquet.

use std::sync::Arc;

use parquet::basic::{Compression, GzipLevel, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::{complaints, entities, input, read_here, says_the_three, suppliers};

#[test]
fn lines_of_json_say_what_the_same_table_says() {
    let world = suppliers("path: v.jsonl");
    world.put(
        r#"
//- v.jsonl
{"id": "007", "name": "Acme", "city": "Berlin", "part": ["C1", "C2"], "since": "2024-02-17", "extra": {"a": {"b": 1}}}

{"name": "\u00dcber GmbH", "id": "S2", "city": null, "part": ["C2", null], "since": "2023-01-01"}
{"id": "S3", "name": "Castings", "city": 12.5, "extra": {"a": {"b": 1.0}, "list": [{"x": 1}]}}
"#,
    );
    says_the_three(&world);
    let listed = world.cmd("feeds --output json").expect_code(0).json();
    let columns: Vec<&str> =
        listed["feeds"][1]["columns"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(columns, ["id", "name", "city", "part", "since", "extra.a.b", "extra.list"]);
}

#[test]
fn each_bad_line_is_named_and_withholds_the_feed() {
    let world = suppliers("path: v.jsonl");
    world.put(
        r#"
//- v.jsonl
{"id": "S1", "name": "A", "city": "", "part": "", "since": ""}
{"id": "S2", "name": "B"
[1, 2]
{"id": "S3", "id": "S4"}
{"id": "S5", "part": ["C1;C2"]}
{"id": "S6"} x
"#,
    );
    let report = world.run_code(4);
    assert_eq!(
        complaints(&report),
        [
            "v.jsonl:2:24 feed-line-invalid EOF while parsing an object",
            "v.jsonl:3:0 feed-line-invalid invalid type: sequence, expected an object",
            "v.jsonl:4:0 feed-line-invalid the column `id` has two values",
            "v.jsonl:5:0 feed-line-invalid `C1;C2` in the list `part` contains the separator `;`",
            "v.jsonl:6:14 feed-line-invalid trailing characters",
        ]
    );
    world.write("v.jsonl", b"{\"id\": \"S1\"}\n{\"id\": \"\xff\"}\n");
    assert_eq!(
        complaints(&world.run_code(4)),
        ["v.jsonl:2:9 feed-encoding the bytes here are not UTF-8, and JSON is written in nothing else"]
    );
    world.write("v.jsonl", "{\"a\":".repeat(100).as_bytes());
    assert!(complaints(&world.run_code(4))[0].contains("feed-line-invalid"));
}

#[test]
fn a_file_without_lines_is_a_table_without_rows_which_the_guard_judges() {
    let world = suppliers("path: v.jsonl");
    world.put("//- v.jsonl\n{\"id\":\"S1\",\"name\":\"A\",\"city\":\"\",\"part\":\"\",\"since\":\"\"}\n");
    assert_eq!(input(&world.run()), "read +1 ~0 -0");
    world.write("v.jsonl", b"");
    let report = world.run_code(4);
    assert_eq!((input(&report).as_str(), complaints(&report).len()), ("withheld +0 ~0 -0", 1));
    world.cmd("accept feed vendors --reason 'nobody is left'").expect_code(0);
    assert_eq!(input(&world.run()), "read +0 ~0 -1");
}

/// The three rows as a Parquet file.
fn three(compression: Compression) -> Vec<u8> {
    let schema = "message rows {
        required binary id (UTF8); optional binary name (UTF8); optional binary city (UTF8); optional binary part (UTF8);
        optional int32 since (DATE); optional int64 at (TIMESTAMP(MICROS,true)); optional int64 fine (TIMESTAMP(NANOS,false));
        optional int32 price (DECIMAL(9,2)); optional boolean ok; optional double rate; }";
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let bytes = |texts: &[&str]| texts.iter().map(|text| ByteArray::from(*text)).collect::<Vec<_>>();
    macro_rules! column {
        ($kind:ty, $values:expr, $there:expr) => {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<$kind>().write_batch($values, $there, None).unwrap();
            column.close().unwrap();
        };
    }
    column!(ByteArrayType, &bytes(&["007", "S2", "S3"]), None);
    column!(ByteArrayType, &bytes(&["Acme", "Über GmbH", "Castings"]), Some(&[1, 1, 1]));
    column!(ByteArrayType, &bytes(&["Berlin", "12.5"]), Some(&[1, 0, 1]));
    column!(ByteArrayType, &bytes(&["C1;C2", "C2"]), Some(&[1, 1, 0]));
    column!(Int32Type, &[19_770, 19_358], Some(&[1, 1, 0]));
    column!(Int64Type, &[1_708_158_600_000_000, 1_708_128_000_000_000], Some(&[1, 1, 0]));
    column!(Int64Type, &[1_708_158_600_000_000_001], Some(&[1, 0, 0]));
    column!(Int32Type, &[1250, -5], Some(&[1, 1, 0]));
    column!(BoolType, &[true, false], Some(&[1, 1, 0]));
    column!(DoubleType, &[0.5, 3.0], Some(&[1, 1, 0]));
    group.close().unwrap();
    writer.into_inner().unwrap()
}

/// Who supplies what since when, for the example.
pub(super) fn supplies() -> Vec<u8> {
    let schema = "message rows { required binary vendor (UTF8); required binary part (UTF8); optional int32 since (DATE); }";
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for texts in [["S1", "S2"], ["P1", "P2"]] {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&texts.map(ByteArray::from), None, None).unwrap();
        column.close().unwrap();
    }
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[19_770], Some(&[1, 0]), None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.into_inner().unwrap()
}

#[test]
fn a_parquet_file_says_what_the_same_table_says_however_it_is_packed() {
    let packings = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
    ];
    for compression in packings {
        let world = suppliers("path: v.parquet");
        world.write("v.parquet", &three(compression));
        says_the_three(&world);
    }
}

#[test]
fn typed_values_of_parquet_are_the_texts_that_a_person_would_write() {
    let world = suppliers("path: v.parquet");
    let job = std::fs::read_to_string(world.path("jobs/j.yaml")).unwrap();
    let mapped = "properties: { at: at, fine: fine, ok: ok, price: price, rate: rate } }";
    world.write("jobs/j.yaml", job.replace("properties: { city: city } }", mapped).as_bytes());
    world.write("v.parquet", &three(Compression::SNAPPY));
    world.run();
    assert_eq!(
        entities(&world, "Supplier"),
        [
            "007 Acme at=2024-02-17T08:30:00 fine=2024-02-17T08:30:00.000000001 ok=true price=12.50 rate=0.5",
            "S2 Über GmbH at=2024-02-17 ok=false price=-0.05 rate=3",
            "S3 Castings",
        ]
    );
}

#[test]
fn nested_columns_and_damaged_files_of_parquet_are_complaints() {
    let world = suppliers("path: v.parquet");
    let schema = "message rows { required binary id (UTF8); required group of { required int32 x; } repeated int32 many; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    world.write("v.parquet", &writer.into_inner().unwrap());
    assert_eq!(
        complaints(&world.run_code(4)),
        [
            "v.parquet:0:0 feed-column-nested the column `many` is nested: it holds lists or objects",
            "v.parquet:0:0 feed-column-nested the column `of` is nested: it holds lists or objects",
        ]
    );
    let whole = three(Compression::UNCOMPRESSED);
    let what: [(&[u8], &str); 3] = [
        (b"id,name\n", "it is text"),
        (b"%PDF-1.7", "it is a PDF"),
        (&whole[..whole.len() - 4], "its end is missing, as of a file that was cut off on its way"),
    ];
    for (bytes, why) in what {
        world.write("v.parquet", bytes);
        let expected = format!("v.parquet:0:0 feed-unreadable the Parquet file cannot be read: {why}");
        assert_eq!(complaints(&world.run_code(4)), [expected]);
    }
    let loaded = edgewright::config::load(world.root());
    let feed = &loaded.jobs[0].feeds["vendors"];
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut changed = whole.clone();
        changed[at] ^= 0x2a;
        for bytes in [&changed[..], &whole[..at]] {
            world.write("v.parquet", bytes);
            let read = read_here(&world, feed, &loaded.ontologies["o"]);
            assert!(read.usable || !read.diagnostics.is_empty());
        }
    }
}

#[test]
fn a_key_of_each_line_is_no_column() {
    let world = suppliers("path: v.jsonl");
    let lines: String = (0..5_000)
        .map(|at| format!("{{\"id\":\"S{at}\",\"name\":\"N\",\"more\":{{\"k{at}\":1}}}}\n"))
        .collect();
    world.write("v.jsonl", lines.as_bytes());
    let said = world.cmd("run").expect_code(4).stdout;
    assert!(said.contains("there are more than 4096 columns, the last of them `more.k4094`"), "{said}");
}

/// What is exported as Parquet is what is exported as CSV, and can be read as a feed.
#[test]
fn the_graph_goes_out_as_parquet_and_comes_in_again() {
    let world = suppliers("path: v.parquet");
    world.write("v.parquet", &three(Compression::SNAPPY));
    world.run();
    let out = |format: &str| {
        let said = world.cmd(&format!("export --format {format} --out {format} --output json"));
        let files = said.expect_code(0).json()["files"].clone();
        files.to_string().replace(&format!(".{format}"), "")
    };
    assert_eq!(out("csv"), out("parquet"));
    let bytes = std::fs::read(world.path("parquet/edges.parquet")).unwrap();
    out("parquet");
    assert_eq!(
        std::fs::read(world.path("parquet/edges.parquet")).unwrap(),
        bytes,
        "equal states give equal bytes"
    );

    let feed = "path: edges.parquet\n    where: { edge_type: supplies, end_unknown: \"false\" }";
    let again = suppliers(feed);
    let job = std::fs::read_to_string(again.path("jobs/j.yaml")).unwrap();
    let job = job.replace("key: id, names: name, properties: { city: city }", "key: id, names: subject");
    let job = job.replace(
        "subject: id, object: { column: part, many: \";\" }, valid_from: since",
        "subject: id, object: object, valid_from: valid_from",
    );
    again.write("jobs/j.yaml", job.as_bytes());
    again.put("//- components.csv\nid,name\nComponent:C1,Bolt\nComponent:C2,Door Seal\n");
    again.write("edges.parquet", &bytes);
    assert_eq!(input(&again.run()), "read +3 ~0 -0");
    let mut starts: Vec<String> =
        again.graph().lines().map(|line| line.split('[').nth(1).unwrap().to_owned()).collect();
    starts.sort();
    assert_eq!(starts, ["2023-01-01, ∞) ×1", "2024-02-17, ∞) ×1", "2024-02-17, ∞) ×1"]);
}
