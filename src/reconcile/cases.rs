//! The worked cases that the fold decides, each named after its number.

mod ends;
mod periods;
mod rivals;

use super::differences;
use super::notation::Given;
use crate::model::cause::Change;

/// What became of the fact `S … C` between two texts.
fn change(before: &str, after: &str) -> Option<Change> {
    let of = |text: &str| {
        let folded = Given::read(text).fold();
        folded.facts.into_iter().find(|fact| fact.subject.key() == "S")
    };
    differences(of(before).as_ref(), of(after).as_ref())
}
