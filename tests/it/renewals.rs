//! Clauses on renewal: a length of time is an entity, and a condition is no reason to doubt that it is one.

use crate::world::World;

/// Leases of a made-up landlord.
const LEASES: &str = r#"
//- ontology/leases.yaml
language: en
entities:
  Lease:  { system_of_record: register }
  Tenant: { on_unknown: create }
  Period: { system_of_record: periods, names: durations, on_unknown: create }
edges:
  let_to:     { subject: Lease, object: Tenant }
  renews_for: { subject: Lease, object: Period }
words:
  MORE: [a, an, additional, further, successive, term, terms, of]
rules:
- id: let
  edge: let_to
  subject: self
  match: "is let to {object:Tenant}"
- id: renewal
  edge: renews_for
  subject: self
  match: "lease ... renew~ ... for [MORE] [MORE] [MORE] [MORE] {object:Period}"
  despite: [hypothetical, permission]
//- jobs/leases.yaml
job: leases
ontology: leases
owner: landlord
sources:
  leases: { path: leases, documents: [ { self: Lease, name: "{lease}.txt" } ] }
feeds:
  register: { path: leases.csv, entity: { type: Lease, key: No } }
  periods:  { path: periods.csv, entity: { type: Period, key: ISO, names: [Name] } }
//- leases.csv
No
L1
L2
L3
L4
//- periods.csv
ISO,Name
P1Y,yearly
//- leases/L1.txt
This lease automatically renews for successive one-year terms unless the landlord objects.
//- leases/L2.txt
If the tenant asks for it, this lease may be renewed for a further term of twelve (12) months.
//- leases/L3.txt
The lease is renewed for 18 months.

It is let to Smith Ltd (the "Tenant"). The lease is renewed for the Tenant.
//- leases/L4.txt
This lease shall not be renewed for another year, and renews for no term of one year.
"#;

#[test]
fn a_length_of_time_is_one_entity_however_texts_write_it() {
    let world = World::new(LEASES);
    world.run();
    world.says(
        "L1 renews_for P1Y [?, ∞) ×1
         L2 renews_for P1Y [?, ∞) ×1
         L3 let_to Smith Ltd [?, ∞) ×1
         L3 renews_for P1Y6M [?, ∞) ×1",
    );
    // A feed may give a length of time further names, and texts make those that no feed has.
    world.put("//- leases/L1.txt\nThis lease renews for yearly terms.\n");
    world.put("//- leases/L3.txt\nThe lease is renewed for six weeks or so, as its tenant likes it to be.\n");
    world.run();
    world.says(
        "L1 renews_for P1Y [?, ∞) ×1
         L2 renews_for P1Y [?, ∞) ×1
         L3 renews_for P42D [?, ∞) ×1",
    );
}

#[test]
fn a_rule_shares_the_doubts_that_it_does_not_leave_out() {
    let world = World::new(LEASES);
    let rules = std::fs::read_to_string(world.path("ontology/leases.yaml")).unwrap();
    let stricter = rules.replace("[hypothetical, permission]", "permission");
    std::fs::write(world.path("ontology/leases.yaml"), stricter).unwrap();
    world.run();
    world.says(
        "L3 let_to Smith Ltd [?, ∞) ×1
         L3 renews_for P1Y6M [?, ∞) ×1",
    );
    // The rule is another one now, so what it makes of texts that did not change is too.
    std::fs::write(world.path("ontology/leases.yaml"), rules).unwrap();
    world.run();
    world.says(
        "L1 renews_for P1Y [?, ∞) ×1
         L2 renews_for P1Y [?, ∞) ×1
         L3 let_to Smith Ltd [?, ∞) ×1
         L3 renews_for P1Y6M [?, ∞) ×1",
    );
}

#[test]
fn what_has_no_meaning_for_lengths_of_time_and_doubts_is_named() {
    let world = World::new(LEASES);
    let rules = std::fs::read_to_string(world.path("ontology/leases.yaml")).unwrap();
    let broken = rules
        .replace("names: durations,", "names: durations, keys: \"P{n}\",")
        .replace("[hypothetical, permission]", "[hypothetical, negation]")
        .replace(
            "match: \"is let to {object:Tenant}\"",
            "mentions: { object: Tenant }\n  despite: permission",
        );
    std::fs::write(world.path("ontology/leases.yaml"), broken).unwrap();
    let outcome = world.cmd("check").expect_code(2);
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(said.contains("the keys of `Period` are lengths of time, and have no form beside it"), "{said}");
    assert!(said.contains("`despite` cannot be `negation`"), "{said}");
    assert!(said.contains("`despite` has a meaning for rules with `match` only"), "{said}");
}
