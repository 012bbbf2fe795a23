//! Lists: which label a paragraph of a list has, counted as a word processor counts.

use std::collections::{BTreeMap, BTreeSet};

use super::super::xml::{self, Node, Tag};
use super::super::{Fault, Package, Relation};
use super::body::indent;
use super::styles::Styles;

/// A list has nine levels.
const LEVELS: usize = 9;

/// A level of a list.
#[derive(Debug, Clone, Default)]
struct Level {
    format: String,
    /// The label with `%1` for the number of the first level.
    text: String,
    start: u32,
    /// True if the numbers of other levels are written in digits.
    is_legal: bool,
    indent: Option<i32>,
    /// The level after which it begins anew; 0 is never.
    restarts_after: Option<usize>,
}

/// The levels of a list.
type Levels = [Level; LEVELS];

/// A list that paragraphs name.
#[derive(Debug, Default, Clone)]
struct List {
    form: u32,
    starts: BTreeMap<usize, u32>,
    levels: BTreeMap<usize, Level>,
}

/// All lists of a document, and how far each has been counted.
#[derive(Debug, Default)]
pub(super) struct Numbering {
    forms: BTreeMap<u32, Levels>,
    lists: BTreeMap<u32, List>,
    /// For each form the numbers of its levels, as last used.
    counts: BTreeMap<u32, [Option<u32>; LEVELS]>,
    begun: BTreeSet<(u32, usize)>,
}

/// What a list says of a paragraph.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Numbered {
    /// The label; empty for a bullet.
    pub(super) label: String,
    /// What is counted together.
    pub(super) form: u32,
    pub(super) level: usize,
    pub(super) indent: Option<i32>,
}

/// Reads the lists; a document without them has none.
pub(super) fn read(
    package: &mut Package<'_>,
    related: &[Relation],
    styles: &Styles,
) -> Result<Numbering, Fault> {
    let part = related.iter().find(|relation| relation.kind == "numbering").map(|one| one.target.clone());
    let Some(text) = part.map_or(Ok(None), |part| package.text(&part))? else {
        return Ok(Numbering::default());
    };
    let mut reader = Reader::default();
    xml::walk(&text, &mut |node| {
        match node {
            Node::Open(tag) => reader.open(tag),
            Node::Close(name) => reader.close(name),
            Node::Text(_) => {}
        }
        Ok(())
    })
    .map_err(|why| Fault::Damaged(format!("the numbering: {why}")))?;
    let Reader { mut numbering, points, .. } = reader;
    // A form may only point to the style that has the list with the levels.
    for (form, style) in points {
        let pointed =
            styles.list_of_style(&style).and_then(|list| numbering.lists.get(&list)).map(|list| list.form);
        let levels =
            pointed.filter(|pointed| *pointed != form).and_then(|pointed| numbering.forms.get(&pointed));
        if let Some(levels) = levels.cloned() {
            numbering.forms.insert(form, levels);
        }
    }
    Ok(numbering)
}

#[derive(Default)]
struct Reader {
    numbering: Numbering,
    /// Forms that point to a style.
    points: Vec<(u32, String)>,
    form: Option<u32>,
    list: Option<u32>,
    level: Option<(usize, Level)>,
    start_of: Option<usize>,
}

impl Reader {
    fn open(&mut self, tag: &Tag<'_>) {
        let value = || tag.value("val").unwrap_or_default();
        match tag.name.as_str() {
            "w:abstractNum" => {
                self.form = tag.number("abstractNumId");
                if let Some(form) = self.form {
                    self.numbering.forms.insert(form, Levels::default());
                }
            }
            "w:numStyleLink" => self.points.extend(self.form.map(|form| (form, value()))),
            "w:num" => {
                self.list = tag.number("numId");
                if let Some(list) = self.list {
                    self.numbering.lists.insert(list, List::default());
                }
            }
            "w:abstractNumId" => {
                if let (Some(list), Some(form)) = (self.open_list(), tag.number("val")) {
                    list.form = form;
                }
            }
            "w:lvlOverride" => self.start_of = tag.number("ilvl"),
            "w:startOverride" => {
                if let (Some(level), Some(start)) = (self.start_of, tag.number("val"))
                    && let Some(list) = self.open_list()
                {
                    list.starts.insert(level, start);
                }
            }
            "w:lvl" => {
                let level = tag.number("ilvl").filter(|level| *level < LEVELS);
                self.level = level.map(|level| (level, Level { start: 1, ..Level::default() }));
            }
            _ => self.property(tag),
        }
    }

    fn property(&mut self, tag: &Tag<'_>) {
        let Some((_, level)) = &mut self.level else { return };
        match tag.name.as_str() {
            "w:start" => level.start = tag.number("val").unwrap_or(1),
            "w:numFmt" => level.format = tag.value("val").unwrap_or_default(),
            "w:lvlText" => level.text = tag.value("val").unwrap_or_default(),
            "w:isLgl" => level.is_legal = tag.is_on(),
            "w:lvlRestart" => level.restarts_after = tag.number("val"),
            "w:ind" => level.indent = indent(tag),
            _ => {}
        }
    }

    fn open_list(&mut self) -> Option<&mut List> {
        self.list.and_then(|list| self.numbering.lists.get_mut(&list))
    }

    fn close(&mut self, name: &str) {
        match name {
            "w:lvl" => {
                let Some((at, level)) = self.level.take() else { return };
                if let Some(list) = self.open_list() {
                    list.levels.insert(at, level);
                } else if let Some(slot) = self
                    .form
                    .and_then(|form| self.numbering.forms.get_mut(&form))
                    .and_then(|form| form.get_mut(at))
                {
                    *slot = level;
                }
            }
            "w:abstractNum" => self.form = None,
            "w:num" => self.list = None,
            "w:lvlOverride" => self.start_of = None,
            _ => {}
        }
    }
}

