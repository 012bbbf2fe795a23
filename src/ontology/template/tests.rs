//! Templates as text, and what they make of paths and sentences.

use super::*;
use crate::model::token::tokens;

fn show(slots: &BTreeMap<String, String>) -> String {
    slots.iter().map(|(slot, text)| format!("{slot}={text}")).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check_path(template: &str, path: &str, expected: &str) {
    let found = Template::parse(template).unwrap().match_path(path);
    assert_eq!(found.as_ref().map_or("nothing".to_owned(), show), expected, "{template} on {path}");
}

#[track_caller]
fn check_text(template: &str, text: &str, expected: &str) {
    let found = tokens(text);
    let matched = Template::parse(template).unwrap().match_text(&found, 0);
    let shown = matched.map_or("nothing".to_owned(), |(consumed, slots)| {
        let rest = found.get(consumed).map_or("", |token| &text[token.span.start..]);
        format!("{} | {rest}", show(&slots)).trim().to_owned()
    });
    assert_eq!(shown, expected, "{template} on {text}");
}

#[test]
fn file_names() {
    check_path("{contract}_A{number}.*", "ecm/contracts/C-17_A2.pdf", "contract=C-17 number=2");
    check_path("{contract}_*.*", "C-17_supply.docx", "contract=C-17");
    check_path("{contract}_{title}.*", "a_b_c.tar.gz", "contract=a title=b_c");
    check_path("{contract}_*.pdf", "C-17_x.PDF", "contract=C-17");
    check_path("contracts/{contract}.md", "contracts/C1.md", "contract=C1");
    check_path("contracts/{contract}.md", "old/contracts/C1.md", "nothing");
    check_path("contracts/*/{contract}.md", "contracts/2024/C1.md", "contract=C1");
    check_path("contracts/{contract}.md", "contracts/a/b.md", "nothing");
    check_path("{n}(.md|.txt)", "7.txt", "n=7");
    check_path("{n}[_draft].md", "7_draft.md", "n=7");
    check_path("{n}[_draft].md", "7.md", "n=7");
    check_path("{n}.md", ".md", "nothing");
    check_path("Vertrag \\({n}\\).md", "VERTRAG (7).md", "n=7");
    check_path("a.b", "axb", "nothing");
    check_path("Mu\u{308}ller_{n}", "M\u{fc}ller_1", "n=1");
    check_path("M\u{fc}ller_{n}", "Mu\u{308}ller_1", "n=1");
    check_path("{n}.md", "a\nb.md", "n=a\nb");
}

#[test]
fn running_text() {
    check_text("(Schedule|Exhibit) {number}", "SCHEDULE 7.1 of the", "number=7.1 | of the");
    check_text("(Schedule|Exhibit) {number}", "Exhibit A-3, and", "number=A-3 | , and");
    check_text("(Schedule|Exhibit) {number}", "Annex 3", "nothing");
    check_text("Schedule[s] {number}", "Schedules B.", "number=B | .");
    check_text("Schedule {number}", "Schedule7", "nothing");
    check_text("CMP-{number}", "CMP-001 is", "number=001 | is");
    check_text("CMP-{number}", "cmp-001/2", "number=001/2 |");
    check_text("CMP-{number}", "CMP - 001", "nothing");
    check_text("CMP-{number}", "CMP 001", "nothing");
    check_text("CMP{number}", "CMP001x", "number=001x |");
    check_text("{contract}-A{number}", "C-17-A2 of", "contract=C-17 number=2 | of");
    check_text("{contract}-A-{number}", "C-17-A-2 of", "contract=C-17 number=2 | of");
    check_text("§ {number}", "§7 of", "number=7 | of");
    check_text("No. {number} [of {year}]", "No. 7 of 2024 is", "number=7 year=2024 | is");
    check_text("(a|a b) c", "a b c", "|");
    check_text("第{n}条", "第十二条的", "n=十二 | 的");
    check_text("Section {n}", "Section 7-", "n=7 | -");
}

#[test]
fn filling() {
    let slots = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(slot, text)| ((*slot).to_owned(), (*text).to_owned())).collect::<BTreeMap<_, _>>()
    };
    let cite = Template::parse("{title} dated [as of] {dated}").unwrap();
    assert_eq!(
        cite.fill(&slots(&[("title", "Supply  Agreement"), ("dated", "1 May 2024")])).unwrap(),
        ["Supply Agreement dated as of 1 May 2024", "Supply Agreement dated 1 May 2024"]
    );
    assert_eq!(cite.fill(&slots(&[("title", "Supply Agreement")])), None);
    assert_eq!(cite.slots(), ["title", "dated"]);
    let many = Template::parse("[a][b][c][d][e][f][g]{x}").unwrap();
    assert_eq!(many.fill(&slots(&[("x", "1")])).unwrap().len(), 32);
    assert_eq!(Template::parse("*{x}").unwrap().fill(&slots(&[("x", "1")])), None);
    let (a, b) = (Template::parse("{x} of {y}"), Template::parse("{x}[ of {y}]"));
    assert_eq!(a.unwrap().fill(&slots(&[("x", "1"), ("y", " ")])), None);
    assert_eq!(b.unwrap().fill(&slots(&[("x", "1")])).unwrap(), ["1"]);
}

