//! The grammar as text and reading.

use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::ontology::language::PartWords;

fn english() -> Language {
    let names = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let mut months: BTreeMap<String, i8> = BTreeMap::new();
    for (month, name) in (1..).zip(names) {
        months.insert(name.to_owned(), month);
        months.insert(name[..3].to_owned(), month);
    }
    months.insert("sept".to_owned(), 9);
    Language {
        name: "en".to_owned(),
        months,
        abbreviations: BTreeSet::new(),
        legal_forms: Vec::new(),
        parts: PartWords::default(),
        ..Language::of("en").unwrap().clone()
    }
}

fn show(read: &DateExpr) -> String {
    match read {
        DateExpr::Stated(day) => format!("[{}, {}) {:?}", day.first, day.next, day.precision).to_lowercase(),
        DateExpr::Blank { text } => format!("blank `{text}`"),
        DateExpr::Ambiguous { text } => format!("ambiguous `{text}`"),
        DateExpr::Invalid { text } => format!("invalid `{text}`"),
        DateExpr::Relative { .. } => "relative".to_owned(),
    }
}

/// Reads the date at the start of the text; what follows it stands after a bar.
fn read(text: &str, order: Option<DateOrder>) -> String {
    let found = tokens(text);
    match date(&found, 0, &english(), order) {
        None => "nothing".to_owned(),
        Some(read) => {
            assert!(read.tokens > 0 && read.tokens <= found.len(), "{text}");
            let rest = found.get(read.tokens).map_or("", |token| &text[token.span.start..]);
            format!("{} | {rest}", show(&read.value)).trim_end().to_owned()
        }
    }
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(read(text, None).trim_end_matches(" |"), expected, "{text}");
}

#[test]
fn days() {
    let day = "[2024-02-17, 2024-02-18) day";
    for text in [
        "17 February 2024",
        "17th of February, 2024",
        "the 17th day of February, 2024",
        "the 17t h day of February, 2024",
        "the seventeenth day of February 2024",
        "February 17, 2024",
        "February 17th, 2024",
        "Feb. 17 2024",
        "FEB 17, 2024",
        "Saturday, 17 February 2024",
        "17-Feb-2024",
        "17. February 2024",
        "2024-02-17",
        "2024/02/17",
        "2024-02-17T23:59:59.123+02:00",
        "17.02.2024",
        "17.2.2024",
        "17/02/2024",
        "02/17/2024",
    ] {
        check(text, day);
    }
    check("twenty-first day of March, 2024", "[2024-03-21, 2024-03-22) day");
    check("17 February 2024, as amended", &format!("{day} | , as amended"));
    check("2024-02-17. Then", &format!("{day} | . Then"));
    check("17.02.2024.", &format!("{day} | ."));
    check("2024-02-17T10:00. Then", &format!("{day} | . Then"));
}

#[test]
fn coarse_dates() {
    check("February 2024", "[2024-02-01, 2024-03-01) month");
    check("Feb. 2024 or later", "[2024-02-01, 2024-03-01) month | or later");
    check("Q3 2025", "[2025-07-01, 2025-10-01) quarter");
    check("Q3/2025", "[2025-07-01, 2025-10-01) quarter");
    check("2025-Q3", "[2025-07-01, 2025-10-01) quarter");
    check("third quarter of 2025", "[2025-07-01, 2025-10-01) quarter");
    check("the 3rd quarter of calendar year 2025", "[2025-07-01, 2025-10-01) quarter");
    check("Q5 2025", "invalid `Q5 2025`");
    check("2024", "[2024-01-01, 2025-01-01) year");
    check("2024 and later", "[2024-01-01, 2025-01-01) year | and later");
    check("1899", "nothing");
    check("2200 units", "nothing");
}

#[test]
fn days_that_the_calendar_lacks_are_not_moved() {
    check("29 February 2023", "invalid `29 February 2023`");
    check("29 February 2024", "[2024-02-29, 2024-03-01) day");
    check("April 31, 2024", "invalid `April 31, 2024`");
    check("2024-13-01", "invalid `2024-13-01`");
    check("31.04.2024", "invalid `31.04.2024`");
    check("99/99/2024", "invalid `99/99/2024`");
    check("0000-00-00", "nothing");
    check("9999-12-31", "invalid `9999-12-31`");
}

