//! Two evaluations beside each other, and one beside its floors. Pure.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{Against, BelowFloor, EvalReport, FIGURES, Figures, Moved, SetReport};
use crate::model::golden::{Floor, Floors};

/// Notes in each set what was otherwise in an earlier evaluation of the same file.
pub fn compare(report: &mut EvalReport, earlier: &EvalReport) {
    let alone = report.sets.len() == 1 && earlier.sets.len() == 1;
    for set in &mut report.sets {
        let same = |other: &&SetReport| alone || (&other.golden, &other.job) == (&set.golden, &set.job);
        if let Some(before) = earlier.sets.iter().find(same) {
            set.against = Some(against(before, set, earlier.generation));
        }
    }
}

fn against(before: &SetReport, now: &SetReport, generation: u64) -> Against {
    let (was, is) = (shares(before), shares(now));
    let names: BTreeSet<&Place> = was.keys().chain(is.keys()).collect();
    let moved = names.into_iter().filter_map(|place| {
        let share = |shares: &BTreeMap<Place, Option<f64>>| shares.get(place).copied().flatten();
        let (was, is) = (share(&was), share(&is));
        // A number that was written and read may have lost its last digit.
        let same = match (was, is) {
            (Some(was), Some(is)) => (was - is).abs() < 1e-9,
            (was, is) => was == is,
        };
        let (_, name, figure) = place;
        let figure = FIGURES.get(*figure).copied().unwrap_or_default().to_owned();
        (!same).then(|| Moved { name: name.clone(), figure, was, is })
    });
    let (misses, missed) = (missed(now), missed(before));
    let (wrong, was_wrong) = (wrong(now), wrong(before));
    let new = |now: &BTreeMap<String, String>, before: &BTreeMap<String, String>| {
        let new = now.iter().filter(|(id, _)| !before.contains_key(*id));
        new.map(|(_, says)| says.clone()).collect::<Vec<String>>()
    };
    Against {
        generation,
        moved: moved.collect(),
        new_misses: new(&misses, &missed),
        gone_misses: new(&missed, &misses),
        new_false_positives: new(&wrong, &was_wrong),
        gone_false_positives: new(&was_wrong, &wrong),
    }
}

/// All figures: over all first, then of types, then of groups.
fn figures(set: &SetReport) -> impl Iterator<Item = &Figures> {
    std::iter::once(&set.all).chain(&set.types).chain(&set.groups)
}

/// Where a figure stands in an answer: over all, of a type or of a group; the name; which figure.
type Place = (usize, String, usize);

fn shares(set: &SetReport) -> BTreeMap<Place, Option<f64>> {
    let of = |rank: usize, figures: &Figures| {
        let shares: Vec<(Place, Option<f64>)> = figures
            .shares()
            .into_iter()
            .enumerate()
            .map(|(at, share)| ((rank, figures.name.clone(), at), share.share))
            .collect();
        shares
    };
    let all = std::iter::once((0, &set.all));
    let rest = set.types.iter().map(|one| (1, one)).chain(set.groups.iter().map(|one| (2, one)));
    all.chain(rest).flat_map(|(rank, figures)| of(rank, figures)).collect()
}

/// The misses by what they are, in words.
fn missed(set: &SetReport) -> BTreeMap<String, String> {
    let of = set.misses.iter().map(|miss| {
        let types = miss.types.join(" or ");
        let id = format!("{}\n{types}\n{}", miss.subject.id(), miss.object.id());
        (id, format!("{} {types} {}", miss.subject.name, miss.object.name))
    });
    of.collect()
}

/// The false positives by what they are, in words.
fn wrong(set: &SetReport) -> BTreeMap<String, String> {
    let of = set.false_positives.iter().map(|one| {
        let id = format!("{}\n{}\n{}", one.subject.id(), one.edge_type, one.object.id());
        (id, format!("{} {} {}", one.subject.name, one.edge_type, one.object.name))
    });
    of.collect()
}

/// The figures of a set that are below their floors; a figure that there is nothing to take of is below any. The
/// names of floors that no figure has are handed back.
pub(super) fn below(set: &SetReport, floors: &Floors) -> (Vec<BelowFloor>, Vec<String>) {
    let mut found = Vec::new();
    let mut check = |figures: &Figures, floor: &Floor| {
        let floors = [floor.precision, floor.recall, floor.f1, floor.valid_from, floor.valid_to];
        for ((figure, share), floor) in FIGURES.into_iter().zip(figures.shares()).zip(floors) {
            if let Some(floor) = floor
                && share.share.is_none_or(|share| share < floor)
            {
                let name = figures.name.clone();
                found.push(BelowFloor { name, figure: figure.to_owned(), is: share.share, floor });
            }
        }
    };
    check(&set.all, &floors.all);
    let mut unknown = Vec::new();
    for (name, floor) in &floors.each {
        match figures(set).skip(1).find(|figures| figures.name == *name) {
            Some(figures) => check(figures, floor),
            None => unknown.push(name.clone()),
        }
    }
    (found, unknown)
}
