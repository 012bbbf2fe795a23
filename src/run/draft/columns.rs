//! What the columns of a feed hold: which one is the key, which are names, days, and keys of other feeds.
//!
//! Rows come in, guesses with their reasons go out. It must not know any document.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization;

use crate::model::job::{Feed, FeedDates};
use crate::model::token::{TokenKind, fold, tokens};
use crate::ontology::language::Language;
use crate::source::feed::{FeedRead, day};

/// Forms of days that tables are seen to have, the likeliest first; none is the ISO form.
const DAYS: [Option<&str>; 5] = [None, Some("%Y%m%d"), Some("%d.%m.%Y"), Some("%m/%d/%Y"), Some("%d/%m/%Y")];

/// Cells that mean that there is no bound.
const OPEN: [&str; 6] = ["99991231", "00000000", "9999-12-31", "31.12.9999", "12/31/9999", "0"];

/// A longer text is no name and no key.
const LONGEST_NAME: usize = 120;

/// What the rows of a feed are whose name says nothing.
pub(super) const ENTRY: &str = "Entry";

/// What stands between several names in one cell.
const SEPARATORS: [&str; 2] = ["|", ";"];

/// A column, as its cells are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    pub(super) name: String,
    /// How many cells are not empty.
    pub(super) filled: usize,
    /// The different values of those.
    pub(super) values: BTreeSet<String>,
    /// The form of days, if nearly all are days: none is the ISO form.
    pub(super) days: Option<Option<&'static str>>,
    /// True if most days are last days of a month, as days are that still count.
    pub(super) closes_months: bool,
    /// How many values have letters.
    lettered: usize,
    /// The mean length of the values in characters.
    length: usize,
    /// What separates several values in some cells.
    pub(super) many: Option<&'static str>,
}

/// The cells that a feed says which entities there are by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Roles {
    /// The column of the key.
    pub(super) key: String,
    /// True if some keys stand in several rows.
    pub(super) repeats: bool,
    /// The columns of names, the full name first.
    pub(super) names: Vec<String>,
    /// Those of them with several names in one cell, and what separates them.
    pub(super) many: BTreeMap<String, &'static str>,
}

impl Column {
    /// True if every row has its own value.
    fn is_unique(&self, rows: usize) -> bool {
        rows > 0 && self.filled == rows && self.values.len() == rows
    }

    /// Those words of its name that say something.
    fn says(&self, words: &BTreeSet<String>) -> bool {
        words_of(&self.name).iter().any(|word| words.contains(word))
    }

    fn is_texts(&self) -> bool {
        self.lettered * 5 >= self.values.len() * 4 && self.length <= LONGEST_NAME
    }

    /// What it holds, in words.
    pub(super) fn describe(&self, rows: usize) -> String {
        let what = match self.days {
            Some(None) => "days",
            Some(Some(_)) => "days of another form",
            None if self.lettered * 5 >= self.values.len() * 4 => "texts",
            None if self.lettered == 0 => "numbers",
            None => "codes",
        };
        let different = match self.values.len() {
            different if self.is_unique(rows) => format!("all {different} different"),
            different => format!("{different} different"),
        };
        match rows - self.filled.min(rows) {
            0 => format!("{what}, {different}"),
            empty => format!("{what}, {different}, {empty} empty"),
        }
    }
}

/// The words of a column's or file's name, folded: `VendorNo` and `vendor_no` have the same ones.
pub(super) fn words_of(name: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for letter in name.nfc() {
        if letter.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(if letter.is_alphanumeric() { letter } else { ' ' });
        before = letter;
    }
    spaced.split_whitespace().map(fold).collect()
}

