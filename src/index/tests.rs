//! The text index by itself: queries as they are read, snippets, scores, and a check that misses nothing.

use std::collections::BTreeSet;
use std::path::Path;

use super::query::{Clause, Leaf, Node, Occurs, What};
use super::*;

fn normalizer(text: &str) -> Vec<CompactString> {
    text.split_whitespace().map(|word| word.to_lowercase().into()).collect()
}

fn place(document: &str, text: &str) -> Place {
    Place { document: document.parse().unwrap(), chunk: ChunkId::of(&[text]) }
}

fn entry(document: &str, text: &str) -> Entry {
    Entry {
        place: place(document, text),
        title: String::new(),
        section: Vec::new(),
        text: text.to_owned(),
        entities: BTreeSet::new(),
        facts: BTreeSet::new(),
        labels: Labels::new(),
        closed_to_readers: false,
        from: None,
        until: None,
        opened: 1,
        closed: None,
    }
}

fn stamp(generation: u64, entries: u64) -> Stamp {
    Stamp {
        format: FORMAT,
        normalizer: "test".to_owned(),
        generation,
        history: "h".to_owned(),
        entries,
        commit: 0,
    }
}

fn index(folder: &Path, entries: &[Entry]) -> Reader {
    let place = folder.join("index");
    let mut writer = Writer::create(&place, normalizer, 2).unwrap();
    entries.iter().for_each(|entry| writer.put(entry, false).unwrap());
    writer.commit(&stamp(1, entries.len() as u64)).unwrap();
    Reader::open(&place).unwrap()
}

fn found(reader: &Reader, query: &str, filter: &Filter) -> Vec<String> {
    let page = reader.search(&parse(query).unwrap(), filter, 100).unwrap();
    assert!(page.complete);
    page.hits.iter().map(|hit| hit.place.document.key().to_owned()).collect()
}

fn show(clauses: &[Clause]) -> String {
    let one = |clause: &Clause| {
        let sign = match clause.occurs {
            Occurs::May => "",
            Occurs::Must => "+",
            Occurs::MustNot => "-",
        };
        let node = match &clause.node {
            Node::Group(inner) => format!("({})", show(inner)),
            Node::Leaf(Leaf { field, what }) => {
                let field = field.map(|field| format!("{field:?}:")).unwrap_or_default();
                let what = match what {
                    What::Words(words) => words.join("_"),
                    What::Beginning { before, beginning } => {
                        before.iter().chain([&format!("{beginning}*")]).cloned().collect::<Vec<_>>().join("_")
                    }
                    What::Like { word, distance } => format!("{word}~{distance}"),
                    What::Keys(keys) => format!("<{}>", keys.join("|")),
                };
                format!("{field}{what}")
            }
        };
        format!("{sign}{node}")
    };
    clauses.iter().map(one).collect::<Vec<_>>().join(" ")
}

#[test]
fn queries_are_read_as_they_are_meant() {
    for (text, meant) in [
        ("flight Control", "flight control"),
        ("\"flight control\" +unit -old", "flight_control +unit -old"),
        ("FCU-9 suppl* contrakt~ x~2", "fcu_9 suppl* contrakt~1 x~2"),
        ("flight-con* \"a b c\"*", "flight_con* a_b_c*"),
        (
            "title:\"Spring Review\" +section:goods entity:Component:CMP-001",
            "Title:spring_review +Section:goods Entity:<Component:CMP-001>",
        ),
        ("entity:\"a b\" fact:0a", "Entity:<a b> Fact:<0a>"),
        ("(a (+b -c)) d", "(a (+b -c)) d"),
        ("10:30 http://x.y Re:Supply a - b", "10_30 http_x_y re_supply a b"),
        ("(a) f(x) \u{201c}q r\u{201d}", "(a) f_x q_r"),
        ("§ 7 – & 飞行", "7 飞_行"),
    ] {
        assert_eq!(show(&parse(text).unwrap().clauses), meant, "{text}");
    }
}

