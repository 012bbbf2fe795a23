//! The fold: all inputs at once into the graph that they must give. In: [`Inputs`]. Out: [`Graph`].
//!
//! Every step is written as the sentence of the design reads, over sets of single days, with no thought of cost.

use std::collections::{BTreeMap, BTreeSet};

use super::calendar::{Day, Days};
use super::joining::Piece;
use super::master;
use super::rivals::{self, Field};
use super::world::{Answer, Attestation, Fact, Graph, Inputs, Key, Origin, Says};

/// Folds the inputs.
pub(crate) fn fold(read: &Inputs) -> Graph {
    let inputs = &read.corrected();
    let mut graph = Graph::default();
    let mut passed: Vec<&Attestation> = Vec::new();
    for attestation in &inputs.attestations {
        match judge(inputs, attestation) {
            None => {
                graph.reached.insert("rejected");
            }
            Some(reasons) if reasons.is_empty() => passed.push(attestation),
            Some(reasons) => wait(&mut graph, attestation, &reasons),
        }
    }
    // Logged is who won as long as anybody attests it.
    let attested =
        |fact: &Fact| passed.iter().any(|one| one.claim.says == Says::Holds && one.claim.fact == *fact);
    graph.incumbents = inputs.incumbents.iter().filter(|(winner, _)| attested(winner)).cloned().collect();
    let superseded = superseding(inputs, &passed, &mut graph);
    let kinds = inputs.kinds.iter().filter(|(_, kind)| !kind.ends_object);
    for (name, kind) in kinds {
        let of_kind: Vec<&Attestation> =
            passed.iter().copied().filter(|one| one.claim.fact.kind == *name).collect();
        let objects: BTreeSet<&Key> = of_kind.iter().map(|one| &one.claim.fact.object).collect();
        for object in objects {
            let group: Vec<&Attestation> =
                of_kind.iter().copied().filter(|one| one.claim.fact.object == *object).collect();
            fold_group(inputs, kind.at_most_one, &group, &superseded, &mut graph);
        }
    }
    graph.edges.sort();
    graph.evidence.sort();
    graph.quarantine.sort();
    graph.pending.sort();
    graph
}

/// What one attestation alone shows: `None` if a person rejected it, else the reasons to wait.
fn judge(inputs: &Inputs, attestation: &Attestation) -> Option<Vec<&'static str>> {
    let claim = &attestation.claim;
    let kind = inputs.kinds[claim.fact.kind];
    let decision = inputs.decision(attestation);
    if decision.is_some_and(|decision| decision.answer == Answer::Reject) {
        return None;
    }
    let approved = decision.is_some();
    let mut reasons = Vec::new();
    let row = matches!(attestation.origin, Origin::Row(_));
    let low = !row && inputs.confidence[claim.rule] < kind.threshold;
    let known =
        [&claim.fact.subject, &claim.fact.object].into_iter().all(|key| inputs.entities.contains(key));
    // Of a fact about nobody there is no row either.
    if low && !approved && !(known && confirmed(inputs, &claim.fact)) {
        reasons.push("confidence-low");
    }
    if !known {
        reasons.push("endpoint-unknown");
    }
    if kind.ends_object && claim.from.is_none() {
        reasons.push("date-missing");
    }
    if claim.says == Says::Holds && claim.to.is_some_and(|to| claim.from.is_some_and(|from| to <= from.first))
    {
        reasons.push("interval-empty");
    }
    if kind.review && !approved {
        reasons.push("review-required");
    }
    Some(reasons)
}

/// True if a row of a feed attests the fact too.
fn confirmed(inputs: &Inputs, fact: &Fact) -> bool {
    inputs.attestations.iter().any(|other| {
        other.claim.fact == *fact && other.left.is_none() && matches!(other.origin, Origin::Row(_))
    })
}

