//! What readers see: the worked cases as far as reading decides them.

use std::collections::BTreeMap;

use super::testing::{SECRETS, catalog, date, fact_id, key, lens, public, tale, with_graph};
use super::*;
use crate::model::access::Reader;
use crate::model::decision::Answer;
use crate::store::{Kind, Record, RequestBody, Store};

/// Who is shown to supply a component on a day, as `name [from, to)`.
fn suppliers(reader: Reader, known_at: u64, component: &str, day: &str) -> Vec<String> {
    let (store, catalog) = (tale(), catalog());
    let mut lens = lens(reader, known_at);
    lens.as_of = Some(date(day));
    let graph = Graph::new(&store, lens, &catalog).unwrap();
    let found = find(&graph, component).unwrap();
    let view = show(&graph, &found, Which::Current).unwrap();
    let supplies = view.groups.iter().filter(|group| group.edge_type == "supplies");
    supplies.flat_map(|group| &group.edges).map(|edge| edge.subject.name.clone()).collect()
}

#[test]
fn case_1_and_2_and_31_one_supplier_on_each_day() {
    for (day, who) in
        [("2024-02-16", "ShenzenChip"), ("2024-02-17", "TechChip Inc"), ("2030-01-01", "TechChip Inc")]
    {
        assert_eq!(suppliers(Reader::Everything, 4, "FCU", day), [who], "{day}");
        assert_eq!(suppliers(public(), 4, "FCU", day), [who], "{day}, without labels");
    }
}

#[test]
fn case_3_between_two_edges_of_a_fact_nobody_supplies() {
    assert_eq!(suppliers(Reader::Everything, 4, "Radio Module", "2022-12-31"), ["ShenzenChip"]);
    assert_eq!(suppliers(Reader::Everything, 4, "Radio Module", "2023-06-01"), [""; 0]);
    assert_eq!(suppliers(Reader::Everything, 4, "Radio Module", "2024-01-01"), ["ShenzenChip"]);
}

#[test]
fn case_12_a_future_edge_is_current_on_its_day_without_a_run() {
    assert_eq!(suppliers(Reader::Everything, 4, "Radio Module", "2029-12-31"), [""; 0]);
    assert_eq!(suppliers(Reader::Everything, 4, "Radio Module", "2030-01-01"), ["TechChip Inc"]);
}

#[test]
fn case_13_what_was_known_earlier_answers_as_it_did() {
    assert_eq!(suppliers(Reader::Everything, 1, "FCU", "2024-03-01"), ["ShenzenChip"]);
    assert_eq!(suppliers(Reader::Everything, 2, "FCU", "2024-03-01"), ["TechChip Inc"]);
}

#[test]
fn case_19_and_20_an_edge_lives_by_its_attestations() {
    let certifies = fact_id("Supplier:S2", "certifies", "Component:C2");
    let attested = |known_at| {
        with_graph(Reader::Everything, known_at, |graph| {
            why_fact(graph, &certifies).map(|view| {
                let evidence = view.facts[0].evidence.iter();
                evidence.map(|one| format!("{} {}", one.at.in_file(&one.path), one.quote)).collect::<Vec<_>>()
            })
        })
    };
    let quote = "TechChip certifies the Radio Module.";
    let new = format!("docs/contracts/new.md:5 {quote}");
    assert_eq!(attested(2).unwrap(), [new.clone(), format!("docs/contracts/old.md:5 {quote}")]);
    assert_eq!(attested(3).unwrap(), [new]);
    assert!(matches!(attested(4), Err(Error::Asked { .. })), "retracted");
    let entries = with_graph(Reader::Everything, 4, |graph| history(graph, &certifies)).unwrap().entries;
    let told: Vec<String> = entries
        .iter()
        .map(|entry| format!("{} {} {:?} {:?}", entry.generation, entry.change, entry.before, entry.after))
        .collect();
    assert_eq!(
        told,
        [
            r#"1 added [] ["[?, ∞)"]"#,
            r#"3 evidence ["2 attestations"] ["1 attestation"]"#,
            r#"4 retracted ["[?, ∞)"] []"#
        ]
    );
}

