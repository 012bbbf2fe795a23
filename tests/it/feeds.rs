//! Feeds of every kind, from hand-made files and databases to what the graph says.

#![expect(clippy::disallowed_methods, reason = "the tests write the files that are read")]

mod books;
mod changes;
mod columns;
mod databases;
mod listed;
mod server;

use edgewright::model::job::{Connections, Feed, Limits};
use edgewright::ontology::Ontology;
use edgewright::source::feed::{self, FeedRead};

use crate::world::World;

/// A workspace whose suppliers come from a feed of any kind, and the edges of its rows with them.
///
/// `{feed}` are the keys that say where the rows stand and how they are written.
fn suppliers(feed: &str) -> World {
    World::new(&SUPPLIERS.replace("{feed}", feed))
}

/// `id name since` of the suppliers, with the edges: `S1 supplies C1 [2024-02-17, ∞) ×1`.
const SUPPLIERS: &str = r#"
//- ontology/o.yaml
language: en
entities:
  Supplier: { system_of_record: vendors }
  Component: { system_of_record: components }
edges:
  supplies: { subject: Supplier, object: Component }
//- jobs/j.yaml
job: j
ontology: o
feeds:
  components: { path: components.csv, entity: { type: Component, key: id, names: name } }
  vendors:
    {feed}
    entity: { type: Supplier, key: id, names: name, properties: { city: city } }
    edge: { type: supplies, subject: id, object: { column: part, many: ";" }, valid_from: since }
//- components.csv
id,name
C1,Bolt
C2,Door Seal
"#;

/// Reads a feed in this process, as a child of the program would.
fn read_here(world: &World, feed: &Feed, ontology: &Ontology) -> FeedRead {
    let unpack = |asked: &feed::Unpacking, bytes, _: &Limits| Ok(feed::unpack(asked, bytes));
    let reach = feed::Reach { root: world.root(), connections: &Connections::default(), unpack: &unpack };
    feed::read(reach, feed, ontology, None)
}

/// The entities of a type: `S1 Acme city=Berlin`.
fn entities(world: &World, kind: &str) -> Vec<String> {
    let export = world.cmd("export").expect_code(0).stdout;
    let rows = export.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    rows.filter(|row| row["kind"] == "entity" && row["entity_type"] == kind && row["tombstoned"] != true)
        .map(|row| {
            let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
            let mut words = vec![text(&row["key"])];
            words.extend(row["names"].as_array().unwrap().iter().map(text));
            let properties = row["properties"].as_object().unwrap();
            words.extend(properties.iter().map(|(name, value)| format!("{name}={}", text(value))));
            words.join(" ")
        })
        .collect()
}

/// What a run says of the feed: its state, new, changed and gone rows.
fn input(report: &serde_json::Value) -> String {
    let inputs = report["inputs"].as_array().unwrap();
    let one = inputs.iter().find(|input| input["name"] == "vendors").unwrap();
    format!("{} +{} ~{} -{}", one["state"].as_str().unwrap(), one["added"], one["changed"], one["gone"])
}

/// The complaints of a run: `file:line:column code message`.
fn complaints(report: &serde_json::Value) -> Vec<String> {
    let all = report["diagnostics"].as_array().unwrap().iter();
    all.map(|one| {
        let text = |name: &str| one[name].as_str().unwrap();
        format!("{}:{}:{} {} {}", text("file"), one["line"], one["column"], text("code"), text("message"))
    })
    .collect()
}

/// What every kind of feed must say of the same three rows.
#[track_caller]
fn says_the_three(world: &World) {
    assert_eq!(input(&world.run()), "read +3 ~0 -0");
    assert_eq!(
        entities(world, "Supplier"),
        ["007 Acme city=Berlin", "S2 Über GmbH", "S3 Castings city=12.5"]
    );
    world.says("007 supplies C1 [2024-02-17, ∞) ×1\n007 supplies C2 [2024-02-17, ∞) ×1\nS2 supplies C2 [2023-01-01, ∞) ×1");
    // Nothing has changed, so nothing is done.
    let again = world.run();
    assert_eq!((input(&again).as_str(), &again["outcome"]), ("unchanged +0 ~0 -0", &"nothing_to_do".into()));
    world.cmd("verify").expect_code(0);
}
