//! Executes `docs/rules.md`.

use super::kit::*;
use super::*;

const PAGE: &str = include_str!("../../../docs/rules.md");

/// One text of the page and what is found in it.
struct Case {
    line: usize,
    text: String,
    finds: Vec<String>,
    why: Option<String>,
}

/// The fenced blocks of the page: language, first line, lines.
fn blocks() -> Vec<(String, usize, Vec<&'static str>)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, Vec<&str>)> = None;
    for (at, line) in PAGE.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((language.to_owned(), at + 2, Vec::new())),
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some((_, _, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    found
}

fn unfolded(text: &str) -> String {
    text.replace(" / / ", " /  / ").split(" / ").collect::<Vec<_>>().join("\n")
}

/// The frame of a block, its setting, and its cases.
fn cases(first: usize, lines: &[&str]) -> (String, Setting, Part, Vec<Case>) {
    let (mut frame, mut setting, mut part) = (String::new(), Setting::default(), Part::Body);
    let mut found: Vec<Case> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line_no = first + at;
        if let Some(text) = line.strip_prefix("+ ") {
            found.push(Case { line: line_no, text: unfolded(text), finds: Vec::new(), why: None });
        } else if let Some(text) = line.strip_prefix("- ") {
            let (text, why) = match text.rsplit_once(" # ") {
                Some((text, why)) if !text.is_empty() && !why.contains(' ') => (text, Some(why.to_owned())),
                _ => (text, None),
            };
            found.push(Case { line: line_no, text: unfolded(text), finds: Vec::new(), why });
        } else if let Some(finds) = line.strip_prefix("    ") {
            found.last_mut().unwrap().finds.push(finds.to_owned());
        } else if let Some(key) = line.strip_prefix("self: ") {
            let (kind, key) = key.split_once(' ').unwrap();
            setting.stands_for = EntityKey::new(kind, key);
        } else if let Some(name) = line.strip_prefix("part: ") {
            part = serde_json::from_value(serde_json::Value::String(name.to_owned())).unwrap();
        } else if let Some(path) = line.strip_prefix("path: ") {
            setting.path = path.to_owned();
        } else if let Some(target) = line.strip_prefix("target: ") {
            let [path, kind, key] = target.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
            setting.targets.extend(EntityKey::new(kind, key).map(|key| (path.to_owned(), key)));
        } else if let Some(answer) = line.strip_prefix("effective: ") {
            setting.effective = answer == "yes";
        } else {
            frame.push_str(line);
            frame.push('\n');
        }
    }
    (frame, setting, part, found)
}

#[test]
fn the_page_on_rules_is_true() {
    let (mut known, mut rules, mut wrong) = (Vec::new(), None, Vec::new());
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (language, first, lines) in blocks() {
        match language.as_str() {
            "names" => known = names(&lines.join("\n")),
            "yaml" => rules = Some((extractor(&lines.join("\n")), kind_of(&lines.join("\n")))),
            "finds" => {
                let (extractor, kind) = rules.as_ref().unwrap();
                let (frame, setting, part, cases) = cases(first, &lines);
                for case in cases {
                    let count = counts.entry(kind).or_default();
                    *(if case.finds.is_empty() { &mut count.1 } else { &mut count.0 }) += 1;
                    let doc = document(&format!("{frame}{}", case.text), setting.clone(), part);
                    wrong.extend(judge(&doc, extractor, &known, &case));
                }
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of the page are wrong:\n{}", wrong.len(), wrong.join("\n"));
    for (kind, (found, not_found)) in counts {
        assert!(found >= 15 && not_found >= 15, "{kind}: {found} and {not_found} sentences");
    }
}

fn kind_of(yaml: &str) -> &'static str {
    for kind in ["bind", "mentions", "field", "table", "link"] {
        if yaml.contains(&format!("  {kind}:")) {
            return kind;
        }
    }
    "match"
}

fn judge(doc: &Doc, extractor: &Extractor, known: &Names, case: &Case) -> Option<String> {
    let extractions = doc.run(extractor, known);
    let mut found = Vec::new();
    let mut misses = Vec::new();
    for (chunk, extraction) in doc.chunks.iter().zip(&extractions) {
        for reading in &extraction.readings {
            found.push(show(reading, known));
            let quote = &reading.evidence.quote;
            let span = reading.evidence.span.expect("every reading of a chunk has a place");
            let slice = span.of(&chunk.body.text);
            // A row's quote is its mapped cells, which need not stand side by side.
            let row = matches!(chunk.body.kind, ChunkKind::Rows { .. });
            assert!(slice == quote || row, "line {}: `{quote}` is not `{slice}`", case.line);
        }
        misses.extend(extraction.misses.iter().cloned());
    }
    let told = case.why.as_ref().is_none_or(|why| {
        misses.iter().any(|miss| matches!(&miss.kind, MissKind::Cue { class, .. } if class == why))
    });
    let right = found == case.finds && told;
    (!right).then(|| {
        let misses: Vec<&MissKind> = misses.iter().map(|miss| &miss.kind).collect();
        format!(
            "line {}: {:?}\n   found {found:#?}\n   due   {:#?} {misses:?}",
            case.line, case.text, case.finds
        )
    })
}
