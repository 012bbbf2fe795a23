//! What the answers look like as text.

use expect_test::expect;

use super::super::render;
use super::check;
use crate::model::access::Reader;
use crate::serve::testing::{fact_id, public, with_graph};
use crate::serve::{HistoryView, Wanted, Which, find, quarantine, show, why_entity};

/// `show` through the tale's own catalog.
fn shown(reader: Reader, name: &str, which: Which) -> String {
    with_graph(reader, 4, |graph| {
        let mut lens = graph.lens().clone();
        lens.pending = which == Which::All;
        let graph = graph.through(lens).unwrap();
        render::show(&show(&graph, &find(&graph, name).unwrap(), which).unwrap())
    })
}

#[test]
fn show_lists_what_holds_and_counts_the_rest() {
    check(
        &shown(public(), "FCU", Which::Current),
        &expect![[r#"
        Flight Control Unit  (Component:C1)
          also called: FCU
          known from: feed components, row C1

        ← supplies
          TechChip Inc  (Supplier:S2)
            since 2024-02-17; current; 1 attestation
          1 ended: --state all
    "#]],
    );
}

#[test]
fn show_all_lists_what_ended_and_what_waits() {
    check(
        &shown(public(), "Door Seal", Which::All),
        &expect![[r#"
        Door Seal  (Component:C3)
          known from: feed components, row C3

        ← supplies
          ShenzenChip  (Supplier:S1)
            start unknown until 2023-03-02 (last day); ended; 1 attestation
            ended on 2023-03-03

        2 assertions in quarantine
          Voltanix supplies Door Seal
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"
          TechChip Inc supplies Door Seal, from 2023-03-03
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            conflict: it cannot hold beside: an edge that you may not see
    "#]],
    );
    check(
        &shown(Reader::Everything, "Radio Module", Which::All),
        &expect![[r#"
        Radio Module  (Component:C2)
          known from: feed components, row C2

        ← supplies
          ShenzenChip  (Supplier:S1)
            since 2024-01-01 until 2024-12-31 (last day); current; 1 attestation
          ShenzenChip  (Supplier:S1)
            since 2022-01-01 until 2022-12-31 (last day); ended; 1 attestation
          TechChip Inc  (Supplier:S2)
            from 2030-01-01; future; 1 attestation

        1 assertion in quarantine
          Voltanix supplies Radio Module
            docs/contracts/old.md:3: »ShenzenChip supplies the Flight Control Unit.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"
    "#]],
    );
}

#[test]
fn why_reads_like_a_note() {
    let why = |reader| {
        with_graph(reader, 4, |graph| {
            let entity = find(graph, "FCU").unwrap().entity;
            let text = render::why(&why_entity(graph, &entity, None, None).unwrap(), "FCU");
            let hide = |text: String, id: String| text.replace(&id, "<fact>");
            let subjects = ["Supplier:S1", "Supplier:S2"];
            subjects
                .iter()
                .fold(text, |text, one| hide(text, fact_id(one, "supplies", "Component:C1").to_string()))
        })
    };
    check(
        &why(public()),
        &expect![[r#"
            ShenzenChip supplies Flight Control Unit
              Supplier:S1 supplies Component:C1, fact <fact>
              start unknown until 2024-02-16 (last day); ended
                ended on 2024-02-17 by: TechChip Inc supplies Flight Control Unit
              attested by 1 source passage
                1. docs/contracts/old.md:3  § Supply (joins; its dates move nothing)
                  Signed in Berlin. »ShenzenChip supplies the Flight Control Unit.« Copies are void.
                  rule supplies.clause, confidence 0.95
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends

            TechChip Inc supplies Flight Control Unit
              Supplier:S2 supplies Component:C1, fact <fact>
              since 2024-02-17; current
              attested by 1 source passage
                1. docs/contracts/new.md:3  § Supply
                  Signed in Berlin. »TechChip supplies the Flight Control Unit from 17 February 2024.« Copies are void.
                  definition: "TechChip, Inc. ("Supplier")"
                  rule supplies.clause, confidence 0.95
                  from: 2024-02-17
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends
        "#]],
    );
    check(
        &why(Reader::Everything),
        &expect![[r#"
            ShenzenChip supplies Flight Control Unit
              Supplier:S1 supplies Component:C1, fact <fact>
              since 2020-05-01 until 2024-02-16 (last day); ended
                price: 777
                ended on 2024-02-17 by: TechChip Inc supplies Flight Control Unit
              attested by 2 source passages
                1. docs/letters/secret.md:3  § Supply
                  Signed in Berlin. »ShenzenChip supplies the Flight Control Unit from 1 May 2020 at 777, says Quillon of Zanzibar.« Copies are void.
                  rule supplies.clause, confidence 0.95
                  from: 2020-05-01
                  read: price=777
                2. docs/contracts/old.md:3  § Supply (joins; its dates move nothing)
                  Signed in Berlin. »ShenzenChip supplies the Flight Control Unit.« Copies are void.
                  rule supplies.clause, confidence 0.95
              on 2020-05-01 the answer changes: ShenzenChip begins
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends

            TechChip Inc supplies Flight Control Unit
              Supplier:S2 supplies Component:C1, fact <fact>
              since 2024-02-17; current
              attested by 1 source passage
                1. docs/contracts/new.md:3  § Supply
                  Signed in Berlin. »TechChip supplies the Flight Control Unit from 17 February 2024.« Copies are void.
                  definition: "TechChip, Inc. ("Supplier")"
                  rule supplies.clause, confidence 0.95
                  from: 2024-02-17
              on 2024-02-17 the answer changes: TechChip Inc begins; ShenzenChip ends
        "#]],
    );
}

#[test]
fn history_tells_what_each_generation_changed() {
    let told = |reader| {
        with_graph(reader, 4, |graph| {
            let entity = find(graph, "FCU").unwrap().entity;
            render::history(&HistoryView::of_entity(graph, &entity).unwrap())
        })
    };
    check(
        &told(Reader::Everything),
        &expect![[r#"
        generation 1  2024-01-10T02:00:00Z  run run-1
          claimed: Component:C1
            nothing → Flight Control Unit | FCU
            feed components, row C1
          added: ShenzenChip supplies Flight Control Unit
            nothing → [?, ∞)
            new_document: contracts/old.md

        generation 2  2024-02-20T02:00:00Z  run run-2
          changed: ShenzenChip supplies Flight Control Unit
            [?, ∞) → [2020-05-01, 2024-02-17) price=777
            new_document: letters/secret.md
          added: TechChip Inc supplies Flight Control Unit
            nothing → [2024-02-17, ∞)
            new_document: contracts/new.md
    "#]],
    );
    check(
        &told(public()),
        &expect![[r#"
        generation 1  2024-01-10T02:00:00Z  run run-1
          claimed: Component:C1
            nothing → Flight Control Unit | FCU
            feed components, row C1
          added: ShenzenChip supplies Flight Control Unit
            nothing → [?, ∞)
            new_document: contracts/old.md

        generation 2  2024-02-20T02:00:00Z  run run-2
          changed: ShenzenChip supplies Flight Control Unit
            [?, ∞) → [?, 2024-02-17)
          added: TechChip Inc supplies Flight Control Unit
            nothing → [2024-02-17, ∞)
            new_document: contracts/new.md
    "#]],
    );
}

#[test]
fn the_quarantine_is_grouped_by_question() {
    let text =
        with_graph(public(), 4, |graph| render::quarantine(&quarantine(graph, &Wanted::default()).unwrap()));
    check(
        &text,
        &expect![[r#"
        3 assertions in quarantine

        who is "Voltanix"?  (settles 2)
          Voltanix supplies Door Seal
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"
          Voltanix supplies Radio Module
            docs/contracts/old.md:3: »ShenzenChip supplies the Flight Control Unit.«
            rule supplies.clause, confidence 0.95
            endpoint-unknown: nobody is called "Voltanix"

        TechChip Inc supplies Door Seal? it cannot hold beside: an edge that you may not see  (settles 1)
          TechChip Inc supplies Door Seal, from 2023-03-03
            docs/contracts/new.md:3: »TechChip supplies the Flight Control Unit from 17 February 2024.«
            rule supplies.clause, confidence 0.95
            conflict: it cannot hold beside: an edge that you may not see
    "#]],
    );
}
