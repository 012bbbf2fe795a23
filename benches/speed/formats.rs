//! The formats suite: what the parsers make of a collection of documents whose text is known, word for word, and how
//! fast they are beside the libraries that they stand on.
//!
//! The documents stay where they are; `FORMATS` names the folder if it is not beside the repository. A word counts
//! as often as it occurs: precision is the share of our words that the truth has too, recall that of the truth's
//! words that we have, F1 their harmonic mean. Beside it stands what extractors make of the same files that other
//! people use, where they are installed. The properties of a file are no part of what is compared.

use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::io::{Cursor, Read};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use edgewright::model::document::Document;
use edgewright::model::job::Limits;
use edgewright::parse::{Format, parse_within};

use super::table::Table;

/// What is aimed at where there is text.
const AIM: f64 = 0.90;

/// An extractor that other people use.
struct Beside {
    name: &'static str,
    /// The extensions of the files that it reads.
    reads: &'static [&'static str],
    /// How it is called; the file's path goes last.
    call: &'static [&'static str],
}

const BESIDE: [Beside; 7] = [
    Beside { name: "pdftotext", reads: &["pdf"], call: &["pdftotext", "-layout", "-enc", "UTF-8"] },
    Beside {
        name: "pypdf",
        reads: &["pdf"],
        call: &[
            "python3",
            "-c",
            "import sys, pypdf\nprint('\\n'.join(p.extract_text() for p in pypdf.PdfReader(sys.argv[1]).pages))",
        ],
    },
    Beside {
        name: "python-docx",
        reads: &["docx"],
        call: &[
            "python3",
            "-c",
            "import sys, docx\nd = docx.Document(sys.argv[1])\nfor b in d.iter_inner_content():\n if hasattr(b, 'rows'):\n  \
             for r in b.rows: print(*(c.text for c in r.cells))\n else: print(b.text)",
        ],
    },
    Beside {
        name: "openpyxl",
        reads: &["xlsx", "xlsm"],
        call: &[
            "python3",
            "-c",
            "import sys, openpyxl\nfor w in openpyxl.load_workbook(sys.argv[1], data_only=True).worksheets:\n print(w.title)\n \
             for r in w.iter_rows(values_only=True): print(*(c for c in r if c is not None))",
        ],
    },
    Beside {
        name: "xlrd",
        reads: &["xls"],
        call: &[
            "python3",
            "-c",
            "import sys, xlrd\nfor w in xlrd.open_workbook(sys.argv[1]).sheets():\n print(w.name)\n for i in range(w.nrows): \
             print(*(c for c in w.row_values(i) if c != ''))",
        ],
    },
    Beside {
        name: "beautifulsoup4",
        reads: &["html", "htm", "xhtml"],
        call: &[
            "python3",
            "-c",
            "import sys, bs4\nprint(bs4.BeautifulSoup(open(sys.argv[1], 'rb'), 'html.parser').get_text(' '))",
        ],
    },
    Beside {
        name: "markdown-it-py",
        reads: &["md", "markdown"],
        call: &[
            "python3",
            "-c",
            "import sys, markdown_it, re\nprint(re.sub('<[^>]*>', ' ', markdown_it.MarkdownIt().render(open(sys.argv[1]).read())))",
        ],
    },
];

/// What the properties of a file are called in our text.
const PROPERTIES: [&str; 6] = ["title", "author", "subject", "keywords", "created", "modified"];

/// How long a format is measured at least.
const LEAST: Duration = Duration::from_millis(400);