#[test]
fn parentheses_may_not_stand_too_deep() {
    let deep = |levels: usize| format!("{}a{}", "(".repeat(levels), ")".repeat(levels));
    assert!(parse(&deep(16)).is_ok());
    assert_eq!(parse(&deep(17)).unwrap_err().at, 16);
    assert!(parse(&deep(100_000)).is_err());
    assert_eq!(parse("-draft -(old new)").unwrap_err().message, "it says only what not to find");
}

#[test]
fn snippets_show_the_part_with_the_most_of_the_query() {
    let marked = |query: &str, text: &str, width: usize| -> String {
        let pieces = snippet(&parse(query).unwrap(), text, width);
        pieces
            .iter()
            .map(|piece| if piece.hit { format!("[{}]", piece.text) } else { piece.text.clone() })
            .collect()
    };
    assert_eq!(marked("flight control", "The Flight-Control is on.", 80), "The [Flight-Control] is on.");
    assert_eq!(marked("\"control unit\"", "Control of a control unit", 80), "Control of a [control unit]");
    assert_eq!(marked("suppl* fligth~", "He supplies flight.", 80), "He [supplies flight].");
    assert_eq!(marked("-b title:a c", "a b c", 80), "a b [c]");
    assert_eq!(marked("飞行", "新的飞行控制", 80), "新的[飞行]控制");
    let long = format!("{}one two {} one {}", "x ".repeat(100), "y ".repeat(100), "z ".repeat(100));
    assert_eq!(marked("one two", &long, 30), "…x x x [one two] y y y y y y y y…");
    assert_eq!(marked("nothing", "a text without it", 80), "a text without it");
    for width in 1..60 {
        marked("飞行 é", "é 飞行 控制 é飞行é ö ü 飞 行 ü", width);
    }
}

#[test]
fn filters_leave_out_only_what_cannot_be_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let day = |text: &str| Some(text.parse().unwrap());
    let entries = [
        Entry { until: day("2020-01-01"), ..entry("s/ended", "a word") },
        Entry { from: day("2020-01-01"), ..entry("s/begun", "b word") },
        Entry { opened: 2, ..entry("s/later", "c word") },
        Entry { labels: ["legal".to_owned()].into(), ..entry("s/secret", "d word") },
        Entry { closed_to_readers: true, ..entry("s/withdrawn", "e word") },
    ];
    let reader = index(folder.path(), &entries);
    let with = |filter: Filter| found(&reader, "word", &filter).join(" ");
    assert_eq!(with(Filter::default()), "begun ended later secret withdrawn");
    assert_eq!(with(Filter { known_at: Some(1), ..Filter::default() }), "begun ended secret withdrawn");
    assert_eq!(with(Filter { on: day("2019-12-31"), ..Filter::default() }), "ended later secret withdrawn");
    assert_eq!(with(Filter { on: day("2020-01-01"), ..Filter::default() }), "begun later secret withdrawn");
    assert_eq!(with(Filter { held: Some(Labels::new()), ..Filter::default() }), "begun ended later");
    let legal = Some(["legal".to_owned()].into());
    assert_eq!(with(Filter { held: legal, ..Filter::default() }), "begun ended later secret");
}

#[test]
fn pages_are_cut_where_scores_differ_and_equals_are_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let mut entries: Vec<Entry> =
        (0..50).map(|at| entry(&format!("s/{at:02}"), &format!("word {at}"))).collect();
    entries.push(entry("s/best", "word word word"));
    let reader = index(folder.path(), &entries);
    let page = reader.search(&parse("word").unwrap(), &Filter::default(), 1).unwrap();
    assert_eq!((page.hits.len(), page.complete), (1, false));
    assert_eq!(page.hits[0].place.document.key(), "best");
    // The fifty others are equal: none of them is shown before all of them are known.
    let page = reader.search(&parse("word").unwrap(), &Filter::default(), 2).unwrap();
    assert_eq!((page.hits.len(), page.complete), (51, true));
    assert!(page.hits[1..].windows(2).all(|pair| pair[0].place < pair[1].place));
}

