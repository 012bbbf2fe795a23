//! Questions over a large graph, and a change of it by hand: opened cold in a process of their own, and many
//! of them in one process that has the graph open.

use std::path::Path;
use std::time::{Duration, Instant};

use edgewright::config;
use edgewright::model::access::Reader;
use edgewright::model::id::EntityKey;
use edgewright::model::time::Date;
use edgewright::serve::ask::{self, Bounds, Ground, OnDemand, Proofs, Snapshot, Teller, Trail};
use edgewright::serve::{Catalog, Graph, Lens};
use edgewright::store::Store;

use super::corpus::{self, Size};
use super::program;
use super::table::{Table, median, time, verdict};

/// How many different questions of a kind are asked.
const QUESTIONS: usize = 200;
/// How often a whole process is measured; the middle counts.
const REPEATS: usize = 5;

/// Asks, and changes an edge by hand.
pub(crate) fn suite(root: &Path, plan: Size) -> Result<Table, String> {
    let title = format!("A graph of {} edges", plan.sources);
    let mut table = Table::new(&title, &["what", "measured", "limit", ""]);
    let mut row = |what: &str, took: Duration, limit: Duration| {
        let judged = verdict(took.as_secs_f64(), limit.as_secs_f64()).to_owned();
        table.row(&[what.to_owned(), time(took), time(limit), judged]);
    };

    // Cold: the program is started, opens the graph, answers and ends.
    let cold = Duration::from_millis(300);
    let near = processes(root, |at| vec!["ask".into(), "neighbors".into(), part(plan, at)])?;
    row("`ask neighbors`, a process of its own", near, cold);
    let far = processes(root, |at| {
        vec!["ask".into(), "path".into(), part(plan, at), part(plan, at + 7_919), "--hops".into(), "6".into()]
    })?;
    row("`ask path`, a process of its own", far, cold);

    // Warm: one process asks many questions; the worst twentieth counts.
    let loaded = config::load(root);
    let store = Store::open_read(&root.join(".edgewright/graph.db")).map_err(said)?;
    let catalog = Catalog::new(loaded.ontologies.values(), &loaded.jobs);
    let today: Date = "2026-06-01".parse().map_err(said)?;
    let known_at = store.published().map_err(said)?;
    let lens = Lens { as_of: None, known_at, reader: Reader::Everything, pending: false, today };
    let graph = Graph::new(&store, lens, &catalog).map_err(said)?;
    let bounds = Bounds { nodes: 1_000, fan: 2_000, late: &|| false };
    let ten = Duration::from_millis(10);
    let near = questions(|at| {
        let mut ground = OnDemand::new(&graph, bounds.fan);
        let node = node(&mut ground, &part(plan, at))?;
        let teller = Teller::new(&graph, Proofs::First);
        let trail = Trail::within(Vec::new(), 1);
        ask::subgraph(&mut ground, &graph, &[node], &trail, &bounds, teller).map_err(said)?;
        Ok(())
    })?;
    row("neighbors of a node, p95 in one process", near, ten);
    let bounds = Bounds { nodes: 20_000, ..bounds };
    let far = questions(|at| {
        let mut ground = OnDemand::new(&graph, bounds.fan);
        let (from, to) =
            (node(&mut ground, &part(plan, at))?, node(&mut ground, &part(plan, at * 31 + 7_919))?);
        let teller = Teller::new(&graph, Proofs::First);
        ask::path(&mut ground, &graph, from, to, &[], 6, &bounds, teller).map_err(said)?;
        Ok(())
    })?;
    row("path between two nodes, p95 in one process", far, ten);
    drop(graph);
    drop(store);

    let edit = processes(root, |at| {
        let words = ["edit", "add-relationship"].map(str::to_owned);
        let fact = [supplier(plan, at), "supplies".to_owned(), part(plan, at * 17 + 3)];
        let word = ["--from", "2027-01-01", "--reason", "a bench", "--ticket", "B-1"].map(str::to_owned);
        words.into_iter().chain(fact).chain(word).collect()
    })?;
    row("one edge by hand, from the start of the process until it can be asked for", edit, ten * 2);
    Ok(table)
}

