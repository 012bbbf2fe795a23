//! Databases as feeds: a file of SQLite, and a PostgreSQL server where one is installed.

use rusqlite::Connection;

use super::server::Server;
use super::{complaints, entities, input, says_the_three, suppliers};
use crate::world::World;

const TABLE: &str = "
create table vendors (id text, name text, city, part text, since text, ok boolean);
insert into vendors values ('S3', 'Castings', 12.5, null, null, 1), ('007', 'Acme', 'Berlin', 'C1;C2', '2024-02-17', 0),
    ('S2', 'Über GmbH', '', 'C2', '2023-01-01', 1);";

fn fill(world: &World, sql: &str) {
    Connection::open(world.path("erp.db")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn a_table_or_query_of_sqlite_says_what_the_same_table_says_and_the_file_stays() {
    for asked in [
        "table: vendors",
        "query: \"select * from vendors -- all\"",
        "query: 'select * from vendors order by id;'",
    ] {
        let world = suppliers(&format!("path: erp.db\n    {asked}"));
        fill(&world, TABLE);
        let before = std::fs::read(world.path("erp.db")).unwrap();
        says_the_three(&world);
        assert_eq!(std::fs::read(world.path("erp.db")).unwrap(), before, "{asked}");
        fill(&world, "update vendors set city = 'Rome' where id = 'S2'; delete from vendors where id = 'S3'");
        assert_eq!(input(&world.run()), "read +0 ~1 -1");
        // Other bytes with the same rows, in another order, are no change.
        fill(
            &world,
            "create table more (x); insert into vendors select * from vendors where id = '007'; delete from vendors where rowid = 2",
        );
        assert_eq!(input(&world.run()), "unchanged +0 ~0 -0");
        assert_eq!(entities(&world, "Supplier"), ["007 Acme city=Berlin", "S2 Über GmbH city=Rome"]);
    }
}

/// What is committed counts, also where it has not reached the file itself.
#[test]
fn a_database_that_is_being_written_is_read_as_it_was_last_committed() {
    let world = suppliers("path: erp.db\n    table: vendors");
    let writer = Connection::open(world.path("erp.db")).unwrap();
    writer.execute_batch("pragma journal_mode = wal").unwrap();
    writer.execute_batch(TABLE).unwrap();
    assert_eq!(input(&world.run()), "read +3 ~0 -0");
    writer.execute_batch("insert into vendors values ('S4', 'Delta', '', '', '', 1)").unwrap();
    writer
        .execute_batch("begin immediate; insert into vendors values ('S5', 'Epsilon', '', '', '', 1)")
        .unwrap();
    assert_eq!(input(&world.run()), "read +1 ~0 -0");
}

#[test]
fn a_query_only_reads_has_an_end_and_a_limit() {
    let said = |feed: &str| {
        let world = suppliers(&format!("path: erp.db\n    {feed}"));
        fill(&world, TABLE);
        let told = complaints(&world.run_code(4)).join("\n");
        fill(&world, "select count(*) = 3 from vendors");
        told
    };
    let endless =
        "with recursive n(i) as (select 1 union all select i + 1 from n) select i as id from n where i < 0";
    assert_eq!(
        said(&format!("query: {endless}\n    limits: {{ seconds: 1 }}")),
        "erp.db:0:0 feed-unreadable the query took longer than 1 seconds and was given up"
    );
    assert_eq!(
        said("table: vendors\n    limits: { rows: 2 }"),
        "erp.db:0:0 feed-unreadable the query gives more than 2 rows"
    );
    assert_eq!(
        said("query: with x(i) as (values (1)) delete from vendors returning *"),
        "erp.db:0:0 feed-unreadable the query would change the database"
    );
    assert_eq!(
        said("query: select * from vendors; drop table vendors"),
        "erp.db:0:0 feed-unreadable SQLite says: Multiple statements provided"
    );
    assert!(
        said("table: vendor").starts_with("erp.db:0:0 feed-unreadable SQLite says: no such table: vendor")
    );
    let world = suppliers("path: erp.db\n    table: vendors\n    limits: { seconds: 0 }");
    let said = world.cmd("check").expect_code(2);
    let said = format!("{}{}", said.stdout, said.stderr);
    assert!(said.contains("error[config-value]: a query that may take 0 seconds gives no row"), "{said}");
    let world = suppliers("path: erp.db\n    table: vendors");
    assert!(
        complaints(&world.run_code(4))[0].starts_with("erp.db:0:0 feed-unreadable `erp.db` does not exist")
    );
    world.write("erp.db", &[7; 5000]);
    assert_eq!(complaints(&world.run_code(4)), ["erp.db:0:0 feed-unreadable the file is no SQLite database"]);
}

const SERVED: &str = "
create table vendors (id text primary key, name text, city text, part text, since date, at timestamptz, day timestamp, ok boolean, price numeric(9,2), n bigint);
insert into vendors values ('S3', 'Castings', '12.5', null, null, null, null, null, null, null),
    ('007', 'Acme', 'Berlin', 'C1;C2', '2024-02-17', '2024-02-17 09:30:00+01', '2024-02-17', true, 12.5, 7),
    ('S2', 'Über GmbH', '', 'C2', '2023-01-01', '2024-02-17 00:00:00+00', '2024-02-17 08:30:00', false, -0.05, 8);";

#[test]
fn a_query_of_postgresql_says_what_the_same_table_says_and_no_word_of_the_secret() {
    let Some(server) = Server::start() else {
        println!("skipped: no PostgreSQL is installed here");
        return;
    };
    server.client().batch_execute(SERVED).unwrap();
    let mut world = suppliers("connection: { env: ERP_URL }\n    query: select * from vendors");
    world.env.push(("ERP_URL".to_owned(), server.secret()));
    says_the_three(&world);
    server
        .client()
        .batch_execute(
            "update vendors set city = 'Rome' where id = 'S2'; delete from vendors where id = 'S3'",
        )
        .unwrap();
    assert_eq!(input(&world.run()), "read +0 ~1 -1");

    let mut typed = suppliers("connection: { env: ERP_URL }\n    table: public.vendors");
    let job = std::fs::read_to_string(typed.path("jobs/j.yaml")).unwrap();
    let mapped = "properties: { at: at, day: day, n: n, ok: ok, price: price } }";
    typed.write("jobs/j.yaml", job.replace("properties: { city: city } }", mapped).as_bytes());
    typed.env = world.env.clone();
    typed.run();
    assert_eq!(
        entities(&typed, "Supplier"),
        [
            "007 Acme at=2024-02-17T08:30:00Z day=2024-02-17 n=7 ok=true price=12.50",
            "S2 Über GmbH at=2024-02-17 day=2024-02-17T08:30:00 n=8 ok=false price=-0.05",
        ]
    );

    // Whatever fails, the rows stay, and nothing that is said or kept holds the secret.
    let failing = |query: &str, secret: &str, limits: &str| {
        let mut again = suppliers(&format!(
            "connection: {{ env: ERP_URL }}\n    query: {query}\n    limits: {{ {limits} }}"
        ));
        again.env.push(("ERP_URL".to_owned(), secret.to_owned()));
        let done = again.cmd("run --output json -v").expect_code(4);
        for said in [&done.stdout, &done.stderr] {
            assert!(!said.contains(Server::PASSWORD) && !said.contains(Server::USER), "{said}");
        }
        let told = complaints(&done.json());
        assert_eq!(told.len(), 1, "{told:?}");
        told[0].replace("env:ERP_URL:0:0 feed-unreadable ", "")
    };
    let right = server.secret();
    let from = "the server that `ERP_URL` names says:";
    assert_eq!(
        failing("select pg_sleep(60) as id", &right, "seconds: 1"),
        "the query took longer than 1 seconds and was given up"
    );
    assert_eq!(failing("select * from vendors", &right, "rows: 1"), "the query gives more than 1 rows");
    assert_eq!(
        failing("select * from vendor", &right, "rows: 9"),
        format!("{from} relation \"vendor\" does not exist (42P01)")
    );
    assert_eq!(
        failing("with gone as (delete from vendors returning *) select * from gone", &right, "rows: 9"),
        format!("{from} DECLARE CURSOR must not contain data-modifying statements in WITH (0A000)")
    );
    assert_eq!(
        failing("select 1 as id; drop table vendors", &right, "rows: 9"),
        format!("{from} cannot insert multiple commands into a prepared statement (42601)")
    );
    assert_eq!(
        failing("select 1 as id", &right.replace(Server::PASSWORD, "wrong-word"), "rows: 9"),
        format!("{from} password authentication failed for user \"…\" (28P01)")
    );
    let nowhere = right.replace("host=", "host=/nowhere");
    assert_eq!(
        failing("select 1 as id", &nowhere, "rows: 9"),
        "the server that `ERP_URL` names cannot be asked: entity not found"
    );
    let garbled = format!("{right} port=x{}", Server::PASSWORD);
    assert_eq!(
        failing("select 1 as id", &garbled, "rows: 9"),
        "the value of `ERP_URL` is no connection string"
    );
    world.says("007 supplies C1 [2024-02-17, ∞) ×1\n007 supplies C2 [2024-02-17, ∞) ×1\nS2 supplies C2 [2023-01-01, ∞) ×1");
    world.env.clear();
    let told = complaints(&world.run_code(4));
    assert_eq!(
        told,
        ["env:ERP_URL:0:0 feed-unreadable the variable `ERP_URL` of the environment is not set"]
    );
    for file in files(world.root()) {
        let bytes = std::fs::read(&file).unwrap();
        let holds = |secret: &str| bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
        assert!(!holds(Server::PASSWORD) && !holds(Server::USER), "{}", file.display());
    }
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found
}