/// Looks at every column of a feed. Linear in its cells; holds the different values of each column.
pub(super) fn columns(feed: &Feed, read: &FeedRead) -> Vec<Column> {
    let of = |name: &String| {
        let cells = read.rows.iter().filter_map(|row| row.cells.get(name)).map(str::trim);
        let cells: Vec<&str> = cells.filter(|cell| !cell.is_empty()).collect();
        let values: BTreeSet<String> = cells.iter().map(|cell| (*cell).to_owned()).collect();
        let lettered = values.iter().filter(|value| value.chars().any(char::is_alphabetic)).count();
        let length = values.iter().map(|value| value.chars().count()).sum::<usize>() / values.len().max(1);
        let split = |separator: &&&str| values.iter().filter(|value| value.contains(**separator)).count();
        let many = SEPARATORS.iter().filter(|separator| split(separator) > 0).max_by_key(split).copied();
        let days = DAYS.into_iter().find(|form| are_days(feed, *form, &values));
        let closes_months = days.is_some_and(|form| close_months(feed, form, &values));
        Column {
            name: name.clone(),
            filled: cells.len(),
            days,
            closes_months,
            lettered,
            length,
            many,
            values,
        }
    };
    read.columns.iter().map(of).collect()
}

/// True if nearly all of the values are days of this form, or mean that there is none.
fn are_days(feed: &Feed, form: Option<&str>, values: &BTreeSet<String>) -> bool {
    let probe = probe(feed, form);
    let stated = values.iter().filter(|value| !OPEN.contains(&value.as_str()));
    let (mut days, mut others) = (0_usize, 0_usize);
    for value in stated {
        // A bare year or number is a day to the reader of days, and to a person mostly none.
        let is_day = value.len() >= 8 && day(&probe, value).is_some();
        *(if is_day { &mut days } else { &mut others }) += 1;
    }
    days > 0 && days >= others * 19
}

fn probe(feed: &Feed, form: Option<&str>) -> Feed {
    Feed { dates: FeedDates { format: form.map(str::to_owned), ..FeedDates::default() }, ..feed.clone() }
}

fn close_months(feed: &Feed, form: Option<&str>, values: &BTreeSet<String>) -> bool {
    let probe = probe(feed, form);
    let stated = values.iter().filter(|value| !OPEN.contains(&value.as_str()));
    let days: Vec<_> = stated.filter_map(|value| day(&probe, value)).collect();
    let last = days.iter().filter(|day| day.day() == day.days_in_month()).count();
    last > 0 && last * 2 >= days.len()
}

/// The values of a column of days that mean that there is no bound, the empty cell first.
pub(super) fn open_values(column: &Column) -> Vec<&str> {
    let open = OPEN.into_iter().filter(|open| column.values.contains(*open));
    std::iter::once("").chain(open).collect()
}

/// Which columns tell who there is; none if no column is a key. `about` are words of what the rows are.
pub(super) fn roles(columns: &[Column], rows: usize, about: &[String], language: &Language) -> Option<Roles> {
    let words = &language.tables;
    let likely = |column: &&Column| column.days.is_none() && column.length <= LONGEST_NAME;
    let unique = columns.iter().enumerate().filter(|(_, column)| likely(column) && column.is_unique(rows));
    let about: BTreeSet<String> = about.iter().cloned().collect();
    // A key is mostly the first column, is named like one, or like what it is the key of.
    let score = |at: usize, column: &Column| {
        u8::from(at == 0) + 2 * u8::from(column.says(&words.key)) + 2 * u8::from(column.says(&about))
    };
    let key = unique.max_by_key(|(at, column)| (score(*at, column), std::cmp::Reverse(*at)));
    let key = key.map(|(_, column)| column);
    let nearly = |column: &&Column| column.filled == rows && column.values.len() * 10 >= rows * 9;
    let (key, repeats) = match key {
        Some(key) => (key, false),
        None => (columns.iter().filter(likely).find(nearly)?, true),
    };
    let is_name = |column: &&Column| {
        column.name != key.name
            && column.days.is_none()
            && column.is_texts()
            && column.filled * 2 >= rows
            && column.values.len() * 5 >= column.filled * 4
    };
    let texts: Vec<&Column> = columns.iter().filter(is_name).collect();
    let full = texts.iter().copied().find(|column| column.says(&words.name)).or_else(|| {
        // A key that is a text is a name itself, and so no other column need be.
        if key.is_texts() { None } else { texts.first().copied() }
    });
    let full = full.or_else(|| Some(key).filter(|key| key.is_texts()));
    let mut names: Vec<String> = full.iter().map(|column| column.name.clone()).collect();
    let alias = |column: &&Column| {
        column.says(&words.alias)
            && column.days.is_none()
            && column.lettered > 0
            && !names.contains(&column.name)
    };
    let aliases: Vec<&Column> =
        columns.iter().filter(alias).filter(|column| column.name != key.name).collect();
    let many = aliases.iter().filter_map(|column| Some((column.name.clone(), column.many?))).collect();
    names.extend(aliases.iter().map(|column| column.name.clone()));
    Some(Roles { key: key.name.clone(), repeats, names, many })
}