impl Numbering {
    /// Counts the next paragraph of a list.
    pub(super) fn next(&mut self, list: u32, level: usize) -> Option<Numbered> {
        let level = level.min(LEVELS - 1);
        let List { form, starts, levels: own } = self.lists.get(&list)?.clone();
        let mut levels = self.forms.get(&form).cloned().unwrap_or_default();
        for (at, level) in own {
            levels[at] = level;
        }
        let counts = self.counts.entry(form).or_default();
        // The first paragraph of a list that states a start begins there.
        let mut begins = None;
        for (at, start) in starts.iter().filter(|(at, _)| **at <= level) {
            if !self.begun.insert((list, *at)) {
                continue;
            }
            if *at == level {
                begins = Some(*start);
            } else {
                counts[*at] = Some(*start);
            }
        }
        let next = counts[level].map_or(levels[level].start, |count| count.saturating_add(1));
        counts[level] = Some(begins.unwrap_or(next));
        for below in level + 1..LEVELS {
            let restarts = levels[below].restarts_after.is_none_or(|after| after > 0 && level < after);
            if restarts {
                counts[below] = None;
            }
        }
        let number = |at: usize| counts[at].unwrap_or(levels[at].start);
        let label = label(&levels, level, &number);
        Some(Numbered { label, form, level, indent: levels[level].indent })
    }
}

/// The label of a level: its text with the numbers of the levels in place of their signs.
fn label(levels: &Levels, level: usize, number: &dyn Fn(usize) -> u32) -> String {
    let this = &levels[level];
    if matches!(this.format.as_str(), "bullet" | "none") {
        return String::new();
    }
    let mut label = String::new();
    let mut rest = this.text.chars().peekable();
    while let Some(character) = rest.next() {
        let at =
            rest.peek().and_then(|digit| digit.to_digit(10)).filter(|digit| character == '%' && *digit > 0);
        match at.and_then(|digit| usize::try_from(digit - 1).ok()) {
            Some(at) if at < LEVELS => {
                rest.next();
                let format = if this.is_legal { "decimal" } else { levels[at].format.as_str() };
                label.push_str(&written(number(at), format));
            }
            _ => label.push(character),
        }
    }
    label.trim().to_owned()
}

/// A number in one of the usual forms; in one that is not known, in digits.
fn written(number: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letter(number).to_lowercase(),
        "upperLetter" => letter(number),
        "lowerRoman" => roman(number).to_lowercase(),
        "upperRoman" => roman(number),
        "decimalZero" => format!("{number:02}"),
        "none" => String::new(),
        _ => number.to_string(),
    }
}

/// `A` to `Z`, then `AA`, `BB`.
fn letter(number: u32) -> String {
    let Some(at) = number.checked_sub(1) else { return "0".to_owned() };
    let letter = char::from(b'A' + u8::try_from(at % 26).unwrap_or(0));
    let times = usize::try_from(at / 26).unwrap_or(0) + 1;
    if times > 30 { number.to_string() } else { letter.to_string().repeat(times) }
}

fn roman(number: u32) -> String {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if !(1..4000).contains(&number) {
        return number.to_string();
    }
    let mut rest = number;
    let mut text = String::new();
    for (worth, digit) in DIGITS {
        while rest >= worth {
            rest -= worth;
            text.push_str(digit);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(format: &str, text: &str) -> Level {
        Level { format: format.to_owned(), text: text.to_owned(), start: 1, ..Level::default() }
    }

    #[test]
    fn labels_are_counted_as_a_word_processor_counts() {
        let mut numbering = Numbering::default();
        let mut levels = Levels::default();
        levels[0] = level("decimal", "Article %1");
        levels[1] = level("decimal", "%1.%2");
        levels[2] = level("lowerLetter", "(%3)");
        levels[3] = level("lowerRoman", "(%4)");
        numbering.forms.insert(7, levels);
        numbering.lists.insert(1, List { form: 7, ..List::default() });
        numbering.lists.insert(2, List { form: 7, starts: [(0, 9)].into(), ..List::default() });
        let mut labels = |steps: &[(u32, usize)]| -> Vec<String> {
            steps.iter().map(|(list, level)| numbering.next(*list, *level).unwrap().label).collect()
        };
        let steps = [(1, 0), (1, 1), (1, 2), (1, 2), (1, 3), (1, 1), (1, 2), (1, 0), (1, 1)];
        let expected = ["Article 1", "1.1", "(a)", "(b)", "(i)", "1.2", "(a)", "Article 2", "2.1"];
        assert_eq!(labels(&steps), expected);
        // Another list of the same form goes on unless it states a start.
        assert_eq!(labels(&[(2, 0), (2, 1), (1, 0)]), ["Article 9", "9.1", "Article 10"]);
        assert!(numbering.next(3, 0).is_none());
    }

    #[test]
    fn numbers_have_their_forms() {
        let forms =
            ["decimal", "lowerLetter", "upperLetter", "lowerRoman", "upperRoman", "decimalZero", "none"];
        let all = |number| forms.map(|format| written(number, format)).join(" ");
        assert_eq!(all(4), "4 d D iv IV 04 ");
        assert_eq!(all(28), "28 bb BB xxviii XXVIII 28 ");
        assert_eq!(written(0, "lowerLetter"), "0");
    }
}
