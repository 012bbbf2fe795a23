//! Bytes in, documents out: encodings, structure, and input that means harm.

use super::*;
use crate::model::token::Span;

fn read(name: &str, bytes: &[u8]) -> Document {
    let (document, _) = parse(name, Format::of(name).unwrap(), bytes);
    let document = document.unwrap();
    check(&document);
    document
}

/// The invariants of a document.
fn check(document: &Document) {
    let text = &document.text;
    let mut end = 0;
    for block in &document.blocks {
        assert!(block.span.start >= end, "blocks ascend: {block:?}");
        let slice = text.get(block.span.start..block.span.end).unwrap();
        assert!(!slice.is_empty());
        if let BlockKind::Table(table) = &block.kind {
            let cells = table.header.iter().chain(table.rows.iter().flatten());
            for cell in cells {
                assert!(block.span.covers(cell), "{cell:?} in {block:?} of {text:?}");
                assert!(text.get(cell.start..cell.end).is_some());
            }
        }
        end = block.span.end;
    }
    for link in &document.links {
        assert!(text.get(link.span.start..link.span.end).is_some_and(|text| !text.is_empty()));
    }
    for field in &document.fields {
        let span = field.span.unwrap();
        assert_eq!(&text[span.start..span.end], field.value);
        assert!(document.blocks.iter().any(|block| block.span.covers(&span)), "{field:?} in {document:?}");
    }
    assert!(document.marks.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", document.marks);
}

/// A document in lines: source line, kind, text.
fn show(document: &Document) -> String {
    let of = |span: &Span| span.of(&document.text).replace('\n', "⏎");
    let mut out = format!("title: {}\n", document.title);
    for field in &document.fields {
        out += &format!("field: {} = {}\n", field.name, field.value);
    }
    for block in &document.blocks {
        let line = document.spot_at(block.span.start).line();
        let kind = match &block.kind {
            BlockKind::Heading(level) => format!("h{level}"),
            BlockKind::Paragraph => "p".to_owned(),
            BlockKind::Item { depth, label } => format!("item {depth} `{label}`"),
            BlockKind::Table(table) => {
                let row = |cells: &Vec<Span>| cells.iter().map(of).collect::<Vec<_>>().join("¦");
                let rows: Vec<String> = table.rows.iter().map(row).collect();
                out += &format!("{line} table {} // {}\n", row(&table.header), rows.join(" / "));
                continue;
            }
            BlockKind::Quote => "quote".to_owned(),
            BlockKind::Code => "code".to_owned(),
        };
        out += &format!("{line} {kind}: {}\n", of(&block.span));
    }
    for link in &document.links {
        out += &format!("link: {} -> {}\n", of(&link.span), link.target);
    }
    out
}

const MARKDOWN: &str = r#"---
contract: "PC-1"
tags: [a, b c]
parties:
  buyer: Acme
  - Foo Ltd
---

# The *Supply* Agreement

**Date:** 5 May 2024
Vendor No:  V-7

Acme **plc** ("Buyer") uses `code_span` and [a link](http://x.y/z)
on two lines &amp; \*stars\*.

1. The Supplier shall:
   (a) deliver;
   (b) install
   - nested bullet

   A second paragraph.
2. Next.

(a) a labelled paragraph

(i) below it

| Part | From |
|---|:--:|
| **FCU** | 2024 |
|  | 2025 |

> quoted text
> - and an item

```rust
let x = 1;
```

<p>Raw <b>HTML</b> here</p>
"#;

#[test]
fn markdown() {
    expect_test::expect![[r#"
        title: The Supply Agreement
        field: contract = PC-1
        field: tags = a
        field: tags = b c
        field: parties.buyer = Acme
        field: parties = Foo Ltd
        field: Date = 5 May 2024
        field: Vendor No = V-7
        2 p: contract: "PC-1"⏎tags: [a, b c]⏎parties:⏎  buyer: Acme⏎  - Foo Ltd
        9 h1: The Supply Agreement
        11 p: Date: 5 May 2024⏎Vendor No:  V-7
        14 p: Acme plc ("Buyer") uses code_span and a link⏎on two lines & *stars*.
        17 item 0 `1.`: The Supplier shall:
        18 item 1 `(a)`: deliver;
        19 item 1 `(b)`: install
        20 item 1 ``: nested bullet
        22 item 1 ``: A second paragraph.
        23 item 0 `2.`: Next.
        25 item 1 `(a)`: a labelled paragraph
        27 item 2 `(i)`: below it
        29 table Part¦From // FCU¦2024 / ¦2025
        34 quote: quoted text
        35 quote: and an item
        38 code: let x = 1;
        41 p: Raw HTML here
        link: a link -> http://x.y/z
    "#]]
    .assert_eq(&show(&read("a.md", MARKDOWN.as_bytes())));
}

const TEXT: &str = "\
Contract No: PC-1
Effective: 1 March 2023

PURCHASE CONTRACT, OPTICAL GLASS
(translated from the German)

Section 1. The glass is cut from plates of one melt and coated on both
faces (see (a) below).

ARTICLE II
TERM

2.1 Delivery

The Supplier shall:
  (a) deliver the FCU; and
  (b) install it:
      (i) in Newport,
      with care, and
      (ii) in Nantes.
Then it leaves.

- a bullet
  that goes on

Part\tFrom
FCU\t2024
RAB\t2025

SCHEDULE A

| Item | Price |
|------|-------|
| Lens | 3     |
";

#[test]
fn text() {
    expect_test::expect![[r#"
        title: PURCHASE CONTRACT, OPTICAL GLASS
        field: Contract No = PC-1
        field: Effective = 1 March 2023
        1 p: Contract No: PC-1⏎Effective: 1 March 2023
        4 h1: PURCHASE CONTRACT, OPTICAL GLASS
        5 p: (translated from the German)
        7 item 0 `Section 1.`: The glass is cut from plates of one melt and coated on both⏎faces (see (a) below).
        10 h2: ARTICLE II⏎TERM
        13 h4: 2.1 Delivery
        15 p: The Supplier shall:
        16 item 0 `(a)`: deliver the FCU; and
        17 item 0 `(b)`: install it:
        18 item 1 `(i)`: in Newport,⏎      with care, and
        20 item 1 `(ii)`: in Nantes.
        21 p: Then it leaves.
        23 item 0 ``: a bullet⏎  that goes on
        26 table Part¦From // FCU¦2024 / RAB¦2025
        30 h2: SCHEDULE A
        32 table Item¦Price // Lens¦3
    "#]]
    .assert_eq(&show(&read("a.txt", TEXT.as_bytes())));
}

const HTML: &str = r#"<!DOCTYPE html>
<html><head><title>A &amp; B
 Contract</title><meta name="contract" content="PC-1"><meta name=viewport content=x>
<style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav>
<h1>Supply   <em>Agreement</em></h1>
<dl><dt>Vendor<dd>Acme plc</dd><dt>Effective</dt><dd>2024-01-01</dd></dl>
<p>Acme &mdash; the
<a href="x.html">Buyer</a>.<br>New line.
<ul><li>one<ol><li>deep</li></ol><li>two <p>para</ul>
<table><caption>Prices</caption><thead><tr><th>Part<th>From</thead>
<tr><td rowspan=2>FCU</td><td>2024</td></tr>
<tr><td>2025</td></tr></table>
<blockquote><p>said</p></blockquote>
<pre>
first block
of text

second
</pre>
<pre><code>let x = 1;
</code></pre>
<script>var a = "<p>no</p>";</script>
<footer>page 1</footer>
</body></html>
"#;

#[test]
fn html() {
    expect_test::expect![[r#"
        title: A & B Contract
        field: contract = PC-1
        field: Vendor = Acme plc
        field: Effective = 2024-01-01
        3 p: contract: PC-1
        6 h1: Supply Agreement
        7 p: Vendor: Acme plc⏎Effective: 2024-01-01
        8 p: Acme — the Buyer.⏎New line.
        10 item 0 ``: one
        10 item 1 `1.`: deep
        10 item 0 ``: two
        10 item 1 ``: para
        11 p: Prices
        11 table Part¦From // FCU¦2024 / ¦2025
        14 quote: said
        16 p: first block⏎of text
        19 p: second
        21 code: let x = 1;
        link: Buyer -> x.html
    "#]]
    .assert_eq(&show(&read("a.html", HTML.as_bytes())));
}

#[test]
fn broken_tables() {
    let shown = |html: &str| show(&read("a.html", html.as_bytes()));
    let unclosed = "<table><tr><th>A<th>B<tr><td>1<td>2</tr><h2>Next</h2><p>text";
    assert_eq!(shown(unclosed), "title: Next\n1 table A¦B // 1¦2\n1 h2: Next\n1 p: text\n");
    let layout =
        "<table><tr><td>one <p>column</td></tr><tr><td><table><tr><td>in<td>ner</table></td></tr></table>";
    assert_eq!(shown(layout), "title: \n1 p: one column\n1 p: in ner\n");
    let pairs = "<table><tr><th>Our ref</th><td>7</td></tr><tr><th>Yours</th><td>8</td></tr></table><p>Dear";
    assert_eq!(
        shown(pairs),
        "title: \nfield: Our ref = 7\nfield: Yours = 8\n1 p: Our ref | 7⏎Yours | 8\n1 p: Dear\n"
    );
}

/// Every word `w7` of a source stands in its line 7, and the document must say so of each that it keeps.
fn words_stand_in_their_lines(name: &str, source: &str) {
    let numbered: Vec<String> =
        (1..).zip(source.split('\n')).map(|(line, text)| text.replace("w_", &format!("w{line}q"))).collect();
    let document = read(name, numbered.join("\n").as_bytes());
    let mut words = 0;
    for (at, _) in document.text.match_indices('w') {
        let digits = document.text[at + 1..].split('q').next().unwrap_or_default();
        if let Ok(line) = digits.parse::<u32>() {
            assert_eq!(document.spot_at(at).line(), line, "w{line} in {numbered:#?} of {:?}", document.text);
            words += 1;
        }
    }
    assert_eq!(words, source.matches("w_").count(), "no word is lost in {:?}", document.text);
}

#[test]
fn every_word_is_found_in_its_line() {
    let markdown = "---\ntitle: w_\n---\n\n# w_\n\nw_ and\nw_ `code w_\nover w_` lines w_\nw_\n\n| w_ | b |\n|---|---|\n| w_ | w_ |\n| w_ | w_ |\n\nw_\n\n- w_\nlazy w_\n- w_\n\n  below w_\n> w_\nlazy w_\n\n```\nw_\n\nw_\n```\n\nw_<br>w_\nw_ <b\nclass=x>w_</b> w_\n\n[a]: http://x\nw_ after a reference [a] w_\n\n<table><tr><td>w_</td>\n<td>w_</td></tr>\n<tr><td>w_</td></tr></table>\n\nSetext w_\nw_\n===\n\nw_\n";
    words_stand_in_their_lines("a.md", markdown);
    let html = "<title>t</title>\n<meta name=n content=w_>\n<h1>w_\nw_</h1>\n<p>w_ <b>w_\n</b> w_\nw_<br>\nw_\n\n<table>\n<tr><th>w_</th>\n<th>w_</th></tr>\n<tr>\n<td>w_\nw_</td>\n<td>w_</td></tr>\n</table>\n<ul><li>w_\n\n\nw_<li>w_</ul>\n<pre>\nw_\n\nw_\n</pre><p>w_<!-- a\ncomment --> w_\nw_ &amp;\nw_\n";
    words_stand_in_their_lines("a.html", html);
    words_stand_in_their_lines("a.txt", "w_: w_\n\nw_\nw_\n\n  w_\n\n\nw_");
}

#[test]
fn prose_at_the_top_is_no_field() {
    for text in [
        "Parties: Acme plc and Foo Ltd (the \"Supplier\").",
        "The parties agree as follows: nothing.",
        "Note: this is a long sentence that only looks like a field.",
        "see http://example.org and so on",
        "Between: one and two\nand then the text goes on.",
    ] {
        assert_eq!(read("a.txt", text.as_bytes()).fields, [], "{text}");
    }
    let notice = "NOTICE OF CHANGE\nNotice No: 7\nIssued: 5 May\n\nText.";
    assert_eq!(read("a.md", notice.as_bytes()).fields.len(), 2);
    let table = "# T\n\n| | |\n|---|---|\n| Our ref | H/3 |\n\nText";
    assert_eq!(read("a.md", table.as_bytes()).fields[0].value, "H/3");
}

#[test]
fn one_document_in_many_encodings() {
    for (name, text) in [("a.md", MARKDOWN), ("a.txt", TEXT), ("a.html", HTML)] {
        let text = text.replace("Acme", "Müller").replace("glass", "verre à vitre");
        let plain = Document { encoding: String::new(), ..read(name, text.as_bytes()) };
        let little: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let mut others = vec![
            text.replace('\n', "\r\n").into_bytes(),
            format!("\u{feff}{text}").into_bytes(),
            little,
            big,
        ];
        let (windows, _, lossy) = encoding_rs::WINDOWS_1252.encode(&text);
        assert!(!lossy);
        others.push(windows.into_owned());
        for bytes in others {
            let other = Document { encoding: String::new(), ..read(name, &bytes) };
            assert_eq!(other, plain);
        }
    }
}

#[test]
fn decomposed_text_stays_as_it_is() {
    let text = "Mu\u{308}ller GmbH";
    for name in ["a.md", "a.txt", "a.html"] {
        assert_eq!(read(name, text.as_bytes()).text, text);
    }
}

#[test]
fn formats_are_told_by_extension() {
    let formats = ["a/b.MD", "b.htm", "c.d/e.text", "c.md/e", "x.PDF"].map(Format::of);
    assert_eq!(
        formats,
        [Some(Format::Markdown), Some(Format::Html), Some(Format::Text), None, Some(Format::Pdf)]
    );
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

#[test]
fn hostile_bytes_do_no_harm() {
    let mut dice = Dice(1);
    for round in 0..600 {
        let sample = [MARKDOWN, TEXT, HTML][round % 3];
        let mut bytes = sample.as_bytes().to_vec();
        for _ in 0..dice.roll(30) {
            let at = dice.roll(bytes.len());
            match dice.roll(4) {
                0 => bytes[at] = dice.roll(255) as u8 + 1,
                1 => drop(bytes.drain(at..(at + dice.roll(9)).min(bytes.len()))),
                2 => bytes.insert(at, b"|<>(*[`\n\t-#&\"\\"[dice.roll(14)]),
                _ => bytes.extend_from_within(at..(at + dice.roll(40)).min(bytes.len())),
            }
        }
        if round % 5 == 0 {
            bytes = (0..dice.roll(400)).map(|_| dice.roll(256) as u8).collect();
        }
        for format in [Format::Markdown, Format::Text, Format::Html] {
            if let (Some(document), _) = parse("f", format, &bytes) {
                check(&document);
            }
        }
    }
}

#[test]
fn deep_nesting_and_long_lines_do_no_harm() {
    let long = 10_000;
    for (name, piece) in [
        ("a.md", "> "),
        ("a.md", "- "),
        ("a.md", "["),
        ("a.md", "*a "),
        ("a.md", "| a "),
        ("a.md", "1. "),
        ("a.html", "<div>"),
        ("a.html", "<ul><li>a"),
        ("a.html", "<blockquote>"),
        ("a.html", "<table><tr><td>a"),
        ("a.html", "<a href=x>y"),
        ("a.html", "<td colspan=9999 rowspan=9999>"),
        ("a.html", "</p>"),
        ("a.html", "<p"),
        ("a.txt", "(a) "),
        ("a.txt", "A: b\n"),
        ("a.txt", "a | b\n"),
        ("a.txt", "TITLE\n"),
        ("a.txt", "1. A\n\n"),
        ("a.txt", "a.   (a) x"),
        ("a.txt", "\t"),
        ("a.md", "(a) x;\n"),
        ("a.txt", " "),
    ] {
        read(name, piece.repeat(long).as_bytes());
    }
    let steps: String = (0..600).map(|depth| format!("{}- item\n", "  ".repeat(depth))).collect();
    read("a.md", steps.as_bytes());
    read("a.txt", steps.as_bytes());
}

/// The promise behind [`FINGERPRINT`]: whoever changes what comes out raises the constant.
#[test]
fn fingerprint_holds() {
    let all: String = [("a.md", MARKDOWN), ("a.txt", TEXT), ("a.html", HTML)]
        .map(|(n, t)| show(&read(n, t.as_bytes())))
        .concat();
    let hash = crate::model::id::Fingerprint::of(&[&all]).to_string();
    expect_test::expect!["parse/5 2111091482299f75ecbf4424c6babacb"]
        .assert_eq(&format!("{FINGERPRINT} {hash}"));
}