fn place(attestation: &Attestation) -> String {
    match &attestation.origin {
        Origin::Document(path) => format!("{path} | {}", attestation.quote),
        Origin::Row(feed) => (*feed).to_owned(),
    }
}

fn sorted(reasons: &[&'static str]) -> Vec<&'static str> {
    let mut reasons = reasons.to_vec();
    reasons.sort_unstable();
    reasons
}

fn wait(graph: &mut Graph, attestation: &Attestation, reasons: &[&'static str]) {
    graph.reached.extend(reasons);
    graph.waiting.push((reasons.to_vec(), attestation.clone()));
    graph.quarantine.push(format!("{} | {}", sorted(reasons).join(" "), place(attestation)));
}

/// Folds the superseding types; says on which day each contract gives way.
fn superseding(inputs: &Inputs, passed: &[&Attestation], graph: &mut Graph) -> BTreeMap<Key, Day> {
    let of_kind: Vec<&Attestation> =
        passed.iter().copied().filter(|one| inputs.kinds[one.claim.fact.kind].ends_object).collect();
    let mut facts: Vec<(Day, String, &Fact)> = Vec::new();
    for fact in of_kind.iter().map(|one| &one.claim.fact).collect::<BTreeSet<_>>() {
        let starts = of_kind.iter().filter(|one| one.claim.fact == *fact).filter_map(|one| one.claim.from);
        facts.extend(starts.map(|from| from.first).min().map(|start| (start, fact.id(), fact)));
    }
    facts.sort();
    // The one with the larger (start, fact id) is the one too many.
    let mut standing: Vec<&Fact> = Vec::new();
    let mut superseded = BTreeMap::new();
    for (start, _, fact) in facts {
        let own = of_kind.iter().copied().filter(|one| one.claim.fact == *fact);
        if leads_to(&standing, &fact.object, &fact.subject) {
            own.for_each(|one| wait(graph, one, &["cycle"]));
            continue;
        }
        standing.push(fact);
        graph.reached.insert("supersedes");
        let day = superseded.entry(fact.object.clone()).or_insert(start);
        *day = start.min(*day);
        let pieces: Vec<Piece> =
            own.map(|one| Piece { attestation: one, stated_end: one.claim.to, limit: one.left }).collect();
        unite(&pieces, &pieces, graph);
    }
    superseded
}

/// True if following the facts from one contract arrives at the other.
fn leads_to(facts: &[&Fact], from: &Key, to: &Key) -> bool {
    from == to
        || facts.iter().filter(|fact| fact.subject == *from).any(|fact| leads_to(facts, &fact.object, to))
}

/// Folds the facts of one type about one object.
fn fold_group(
    inputs: &Inputs,
    at_most_one: bool,
    group: &[&Attestation],
    superseded: &BTreeMap<Key, Day>,
    graph: &mut Graph,
) {
    let (mut holding, ending): (Vec<&Attestation>, Vec<&Attestation>) =
        group.iter().copied().partition(|one| one.claim.says == Says::Holds);
    let otherwise: Vec<&Attestation> =
        holding.iter().copied().filter(|one| master::says_otherwise(inputs, one, &holding)).collect();
    otherwise.iter().for_each(|one| wait(graph, one, &["contradicts-master"]));
    holding.retain(|one| !otherwise.contains(one));
    let mut pieces: Vec<Piece> = Vec::new();
    for attestation in holding {
        let by_document = attestation.stands_for.as_ref().and_then(|own| superseded.get(own)).copied();
        let limit = [by_document, attestation.left].into_iter().flatten().min();
        let piece = Piece { attestation, stated_end: attestation.claim.to, limit };
        if limit.is_some() {
            graph.reached.insert(if by_document.is_some() { "superseded" } else { "amended" });
        }
        pieces.push(piece);
    }
    pieces.retain(|piece| !piece.days().is_empty());

    if at_most_one {
        give_way(inputs, &mut pieces, &ending, graph);
    }
    let mut definers = definers(&pieces, &ending);
    if at_most_one {
        let starts = definers.clone();
        for piece in &mut definers {
            if let Some(day) = rivals::ended_by_newcomer(piece, &starts)
                && piece.to().is_none_or(|to| day < to)
            {
                graph.reached.insert("ended by a newcomer");
                piece.limit = Some(day);
            }
        }
    }
    let facts: BTreeSet<&Fact> = pieces.iter().map(|piece| &piece.attestation.claim.fact).collect();
    for fact in &facts {
        let of = |all: &[Piece<'_>]| -> Vec<usize> {
            (0..all.len()).filter(|at| all[*at].attestation.claim.fact == **fact).collect()
        };
        let own: Vec<Piece> = of(&pieces).into_iter().map(|at| pieces[at]).collect();
        let own_definers: Vec<Piece> = of(&definers).into_iter().map(|at| definers[at]).collect();
        unite(&own, &own_definers, graph);
    }
    for end in ending {
        if facts.contains(&end.claim.fact) {
            graph.reached.insert("denied");
            graph.evidence.push(format!("{} <- ends | {}", print(&end.claim.fact), place(end)));
        } else {
            graph.reached.insert("end waits");
            graph.pending.push(format!("{} | {}", print(&end.claim.fact), place(end)));
        }
    }
}

/// The pieces that define bounds, ended by what denies them.
fn definers<'a>(pieces: &[Piece<'a>], ending: &[&Attestation]) -> Vec<Piece<'a>> {
    let mut definers: Vec<Piece> = pieces.iter().copied().filter(|piece| !piece.joins(pieces)).collect();
    for piece in &mut definers {
        // What joins and has not left itself carries the fact on.
        for one in pieces.iter().filter(|one| one.attestation.claim.fact == piece.attestation.claim.fact) {
            if rivals::speaks_for(one, piece, pieces) {
                piece.limit = piece.limit.zip(one.limit).map(|(own, other)| own.max(other));
            }
        }
        // "In 2024" ends with the last finer end that another sentence states within the year.
        if let Some(year) = piece.attestation.claim.from.filter(|_| piece.ends_coarsely()) {
            let finer = pieces
                .iter()
                .filter(|one| one.attestation.claim.fact == piece.attestation.claim.fact)
                .filter(|one| !one.ends_coarsely())
                .filter_map(|one| one.attestation.claim.to)
                .filter(|end| year.first < *end && *end <= year.next);
            piece.stated_end = finer.max().or(piece.stated_end);
        }
        let ends = ending
            .iter()
            .filter(|end| end.claim.fact == piece.attestation.claim.fact)
            .filter_map(|end| end.claim.to.or(end.dated))
            .filter(|end| piece.from().is_none_or(|from| from < *end));
        piece.stated_end = piece.stated_end.into_iter().chain(ends).min();
    }
    definers
}

