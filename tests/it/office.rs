//! Word documents and workbooks, made by hand, through the command line.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::Value;
use zip::write::SimpleFileOptions;

use crate::world::World;

const FIXTURE: &str = r#"
//- ontology/supply.yaml
language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component, properties: { share: text } }
words:
  SUPPLY: [supply~, sell~]
rules:
- id: supplies.clause
  edge: supplies
  match: "{subject:Supplier} [(shall|will)] SUPPLY [to it] {object:Component+} [(from|as of|since) {valid_from:date}]"
- id: supplies.table
  edge: supplies
  table: { subject: [Supplier], object: [Part], valid_from: [Valid from], properties: { share: [Share] } }
//- jobs/nightly.yaml
job: nightly
ontology: supply
owner: tests
sources:
  papers: { path: papers }
feeds:
  suppliers:  { path: suppliers.csv, entity: { type: Supplier, key: No, names: [Name] } }
  components: { path: components.csv, entity: { type: Component, key: No, names: [Name] } }
//- suppliers.csv
No,Name
T,"TechChip, Inc."
V,Voltanix GmbH
//- components.csv
No,Name
C,Flight Control Unit
R,Rudder Motor
S,Star Tracker
"#;

/// A package of parts.
fn package(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, text) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
                    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\"";

/// Styles with translated ids, and a list of three levels.
const STYLES: &str = r#"<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Mein"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>"#;
const NUMBERING: &str = r#"<w:abstractNum w:abstractNumId="4">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl>
</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="4"/></w:num>"#;

const CHART: &str = r#"<c:chart xmlns:c="c" xmlns:a="a"><c:title><c:tx><a:t>Shares</a:t></c:tx></c:title><c:plotArea>
<c:ser><c:tx><c:strCache><c:pt idx="0"><c:v>Share</c:v></c:pt></c:strCache></c:tx>
<c:cat><c:strCache><c:pt idx="0"><c:v>TechChip</c:v></c:pt><c:pt idx="1"><c:v>Voltanix</c:v></c:pt></c:strCache></c:cat>
<c:val><c:numCache><c:pt idx="0"><c:v>0.4</c:v></c:pt><c:pt idx="1"><c:v>0.60000000000000009</c:v></c:pt></c:numCache></c:val></c:ser>
<c:valAx><c:title><c:tx><a:t>axis</a:t></c:tx></c:title></c:valAx></c:plotArea></c:chart>"#;

/// A Word document with this body.
fn docx(body: &str, footnotes: &str) -> Vec<u8> {
    let related = |kind: &str, target: &str| {
        format!("<Relationship Id=\"{kind}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
    };
    let relations = |inner: String| {
        format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{inner}</Relationships>"
        )
    };
    let inner = ["styles", "numbering", "footnotes", "chart"]
        .map(|kind| related(kind, &format!("{kind}.xml")))
        .concat();
    let web = "<Relationship Id=\"web\" Type=\"x/hyperlink\" Target=\"https://parts.example/R\" TargetMode=\"External\"/>";
    package(&[
        ("_rels/.rels", &relations(related("officeDocument", "word/document.xml"))),
        ("word/_rels/document.xml.rels", &relations(inner + web)),
        ("word/document.xml", &format!("<w:document {WORD}><w:body>{body}<w:sectPr/></w:body></w:document>")),
        ("word/styles.xml", &format!("<w:styles {WORD}>{STYLES}</w:styles>")),
        ("word/numbering.xml", &format!("<w:numbering {WORD}>{NUMBERING}</w:numbering>")),
        ("word/chart.xml", CHART),
        ("word/footnotes.xml", &format!("<w:footnotes {WORD}>{footnotes}</w:footnotes>")),
        (
            "docProps/core.xml",
            "<p:cp xmlns:p=\"p\" xmlns:dc=\"dc\"><dc:title>Frame &amp; Annex</dc:title><dc:creator>J. Roe</dc:creator>\
             <created>2024-01-05T10:00:00Z</created></p:cp>",
        ),
    ])
}

fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>")
}

fn item(level: usize, text: &str) -> String {
    let list = format!("<w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>");
    paragraph(text).replacen("<w:p>", &format!("<w:p>{list}"), 1)
}

fn row(properties: &str, cells: &[&str]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<w:tc>{}</w:tc>", paragraph(cell))).collect();
    format!("<w:tr><w:trPr>{properties}</w:trPr>{cells}</w:tr>")
}