/// The column of days that begins or ends something, by its name; else, of two such columns, the one with days that
/// mean that there is no bound ends it.
pub(super) fn bound<'c>(columns: &'c [Column], ends: bool, language: &Language) -> Option<&'c Column> {
    let (starting, ending) = (&language.tables.starts, &language.tables.ends);
    let words = if ends { ending } else { starting };
    let days = || columns.iter().filter(|column| column.days.is_some());
    if let Some(named) = days().find(|column| column.says(words)) {
        return Some(named);
    }
    let is_open = |column: &Column| open_values(column).len() > 1;
    let unnamed = days().all(|column| !column.says(starting) && !column.says(ending));
    (unnamed && days().count() == 2 && days().filter(|column| is_open(column)).count() == 1)
        .then(|| days().find(|column| is_open(column) == ends))
        .flatten()
}

/// True if a fifth of the names close with a legal form, so that texts may leave it out.
pub(super) fn are_companies(values: &BTreeSet<String>, language: &Language) -> bool {
    let closes = |value: &&String| {
        let words: Vec<String> = tokens(value)
            .into_iter()
            .filter(|token| token.kind != TokenKind::Mark)
            .map(|token| token.folded.into())
            .collect();
        let forms = &language.legal_forms;
        forms.iter().any(|form| words.len() > form.len() && words.ends_with(form))
    };
    values.iter().filter(closes).count() * 5 >= values.len().max(1)
}

/// The share of a column's values that are among these keys, in percent.
pub(super) fn refers(column: &Column, keys: &BTreeSet<String>) -> usize {
    let found = |value: &&String| match column.many {
        Some(separator) => value.split(separator).all(|part| keys.contains(part.trim())),
        None => keys.contains(*value),
    };
    column.values.iter().filter(found).count() * 100 / column.values.len().max(1)
}

/// The name of an entity type from that of a file, folder or column: `vendor_list.csv` holds a `Vendor`.
pub(super) fn type_name(name: &str, language: &Language) -> Option<String> {
    let mut words = words_of(name);
    words.retain(|word| !language.tables.plain.contains(word) && word.chars().all(char::is_alphabetic));
    let last = words.pop()?;
    words.push(singular(&last));
    let name: String = words.iter().map(|word| capitalized(word)).collect();
    // Patterns know a type by its capital letter, which not every script has.
    Some(if name.starts_with(char::is_uppercase) { name } else { format!("{ENTRY}_{name}") })
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    for ending in ["sses", "xes", "ches", "shes", "zes"] {
        if word.ends_with(ending) {
            return word[..word.len() - 2].to_owned();
        }
    }
    let kept = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
    match word.strip_suffix('s') {
        Some(stem) if !kept && stem.len() > 1 => stem.to_owned(),
        _ => word.to_owned(),
    }
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn english() -> &'static Language {
        Language::of("en").unwrap()
    }

    #[test]
    fn types_are_named_after_what_lists_them() {
        for (name, expected) in [
            ("parties", "Party"),
            ("vendor_list", "Vendor"),
            ("VendorNo", "VendorNo"),
            ("boxes", "Box"),
            ("buses", "Buse"),
            ("addresses", "Address"),
            ("bill-of-materials", "BillMaterial"),
            ("status", "Status"),
            ("größen", "Grössen"),
            ("gro\u{308}\u{df}en", "Grössen"),
            ("飞行", "Entry_飞行"),
            ("a: b\u{7}c", "ABC"),
        ] {
            assert_eq!(type_name(name, english()).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(type_name("documents", english()), None);
        assert_eq!(type_name("2024: №", english()), None);
    }
}