/// Takes out of `pieces` what contradicts master data about another fact; true if anything did.
fn overruled(inputs: &Inputs, pieces: &mut Vec<Piece>, ending: &[&Attestation], graph: &mut Graph) -> bool {
    let definers = definers(pieces, ending);
    let lost: Vec<&Attestation> = definers
        .iter()
        .filter(|piece| definers.iter().any(|row| master::overrules(inputs, row, piece)))
        .map(|piece| piece.attestation)
        .collect();
    lost.iter().for_each(|one| wait(graph, one, &["contradicts-master"]));
    pieces.retain(|piece| !lost.contains(&piece.attestation));
    !lost.is_empty()
}

/// Takes out of `pieces` whatever stands in a conflict and has to wait.
fn give_way(inputs: &Inputs, pieces: &mut Vec<Piece>, ending: &[&Attestation], graph: &mut Graph) {
    // Who stands against whom: what is logged, and what tonight's rounds have found so far.
    let mut log = graph.incumbents.clone();
    let mut waiting: Vec<Piece> = Vec::new();
    loop {
        if overruled(inputs, pieces, ending, graph) {
            continue;
        }
        let definers = definers(pieces, ending);
        let field = Field { inputs, log: &log, all: pieces, definers: &definers };
        let mut lost: BTreeMap<&Attestation, (Piece, Piece)> = BTreeMap::new();
        let winners = |piece: &Piece| -> Vec<Piece> {
            let beats = |other: &&Piece| rivals::conflict(piece, other) && field.stands(other, piece);
            let mut winners: Vec<Piece> = definers.iter().filter(beats).copied().collect();
            winners.sort_by_key(|winner| (winner.attestation.claim.fact.id(), winner.attestation));
            winners
        };
        for piece in &definers {
            if let Some(winner) = winners(piece).iter().find(|winner| winners(winner).is_empty()) {
                lost.insert(piece.attestation, (*piece, *winner));
            }
        }
        // Nobody stands above everyone: one gives way, so that the loop comes to an end.
        if lost.is_empty()
            && let Some((piece, winner)) = definers
                .iter()
                .filter_map(|piece| winners(piece).first().map(|winner| (piece, *winner)))
                .max_by_key(|(piece, _)| (piece.attestation.claim.fact.id(), piece.attestation))
        {
            graph.reached.insert("conflict in a circle");
            lost.insert(piece.attestation, (*piece, winner));
        }
        if lost.is_empty() {
            break;
        }
        let mut found = log.clone();
        for (loser, (piece, winner)) in &lost {
            wait(graph, loser, &["conflict"]);
            waiting.push(*piece);
            found.extend(field.to_be_logged(winner, piece));
        }
        let lost: BTreeSet<&Attestation> = lost.into_keys().collect();
        pieces.retain(|piece| !lost.contains(piece.attestation));
        log = found;
    }
    // Who stands tonight is the incumbent from now on, against everyone who waits for it.
    // A person's word is no entry, so what waits is weighed with what stands.
    let standing = definers(pieces, ending);
    let (mut all, mut clashing) = (pieces.clone(), standing.clone());
    all.extend(&waiting);
    clashing.extend(&waiting);
    let logged = graph.incumbents.clone();
    let field = Field { inputs, log: &logged, all: &all, definers: &clashing };
    for piece in &waiting {
        for standing in standing.iter().filter(|standing| rivals::conflict(piece, standing)) {
            graph.incumbents.extend(field.to_be_logged(standing, piece));
        }
    }
}