/// A workbook of one sheet of rows: `=12` is a number, `%0.4` a share, `@45339` a day, `#` a failed formula, all else
/// text.
fn xlsx(sheet: &str, rows: &[(u32, &str)], is_1904: bool) -> Vec<u8> {
    let mut data = String::new();
    for (number, cells) in rows {
        write!(data, "<row r=\"{number}\">").unwrap();
        for (letter, cell) in ('A'..).zip(cells.split('|')) {
            let (kind, value) = cell.split_at(cell.chars().next().map_or(0, char::len_utf8));
            let at = format!("r=\"{letter}{number}\"");
            match kind {
                "" => {}
                "=" => write!(data, "<c {at}><v>{value}</v></c>").unwrap(),
                "%" => write!(data, "<c {at} s=\"2\"><v>{value}</v></c>").unwrap(),
                "@" => write!(data, "<c {at} s=\"1\"><v>{value}</v></c>").unwrap(),
                "#" => write!(data, "<c {at} t=\"e\"><v>#N/A</v></c>").unwrap(),
                _ => write!(data, "<c {at} t=\"inlineStr\"><is><t>{cell}</t></is></c>").unwrap(),
            }
        }
        data.push_str("</row>");
    }
    let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"";
    let epoch = if is_1904 { "<workbookPr date1904=\"1\"/>" } else { "" };
    let relation = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
    };
    let relations = |inner: &str| {
        format!(
            "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{inner}</Relationships>"
        )
    };
    package(&[
        ("_rels/.rels", &relations(&relation("a", "officeDocument", "xl/workbook.xml"))),
        (
            "xl/_rels/workbook.xml.rels",
            &relations(
                &(relation("b", "worksheet", "worksheets/sheet1.xml")
                    + &relation("c", "styles", "styles.xml")),
            ),
        ),
        (
            "xl/workbook.xml",
            &format!(
                "<workbook {main} xmlns:r=\"{OFFICE}\">{epoch}<sheets>\
                 <sheet name=\"{sheet}\" sheetId=\"1\" r:id=\"b\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/styles.xml",
            &format!(
                "<styleSheet {main}><cellXfs count=\"3\"><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"9\"/>\
                 </cellXfs></styleSheet>"
            ),
        ),
        ("xl/worksheets/sheet1.xml", &format!("<worksheet {main}><sheetData>{data}</sheetData></worksheet>")),
    ])
}

fn world(files: &[(&str, &[u8])]) -> World {
    let world = World::new(FIXTURE);
    for (name, bytes) in files {
        world.write(&format!("papers/{name}"), bytes);
    }
    world
}

/// The chunks as `place block: text`, headings left out.
fn chunks(world: &World) -> Vec<String> {
    let out = world.cmd("export").expect_code(0).stdout;
    let rows = out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    rows.filter(|row| row["text"].is_string())
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
            format!("{} {}: {}", text("place"), text("block"), text("text"))
        })
        .collect()
}

fn evidence(world: &World, subject: &str, object: &str) -> Value {
    let view = world.cmd(&format!("why {subject} {object} --output json")).expect_code(0).json();
    view["facts"][0]["evidence"][0].clone()
}