/// Measures, or says why not.
pub(crate) fn suite() -> Result<Vec<Table>, String> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpora/formats");
    let corpus = std::env::var_os("FORMATS").map_or(beside, PathBuf::from);
    let Ok(manifest) = fs::read_to_string(corpus.join("manifest.csv")) else {
        println!("  skipped: there is no manifest.csv in {}", corpus.display());
        return Ok(Vec::new());
    };
    let mut files = Table::new("Each document", &["format", "document", "words", "F1", "beside"]);
    let mut sums: BTreeMap<String, Sum> = BTreeMap::new();
    let mut reader = csv::Reader::from_reader(manifest.as_bytes());
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let (Some(kind), Some(file), Some(truth)) = (row.get(0), row.get(1), row.get(5)) else { continue };
        // What says where the documents come from is none of them.
        let Some(format) = Format::of(file).filter(|_| !file.ends_with("README.md")) else { continue };
        let path = corpus.join(file);
        let bytes = fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
        let ours = ours(file, format, &bytes);
        let sum = sums.entry(kind.to_owned()).or_default();
        if ours.is_ok() {
            sum.files.push((file.to_owned(), format, bytes));
        }
        let name = file.rsplit('/').next().unwrap_or(file);
        let mut cells = vec![kind.to_owned(), name.to_owned()];
        if truth.is_empty() {
            sum.untold += 1;
            let made = match &ours {
                Ok(text) => format!("no truth; {} words", words(text).values().sum::<usize>()),
                Err(why) => format!("no truth; {why}"),
            };
            cells.extend([String::new(), made, String::new()]);
            files.row(&cells);
            continue;
        }
        let truth = fs::read_to_string(corpus.join(truth)).map_err(|error| format!("{truth}: {error}"))?;
        let truth = words(&without_marks(&truth));
        let score = ours.as_deref().map_or(0.0, |text| f1(&truth, &words(text)));
        sum.scores.push(score);
        let said = ours.as_ref().err().map_or_else(|| mark(score), |why| format!("**0**: {why}"));
        let mut others = Vec::new();
        let extension = name.rsplit('.').next().unwrap_or_default().to_lowercase();
        for (at, other) in BESIDE.iter().enumerate() {
            if !other.reads.contains(&extension.as_str()) {
                continue;
            }
            match by_another(other.call, &path) {
                Some(text) => {
                    let score = f1(&truth, &words(&text));
                    sum.beside[at].push(score);
                    others.push(format!("{} {score:.3}", other.name));
                }
                None => sum.failed[at] += 1,
            }
        }
        cells.extend([truth.values().sum::<usize>().to_string(), said, others.join(", ")]);
        files.row(&cells);
    }
    let head = ["format", "documents", "mean F1", "at least 0.90", "beside", "without truth"];
    let mut formats = Table::new("Each format", &head);
    for (kind, sum) in &sums {
        let beside =
            BESIDE.iter().zip(&sum.beside).zip(&sum.failed).filter(|((_, scores), _)| !scores.is_empty());
        let beside: Vec<String> = beside
            .map(|((other, scores), failed)| match failed {
                0 => format!("{} {:.3}", other.name, mean(scores)),
                some => format!("{} {:.3} of {}, fails on {some}", other.name, mean(scores), scores.len()),
            })
            .collect();
        // An extractor that reads none of several files is not there, and one that is not there says nothing of ours.
        for (other, failed) in BESIDE.iter().zip(sum.beside.iter().zip(&sum.failed)) {
            if failed.0.is_empty() && *failed.1 > 0 {
                println!("  skipped: {} is not installed, or reads no {kind}", other.name);
            }
        }
        formats.row(&[
            kind.clone(),
            sum.scores.len().to_string(),
            if sum.scores.is_empty() { String::new() } else { mark(mean(&sum.scores)) },
            sum.scores.iter().filter(|score| **score >= AIM).count().to_string(),
            beside.join(", "),
            sum.untold.to_string(),
        ]);
    }
    Ok(vec![formats, speed(&sums), files])
}

/// A file: its name, its format and its bytes.
type Sample = (String, Format, Vec<u8>);

/// How fast we and the bare libraries read the files of each format, in one process and on one core.
fn speed(sums: &BTreeMap<String, Sum>) -> Table {
    let head = ["format", "MB", "MB/s", "the bare library", "its MB/s", "ours takes"];
    let mut table = Table::new("How fast", &head);
    for (kind, Sum { files, .. }) in sums.iter().filter(|(_, sum)| !sum.files.is_empty()) {
        let bytes: usize = files.iter().map(|(.., bytes)| bytes.len()).sum();
        let rate = |read: &dyn Fn(&Sample)| {
            let (begun, mut rounds) = (Instant::now(), 0_u32);
            while rounds == 0 || begun.elapsed() < LEAST {
                files.iter().for_each(read);
                rounds += 1;
            }
            bytes as f64 * f64::from(rounds) / 1e6 / begun.elapsed().as_secs_f64()
        };
        let ours = rate(&|(file, format, bytes)| {
            black_box(ours(file, *format, bytes)).ok();
        });
        let format = files[0].1;
        let (name, bare) = bare(format);
        let bare = bare.map(|bare| rate(&|(file, _, bytes)| bare(file, bytes)));
        table.row(&[
            kind.clone(),
            format!("{:.2}", bytes as f64 / 1e6),
            format!("{ours:.1}"),
            name.to_owned(),
            bare.map(|bare| format!("{bare:.1}")).unwrap_or_default(),
            bare.map(|bare| format!("{:.1} times", bare / ours)).unwrap_or_default(),
        ]);
    }
    table
}

/// What is read of a file by a library alone.
type Bare = fn(&str, &[u8]);

/// The library under our parser of a format: its name, and the least that it can do to get at all of the text.
fn bare(format: Format) -> (&'static str, Option<Bare>) {
    match format {
        Format::Pdf => ("pdf_oxide, `extract_text` of each page", Some(bare_pdf)),
        Format::Docx => ("zip and quick-xml, the events of `word/document.xml`", Some(bare_docx)),
        Format::Sheets => ("calamine, the cells of each sheet", Some(bare_sheets)),
        Format::Html => ("html5ever, its tokens", Some(bare_html)),
        Format::Markdown => ("comrak, its tree", Some(bare_markdown)),
        Format::Text => ("none", None),
    }
}