fn print(fact: &Fact) -> String {
    format!("{} {} {}", fact.subject, fact.kind, fact.object)
}

/// Unites the days of the pieces of one fact and prints its edges with the number of attestations.
fn unite(pieces: &[Piece], definers: &[Piece], graph: &mut Graph) {
    let mut days = Days::default();
    for piece in definers {
        days.add(&piece.days());
    }
    let runs = days.runs();
    let mut counts = vec![0; runs.len()];
    for piece in pieces {
        graph.evidence.push(format!(
            "{} <- {}",
            print(&piece.attestation.claim.fact),
            place(piece.attestation)
        ));
        let defined = definers.iter().find(|definer| definer.attestation == piece.attestation);
        let own = defined.unwrap_or(piece).days();
        // A definer stands in one run; what joins goes to the latest that it is compatible with.
        if let Some(at) = (0..runs.len()).rev().find(|at| runs[*at].meets(&own)) {
            counts[at] += 1;
        }
        if defined.is_none() {
            graph.reached.insert("joins");
        }
    }
    let Some(first) = pieces.first() else { return };
    graph.stood.insert(first.attestation.claim.fact.clone(), days);
    if runs.len() > 1 {
        graph.reached.insert("two edges");
    }
    if definers.len() > runs.len() {
        graph.reached.insert("united");
    }
    for (run, count) in runs.iter().zip(counts) {
        graph.edges.push(format!("{} {run} x{count}", print(&first.attestation.claim.fact)));
    }
}