#[test]
fn case_81_a_reader_sees_the_period_of_what_they_see() {
    let supplies = fact_id("Supplier:S1", "supplies", "Component:C1");
    let edges = |reader| {
        with_graph(reader, 4, |graph| {
            let view = why_fact(graph, &supplies).unwrap();
            let edge = view.facts[0].edges[0].clone();
            (edge.valid_from, edge.valid_to, edge.properties.len(), view.facts[0].evidence.len())
        })
    };
    let end = Some(date("2024-02-17"));
    assert_eq!(edges(Reader::Everything), (Some(date("2020-05-01")), end, 1, 2));
    assert_eq!(edges(public()), (None, end, 0, 1));
    // An end that a hidden newcomer causes applies to all and shows its date only.
    let seals = fact_id("Supplier:S1", "supplies", "Component:C3");
    let ended = |reader| {
        with_graph(reader, 4, |graph| why_fact(graph, &seals).unwrap().facts[0].edges[0].ended_by[0].clone())
    };
    assert_eq!(ended(Reader::Everything).says.as_deref(), Some("Quillon supplies Door Seal"));
    assert_eq!(
        ended(public()),
        End { on: date("2023-03-03"), why: "hidden".to_owned(), says: None, fact: None, assertion: None }
    );
}

#[test]
fn what_has_become_secret_is_secret_in_its_past_too() {
    let store = tale();
    let writer = store.begin(false).unwrap();
    let mut old: store::DocumentRecord = writer.view().get("contracts/old.md").unwrap().unwrap();
    old.access.insert("secret".to_owned());
    writer.put(&old).unwrap();
    writer.publish("run-5", "2024-05-01T02:00:00Z", &[]).unwrap();
    let catalog = catalog();
    for known_at in [1, 4] {
        let graph = Graph::new(&store, lens(public(), known_at), &catalog).unwrap();
        let supplies = fact_id("Supplier:S1", "supplies", "Component:C1");
        assert_eq!(graph.fact(&supplies).unwrap(), None, "known at {known_at}");
    }
}

