//! The files of the universe as a user would have written them. In: a [`Universe`]. Out: text by path; no I/O.

use std::collections::{BTreeMap, BTreeSet};

use super::calendar::Day;
use super::universe::{COMPONENTS, CONTRACTS, Row, SUPPLIERS, Universe};

impl Universe {
    /// The files of the workspace by path, all of them.
    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        for (path, document) in &self.documents {
            if self.unmounted && path.starts_with("notes/") {
                continue;
            }
            files.insert(format!("docs/{path}"), document.text());
        }
        let table = |head: &str, names: &[(&str, &str)], who: &BTreeSet<usize>| {
            who.iter()
                .fold(format!("{head}\n"), |text, at| format!("{text}{},{}\n", names[*at].0, names[*at].1))
        };
        files.insert("feeds/suppliers.csv".to_owned(), table("No,Name", &SUPPLIERS, &self.suppliers));
        files.insert("feeds/components.csv".to_owned(), table("No,Name", &COMPONENTS, &self.components));
        files.insert(
            "feeds/contracts.csv".to_owned(),
            table("No,Name", &CONTRACTS, &BTreeSet::from([0, 1, 2])),
        );
        for (name, rows) in [("source_list", &self.source_list), ("stock_list", &self.stock_list)] {
            let text = rows
                .iter()
                .fold("Supplier,Component,From,To\n".to_owned(), |text, row| text + &row_text(row) + "\n");
            files.insert(format!("feeds/{name}.csv"), text);
        }
        files.insert("jobs/nightly.yaml".to_owned(), JOB.to_owned());
        let one = if self.at_most_one { ", at_most_one: subject" } else { "" };
        let ontology = ONTOLOGY
            .replace("@at_most_one", one)
            .replace("@word", if self.named { "(listed|named)" } else { "listed" })
            .replace("@review", if self.review { ", review: always" } else { "" })
            .replace("@threshold", &format!("0.{}", self.threshold))
            .replace("@listed", &format!("0.{}", self.listed));
        files.insert("ontology/parts.yaml".to_owned(), ontology);
        files
    }
}

/// A row as it stands in the file.
pub(crate) fn row_text(row: &Row) -> String {
    let date = |day: Option<Day>| day.map(|day| day.to_string()).unwrap_or_default();
    format!(
        "{},{},{},{}",
        SUPPLIERS[row.supplier].0,
        COMPONENTS[row.component].0,
        date(row.from),
        date(row.to)
    )
}

const JOB: &str = r#"job: nightly
ontology: parts
owner: parts-data
sources:
  notes:
    path: docs/notes
    documents:
      - { self: Contract, name: "{contract}_*.txt" }
    effective: Effective
    edits: correct
    gone: retract
  acts:
    path: docs/acts
    effective: Effective
    edits: amend
    gone: retract
feeds:
  suppliers:
    path: feeds/suppliers.csv
    entity: { type: Supplier, key: No, names: [Name] }
  components:
    path: feeds/components.csv
    entity: { type: Component, key: No, names: [Name] }
  contracts:
    path: feeds/contracts.csv
    entity: { type: Contract, key: No, names: [Name] }
  source_list:
    path: feeds/source_list.csv
    edge: { type: supplies, subject: Supplier, object: Component, valid_from: From, valid_to: To }
    authority: confirms
  stock_list:
    path: feeds/stock_list.csv
    edge: { type: stocks, subject: Supplier, object: Component, valid_from: From, valid_to: To }
    authority: decides
gates: { retractions: { warn: 90%, fail: 100% } }
"#;

const ONTOLOGY: &str = r#"language: en
entities:
  Supplier:  { system_of_record: suppliers, names: company, on_unknown: quarantine }
  Component: { system_of_record: components, on_unknown: quarantine }
  Contract:  { system_of_record: contracts, on_unknown: quarantine }
edges:
  supplies:   { subject: Supplier, object: Component, threshold: @threshold@at_most_one }
  stocks:     { subject: Supplier, object: Component, at_most_one: subject }
  makes:      { subject: Supplier, object: Component }
  audited:    { subject: Supplier, object: Component@review }
  supersedes: { subject: Contract, object: Contract, ends: object }
rules:
- id: supplies.plain
  edge: supplies
  match: "{subject:Supplier} supplies {object:Component} [from {valid_from:date}] [in {valid:date}] [(to|until) {valid_to:date}]"
- id: supplies.listed
  edge: supplies
  confidence: @listed
  match: "{subject:Supplier} is @word as source for {object:Component} [from {valid_from:date}] [(to|until) {valid_to:date}]"
- id: supplies.end
  edge: supplies
  asserts: end
  match: "{subject:Supplier} ceased to supply {object:Component} on {valid_to:date}"
- id: supplies.ended
  edge: supplies
  asserts: end
  match: "{subject:Supplier} has ceased to supply {object:Component}"
- id: makes.plain
  edge: makes
  match: "{subject:Supplier} makes {object:Component} [from {valid_from:date}] [in {valid:date}] [(to|until) {valid_to:date}]"
- id: audited.plain
  edge: audited
  match: "{subject:Supplier} was audited for {object:Component} [from {valid_from:date}]"
- id: stocks.plain
  edge: stocks
  match: "{subject:Supplier} stocks {object:Component} [from {valid_from:date}] [(to|until) {valid_to:date}]"
- id: supersedes.plain
  edge: supersedes
  match: "{subject:Contract} supersedes {object:Contract} [from {valid_from:date}]"
"#;
