//! The search against a plain one, over graphs by chance: from the store, from memory, of the last generation and of
//! the one before, with and without crowded nodes.

use std::collections::BTreeMap;

use super::super::{OnDemand, Snapshot, Way};
use super::*;
use crate::model::access::Reader;
use crate::model::id::EntityKey;
use crate::serve::testing::{catalog, date, fact, key};
use crate::serve::{Catalog, Lens};
use crate::store::{Kind, Store};

/// A plain generator: the graphs are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A graph of layers, and in every third a type of edges within one of them. Of the facts of the first generation some
/// are gone in the second.
fn graph(dice: &mut Dice, at: u64) -> (Store, Vec<EntityKey>) {
    let store = Store::in_memory().unwrap();
    let (parts, firms) = (4 + dice.below(20), 3 + dice.below(9));
    let edges = dice.below(2 * parts) + parts;
    let mut ends: Vec<[String; 3]> = Vec::new();
    for _ in 0..edges {
        let part = format!("Component:c{}", dice.below(parts));
        ends.push([format!("Supplier:s{}", dice.below(firms)), "supplies".to_owned(), part]);
    }
    for _ in 0..dice.below(5) {
        let part = format!("Component:c{}", dice.below(parts));
        ends.push([part, "fits".to_owned(), format!("Product:p{}", dice.below(3))]);
    }
    for _ in 0..if at.is_multiple_of(3) { dice.below(4) } else { 0 } {
        let part = |dice: &mut Dice| format!("Component:c{}", dice.below(parts));
        ends.push([part(dice), "replaces".to_owned(), part(dice)]);
    }
    let writer = store.begin(false).unwrap();
    for ends in &ends {
        let fact = fact([&ends[0], &ends[1], &ends[2]], &[(Some("2020-01-01"), None)], &[], &[]);
        writer.put(&fact).unwrap();
    }
    writer.publish("run-1", "2024-01-01T00:00:00Z", &[]).unwrap();
    let writer = store.begin(false).unwrap();
    for ends in &ends {
        let gone = fact([&ends[0], &ends[1], &ends[2]], &[(None, None)], &[], &[]);
        if dice.below(8) == 0 {
            writer.close(Kind::Fact, &gone.id.to_string()).unwrap();
        }
    }
    writer.publish("run-2", "2024-02-01T00:00:00Z", &[]).unwrap();
    let keys = (0..parts).map(|at| key(&format!("Component:c{at}")));
    let keys = keys.chain((0..firms).map(|at| key(&format!("Supplier:s{at}"))));
    (store, keys.chain((0..3).map(|at| key(&format!("Product:p{at}")))).collect())
}

type Told = Option<Vec<(String, bool, String)>>;

fn told(table: &Table, steps: Option<&[Step]>) -> Told {
    let tell =
        |step: &Step| (table.kind_name(step.kind).to_owned(), step.out, table.key(step.other).to_string());
    Some(steps?.iter().map(tell).collect())
}

/// The first of the shortest paths, by walking back from the end and then on by the first step each.
fn plain(table: &Table, from: Node, to: Node, passes: &Passes, hops: usize) -> Told {
    let mut left: BTreeMap<Node, usize> = BTreeMap::from([(to, 0)]);
    let mut front = vec![to];
    for depth in 1..=hops {
        for node in std::mem::take(&mut front) {
            for step in table.steps(node).iter().filter(|step| passes.admits_back(step)) {
                left.entry(step.other).or_insert_with(|| {
                    front.push(step.other);
                    depth
                });
            }
        }
    }
    let (mut here, mut path) = (from, Vec::new());
    let mut rest = *left.get(&from)?;
    while rest > 0 {
        rest -= 1;
        let leads = |step: &&Step| passes.admits(step) && left.get(&step.other) == Some(&rest);
        let step = *table.steps(here).iter().find(leads)?;
        path.push(step);
        here = step.other;
    }
    told(table, Some(&path))
}

fn lens(known_at: u64) -> Lens {
    Lens { as_of: None, known_at, reader: Reader::Everything, pending: false, today: date("2024-06-01") }
}

fn trails() -> [Vec<Pass>; 2] {
    let pass = |name: &str, way| Pass { edge_type: Some(name.to_owned()), way };
    [Vec::new(), vec![pass("supplies", Way::Either), pass("fits", Way::Out)]]
}