#[test]
fn a_withdrawn_text_is_for_those_who_see_everything() {
    let store = tale();
    let writer = store.begin(false).unwrap();
    let mut secret: store::DocumentRecord = writer.view().get("letters/secret.md").unwrap().unwrap();
    secret.withdrawn = true;
    writer.put(&secret).unwrap();
    writer.publish("run-5", "2024-05-01T02:00:00Z", &[]).unwrap();
    let catalog = catalog();
    let chunks = |reader| {
        let graph = Graph::new(&store, lens(reader, 5), &catalog).unwrap();
        exported(&graph)
            .iter()
            .filter(|row| row.contains(r#""kind":"chunk""#) && row.contains("Zanzibar"))
            .count()
    };
    assert_eq!(chunks(Reader::Everything), 1);
    assert_eq!(chunks(Reader::Holding(testing::labels(&["secret"]))), 0);
}

#[test]
fn names_resolve_by_key_name_and_alias_and_candidates_are_listed() {
    let ask = |reader, text: &str| {
        with_graph(reader, 4, |graph| match find(graph, text) {
            Ok(found) => found.entity.to_string(),
            Err(Error::Asked { message, hint }) => format!("{message}\n{}", hint.unwrap_or_default()),
            Err(error) => panic!("{error}"),
        })
    };
    for text in ["Component:C1", "C1", "fcu", " flight control UNIT "] {
        assert_eq!(ask(public(), text), "Component:C1", "{text}");
    }
    assert_eq!(
        ask(public(), "Flight"),
        "nobody is called `Flight`\nnear it are:\n    Component:C1  Flight Control Unit\n    Component:C9  Flight Control Lever"
    );
    assert_eq!(ask(Reader::Everything, "Quillon"), "Supplier:Quillon");
    for text in ["Quillon", "Supplier:Quillon", "Quill"] {
        let answer = ask(public(), text).replace(text, "");
        assert!(!answer.contains("uillon"), "{answer}");
    }
    for text in ["", ":", "a:", ":b", "\u{0}", "Component:", &"x".repeat(100_000)] {
        assert!(ask(public(), text).starts_with("nobody is called"), "{text:.20}");
    }
}

#[test]
fn known_at_takes_generations_times_and_dates() {
    let store = tale();
    let generations = store.generations().unwrap();
    let zone = jiff::tz::TimeZone::UTC;
    let ask = |text: &str| known_at(text, &generations, &zone).map_err(|error| error.to_string());
    assert_eq!(ask("2"), Ok(2));
    assert_eq!(ask("2024-01-10"), Ok(1));
    assert_eq!(ask("2024-02-20T01:59:59Z"), Ok(1));
    assert_eq!(ask("2024-02-20T02:00:00Z"), Ok(2));
    assert_eq!(ask("2024-02-20T03:00:00+02:00"), Ok(1));
    assert_eq!(ask("2024-12-31"), Ok(4));
    assert_eq!(ask("9"), Err("there is no generation 9".to_owned()));
    assert_eq!(ask("2023-01-01"), Err("nothing was published by 2023-01-01".to_owned()));
    for text in
        ["", "0", "-1", "99999999999999999999999", "yesterday", "2024-02-30", "2024-02-20T06:00", "+2"]
    {
        assert!(ask(text).is_err(), "{text}");
    }
}

#[test]
fn why_says_on_which_day_the_answer_changes() {
    let flips = |reader, subject: &str| {
        let fact = fact_id(subject, "supplies", "Component:C1");
        with_graph(reader, 4, |graph| why_fact(graph, &fact).unwrap().facts.remove(0).flips)
    };
    let change = Flip {
        on: date("2024-02-17"),
        begins: vec!["TechChip Inc".to_owned()],
        ends: vec!["ShenzenChip".to_owned()],
    };
    for subject in ["Supplier:S1", "Supplier:S2"] {
        assert_eq!(flips(public(), subject), std::slice::from_ref(&change));
    }
    assert_eq!(flips(Reader::Everything, "Supplier:S1").len(), 2);
}

fn exported(graph: &Graph<'_>) -> Vec<String> {
    let mut rows = Vec::new();
    export::<Error>(graph, &mut |row| {
        rows.push(serde_json::to_string(&row).unwrap());
        Ok(())
    })
    .unwrap();
    rows
}

#[test]
fn an_export_is_the_same_whenever_and_however_the_state_came_to_be() {
    let first = with_graph(Reader::Everything, 4, exported);
    assert_eq!(first, with_graph(Reader::Everything, 4, exported));
    assert!(first.iter().all(|row| !row.contains("run-") && !row.contains("generation")), "no recorded time");
    // Another history, the same state: nothing changes but a scope, twice.
    let store = tale();
    for rows in [1, 0] {
        let writer = store.begin(false).unwrap();
        let mut scope: store::ScopeRecord = writer.view().get("contracts").unwrap().unwrap();
        scope.rows = rows;
        writer.put(&scope).unwrap();
        writer.publish("run-x", "2025-01-01T00:00:00Z", &[]).unwrap();
    }
    let catalog = catalog();
    assert_eq!(first, exported(&Graph::new(&store, lens(Reader::Everything, 6), &catalog).unwrap()));
}

#[test]
fn an_export_to_the_public_holds_nothing_secret_and_no_dangling_reference() {
    let rows = with_graph(public(), 4, exported);
    for row in &rows {
        for secret in SECRETS {
            assert!(!row.to_lowercase().contains(secret), "{secret} in {row}");
        }
    }
    let parsed: Vec<serde_json::Value> = rows.iter().map(|row| serde_json::from_str(row).unwrap()).collect();
    let ids = |kind: &str| -> Vec<String> {
        let of_kind = parsed.iter().filter(|row| row["kind"] == kind);
        of_kind.map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    let (entities, chunks) = (ids("entity"), ids("chunk"));
    assert!(!entities.is_empty() && !chunks.is_empty());
    for row in &parsed {
        match row["kind"].as_str() {
            Some("edge") => {
                for side in ["subject", "object"] {
                    assert!(entities.iter().any(|id| row[side] == **id), "{row}");
                }
            }
            Some("mention") => assert!(chunks.iter().any(|id| row["chunk"] == **id), "{row}"),
            _ => {}
        }
    }
    let orphans: Vec<&str> =
        parsed.iter().filter(|row| row["orphan"] == true).map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(orphans, ["Component:C9"]);
}

/// Applies upserts and deletes to rows by (kind, id).
fn applied(rows: &[String], changes: &[String]) -> Vec<String> {
    let id = |row: &serde_json::Value| (row["kind"].to_string(), row["id"].to_string());
    let parse = |row: &String| serde_json::from_str::<serde_json::Value>(row).unwrap();
    let mut graph: BTreeMap<_, _> = rows.iter().map(|row| (id(&parse(row)), parse(row))).collect();
    for change in changes {
        let mut change = parse(change);
        let op = change.as_object_mut().unwrap().remove("op").unwrap();
        match op.as_str() {
            Some("upsert") => graph.insert(id(&change), change),
            Some("delete") => graph.remove(&id(&change)),
            _ => panic!("{op}"),
        };
    }
    let mut rows: Vec<String> = graph.into_values().map(|row| row.to_string()).collect();
    rows.sort();
    rows
}

#[test]
fn an_export_since_a_generation_turns_the_one_of_then_into_the_one_of_now() {
    let (store, catalog) = (tale(), catalog());
    for reader in [Reader::Everything, public()] {
        let now = Graph::new(&store, lens(reader.clone(), 4), &catalog).unwrap();
        let wanted = applied(&exported(&now), &[]);
        for since in 1..=4 {
            let then = Graph::new(&store, lens(reader.clone(), since), &catalog).unwrap();
            let mut changes = Vec::new();
            delta::<Error>(&then, &now, &mut |change| {
                changes.push(serde_json::to_string(&change).unwrap());
                Ok(())
            })
            .unwrap();
            let rows = exported(&then);
            assert_eq!(applied(&rows, &changes), wanted, "since {since}");
            let twice: Vec<String> = changes.iter().chain(&changes).cloned().collect();
            assert_eq!(applied(&rows, &twice), wanted, "since {since}, applied twice");
            assert!(since < 4 || changes.is_empty(), "{changes:?}");
        }
    }
}

#[test]
fn the_quarantine_asks_first_what_settles_most() {
    let ask = |reader| {
        with_graph(reader, 4, |graph| {
            let view = quarantine(graph, &Wanted::default()).unwrap();
            let lines =
                view.questions.iter().map(|question| format!("{} {}", question.settles, question.text));
            lines.collect::<Vec<_>>()
        })
    };
    assert_eq!(
        ask(Reader::Everything),
        [
            "2 who is \"Voltanix\"?",
            "1 who is \"Zanzibar Ltd\"?",
            "1 TechChip Inc supplies Door Seal? it cannot hold beside: Quillon supplies Door Seal",
        ]
    );
    assert_eq!(
        ask(public()),
        [
            "2 who is \"Voltanix\"?",
            "1 TechChip Inc supplies Door Seal? it cannot hold beside: an edge that you may not see",
        ]
    );
    let limited = with_graph(public(), 4, |graph| {
        quarantine(graph, &Wanted { limit: Some(1), ..Wanted::default() }).unwrap()
    });
    assert_eq!(
        (limited.assertions, limited.questions.len(), limited.questions[0].assertions.len()),
        (3, 1, 1)
    );
    assert_eq!(limited.questions[0].settles, 2);
}

/// The id of the quarantined assertion about these two.
fn question(store: &Store, subject: &str, object: &str) -> String {
    let catalog = catalog();
    let graph = Graph::new(store, lens(Reader::Everything, 4), &catalog).unwrap();
    let view = quarantine(&graph, &Wanted::default()).unwrap();
    let all = view.questions.into_iter().flat_map(|question| question.assertions);
    all.into_iter().find(|one| one.subject == subject && one.object == object).unwrap().question
}

/// What `decide` makes of a file.
fn decided(store: &Store, format: RowFormat, text: &str) -> (Vec<String>, Vec<String>) {
    let catalog = catalog();
    let graph = Graph::new(store, lens(Reader::Everything, 4), &catalog).unwrap();
    let (rows, mut problems) = rows_of(format, text);
    let (answers, more) = decide(&graph, &rows).unwrap();
    problems.extend(more);
    let problems = problems.iter().map(|problem| format!("{}: {}", problem.line, problem.message)).collect();
    (answers.into_iter().map(|answer| format!("{}: {}", answer.line, answer.does)).collect(), problems)
}

#[test]
fn a_file_of_answers_is_checked_row_by_row() {
    let store = tale();
    let unknown = question(&store, "Voltanix", "Component:C2");
    let rival = question(&store, "Supplier:S2", "Component:C3");
    let csv = format!(
        "\u{feff}question;decision;reason;valid_from;valid_to;subject;object;quote\r\n\
         {rival};approve;;2023-03-03;;Supplier:S2;Component:C3;any\r\n\
         {unknown};Correct;;;;TechChip;Component:C2;\"a \"\"b\"\"\nc\"\r\n\
         ;;;;;;;\r\n"
    );
    let (answers, problems) = decided(&store, RowFormat::Csv, &csv);
    assert_eq!(problems, [""; 0]);
    assert_eq!(
        answers,
        [
            "2: Supplier:S2 supplies Component:C3: approved",
            "3: Voltanix supplies Component:C2: corrected: subject Supplier:S2",
        ]
    );
    let lines = format!(
        "{{\"question\":\"{rival}\",\"decision\":\"correct\",\"valid_from\":\"2023-03-04\",\"valid_to\":\"2023-05-01\"}}\n\n"
    );
    let (answers, problems) = decided(&store, RowFormat::JsonLines, &lines);
    assert_eq!(problems, [""; 0]);
    assert_eq!(
        answers,
        [
            "1: Supplier:S2 supplies Component:C3: corrected: valid_from 2023-03-04, valid_to 2023-05-01 (exclusive)"
        ]
    );
}

#[test]
fn every_problem_of_a_file_is_listed_with_its_line() {
    let store = tale();
    let unknown = question(&store, "Voltanix", "Component:C2");
    let rival = question(&store, "Supplier:S2", "Component:C3");
    let csv = format!(
        "question,decision,reason,valid_from,valid_to,subject,object\n\
         {unknown},approve,,,,Voltanix,Component:C2\n\
         {rival},reject,,2023-03-03,,Supplier:S2,Component:C3\n\
         {rival},approve,,,,,\n\
         nonsense,approve,,,,,\n\
         00000000000000000000000000000000,approve,,,,,\n\
         {rival},maybe\n"
    );
    let (answers, problems) = decided(&store, RowFormat::Csv, &csv);
    assert_eq!(answers, [""; 0]);
    assert_eq!(
        problems,
        [
            "7: 2 cells where the header has 7",
            "2: \"Voltanix\" is nobody yet: write `correct` and a key in its place",
            "3: a rejection needs a `reason`",
            "4: the same question is answered on line 3",
            "5: `nonsense` is not a question's id",
            "6: there is no question `00000000000000000000000000000000` any more: its sentence has changed or gone",
        ]
    );
    let one = |cells: &str| {
        let text = format!("question,decision,valid_from,valid_to,subject,object\n{rival},{cells}\n");
        decided(&store, RowFormat::Csv, &text).1.join(" | ")
    };
    assert_eq!(
        one("approve,2023-04-03,,Supplier:S2,Component:C3"),
        "2: `valid_from` was changed: write `correct` instead of `approve`"
    );
    assert_eq!(
        one("correct,2023-03-03,2023-03-03,Supplier:S2,Component:C3"),
        "2: `valid_to` 2023-03-03 is not after `valid_from` 2023-03-03; it is the first day after the last"
    );
    assert_eq!(
        one("correct,03/04/2023,,Supplier:S2,Component:C3"),
        "2: `valid_from`: `03/04/2023` is not a day such as 2024-02-17"
    );
    assert_eq!(
        one("correct,2023-03-03,,Component:C1,Component:C3"),
        "2: `subject`: Component:C1 is not one of Supplier"
    );
    assert_eq!(
        one("correct,,,Supplier:S2,Component:C3"),
        "2: `valid_from` is empty, but a day was read: a day can be corrected and not taken away"
    );
    assert_eq!(
        one("correct,2023-03-03,,Supplier:S2,Component:C3"),
        "2: a correction that changes nothing: change a day or a key, or write `approve`"
    );
}

#[test]
fn hostile_files_of_answers_give_problems_and_never_a_panic() {
    let store = tale();
    for text in [
        "",
        "\u{feff}",
        "\"",
        "question\n",
        "question,decision\n\"x",
        "\0,\0\n",
        ";;;\n,,,",
        "{",
        "[]",
        "null",
        "{\"question\":1}",
        "{\"a\":\"b\"}",
    ] {
        for format in [RowFormat::Csv, RowFormat::JsonLines] {
            let (answers, _) = decided(&store, format, text);
            assert_eq!(answers, [""; 0], "{text}");
        }
    }
    assert_eq!(
        decided(&store, RowFormat::Csv, "a,b\n1,2\n").1,
        ["1: there is no column `question`", "1: there is no column `decision`"]
    );
}

#[test]
fn a_decision_is_taken_back_once() {
    let store = tale();
    let rival = question(&store, "Supplier:S2", "Component:C3");
    let catalog = catalog();
    let graph = Graph::new(&store, lens(Reader::Everything, 4), &catalog).unwrap();
    let (rows, _) =
        rows_of(RowFormat::Csv, &format!("question,decision,reason\n{rival},reject,not signed\n"));
    let answered = decide(&graph, &rows).unwrap().0.remove(0);
    let RequestBody::Decide { question, answer, quote } = answered.request else { panic!("a decision") };
    let log = |number, answer| crate::model::decision::Decision {
        number,
        question: question.clone(),
        answer,
        by: "M".to_owned(),
        at: "2024-05-01T00:00:00Z".to_owned(),
        quote: quote.clone(),
    };
    let writer = store.begin(false).unwrap();
    writer.put(&log(1, answer)).unwrap();
    writer.publish("run-5", "2024-05-01T02:00:00Z", &[]).unwrap();
    let graph = Graph::new(&store, lens(Reader::Everything, 5), &catalog).unwrap();
    assert_eq!(undo(&graph, 1).unwrap().does, "takes decision 1 back (rejected: not signed)");
    assert_eq!(undo(&graph, 2).unwrap_err().to_string(), "there is no decision 2");
    // The same sentence about another fact in another document shows the earlier answer.
    let elsewhere = testing::Said {
        document: "contracts/old.md",
        quote: testing::NEW,
        edge_type: "supplies",
        subject: testing::known("Supplier:S2"),
        object: testing::known("Component:C3"),
        from: None,
        last: None,
    }
    .assertion();
    let writer = store.begin(false).unwrap();
    writer.put(&log(2, Answer::Undo { decision: 1 })).unwrap();
    writer.put(&elsewhere).unwrap();
    writer.publish("run-6", "2024-05-02T02:00:00Z", &[]).unwrap();
    let waits = crate::model::fact::Quarantined {
        assertion: elsewhere.id,
        reasons: vec![crate::model::fact::Reason::ReviewRequired],
    };
    for (known_at, earlier) in [(5, 1), (6, 0)] {
        let graph = Graph::new(&store, lens(Reader::Everything, known_at), &catalog).unwrap();
        let view = waiting::waiting(&graph, &elsewhere, &waits).unwrap();
        assert_eq!(view.earlier.len(), earlier, "known at {known_at}");
    }
    let graph = Graph::new(&store, lens(Reader::Everything, 6), &catalog).unwrap();
    assert_eq!(undo(&graph, 1).unwrap_err().to_string(), "decision 1 does not stand");
}

#[test]
fn counts_obey_the_reader() {
    let all = with_graph(Reader::Everything, 4, |graph| counts(graph).unwrap());
    let seen = with_graph(public(), 4, |graph| counts(graph).unwrap());
    assert_eq!((all.documents, seen.documents), (3, 2));
    assert_eq!((all.entities["Supplier"], seen.entities["Supplier"]), (3, 2));
    assert_eq!((all.edges["supplies"].facts, seen.edges["supplies"].facts), (6, 5));
    assert_eq!((all.quarantined_assertions, seen.quarantined_assertions), (4, 3));
    let edges = seen.edges["supplies"];
    assert_eq!((edges.current, edges.ended, edges.future), (2, 3, 1));
}

#[test]
fn an_entity_shows_what_is_known_of_it_by_whom() {
    let store = tale();
    let writer = store.begin(false).unwrap();
    let mut claim: crate::model::entity::EntityClaim =
        writer.view().by("entity", "Supplier:S2").unwrap().remove(0);
    claim.merged_into = Some(key("Supplier:S1"));
    claim.gone = true;
    writer.put(&claim).unwrap();
    assert!(writer.view().any(Kind::Entity, "entity", "Supplier:S2").unwrap());
    assert_eq!(Record::id(&claim), "Supplier:S2 row suppliers/S2");
    writer.publish("run-5", "2024-05-01T02:00:00Z", &[]).unwrap();
    let catalog = catalog();
    let graph = Graph::new(&store, lens(public(), 5), &catalog).unwrap();
    let found = find(&graph, "TechChip").unwrap();
    let view = show(&graph, &found, Which::All).unwrap();
    assert_eq!(view.entity.key, "Supplier:S1");
    assert_eq!(view.entity.merged_from.as_deref(), Some("Supplier:S2"));
    assert!(!view.entity.tombstoned && !view.entity.orphan);
}
