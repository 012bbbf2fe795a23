//! Totals: how many of each there are, for the summary of a run.

use crate::model::time::Date;
use crate::store::{Kind, Store, Writer};

use super::Error;
use super::report::{EdgeTotals, Totals};

/// What there is as a run leaves it, which is recorded at `now` or has been. Linear in what the run changed: the rest
/// is kept as tallies.
pub(super) fn totals(store: &Store, writer: &Writer<'_>, today: Date, now: &str) -> Result<Totals, Error> {
    let counts = writer.counts(today)?;
    let oldest = writer.view().oldest(Kind::Quarantine)?;
    let recorded = match oldest {
        None => None,
        Some(oldest) => {
            let known = store.generations()?.into_iter().find(|generation| generation.id == oldest);
            Some(known.map_or_else(|| now.to_owned(), |generation| generation.recorded_at))
        }
    };
    let edges = counts.edges.into_iter().map(|(edge_type, count)| {
        let crate::store::EdgeCount { facts, current, ended, future } = count;
        (edge_type, EdgeTotals { facts, current, ended, future })
    });
    Ok(Totals {
        documents: counts.documents,
        chunks: counts.chunks,
        entities: counts.entities,
        edges: edges.collect(),
        quarantined: counts.reasons,
        quarantined_assertions: counts.quarantined,
        pending_ends: counts.pending,
        quarantine_oldest: recorded,
    })
}