#[test]
fn a_word_document_says_what_stands_in_it_when_its_changes_are_accepted() {
    let body = [
        "<w:p><w:pPr><w:pStyle w:val=\"Mein\"/></w:pPr><w:r><w:t>Supply</w:t></w:r></w:p>".to_owned(),
        "<w:p><w:r><w:t xml:space=\"preserve\">TechChip </w:t></w:r>\
         <w:del><w:r><w:delText>never </w:delText></w:r></w:del>\
         <w:ins><w:r><w:t xml:space=\"preserve\">supplies the </w:t></w:r></w:ins>\
         <w:moveFrom><w:r><w:t>Star Tracker</w:t></w:r></w:moveFrom>\
         <w:r><w:t>Flight Control Unit</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r>\
         <w:r><w:t xml:space=\"preserve\"> from </w:t></w:r>\
         <w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>DATE \\@ x</w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>1 March 2024</w:t></w:r>\
         <w:r><w:fldChar w:fldCharType=\"end\"/></w:r><w:r><w:t>.</w:t></w:r></w:p>"
            .to_owned(),
        "<w:p/>".to_owned(),
        // A paragraph whose mark was deleted goes on in the next one.
        "<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t xml:space=\"preserve\">Voltanix sells the </w:t></w:r></w:p>"
            .to_owned(),
        "<w:p><w:hyperlink r:id=\"web\"><w:r><w:t>Rudder Motor</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>"
            .to_owned(),
    ];
    let notes = "<w:footnote w:id=\"0\" w:type=\"separator\"><w:p><w:r><w:t>line</w:t></w:r></w:p></w:footnote>\
                 <w:footnote w:id=\"2\"><w:p><w:r><w:t>As ordered.</w:t></w:r></w:p></w:footnote>";
    let world = world(&[("frame.docx", &docx(&body.concat(), notes))]);
    world.run();
    world.says(
        "T supplies C [2024-03-01, ∞) ×1
         V supplies R [?, ∞) ×1",
    );
    assert_eq!(
        chunks(&world),
        [
            "properties fields: title: Frame & Annex\nauthor: J. Roe\ncreated: 2024-01-05",
            "paragraph 1 heading: Supply",
            "paragraph 2 prose: TechChip supplies the Flight Control Unit from 1 March 2024.",
            "paragraph 2 prose: As ordered.",
            "paragraph 3 prose: Voltanix sells the Rudder Motor.",
        ]
    );
    // The place and the quote in its surroundings, for a person and for a program.
    let one = evidence(&world, "T", "C");
    assert_eq!((one["line"].as_u64(), one["place"].as_str()), (Some(0), Some("paragraph 2")));
    assert_eq!(one["headings"].to_string(), r#"["Supply"]"#);
    let said = world.cmd("why T C").expect_code(0).stdout;
    assert!(said.contains("1. papers/frame.docx, paragraph 2  § Supply"), "{said}");
    assert!(said.contains("»TechChip supplies the Flight Control Unit from 1 March 2024.«"), "{said}");
    let found = world.cmd("search rudder").expect_code(0).stdout;
    assert!(found.contains("1. papers/frame.docx, paragraph 3"), "{found}");
    let title = world.cmd("search rudder --output json").expect_code(0).json();
    assert_eq!(title["results"][0]["title"], "Frame & Annex");
}

#[test]
fn items_of_a_word_document_stand_below_their_parents() {
    let body = [
        item(0, "TechChip supplies:"),
        item(1, "the following units:"),
        item(2, "the Flight Control Unit;"),
        item(2, "the Rudder Motor."),
        item(1, "Nothing else."),
        item(0, "The price is fixed."),
    ];
    let world = world(&[("list.docx", &docx(&body.concat(), ""))]);
    world.run();
    let out = world.cmd("export").expect_code(0).stdout;
    let rows: Vec<Value> = out.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let parents = |text: &str| {
        let row =
            rows.iter().find(|row| row["text"] == text).unwrap_or_else(|| panic!("no `{text}` in {out}"));
        row["parents"].to_string()
    };
    assert_eq!(parents("the Rudder Motor."), r#"["TechChip supplies:","the following units:"]"#);
    assert_eq!(parents("Nothing else."), r#"["TechChip supplies:"]"#);
    assert_eq!(parents("The price is fixed."), "[]");
}

#[test]
fn a_table_rule_reads_tables_of_word_documents_and_sheets() {
    let table = [
        row("<w:tblHeader/>", &["Supplier", "Part", "Valid from", "Share"]),
        row("", &["TechChip", "Flight Control Unit", "1 March 2024", "40 %"]),
        row("", &["Supplier", "Part", "Valid from", "Share"]),
        row("<w:del/>", &["TechChip", "Star Tracker", "", ""]),
    ];
    let word = docx(&format!("{}<w:tbl>{}</w:tbl>", paragraph("Prices."), table.concat()), "");
    let rows = [
        (2, "Parts in use"),
        (4, "Supplier|Part|Valid from|Share"),
        (5, "Voltanix|Rudder Motor|@45339|%0.4"),
        (6, "TechChip|Star Tracker|#|=1"),
        (9, "Notes"),
    ];
    let world = world(&[("table.docx", &word), ("Q1.xlsx", &xlsx("Parts 2024", &rows, false))]);
    world.run();
    world.says(
        "T supplies C [2024-03-01, ∞) ×1 share=40 %
         T supplies S [?, ∞) ×1 share=1
         V supplies R [2024-02-17, ∞) ×1 share=40%",
    );
    let sheet = evidence(&world, "V", "R");
    assert_eq!(sheet["place"], "'Parts 2024'!A5");
    assert_eq!(sheet["properties"].to_string(), r#"{"share":"40%"}"#);
    assert_eq!(sheet["context"]["marked"], "Voltanix | Rudder Motor | 2024-02-17 | 40%");
    assert_eq!(evidence(&world, "T", "S")["place"], "'Parts 2024'!A6");
    assert_eq!(evidence(&world, "T", "C")["place"], "paragraph 6");
    let said = world.cmd("why V R").expect_code(0).stdout;
    assert!(said.contains("1. papers/Q1.xlsx, 'Parts 2024'!A5  § Parts 2024"), "{said}");
    let told = world.cmd("run").expect_code(0);
    assert!(!told.stdout.contains("parse-cell"), "a note is told when the file is read, not each night");
    assert_eq!(
        chunks(&world).into_iter().filter(|chunk| chunk.contains('!')).collect::<Vec<_>>(),
        [
            "'Parts 2024'!A2 heading: Parts 2024",
            "'Parts 2024'!A2 prose: Parts in use",
            "'Parts 2024'!A4 rows: Supplier | Part | Valid from | Share\nVoltanix | Rudder Motor | 2024-02-17 | 40%\n\
             TechChip | Star Tracker |  | 1",
            "'Parts 2024'!A9 prose: Notes",
        ]
    );
}

#[test]
fn a_chart_and_a_text_box_stand_behind_the_paragraph_that_they_hang_on() {
    let boxed = format!("<w:txbxContent>{}</w:txbxContent>", paragraph("In the box."));
    let body = format!(
        "<w:p><w:r><w:t>As shown.</w:t></w:r><w:r><mc:AlternateContent \
         xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\"><mc:Choice>{boxed}</mc:Choice>\
         <mc:Fallback>{boxed}</mc:Fallback></mc:AlternateContent></w:r>\
         <w:r><w:drawing><c:chart xmlns:c=\"c\" r:id=\"chart\"/></w:drawing></w:r></w:p>{}",
        paragraph("The end.")
    );
    let world = world(&[("chart.docx", &docx(&body, ""))]);
    world.run();
    assert_eq!(
        chunks(&world).split_off(1),
        [
            "paragraph 1 prose: As shown.",
            "paragraph 2 prose: In the box.",
            "paragraph 3 prose: Shares",
            "paragraph 3 rows:  | Share\nTechChip | 0.4\nVoltanix | 0.6",
            "paragraph 9 prose: The end.",
        ]
    );
}

#[test]
fn a_formula_stands_in_one_line() {
    let of = |name: &str, inner: &str| format!("<m:{name}>{inner}</m:{name}>");
    let text = |text: &str| of("r", &of("t", text));
    let fraction = of("f", &(of("num", &text("b")) + &of("den", &text("2a"))));
    let power = of("sSup", &(of("e", &text("x")) + &of("sup", &text("2"))));
    let sum = of("nary", &(of("sub", &text("i")) + &of("sup", "") + &of("e", &text("y"))));
    let body = format!("<w:p><m:oMath>{fraction}{}{power}{}{sum}</m:oMath></w:p>", text(" = "), text(" + "));
    let world = world(&[("formula.docx", &docx(&body, ""))]);
    world.run();
    assert_eq!(chunks(&world).split_off(1), ["paragraph 1 prose: b/2a = x^2 + _iy"]);
}

#[test]
fn days_of_the_second_system_are_the_days_that_they_are() {
    let rows = [(1, "Supplier|Part|Valid from"), (2, "Voltanix|Rudder Motor|@43877")];
    let world = world(&[("mac.xlsx", &xlsx("S", &rows, true))]);
    world.run();
    world.says("V supplies R [2024-02-17, ∞) ×1");
}

#[test]
fn office_files_that_cannot_be_read_say_why_and_the_others_are_read() {
    let sound = docx(&paragraph("TechChip supplies the Rudder Motor."), "");
    let mut encrypted = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
    encrypted.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    let bomb = docx(&paragraph(&" ".repeat(64 << 20)), "");
    let deep = docx(&"<w:sdt>".repeat(5_000), "");
    let open = sound.len() / 2;
    let broken = package(&[("word/document.xml", "<w:document><w:body><w:p></w:body></w:document>")]);
    let world = world(&[
        ("a_sound.docx", &sound),
        ("b_locked.docx", &encrypted),
        ("c_cut.docx", &sound[..open]),
        ("d_bomb.docx", &bomb),
        ("e_nothing.docx", &package(&[("word/other.xml", "<a/>")])),
        ("f_text.docx", b"TechChip supplies the Rudder Motor."),
        ("g_broken.docx", &broken),
        ("h_deep.docx", &deep),
        ("i_locked.xlsx", &encrypted),
        ("j_cut.xlsx", &xlsx("S", &[(1, "a|b")], false)[..300]),
        ("k_pdf.xlsx", b"%PDF-1.7"),
        ("l_word.xlsx", &sound),
        ("m_sheet.docx", &xlsx("S", &[(1, "a|b")], false)),
    ]);
    let report = world.cmd("run --output json").expect_code(4).json();
    let said: Vec<String> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            assert!(!one["hint"].as_str().unwrap().is_empty());
            let message = one["message"].as_str().unwrap();
            let file = one["file"].as_str().unwrap().trim_start_matches("papers/");
            format!("{file} {}: {}", one["code"].as_str().unwrap(), message.split(": ").next().unwrap())
        })
        .collect();
    assert_eq!(
        said,
        [
            "b_locked.docx parse-password: the file is encrypted with a password, so it cannot be read as a Word document",
            "c_cut.docx parse-damaged: the file is damaged and cannot be read as a Word document",
            "d_bomb.docx parse-bomb: the file inflates to more than a document does",
            "e_nothing.docx parse-damaged: the file is damaged and cannot be read as a Word document",
            "f_text.docx parse-format: the file is not a Word document as its name says, but text",
            "g_broken.docx parse-damaged: the file is damaged and cannot be read as a Word document",
            "h_deep.docx parse-damaged: the file is damaged and cannot be read as a Word document",
            "i_locked.xlsx parse-password: the file is encrypted with a password, so it cannot be read as a workbook",
            "j_cut.xlsx parse-damaged: the file is damaged and cannot be read as a workbook",
            "k_pdf.xlsx parse-format: the file is not a workbook as its name says, but a PDF",
            "l_word.xlsx parse-format: the file is not a workbook as its name says, but a Word document",
            "m_sheet.docx parse-format: the file is not a Word document as its name says, but a workbook",
        ]
    );
    world.says("T supplies R [?, ∞) ×1");
}

/// A file that cannot be read is tried again each night, and is no new document on any of them.
#[test]
fn a_file_that_cannot_be_read_counts_as_withheld_each_night() {
    let world = world(&[
        ("a.docx", &docx(&paragraph("TechChip supplies the Rudder Motor."), "")),
        ("b.docx", b"text"),
    ]);
    let counts = || {
        let report = world.run_code(4);
        let inputs = report["inputs"].as_array().unwrap();
        let papers = inputs.iter().find(|input| input["kind"] == "source").unwrap();
        ["items", "added", "changed", "withheld"].map(|count| papers[count].as_u64().unwrap())
    };
    assert_eq!(counts(), [1, 1, 0, 1]);
    assert_eq!(counts(), [1, 0, 0, 1]);
    world.write("papers/a.docx", b"text");
    assert_eq!(counts(), [1, 0, 0, 2]);
    assert_eq!(counts(), [1, 0, 0, 2]);
}

#[test]
fn no_change_of_a_byte_makes_the_readers_panic() {
    let table = [row("<w:tblHeader/>", &["Supplier", "Part"]), row("", &["TechChip", "Rudder Motor"])];
    let body = format!("{}{}<w:tbl>{}</w:tbl>", item(0, "A:"), item(2, "b"), table.concat());
    let word = docx(&body, "<w:footnote w:id=\"2\"><w:p/></w:footnote>");
    let book = xlsx("S", &[(1, "a|b"), (2, "=1|@45339"), (4, "%0.5|#")], false);
    for (file, sound) in [("m.docx", word), ("m.xlsx", book)] {
        let format = edgewright::parse::Format::of(file).unwrap();
        let mut seed = 7_u64;
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % below
        };
        for _ in 0..400 {
            let mut bytes = sound.clone();
            match next(3) {
                0 => bytes.truncate(next(sound.len())),
                1 => {
                    for _ in 0..=next(6) {
                        let at = next(bytes.len());
                        bytes[at] = u8::try_from(next(256)).unwrap();
                    }
                }
                _ => {
                    let (at, many) = (next(bytes.len()), next(40));
                    bytes.drain(at..(at + many).min(sound.len()));
                }
            }
            let (document, problems) = edgewright::parse::parse(file, format, &bytes);
            assert!(document.is_some() || problems.len() == 1, "{problems:?}");
        }
    }
}