#[test]
fn the_order_of_numeric_dates() {
    check("03/04/2024", "ambiguous `03/04/2024`");
    check("03-04-2024", "ambiguous `03-04-2024`");
    check("03/03/2024", "[2024-03-03, 2024-03-04) day");
    check("25/12/2024", "[2024-12-25, 2024-12-26) day");
    check("03/04/24", "ambiguous `03/04/24`");
    check("17-Feb-24", "ambiguous `17-Feb-24`");
    assert_eq!(read("03/04/2024", Some(DateOrder::DayFirst)), "[2024-04-03, 2024-04-04) day |");
    assert_eq!(read("03/04/2024", Some(DateOrder::MonthFirst)), "[2024-03-04, 2024-03-05) day |");
    assert_eq!(read("25/12/2024", Some(DateOrder::MonthFirst)), "invalid `25/12/2024` |");
    assert_eq!(read("03.04.2024", Some(DateOrder::MonthFirst)), "[2024-04-03, 2024-04-04) day |");
}

#[test]
fn blanks() {
    check("September ___, 2019", "blank `September ___, 2019`");
    check("____ day of ____ 2019", "blank `____ day of ____ 2019`");
    check("___th day of March, 2019 by", "blank `___th day of March, 2019` | by");
    check("[date]", "blank `[date]`");
    check("[Insert Date], by", "blank `[Insert Date]` | , by");
    check("[●], 2019", "blank `[●], 2019`");
    check("March 3, 20__", "blank `March 3, 20__`");
    check("the date last signed below (the", "blank `the date last signed below` | (the");
    check("the date of the last signature", "blank `the date of the last signature`");
    check("the date first written above", "nothing");
    check("[Product 7]", "nothing");
    check("[the parties agree]", "nothing");
}

#[test]
fn what_is_no_date() {
    for text in
        ["20240217", "February", "17 February", "may supply", "2024-02-17-001", "2024A", "12 March", "FCU-9"]
    {
        check(text, "nothing");
    }
    // The caller asks at every token, so a date inside a longer code must be refused there.
    let inside = tokens("DOC-2024-02-17 and CMP-2024 and $2024 x2024");
    for at in 0..inside.len() {
        assert_eq!(date(&inside, at, &english(), None), None, "{}", inside[at].text);
    }
}

#[test]
fn whole_texts() {
    let whole = |text: &str| parse_date_text(text, &english(), None).map(|date| show(&date));
    assert_eq!(whole(" 2024-02-17T00:00:00Z ").as_deref(), Some("[2024-02-17, 2024-02-18) day"));
    assert_eq!(whole("2024-02-17 23:59:59 +0200"), None);
    assert_eq!(whole("2024-02-17 23:59:59+02:00").as_deref(), Some("[2024-02-17, 2024-02-18) day"));
    assert_eq!(whole("2024-02").as_deref(), Some("[2024-02-01, 2024-03-01) month"));
    assert_eq!(whole("2024-13").as_deref(), Some("invalid `2024-13`"));
    assert_eq!(whole("2024").as_deref(), Some("[2024-01-01, 2025-01-01) year"));
    assert_eq!(whole("17 February 2024").as_deref(), Some("[2024-02-17, 2024-02-18) day"));
    assert_eq!(whole("17 February 2024 or so"), None);
    assert_eq!(whole("03/04/2024").as_deref(), Some("ambiguous `03/04/2024`"));
    assert_eq!(whole(""), None);
}

#[track_caller]
fn check_period(text: &str, expected: &str) {
    let found = tokens(text);
    let read = period(&found, 0, &english());
    let shown = read.map_or("nothing".to_owned(), |read| {
        let rest = found.get(read.tokens).map_or("", |token| &text[token.span.start..]);
        format!("{} {rest}", read.value).trim_end().to_owned()
    });
    assert_eq!(shown, expected, "{text}");
}