#[test]
fn rewriting_an_entry_leaves_one_of_it_and_moves_no_score() {
    let folder = tempfile::tempdir().unwrap();
    let entries: Vec<Entry> = (0..5).map(|at| entry(&format!("s/{at}"), &format!("word {at}"))).collect();
    let reader = index(folder.path(), &entries);
    let scores =
        |reader: &Reader| reader.search(&parse("word").unwrap(), &Filter::default(), 9).unwrap().hits;
    let before = scores(&reader);
    for generation in 2..30 {
        let mut writer = Writer::open(&folder.path().join("index"), normalizer).unwrap();
        writer.put(&Entry { closed: Some(generation), ..entries[3].clone() }, true).unwrap();
        writer.commit(&stamp(generation, 5)).unwrap();
    }
    let after = Reader::open(&folder.path().join("index")).unwrap();
    assert_eq!(scores(&after), before);
    assert_eq!(scores(&reader), before, "an open reader goes on reading what it opened");
    assert_eq!((reader.stamp().generation, after.stamp().generation), (1, 29));
    let documents = |reader: &Reader| reader.chunks_with("word").unwrap().len();
    assert_eq!((documents(&reader), documents(&after)), (5, 4), "one of them has left");
    let mut check = after.check(normalizer).unwrap();
    for (at, entry) in entries.iter().enumerate() {
        check.expect(&Entry { closed: (at == 3).then_some(29), ..entry.clone() }).unwrap();
    }
    assert_eq!(check.done(), []);
}

#[test]
fn a_check_misses_nothing() {
    let full = Entry {
        title: "A title".to_owned(),
        section: vec!["One".to_owned(), "Two".to_owned()],
        entities: ["C:1".to_owned()].into(),
        facts: ["f".to_owned()].into(),
        labels: ["legal".to_owned()].into(),
        from: Some("2020-01-01".parse().unwrap()),
        until: Some("2021-01-01".parse().unwrap()),
        ..entry("s/a", "a word and a word")
    };
    let folder = tempfile::tempdir().unwrap();
    let reader = index(folder.path(), std::slice::from_ref(&full));
    let checked = |expected: &Entry| {
        let mut check = reader.check(normalizer).unwrap();
        check.expect(expected).unwrap();
        check.done()
    };
    assert_eq!(checked(&full), []);
    let differing: [fn(&mut Entry); 13] = [
        |entry| entry.text = "a word and a words".to_owned(),
        |entry| entry.text = "a and a word word".to_owned(),
        |entry| entry.title.clear(),
        |entry| entry.section.reverse(),
        |entry| entry.section.truncate(1),
        |entry| entry.entities.clear(),
        |entry| entry.facts = ["f".to_owned(), "g".to_owned()].into(),
        |entry| entry.labels.clear(),
        |entry| entry.closed_to_readers = true,
        |entry| entry.from = None,
        |entry| entry.until = None,
        |entry| entry.opened = 2,
        |entry| entry.closed = Some(2),
    ];
    for (at, change) in differing.into_iter().enumerate() {
        let mut other = full.clone();
        change(&mut other);
        assert!(matches!(checked(&other).as_slice(), [Checked::Differs(_)]), "{at}");
    }
    let other = entry("s/b", "a word and a word");
    assert!(matches!(checked(&other).as_slice(), [Checked::Missing(_), Checked::Extra(_)]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_that_a_thread_met_is_known_by_its_words() {
    let commit = |words: &str| {
        failed("commit", Path::new("index"))(tantivy::TantivyError::InternalError(words.to_owned()))
    };
    assert!(commit("a worker died: 'No space left on device (os error 28)'").is_disk_full());
    assert!(!commit("a worker died: 'out of range'").is_disk_full());
}
