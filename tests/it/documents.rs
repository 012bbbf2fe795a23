//! What a document is, whatever its file is called: links to other documents, and declared keys.

#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "the tests read and write their files")]

use serde_json::Value;

use crate::world::World;

const LINKS: &str = r#"
//- ontology/papers.yaml
language: en
entities:
  Contract: { system_of_record: register, names: plain }
edges:
  cites: { subject: Contract, object: Contract }
rules:
- id: cites
  edge: cites
  subject: self
  link: document
//- jobs/papers.yaml
job: papers
ontology: papers
owner: papers-desk
sources:
  papers:
    path: papers
    documents: [{ self: Contract, name: "C-{number}_*.*", key: number }]
feeds:
  register: { path: register.csv, entity: { type: Contract, key: No, names: [Title] } }
//- register.csv
No,Title
1,Frame Agreement
2,Price Agreement
3,Service Agreement
//- papers/2024/C-1_frame.md
See [the prices](../annex/C-2_prices.md#list), [the Service Agreement](C-3_service.html) and
[the Price Agreement](https://papers.example/C-9_x.md).

The [Service Agreement](notes.md) is gone, [this one](missing.md) was never there, and
[that one](C-4_planned.md) has a number only.
//- papers/annex/C-2_prices.md
Back to [there](/2024/C-1_frame.md).
//- papers/2024/C-3_service.html
<p>As in <a href="../annex/C-2_prices.md">the annex</a>.</p>
"#;

#[test]
fn a_link_leads_to_whom_the_document_at_its_target_stands_for() {
    let world = World::new(LINKS);
    world.run();
    // By the path; by the text, where no file of that path stands for anybody; else nobody is known. A key
    // that no register has waits, and a link that leaves the source says nothing.
    let says = "1 cites 2 [?, ∞) ×1
         1 cites 3 [?, ∞) ×2
         2 cites 1 [?, ∞) ×1
         3 cites 2 [?, ∞) ×1
         ? 1 cites 2024/missing.md: endpoint-unknown
         ? 1 cites 4: endpoint-unknown";
    world.says(says);
    let why = world.cmd("why 1 2").expect_code(0).stdout;
    assert!(why.contains("../annex/C-2_prices.md#list"), "{why}");

    // What a file stands for is asked of its name, so a link is read again when the names mean something else.
    let job = std::fs::read_to_string(world.path("jobs/papers.yaml")).unwrap();
    world.write("jobs/papers.yaml", job.replace("name: \"C-{number}_*.*\"", "name: \"C-{number}_*.md\"").as_bytes());
    world.run();
    world.says(
        "1 cites 2 [?, ∞) ×1
         1 cites 3 [?, ∞) ×2
         2 cites 1 [?, ∞) ×1
         ? 1 cites 2024/missing.md: endpoint-unknown
         ? 1 cites 4: endpoint-unknown",
    );
    world.write("jobs/papers.yaml", job.as_bytes());
    world.run();
    world.says(says);
    world.cmd("verify").expect_code(0);
}
