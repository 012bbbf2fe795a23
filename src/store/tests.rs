//! What a reader sees while a generation is written, swept, published and read back.

use super::*;

fn scope(name: &str, rows: usize) -> ScopeRecord {
    ScopeRecord {
        name: name.to_owned(),
        config: crate::model::id::Fingerprint::of(&["config"]),
        content: None,
        rows,
        columns: Vec::new(),
        access: Default::default(),
        changed_at: None,
        accepted: None,
    }
}

fn rows(view: View<'_>) -> Vec<(String, usize)> {
    view.all::<ScopeRecord>().unwrap().into_iter().map(|scope| (scope.name, scope.rows)).collect()
}

#[test]
fn an_unpublished_generation_is_invisible_and_swept() {
    let store = Store::in_memory().unwrap();
    let writer = store.begin(false).unwrap();
    writer.put(&scope("a", 1)).unwrap();
    writer.batch().unwrap();
    assert_eq!(rows(store.current().unwrap()), vec![]);
    drop(writer);
    let writer = store.begin(false).unwrap();
    assert_eq!(rows(writer.view()), vec![], "what the stopped run wrote is swept");
    writer.put(&scope("a", 2)).unwrap();
    assert_eq!(writer.publish("run-1", "2026-01-01T00:00:00Z", &[]).unwrap(), Some(1));
    assert_eq!(rows(store.current().unwrap()), vec![("a".to_owned(), 2)]);
    assert_eq!(verify(&store).unwrap(), vec![]);
}

#[test]
fn a_run_that_comes_back_to_what_was_published_makes_no_generation() {
    let store = Store::in_memory().unwrap();
    let writer = store.begin(false).unwrap();
    writer.put(&scope("a", 1)).unwrap();
    writer.publish("run-1", "t", &[]).unwrap();
    let writer = store.begin(false).unwrap();
    assert!(writer.put(&scope("a", 2)).unwrap());
    assert!(writer.close(Kind::Scope, "a").unwrap());
    assert!(writer.put(&scope("a", 3)).unwrap());
    assert!(writer.put(&scope("a", 1)).unwrap());
    assert_eq!(writer.publish("run-2", "t", &[]).unwrap(), None);
    assert_eq!(rows(store.current().unwrap()), vec![("a".to_owned(), 1)]);
}

#[test]
fn old_generations_stay_readable_and_replay_gives_the_same_digests() {
    let store = Store::in_memory().unwrap();
    for (run, put) in [(1, vec![("a", 1), ("b", 1)]), (2, vec![("a", 2)]), (3, vec![("b", 7)])] {
        let writer = store.begin(false).unwrap();
        for (name, count) in put {
            writer.put(&scope(name, count)).unwrap();
        }
        if run == 3 {
            writer.close(Kind::Scope, "a").unwrap();
        }
        writer.publish(&format!("run-{run}"), "t", &[]).unwrap();
    }
    assert_eq!(rows(store.view(1)), vec![("a".to_owned(), 1), ("b".to_owned(), 1)]);
    assert_eq!(rows(store.view(2)), vec![("a".to_owned(), 2), ("b".to_owned(), 1)]);
    assert_eq!(rows(store.view(3)), vec![("b".to_owned(), 7)]);
    let copy = Store::in_memory().unwrap();
    let mut previous = String::new();
    for generation in store.generations().unwrap() {
        let writer = copy.begin(false).unwrap();
        store
            .changelog(&generation, &previous, |line| match line_of(line) {
                Some(line) => writer.apply(&line),
                None => Ok(()),
            })
            .unwrap();
        writer.publish(&generation.run, "t", &[]).unwrap();
        previous = generation.history_digest;
    }
    assert_eq!(copy.generations().unwrap(), store.generations().unwrap());
    assert_eq!(verify(&copy).unwrap(), vec![]);
}

#[test]
fn a_dry_run_leaves_nothing() {
    let store = Store::in_memory().unwrap();
    let writer = store.begin(true).unwrap();
    writer.put(&scope("a", 1)).unwrap();
    writer.batch().unwrap();
    assert_eq!(rows(writer.view()), vec![("a".to_owned(), 1)]);
    writer.discard().unwrap();
    assert_eq!(store.published().unwrap(), 0);
    assert_eq!(rows(store.view(9)), vec![]);
}

