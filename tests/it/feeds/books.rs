//! Workbooks as feeds. Their bytes are made here: archives of XML, and the records of the oldest format.

use std::io::{Cursor, Write};

use super::{complaints, entities, input, read_here, says_the_three, suppliers};

/// The sheet of the three rows: a title, the table, and a total below it.
/// `#` is a serial day, `=` a number, `!` an error, `?` a flag; everything else is text.
const ROWS: [&[&str]; 7] = [
    &["Vendors of the plant"],
    &[],
    &["id", "name", "city", "part", "since", "ok", "count"],
    &["007", "Acme", "Berlin", "C1;C2", "#45339", "?1", "=12"],
    &["S2", "Über GmbH", "", "C2", "#44927", "?0", "=0.1"],
    &["S3", "Castings", "=12.5", "", "", "", "!#N/A"],
    &["Total", "", "", "", "", "", "=3"],
];

fn zipped(parts: &[(&str, String)]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The mark of a cell and its value; of a text nothing is a mark.
fn split(text: &str) -> (&str, &str) {
    text.split_at(text.chars().next().map_or(0, char::len_utf8))
}

/// A cell of `.xlsx`.
fn cell(name: &str, text: &str) -> String {
    let of = |kind: &str, value: &str| format!(r#"<c r="{name}"{kind}><v>{value}</v></c>"#);
    match split(text) {
        ("", _) => String::new(),
        ("#", value) => of(r#" s="1""#, value),
        ("=", value) => of("", value),
        ("?", value) => of(r#" t="b""#, value),
        ("!", value) => of(r#" t="e""#, value),
        ("$", value) => of(r#" t="s""#, value),
        _ => format!(r#"<c r="{name}" t="inlineStr"><is><t>{text}</t></is></c>"#),
    }
}

/// A workbook with an empty first sheet and the rows on the second, its table beginning in column B.
pub(super) fn xlsx(rows: &[&[&str]], is_1904: bool) -> Vec<u8> {
    xlsx_with(rows, is_1904, 1, "")
}

/// The same with one text that cells may share, and how many such texts it claims to have: `$0` stands for it.
fn xlsx_with(rows: &[&[&str]], is_1904: bool, claimed: u64, shared: &str) -> Vec<u8> {
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    let mut data = String::new();
    for (number, row) in (1..).zip(rows) {
        let cells = ('B'..).zip(row.iter()).map(|(column, text)| cell(&format!("{column}{number}"), text));
        data.push_str(&format!(r#"<row r="{number}">{}</row>"#, cells.collect::<String>()));
    }
    let sheet =
        |data: &str| format!(r#"<worksheet xmlns="{MAIN}"><sheetData>{data}</sheetData></worksheet>"#);
    let kind = |name: &str| format!("{OFFICE}/{name}");
    zipped(&[
        (
            "[Content_Types].xml",
            r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>"#.to_owned(),
        ),
        (
            "_rels/.rels",
            format!(
                r#"<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{}" Target="xl/workbook.xml"/></Relationships>"#,
                kind("officeDocument")
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                r#"<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><workbookPr date1904="{is_1904}"/><sheets><sheet name="Notes" sheetId="1" r:id="r1"/><sheet name="Vendors" sheetId="2" r:id="r2"/></sheets></workbook>"#
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                r#"<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{0}" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="{0}" Target="worksheets/sheet2.xml"/><Relationship Id="r3" Type="{1}" Target="styles.xml"/><Relationship Id="r4" Type="{2}" Target="sharedStrings.xml"/></Relationships>"#,
                kind("worksheet"),
                kind("styles"),
                kind("sharedStrings")
            ),
        ),
        (
            "xl/styles.xml",
            format!(
                r#"<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>"#
            ),
        ),
        (
            "xl/sharedStrings.xml",
            format!(r#"<sst xmlns="{MAIN}" uniqueCount="{claimed}"><si><t>{shared}</t></si></sst>"#),
        ),
        ("xl/worksheets/sheet1.xml", sheet("")),
        ("xl/worksheets/sheet2.xml", sheet(&data)),
    ])
}

/// An open document with the rows on its second table; days are written as such there.
fn ods(rows: &[&[&str]]) -> Vec<u8> {
    let cell = |text: &&str| {
        match split(text) {
        ("", _) => r#"<table:table-cell table:number-columns-repeated="1"/>"#.to_owned(),
        ("#", "45339") => r#"<table:table-cell office:value-type="date" office:date-value="2024-02-17"><text:p>17.02.24</text:p></table:table-cell>"#.to_owned(),
        ("#", _) => r#"<table:table-cell office:value-type="date" office:date-value="2023-01-01"><text:p>01.01.23</text:p></table:table-cell>"#.to_owned(),
        ("=", value) => format!(r#"<table:table-cell office:value-type="float" office:value="{value}"><text:p>{value}</text:p></table:table-cell>"#),
        ("?", value) => format!(r#"<table:table-cell office:value-type="boolean" office:boolean-value="{}"><text:p>x</text:p></table:table-cell>"#, value == "1"),
        _ => format!(r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#),
    }
    };
    let row = |cells: &&[&str]| {
        let cells: String = cells.iter().map(cell).collect();
        let end = r#"<table:table-cell table:number-columns-repeated="16000"/>"#;
        format!("<table:table-row>{cells}{end}</table:table-row>")
    };
    let data: String = rows.iter().map(row).collect();
    let content = format!(
        r#"<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet><table:table table:name="Notes"></table:table><table:table table:name="Vendors">{data}</table:table></office:spreadsheet></office:body></office:document-content>"#
    );
    zipped(&[
        ("mimetype", "application/vnd.oasis.opendocument.spreadsheet".to_owned()),
        (
            "META-INF/manifest.xml",
            r#"<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>"#
                .to_owned(),
        ),
        ("content.xml", content),
    ])
}

/// A workbook of the oldest format that is still met, with one sheet: a file system of sectors with one stream.
fn xls(rows: &[&[&str]]) -> Vec<u8> {
    fn record(stream: &mut Vec<u8>, kind: u16, body: &[u8]) {
        stream.extend(kind.to_le_bytes());
        stream.extend(u16::try_from(body.len()).unwrap().to_le_bytes());
        stream.extend(body);
    }
    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }
    let begin = |kind: u16| [&0x0600_u16.to_le_bytes()[..], &kind.to_le_bytes(), &[0; 12]].concat();
    let mut cells = Vec::new();
    record(&mut cells, 0x0809, &begin(0x0010));
    for (row, texts) in (0_u16..).zip(rows) {
        for (column, text) in (0_u16..).zip(texts.iter()) {
            let at = |format: u16| {
                [row, column, format].iter().flat_map(|one| one.to_le_bytes()).collect::<Vec<u8>>()
            };
            let number = |value: &str| value.parse::<f64>().unwrap().to_le_bytes();
            match split(text) {
                ("", _) => {}
                ("#", value) => record(&mut cells, 0x0203, &[at(1), number(value).to_vec()].concat()),
                ("=", value) => record(&mut cells, 0x0203, &[at(0), number(value).to_vec()].concat()),
                ("?", value) => {
                    record(&mut cells, 0x0205, &[at(0), vec![value.parse().unwrap(), 0]].concat());
                }
                ("!", _) => record(&mut cells, 0x0205, &[at(0), vec![0x2a, 1]].concat()),
                _ => {
                    let length = u16::try_from(text.encode_utf16().count()).unwrap().to_le_bytes();
                    record(&mut cells, 0x0204, &[at(0), length.to_vec(), vec![1], wide(text)].concat());
                }
            }
        }
    }
    record(&mut cells, 0x000a, &[]);
    let mut stream = Vec::new();
    record(&mut stream, 0x0809, &begin(0x0005));
    record(&mut stream, 0x0042, &1200_u16.to_le_bytes());
    record(&mut stream, 0x0022, &[0, 0]);
    record(&mut stream, 0x00e0, &[0; 20]);
    record(&mut stream, 0x00e0, &[&[0, 0, 14, 0][..], &[0; 16]].concat());
    let sheet_at = u32::try_from(stream.len() + 4 + 8 + "Vendors".len() + 4).unwrap();
    record(&mut stream, 0x0085, &[&sheet_at.to_le_bytes()[..], &[0, 0, 7, 0], b"Vendors"].concat());
    record(&mut stream, 0x000a, &[]);
    assert_eq!(stream.len(), sheet_at as usize);
    stream.extend(cells);
    stream.resize(4096, 0);

    const FREE: u32 = 0xffff_ffff;
    const END: u32 = 0xffff_fffe;
    let mut file = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    file.extend([0; 16]);
    for half in [0x3e_u16, 3, 0xfffe, 9, 6, 0, 0, 0] {
        file.extend(half.to_le_bytes());
    }
    for word in [0, 1, 1, 0, 4096, END, 0, END, 0, 0] {
        file.extend(word.to_le_bytes());
    }
    file.extend((0..108).flat_map(|_| FREE.to_le_bytes()));
    let mut chain = vec![0xffff_fffd, END];
    chain.extend((3..10_u32).chain([END]));
    chain.resize(128, FREE);
    file.extend(chain.iter().flat_map(|one| one.to_le_bytes()));
    let entry = |name: &str, kind: u8, child: u32, start: u32, size: u64| {
        let mut entry = wide(name);
        let length = if name.is_empty() { 0 } else { u16::try_from(entry.len() + 2).unwrap() };
        entry.resize(64, 0);
        entry.extend(length.to_le_bytes());
        entry.extend([kind, 1]);
        entry.extend([FREE, FREE, child].iter().flat_map(|one| one.to_le_bytes()));
        entry.extend([0; 36]);
        entry.extend(start.to_le_bytes());
        entry.extend(size.to_le_bytes());
        entry
    };
    file.extend(entry("Root Entry", 5, 1, END, 0));
    file.extend(entry("Workbook", 2, FREE, 2, 4096));
    file.extend(entry("", 0, FREE, 0, 0));
    file.extend(entry("", 0, FREE, 0, 0));
    file.extend(stream);
    file
}

#[test]
fn a_sheet_of_a_workbook_says_what_the_same_table_as_text_says() {
    let format = "skip_lines: 2, skip_footer: 1";
    for sheet in ["Vendors", "2"] {
        let world = suppliers(&format!("path: v.xlsx\n    format: {{ sheet: {sheet}, {format} }}"));
        world.write("v.xlsx", &xlsx(&ROWS, false));
        says_the_three(&world);
    }
    let world = suppliers(&format!("path: v.ods\n    format: {{ sheet: Vendors, {format} }}"));
    world.write("v.ods", &ods(&ROWS));
    says_the_three(&world);
    let world = suppliers(&format!("path: v.xls\n    format: {{ {format} }}"));
    world.write("v.xls", &xls(&ROWS));
    says_the_three(&world);
    // What a file is its bytes say; its name says that it is a workbook.
    let world = suppliers(&format!("path: v.xls\n    format: {{ sheet: Vendors, {format} }}"));
    world.write("v.xls", &xlsx(&ROWS, false));
    says_the_three(&world);
}

#[test]
fn days_of_both_systems_are_the_days_that_they_are() {
    let world = suppliers("path: v.xlsx\n    format: { sheet: Vendors }");
    world.write(
        "v.xlsx",
        &xlsx(
            &[&["id", "name", "city", "part", "since"], &["S1", "Acme", "#43877.75", "C1", "#43877"]],
            true,
        ),
    );
    world.run();
    world.says("S1 supplies C1 [2024-02-17, ∞) ×1");
    assert_eq!(entities(&world, "Supplier"), ["S1 Acme city=2024-02-17T18:00:00"]);
}

#[test]
fn what_is_wrong_with_a_sheet_is_named_with_its_cell_and_withholds_it() {
    let world = suppliers("path: v.xlsx\n    format: { sheet: Vendors }");
    let header: &[&str] = &["id", "name", "city", "part", "since"];
    world.write(
        "v.xlsx",
        &xlsx(&[header, &["S1", "!#REF!", "x", "C1", "soon"], &["S2", "b", "", "", "", "beside"]], false),
    );
    let report = world.run_code(4);
    assert_eq!(input(&report), "withheld +0 ~0 -0");
    assert_eq!(
        complaints(&report),
        [
            "v.xlsx:2:3 feed-cell-invalid the cell holds no value: #REF! (`Vendors!C2`)",
            "v.xlsx:3:7 feed-row-ragged `beside` stands beside the table, under no header (`Vendors!G3`)",
        ]
    );
    world.write("v.xlsx", &xlsx(&[header, &["S1", "a", "x", "C1", "soon"]], false));
    assert_eq!(
        complaints(&world.run()),
        ["v.xlsx:2:6 feed-date-invalid `soon` is not an ISO date, in the column `since` (`Vendors!F2`)"]
    );
    world.put(&super::SUPPLIERS.replace("{feed}", "path: v.xlsx\n    format: { sheet: Vendor }"));
    let said = complaints(&world.run_code(4));
    assert_eq!(said, ["v.xlsx:0:0 feed-unreadable there is no sheet `Vendor`; did you mean `Vendors`?"]);
    world.write("v.xlsx", b"id,name\n");
    let said = complaints(&world.run_code(4));
    assert_eq!(said, ["v.xlsx:0:0 feed-unreadable the file is no workbook of any kind that is known"]);
}

#[test]
fn a_workbook_that_is_damaged_anywhere_is_a_complaint_and_no_more() {
    use edgewright::model::job::{Format, SheetRef, Table};
    let world = suppliers("path: v.xlsx");
    let loaded = edgewright::config::load(world.root());
    let mut feed = loaded.jobs[0].feeds["vendors"].clone();
    feed.format = Format { table: Table::Sheet, sheet: Some(SheetRef::At(1)), ..Format::default() };
    let mut usable = 0;
    for whole in [xlsx(&ROWS[2..], false), ods(&ROWS[2..]), xls(&ROWS[2..])] {
        for at in (0..whole.len()).step_by(whole.len() / 40) {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            for bytes in [&changed[..], &whole[..at]] {
                world.write("v.xlsx", bytes);
                let read = read_here(&world, &feed, &loaded.ontologies["o"]);
                assert!(read.usable || read.diagnostics.iter().any(|one| one.at.file == "v.xlsx"));
                usable += usize::from(read.usable);
            }
        }
    }
    assert!(usable > 0, "damage that strikes no cell does no harm");
}

/// A text that is kept once stands in many cells, and most of them beside the table: what comes of a few bytes is
/// bounded all the same, and so is what is said of it.
#[test]
fn a_text_that_many_cells_share_is_counted_in_each() {
    let world = suppliers("path: v.xlsx\n    format: { sheet: Vendors }");
    let header: &[&str] = &["id", "name", "city", "part", "since"];
    let row = |text: &'static str, cells: usize| [&["S1"][..], &vec![text; cells]].concat();
    let long = "x".repeat(3 << 20);
    world.write("v.xlsx", &xlsx_with(&[header, &row("$0", 20)], false, 1, &long));
    let expected = "v.xlsx:0:0 feed-unreadable row 2 holds more than 33554432 bytes of text, or the rows up to it more than 536870912";
    assert_eq!(complaints(&world.run_code(4)), [expected]);
    let beside = [&["S1", "a", "", "", "", "$0"][..]; 1];
    world.write("v.xlsx", &xlsx_with(&[header, beside[0]], false, 1, &long));
    let said = complaints(&world.run_code(4));
    assert!(
        said.len() == 1 && said[0].len() < 300 && said[0].contains("…` stands beside the table"),
        "{said:?}"
    );
    let wide = row("$0", 22);
    let rows: Vec<&[&str]> = std::iter::once(header).chain(std::iter::repeat_n(&wide[..], 600)).collect();
    world.write("v.xlsx", &xlsx_with(&rows, false, 1, "y"));
    let expected = "v.xlsx:0:0 feed-unreadable more than 10000 cells stand under no header or hold no value, the first of them G2";
    assert_eq!(complaints(&world.run_code(4)), [expected]);
}

/// A reader makes room for as many texts as a workbook claims that its cells share, so the claim is looked at first.
#[test]
fn a_workbook_that_claims_to_share_more_texts_than_any_has_is_refused() {
    let world = suppliers("path: v.xlsx\n    format: { sheet: Vendors }");
    let rows: [&[&str]; 2] = [&["id", "name", "city", "part", "since"], &["S1", "$0", "", "", ""]];
    world.write("v.xlsx", &xlsx_with(&rows, false, 3, "TechChip"));
    assert_eq!(complaints(&world.run()), [""; 0]);
    world.write("v.xlsx", &xlsx_with(&rows, false, 4_000_000_000_000, "TechChip"));
    let expected = "v.xlsx:0:0 feed-unreadable its cells share more than 20000000 texts, or texts of more than 536870912 bytes";
    assert_eq!(complaints(&world.run_code(4)), [expected]);
}

/// What a file is its bytes say, and a person is told in words what was found in the place of a workbook.
#[test]
fn what_is_no_workbook_is_named() {
    let world = suppliers("path: v.xlsx");
    let whole = xlsx(&ROWS[2..], false);
    let word = zipped(&[("word/document.xml", "<w:document/>".to_owned())]);
    let mut old_word = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    old_word.extend("WordDocument".encode_utf16().flat_map(u16::to_le_bytes));
    let cases: [(&[u8], &str); 6] = [
        (&word, "the file is no workbook, but a Word document"),
        (&old_word, "the file is no workbook, but a Word document of an older Office"),
        (b"%PDF-1.7", "the file is no workbook, but a PDF"),
        (b"<!DOCTYPE html><p>Log in", "the file is no workbook, but a page of the web"),
        (b"", "the file is empty"),
        (
            &whole[..whole.len() - 40],
            "the workbook cannot be read: its end is missing, as of a file that was cut off on its way",
        ),
    ];
    for (bytes, expected) in cases {
        world.write("v.xlsx", bytes);
        let report = world.run_code(4);
        assert_eq!(complaints(&report), [format!("v.xlsx:0:0 feed-unreadable {expected}")]);
        assert!(!report["diagnostics"][0]["hint"].as_str().unwrap().is_empty());
    }
}

/// A few lines of an open document may stand for more cells than a machine holds.
#[test]
fn cells_that_are_only_repeated_are_counted_before_they_are_made() {
    let world = suppliers("path: v.ods\n    format: { sheet: 2 }");
    let whole = ods(&ROWS[2..]);
    let mut archive = zip::ZipArchive::new(Cursor::new(whole)).unwrap();
    let mut content = String::new();
    std::io::Read::read_to_string(&mut archive.by_name("content.xml").unwrap(), &mut content).unwrap();
    let cell = r#"<table:table-cell table:number-columns-repeated="16384" office:value-type="float" office:value="1"/>"#;
    let end = content.rfind("</table:table>").unwrap();
    let with = |rows: &str| {
        let mut content = content.clone();
        content.insert_str(end, rows);
        let mimetype = "application/vnd.oasis.opendocument.spreadsheet".to_owned();
        world.write("v.ods", &zipped(&[("mimetype", mimetype), ("content.xml", content)]));
        world.run_code(4)
    };
    let row = |repeated: u32, cells: &str| {
        format!(r#"<table:table-row table:number-rows-repeated="{repeated}">{cells}</table:table-row>"#)
    };
    let too_many =
        "v.ods:0:0 feed-unreadable the sheets make more than 20000000 cells by repeating some cells";
    for rows in [
        format!("<table:table-row>{cell}</table:table-row>").repeat(1300),
        row(1300, cell),
        // Blank rows above a last one, as wide as the widest.
        format!("{}{}", row(1_000_000, "<table:table-cell/>"), row(1, &cell.replace("16384", "40"))),
    ] {
        assert_eq!(complaints(&with(&rows)), [too_many]);
    }
    // So is their text.
    let wordy = |text: &str| {
        format!(
            r#"<table:table-cell table:number-columns-repeated="10" office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#
        )
    };
    let too_long =
        "v.ods:0:0 feed-unreadable the sheets make more than 536870912 bytes of text by repeating some cells";
    assert_eq!(complaints(&with(&row(1000, &wordy(&"x".repeat(60_000))))), [too_long]);
    assert!(!complaints(&with(&row(10, &wordy("x")))).contains(&too_long.to_owned()));
    // Whatever makes it: spaces that are counted, values in attributes, references, formulas.
    let cell = |attributes: &str, inside: &str| {
        format!(
            r#"<table:table-cell table:number-columns-repeated="10" {attributes}>{inside}</table:table-cell>"#
        )
    };
    let text = r#"office:value-type="string""#;
    let long = "9".repeat(60_000);
    for cell in [
        cell(text, "<text:p><text:s text:c=\"100000000000\"/></text:p>"),
        cell(&format!("office:value-type=\"date\" office:date-value=\"{long}\""), ""),
        cell(&format!("office:value-type=\"float\" office:value=\"1\" table:formula=\"{long}\""), ""),
        cell(text, &format!("<text:p>{}</text:p>", "&amp;".repeat(20_000))),
    ] {
        assert_eq!(complaints(&with(&row(1000, &cell))), [too_long]);
    }
    // A value that says no type is one.
    let bare = r#"<table:table-cell table:number-columns-repeated="16384" office:value="1"/>"#;
    assert_eq!(complaints(&with(&row(6_000, bare))), [too_many]);
    // Blank rows and cells behind the last ones, as every program writes them, are none.
    let blank = row(1_048_000, "<table:table-cell table:number-columns-repeated=\"16384\"/>\n");
    let said = complaints(&with(&blank));
    assert!(!said.contains(&too_many.to_owned()), "{said:?}");
}