fn bare_pdf(_: &str, bytes: &[u8]) {
    let Ok(pdf) = pdf_oxide::PdfDocument::from_bytes(bytes.to_vec()) else { return };
    for page in 0..pdf.page_count().unwrap_or_default() {
        black_box(pdf.extract_text(page)).ok();
    }
}

fn bare_docx(_: &str, bytes: &[u8]) {
    let Ok(mut archive) = zip::ZipArchive::new(Cursor::new(bytes)) else { return };
    let mut xml = String::new();
    if archive.by_name("word/document.xml").is_ok_and(|mut part| part.read_to_string(&mut xml).is_ok()) {
        let mut reader = quick_xml::Reader::from_str(&xml);
        while reader.read_event().is_ok_and(|event| !matches!(event, quick_xml::events::Event::Eof)) {}
    }
}

fn bare_sheets(file: &str, bytes: &[u8]) {
    use calamine::Reader;
    let cells = Cursor::new(bytes);
    let Ok(mut book) = calamine::open_workbook_auto_from_rs(cells) else { return };
    for (_, range) in book.worksheets() {
        black_box(range.used_cells().count());
    }
    black_box(file);
}

fn bare_html(_: &str, bytes: &[u8]) {
    use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
    struct Nothing;
    impl TokenSink for Nothing {
        type Handle = ();
        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            black_box(token);
            TokenSinkResult::Continue
        }
    }
    let tokenizer = Tokenizer::new(Nothing, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(String::from_utf8_lossy(bytes).as_ref().into());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
}

fn bare_markdown(_: &str, bytes: &[u8]) {
    let arena = comrak::Arena::new();
    black_box(comrak::parse_document(&arena, &String::from_utf8_lossy(bytes), &comrak::Options::default()));
}

/// What a format came to.
#[derive(Default)]
struct Sum {
    scores: Vec<f64>,
    beside: [Vec<f64>; BESIDE.len()],
    /// How many files each of them did not read.
    failed: [usize; BESIDE.len()],
    /// The documents that are timed.
    files: Vec<Sample>,
    untold: usize,
}

/// Our text of a document, or why there is none.
fn ours(file: &str, format: Format, bytes: &[u8]) -> Result<String, String> {
    let parsed = catch_unwind(|| parse_within(file, format, bytes, &Limits::default()));
    let Ok((document, diagnostics)) = parsed else { return Err("its parser broke down".to_owned()) };
    let why = || diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>().join(", ");
    document.map(|document| body(&document, format).to_owned()).ok_or_else(why)
}

/// The text without the properties of the file, which stand at its top as header fields: the truth has none.
fn body(document: &Document, format: Format) -> &str {
    let has_properties = matches!(format, Format::Pdf | Format::Docx | Format::Sheets);
    let mut rest = document.text.as_str();
    if !has_properties {
        return rest;
    }
    loop {
        let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
        let name = line.split_once(':').map_or(line, |(name, _)| name);
        let is_property = PROPERTIES.iter().any(|property| name.eq_ignore_ascii_case(property));
        if !is_property && !line.trim().is_empty() || rest.is_empty() {
            break;
        }
        rest = rest[line.len()..].trim_start_matches('\n');
    }
    rest
}

/// The text that another program makes of a file; `None` if it is not installed or fails.
fn by_another(call: &[&str], path: &Path) -> Option<String> {
    let (program, words) = call.split_first()?;
    let mut command = Command::new(program);
    command.args(words).arg(path);
    if *program == "pdftotext" {
        command.arg("-");
    }
    let done = command.output().ok().filter(|done| done.status.success())?;
    Some(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// The words of a text, each with how often it occurs.
fn words(text: &str) -> BTreeMap<String, usize> {
    let mut words = BTreeMap::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        *words.entry(word.to_lowercase()).or_insert(0) += 1;
    }
    words
}

/// A Markdown text without what a conversion wrote that no reader sees: comments, targets of links, entities.
fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        plain.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    let mut out = String::with_capacity(plain.len());
    let mut rest = plain.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out.push_str(rest);
    out.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">").replace('\\', "")
}

fn f1(truth: &BTreeMap<String, usize>, ours: &BTreeMap<String, usize>) -> f64 {
    let both: usize = truth.iter().map(|(word, count)| *count.min(ours.get(word).unwrap_or(&0))).sum();
    let (all, had): (usize, usize) = (truth.values().sum(), ours.values().sum());
    if all + had == 0 { 1.0 } else { 2.0 * both as f64 / (all + had) as f64 }
}

fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

/// A score, in bold type where it misses the aim.
fn mark(score: f64) -> String {
    if score >= AIM { format!("{score:.3}") } else { format!("**{score:.3}**") }
}