#[test]
fn mistakes_are_said_with_their_place() {
    let said = |source: &str| {
        let bad = Template::parse(source).unwrap_err();
        format!("{}: {}", bad.at, bad.message)
    };
    assert_eq!(said("é{x"), "1: `{` is not closed by `}`");
    assert_eq!(said("a(b|c"), "1: `(` is not closed by `)`");
    assert_eq!(said("a[b)"), "3: `)` where `]` is due");
    assert_eq!(said("a(b[c)d]"), "5: `)` where `]` is due");
    assert_eq!(said("{a{b}}"), "2: `{` cannot be part of a slot's name");
    assert_eq!(said("a)b"), "1: `)` closes nothing");
    assert_eq!(said("a}b"), "1: `}` closes nothing");
    assert_eq!(said("{}"), "0: the slot has no name");
    assert_eq!(said("{a}{a}"), "3: the slot `a` stands twice");
    assert_eq!(said("{a:Type}"), "2: `:` cannot be part of a slot's name");
    assert_eq!(said(""), "0: the template is empty");
    assert_eq!(said("a\\"), "1: nothing follows the last `\\`");
    assert_eq!(said(&"(".repeat(100)), "16: more than 16 brackets stand in one another");
    assert_eq!(said(&"x".repeat(3000)), "2000: the template is longer than 2000 characters");
}

#[test]
fn equal_if_written_alike() {
    let template = Template::parse("{a}*").unwrap();
    assert_eq!(template, template.clone());
    assert_eq!(format!("{template:?}"), "Template { source: \"{a}*\" }");
}

#[test]
fn hostile_templates_and_texts_never_panic() {
    let pieces = [
        "{a}", "{b}", "{", "}", "(", ")", "[", "]", "|", "*", "/", "\\", "x", "é", "e\u{301}", " ", "-", ".",
        "\u{301}", "飞", "7", "十",
    ];
    let mut state = 3_u64;
    let mut random = |count: usize| {
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                pieces[(state >> 33) as usize % pieces.len()]
            })
            .collect::<String>()
    };
    for _ in 0..1500 {
        let (source, text) = (random(8), random(16));
        let Ok(template) = Template::parse(&source) else { continue };
        let _ = template.match_path(&text);
        let found = tokens(&text);
        for at in 0..=found.len() {
            if let Some((consumed, _)) = template.match_text(&found, at) {
                assert!(consumed > 0 && at + consumed <= found.len());
            }
        }
    }
    // Slots in a row may divide a run in exponentially many ways; the steps are bounded.
    let many: String = (0..20).map(|slot| format!("{{s{slot}}}")).collect();
    let run = "a1".repeat(500);
    let _ = Template::parse(&format!("{many}!")).unwrap().match_text(&tokens(&run), 0);
}