#[test]
fn periods() {
    check_period("225 days of its effect", "P225D of its effect");
    check_period("twelve (12) months", "P12M");
    check_period("twelve (13) months", "nothing");
    check_period("one year", "P1Y");
    check_period("a year from", "P1Y from");
    check_period("six weeks", "P6W");
    check_period("one-year terms", "P1Y terms");
    check_period("24-month term", "P24M term");
    check_period("four (4) -year period", "P4Y period");
    check_period("an additional year", "P1Y");
    check_period("two (2) successive full years", "P2Y");
    check_period("twenty-four (24) calendar months", "P24M");
    check_period("ninety (90) days' notice", "P90D ' notice");
    check_period("1,000 days", "P1000D");
    check_period("one year, six months and two days", "P1Y6M2D");
    check_period("one hundred and eighty (180) days", "P180D");
    check_period("P1Y", "P1Y");
    check_period("P1Y2M10D", "P1Y2M10D");
    for text in
        ["30 business days", "1.5 years", "days", "P1X", "P", "99999999999 days", "P1D2Y", "12 monthsx"]
    {
        check_period(text, "nothing");
    }
    assert_eq!(parse_period_text("45 days", &english()).unwrap().to_string(), "P45D");
    assert_eq!(parse_period_text("45 days or more", &english()), None);
}

#[track_caller]
fn check_number(text: &str, expected: &str) {
    let read = number(&tokens(text), 0).map(|read| read.value);
    assert_eq!(read.as_deref().unwrap_or("nothing"), expected, "{text}");
}

#[test]
fn numbers() {
    for (text, expected) in [
        ("500", "500"),
        ("1,200", "1200"),
        ("1,200,000.50", "1200000.5"),
        ("1.200,50", "1200.5"),
        ("12.5", "12.5"),
        ("12.50 kg", "12.5"),
        ("500.0", "500"),
        ("007", "7"),
        ("0", "0"),
        ("-5", "-5"),
        ("twelve", "12"),
        ("twelve (12) pieces", "12"),
        ("twenty-five", "25"),
        ("two hundred and five", "205"),
        ("three thousand two hundred", "3200"),
        ("five hundred thousand", "500000"),
        ("500 (net)", "500"),
        ("500.", "500"),
        ("12,5", "nothing"),
        ("1,20,000", "nothing"),
        ("9B", "nothing"),
        ("7.1.2", "nothing"),
        ("ten-fold", "nothing"),
        ("pieces", "nothing"),
    ] {
        check_number(text, expected);
    }
}

#[test]
fn hostile_texts_are_read_or_refused_but_never_panic() {
    let pieces = [
        "17",
        "th",
        " ",
        "February",
        "2024",
        "-",
        "/",
        ".",
        ",",
        "_",
        "[",
        "]",
        "the ",
        "day of ",
        "Q3",
        "P1Y",
        "½",
        "²",
        "٣",
        "\u{301}",
        "飞",
        "999999999999999999999",
        "twelve",
        " hundred",
        "(",
        ")",
        "T00:",
        "\u{feff}",
        "ß",
    ];
    let mut state = 7_u64;
    for _ in 0..800 {
        let mut text = String::new();
        for _ in 0..12 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let found = tokens(&text);
        for at in 0..=found.len() + 1 {
            for read in [
                date(&found, at, &english(), None).map(|read| read.tokens),
                period(&found, at, &english()).map(|read| read.tokens),
                number(&found, at).map(|read| read.tokens),
            ] {
                assert!(read.is_none_or(|tokens| tokens > 0 && at + tokens <= found.len()), "{text}");
            }
        }
        let _ = parse_date_text(&text, &english(), Some(DateOrder::DayFirst));
        let _ = parse_period_text(&text, &english());
    }
    let long = "_".repeat(100_000);
    assert!(date(&tokens(&long), 0, &english(), None).is_some());
    assert_eq!(number(&tokens(&"1,".repeat(50_000)), 0), None);
}