#[test]
fn a_look_up_goes_through_the_index_of_its_column() {
    let store = Store::in_memory().unwrap();
    let plan = |sql: &str| -> String {
        let mut statement = store.connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = statement.query_map([], |row| row.get::<_, String>(3)).unwrap();
        steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
    };
    let stands = "opened <= 7 AND (closed IS NULL OR closed > 7)";
    for kind in Kind::ALL {
        let table = kind.name();
        for column in kind.lookups() {
            let index = format!("USING INDEX {table}_{column} (");
            for end in ["ORDER BY id", "ORDER BY id, opened", "LIMIT 1"] {
                let sql = format!("SELECT id, body FROM {table} WHERE {column} = 'x' AND {stands} {end}");
                assert!(plan(&sql).contains(&index), "{sql}: {}", plan(&sql));
            }
        }
        let by_id = plan(&format!("SELECT id, body FROM {table} WHERE id = 'x' AND {stands}"));
        assert!(by_id.contains("id=? AND opened<?"), "{table}: {by_id}");
        for all in [
            format!("SELECT id, body FROM {table} WHERE {stands} ORDER BY id"),
            format!("SELECT DISTINCT id FROM {table} WHERE opened <= 7 ORDER BY id"),
        ] {
            assert!(!plan(&all).contains("TEMP B-TREE"), "{all}: {}", plan(&all));
        }
        for column in ["opened", "closed"] {
            // A generation is written out by id, and its records are not gathered to be sorted.
            let sql = format!("SELECT id, body FROM {table} WHERE {column} = 7 ORDER BY {column}, id");
            assert!(plan(&sql).contains(&format!("{table}_{column}")), "{sql}: {}", plan(&sql));
            assert!(!plan(&sql).contains("TEMP B-TREE"), "{sql}: {}", plan(&sql));
        }
    }
    // The steps of a node are read from the index alone, by id, and nothing is gathered to be sorted.
    for (column, other) in [("subject", "object"), ("object", "subject")] {
        let steps = plan(&format!(
            "SELECT id, subject, edge_type, object, intervals FROM fact WHERE {column} = 'x' AND {stands} ORDER BY id"
        ));
        assert!(
            steps.contains(&format!("USING COVERING INDEX fact_{column} ({column}=?")),
            "{other}: {steps}"
        );
        assert!(!steps.contains("TEMP B-TREE"), "{steps}");
    }
    let all = plan(&format!(
        "SELECT id, edge_type, object, intervals FROM fact INDEXED BY fact_subject WHERE subject IS NOT NULL AND {stands}"
    ));
    assert!(all.contains("COVERING INDEX fact_subject"), "{all}");
    let merged = plan(
        "SELECT id, body FROM entity INDEXED BY entity_merged_into WHERE merged_into IS NOT NULL ORDER BY id",
    );
    assert!(merged.contains("entity_merged_into"), "{merged}");
}

#[test]
fn a_file_read_without_a_lock_counts_until_somebody_writes_into_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.db");
    let publish = |rows: usize| {
        let store = Store::open(&path).unwrap();
        let writer = store.begin(false).unwrap();
        writer.put(&scope("a", rows)).unwrap();
        writer.publish("2024-06-01T02:00:00Z", "run", &[]).unwrap();
    };
    publish(1);
    let stamp = Stamp::of(&path);
    assert!(stamp.stands().is_ok());
    drop(Store::open_read(&path).unwrap());
    assert!(stamp.stands().is_ok(), "reading moves nothing");
    publish(2);
    let said = stamp.stands().unwrap_err().to_string();
    assert!(said.ends_with("may be of two generations: ask again"), "{said}");
    // Where there is a lock, nobody needs to look.
    assert!(Store::open_read(&path).unwrap().stamp().is_none());
}

#[test]
fn a_disk_without_room_is_told_from_other_faults() {
    let store = Store::in_memory().unwrap();
    let pages: i64 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    store.connection.pragma_update(None, "max_page_count", pages).unwrap();
    let writer = store.begin(false).unwrap();
    let failed = (0..1_000).find_map(|row| writer.put(&scope(&format!("source {row}"), row)).err());
    let failed = failed.expect("there is room for a few rows only");
    assert!(failed.is_disk_full() && !failed.is_damage(), "{failed:?}");
}

#[test]
fn a_store_that_is_read_is_not_written_anew_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.db");
    let store = Store::open(&path).unwrap();
    store.connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    let writer = store.begin(false).unwrap();
    writer.put(&scope("a", 1)).unwrap();
    writer.publish("2024-06-01T02:00:00Z", "run", &[]).unwrap();
    let reader = Store::open_read(&path).unwrap();
    reader.connection.execute_batch("BEGIN; SELECT count(*) FROM scope;").unwrap();
    assert!(!store.compact().unwrap());
    drop(reader);
    assert!(store.compact().unwrap());
}