/// The questions of a planning tool on a graph of 1,100 nodes and 1,850 edges that a process holds, each kind many
/// times with other nodes. Proofs are not read: what is measured is the question.
pub(crate) fn small() -> Result<Table, String> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(said)?;
    let root = folder.path();
    let plan = Size { documents: 1, suppliers: 100, components: 1_000, sources: 1_850 };
    corpus::write(root, plan).map_err(said)?;
    program::run(root, &["run"])?;
    let store = Store::open_read(&root.join(".edgewright/graph.db")).map_err(said)?;
    let loaded = config::load(root);
    let catalog = Catalog::new(loaded.ontologies.values(), &loaded.jobs);
    let today: Date = "2026-06-01".parse().map_err(said)?;
    let known_at = store.published().map_err(said)?;
    let lens = Lens { as_of: None, known_at, reader: Reader::Everything, pending: false, today };
    let graph = Graph::new(&store, lens, &catalog).map_err(said)?;
    let reading = Instant::now();
    let snapshot = Snapshot::of(&graph).map_err(said)?;
    let reading = reading.elapsed();
    let size =
        format!("A graph of {} nodes and {} edges", snapshot.nodes().count(), snapshot.table().links().len());
    let mut table = Table::new(&size, &["question", "p95 in one process", "limit", ""]);
    let bounds = Bounds { nodes: 10_000, fan: 10_000, late: &|| false };
    let passes = ask::edge_passes(&graph, "supplies").map_err(said)?;
    let trail = Trail::within(passes.clone(), 3);
    let (graph, snapshot) = (&graph, &snapshot);
    let teller = || Teller::new(graph, Proofs::None);
    let one = |word: String| ask::choose(graph, Some(snapshot), &[word], &[]).map_err(said);
    let node = |word: String| -> Result<ask::Node, String> {
        one(word)?.on(&mut &*snapshot).first().copied().ok_or_else(|| "nobody has the key".to_owned())
    };
    let suppliers = ask::choose(graph, Some(snapshot), &["Supplier".to_owned()], &[]).map_err(said)?;
    let whole = suppliers.on(&mut &*snapshot);
    let mut row = |what: &str, ask: &dyn Fn(usize) -> Result<(), String>| -> Result<(), String> {
        let took = questions(ask)?;
        let limit = Duration::from_millis(1);
        let judged = verdict(took.as_secs_f64(), limit.as_secs_f64()).to_owned();
        table.row(&[what.to_owned(), time(took), time(limit), judged]);
        Ok(())
    };
    row("find nodes of a type", &|_| {
        let chosen = ask::choose(graph, Some(snapshot), &["Supplier".to_owned()], &[]).map_err(said)?;
        some(ask::nodes(graph, snapshot, &chosen, 100).nodes.len())
    })?;
    row("neighbors", &|at| {
        let trail = Trail::within(passes.clone(), 1);
        let view = ask::subgraph(&mut &*snapshot, graph, &[node(part(plan, at))?], &trail, &bounds, teller());
        some(view.map_err(said)?.nodes.len())
    })?;
    row("subgraph within three hops", &|at| {
        let view = ask::subgraph(&mut &*snapshot, graph, &[node(part(plan, at))?], &trail, &bounds, teller());
        some(view.map_err(said)?.nodes.len())
    })?;
    row("shortest path", &|at| {
        let (from, to) = (node(supplier(plan, at))?, node(part(plan, at * 31 + 7))?);
        ask::path(&mut &*snapshot, graph, from, to, &passes, 8, &bounds, teller()).map_err(said)?;
        Ok(())
    })?;
    row("edges of a node on a day", &|at| {
        let of = one(supplier(plan, at))?.keys;
        let day: Date = "2026-03-01".parse().map_err(said)?;
        let window = ask::Window::Hold(Some(day), Some(day));
        ask::edges(graph, Some(&of), &passes, window, &bounds, Proofs::None).map_err(said)?;
        Ok(())
    })?;
    row("count edges by node", &|_| {
        let view = ask::count(graph, snapshot, Some(&whole), &passes, None, None, teller()).map_err(said)?;
        some(view.rows.len())
    })?;
    row("complement of a set", &|at| {
        let others = [node(part(plan, at))?];
        let trail = Some(&trail);
        ask::complement(&mut &*snapshot, graph, &whole, &others, trail, &bounds, teller()).map_err(said)?;
        Ok(())
    })?;
    row("what a removal costs", &|at| {
        let removed = [node(supplier(plan, at))?];
        ask::without(&mut &*snapshot, graph, &removed, &trail, false, &bounds, teller()).map_err(said)?;
        Ok(())
    })?;
    row("two subgraphs compared", &|at| {
        let (left, right) = (node(supplier(plan, at))?, node(supplier(plan, at + 1))?);
        ask::compare(&mut &*snapshot, graph, left, right, &trail, &bounds, teller()).map_err(said)?;
        Ok(())
    })?;
    table.row(&[
        "the graph read from the store, once".to_owned(),
        time(reading),
        "—".to_owned(),
        String::new(),
    ]);
    Ok(table)
}

/// An answer that says nothing was no question.
fn some(count: usize) -> Result<(), String> {
    if count == 0 { Err("an answer is empty".to_owned()) } else { Ok(()) }
}

fn part(plan: Size, at: usize) -> String {
    format!("Component:{}", corpus::component_key((at * 104_729 + 11) % plan.components))
}

fn supplier(plan: Size, at: usize) -> String {
    format!("Supplier:{}", corpus::supplier_key((at * 7_919 + 5) % plan.suppliers))
}

fn node(ground: &mut OnDemand<'_>, key: &str) -> Result<ask::Node, String> {
    let key: EntityKey = key.parse().map_err(|_| format!("`{key}` is no key"))?;
    ground.number(&key).ok_or_else(|| format!("nobody has the key {key}"))
}

/// The median of some calls of the program.
fn processes(root: &Path, words: impl Fn(usize) -> Vec<String>) -> Result<Duration, String> {
    let once = |at: usize| -> Result<Duration, String> {
        let words = words(at + 1);
        Ok(program::run(root, &words.iter().map(String::as_str).collect::<Vec<_>>())?.wall)
    };
    Ok(median((0..REPEATS).map(once).collect::<Result<_, _>>()?))
}

/// The 95th percentile of many questions.
fn questions(ask: impl Fn(usize) -> Result<(), String>) -> Result<Duration, String> {
    let mut times = Vec::new();
    for at in 0..QUESTIONS {
        let started = Instant::now();
        ask(at + 1)?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok(times[QUESTIONS * 95 / 100])
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
