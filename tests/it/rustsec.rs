//! Real advisories, where they are at hand: a run over them finishes, and what it says is worth reading.

use std::path::{Path, PathBuf};

use crate::world::{World, copy};

/// The corpus beside the project; `None`, said aloud, where it is absent.
fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.join("shared/corpora/rustsec");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: the advisories are not here");
    None
}

/// A small ontology for advisories: what affects what, and since which version it is mended.
const WORKSPACE: &str = r#"
//- ontology/advisories.yaml
language: en
entities:
  Advisory: { system_of_record: advisories, on_unknown: quarantine }
  Crate: { system_of_record: crates, names: exact, on_unknown: drop }
edges:
  affects: { subject: Advisory, object: Crate }
  names: { subject: Advisory, object: Advisory, threshold: 0.5 }
rules:
- id: advisory.names
  edge: names
  mentions: { object: Advisory }
  subject: self
  confidence: 0.7
  examples:
    - text: "This is a duplicate of RUSTSEC-2021-0001."
      given: { self: RUSTSEC-2020-0002 }
      finds: "RUSTSEC-2020-0002 names RUSTSEC-2021-0001"
- id: advisory.affected
  edge: affects
  match: "(affected|all|earlier|prior|older) versions of [the] {object:Crate} [crate]"
  subject: self
  examples:
    - text: "Affected versions of the serde crate panic."
      given: { self: RUSTSEC-2020-0002 }
      finds: nothing
- id: advisory.versions
  edge: affects
  match: "versions of {object:Crate} (before|prior to|earlier than) ..."
  subject: self
  examples:
    - text: "Versions of nothing here."
      finds: nothing
//- jobs/advisories.yaml
job: advisories
ontology: advisories
sources:
  documents:
    path: documents
    documents:
      - { self: Advisory, name: "{advisory}.md" }
feeds:
  advisories:
    path: feed.csv
    entity: { type: Advisory, key: advisory_id, names: [advisory_id], properties: { date: date } }
  crates:
    path: crates.csv
    entity: { type: Crate, key: name, names: [name] }
"#;

#[test]
fn a_run_over_real_advisories_finishes_and_is_worth_reading() {
    let Some(corpus) = corpus() else { return };
    let world = World::new(WORKSPACE);
    copy(&corpus.join("nights/n00/documents"), &world.path("documents"));
    let feed = std::fs::read_to_string(corpus.join("nights/n00/feed_changes.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(feed.as_bytes());
    let (mut advisories, mut crates) =
        (String::from("advisory_id,date\n"), std::collections::BTreeSet::new());
    for row in reader.records() {
        let row = row.unwrap();
        advisories.push_str(&format!("{},{}\n", &row[1], &row[3]));
        crates.insert(row[2].to_owned());
    }
    world.write("feed.csv", advisories.as_bytes());
    let crates: String = crates.into_iter().map(|name| format!("{name}\n")).collect();
    world.write("crates.csv", format!("name\n{crates}").as_bytes());

    let report = world.run();
    let documents = report["totals"]["documents"].as_u64().unwrap();
    assert!(documents > 800, "{documents} documents");
    assert!(report["totals"]["edges"]["affects"]["facts"].as_u64().unwrap() >= 20, "{report:#}");
    let again = world.run();
    assert_eq!(again["outcome"], "nothing_to_do");
    assert_eq!(again["work"]["parsed"], 0);

    // The sentence, its place and the rule stand in the note; an entity shows both directions.
    let edge = world.cmd("export").expect_code(0).stdout;
    let affects =
        edge.lines().find(|line| line.contains(r#""kind":"edge""#) && line.contains(r#""affects""#)).unwrap();
    let affects: serde_json::Value = serde_json::from_str(affects).unwrap();
    let why = world.cmd(&format!("why {}", affects["fact"].as_str().unwrap())).expect_code(0).stdout;
    assert!(why.contains('»') && why.contains("documents/") && why.contains("rule advisory."), "{why}");
    let shown = world.cmd(&format!("show '{}'", affects["object"].as_str().unwrap())).expect_code(0).stdout;
    assert!(shown.contains("← affects"), "{shown}");
    let gaps = world.cmd("gaps").expect_code(0).stdout;
    assert!(gaps.contains("documents in which nothing was read"), "{gaps}");
    assert!(world.cmd("verify").expect_code(0).stdout.contains("is sound"));
}