/// Without crowded nodes it is the same path. Over two of them one may come first that neither side sees; none is
/// shorter, unless the answer says that it was cut.
fn agrees(found: &Told, expected: &Told, fan: usize, cut: &Cut, says: &str) {
    if fan == usize::MAX {
        assert_eq!((found, cut.is_cut()), (expected, false), "{says}");
    } else if !cut.is_cut() {
        assert_eq!(found.as_ref().map(Vec::len), expected.as_ref().map(Vec::len), "{says}");
    } else if let Some(steps) = found {
        assert!(expected.as_ref().is_some_and(|expected| expected.len() <= steps.len()), "{says}");
    }
}

#[test]
fn the_first_of_the_shortest_paths_is_found_whatever_is_read_for_it() {
    let (mut dice, catalog): (_, Catalog) = (Dice(7), catalog());
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    for at in 0..120 {
        let (store, keys) = graph(&mut dice, at);
        for known_at in [1, 2] {
            let graph = Graph::new(&store, lens(known_at), &catalog).unwrap();
            let snapshot = Snapshot::of(&graph).unwrap();
            for _ in 0..12 {
                let mut pick = || &keys[dice.below(keys.len() as u64) as usize];
                let (from, to) = (pick(), pick());
                let passes = &trails()[dice.below(2) as usize];
                let hops = 2 + dice.below(6) as usize;
                let expected = match (snapshot.table().number(from), snapshot.table().number(to)) {
                    (Some(from), Some(to)) => {
                        let compiled = compile(passes, &mut &snapshot);
                        plain(snapshot.table(), from, to, &compiled, hops)
                    }
                    _ => (from == to).then(Vec::new),
                };
                for fan in [usize::MAX, 3] {
                    let bounds = Bounds { fan, ..Bounds::NONE };
                    let mut ground = OnDemand::new(&graph, fan);
                    let ends = (ground.number(from).unwrap(), ground.number(to).unwrap());
                    let found = route(&mut ground, ends.0, ends.1, passes, hops, &bounds).unwrap();
                    let steps = told(ground.table(), found.steps.as_deref());
                    let says = format!("{at} {known_at}: {from} to {to}, {hops} hops, fan {fan}");
                    agrees(&steps, &expected, fan, &found.cut, &says);
                    *met.entry(if found.cut.is_cut() { "cut" } else { "whole" }).or_default() += 1;
                    if let (Some(from), Some(to)) =
                        (snapshot.table().number(from), snapshot.table().number(to))
                    {
                        let found = route(&mut &snapshot, from, to, passes, hops, &bounds).unwrap();
                        let steps = told(snapshot.table(), found.steps.as_deref());
                        agrees(&steps, &expected, fan, &found.cut, &says);
                    }
                }
                let long =
                    expected.as_ref().map_or("none", |path| if path.len() > 3 { "long" } else { "short" });
                *met.entry(long).or_default() += 1;
            }
        }
    }
    println!("{met:?}");
    assert!(met.len() == 5 && met.values().all(|number| *number > 100), "{met:?}");
}

/// How many nodes are read on the way is what a path costs.
#[test]
fn a_path_over_layers_is_met_before_its_level_is_read() {
    let store = Store::in_memory().unwrap();
    let writer = store.begin(false).unwrap();
    // Two halves of firms that share no part but through others: parts 0 and 1 are four hops apart.
    for firm in 0..40 {
        let end = firm % 2;
        let mut parts = vec![end];
        parts.extend((2..60).filter(|part| (part + firm) % 3 == 0));
        for part in parts {
            let ends = [format!("Supplier:s{firm:02}"), format!("Component:c{part:02}")];
            let fact = fact([&ends[0], "supplies", &ends[1]], &[(Some("2020-01-01"), None)], &[], &[]);
            writer.put(&fact).unwrap();
        }
    }
    writer.publish("run-1", "2024-01-01T00:00:00Z", &[]).unwrap();
    let catalog = catalog();
    let graph = Graph::new(&store, lens(1), &catalog).unwrap();
    let mut ground = OnDemand::new(&graph, 100);
    let ends = (key("Component:c00"), key("Component:c01"));
    let ends = (ground.number(&ends.0).unwrap(), ground.number(&ends.1).unwrap());
    let bounds = Bounds { fan: 100, ..Bounds::NONE };
    let found = route(&mut ground, ends.0, ends.1, &[], 6, &bounds).unwrap();
    let keys: Vec<String> =
        found.steps.unwrap().iter().map(|step| ground.table().key(step.other).to_string()).collect();
    assert_eq!(keys, ["Supplier:s00", "Component:c03", "Supplier:s03", "Component:c01"]);
    // Both ends, the two firms at which the first level looked, and the first of a firm's parts; the other
    // thirty-eight firms are not read.
    let read = ground.table().nodes().filter(|node| !ground.table().steps(*node).is_empty()).count();
    assert_eq!(read, 5);
}
