//! Master data that decides: what it overrules. In: what documents and rows say. Out: who is overruled. A person who
//! vouches for a sentence has the last word.

use super::joining::Piece;
use super::rivals;
use super::world::{Attestation, Inputs, Origin};

/// True if the document says of a fact what no row about the same time agrees with.
pub(crate) fn says_otherwise(inputs: &Inputs, one: &Attestation, all: &[&Attestation]) -> bool {
    let own = |any: &Attestation| Piece { attestation: any, stated_end: any.claim.to, limit: None }.days();
    let mut rows = all
        .iter()
        .filter(|row| inputs.decides(row) && row.claim.fact == one.claim.fact && own(row).meets(&own(one)))
        .peekable();
    may_be_overruled(inputs, one) && rows.peek().is_some() && !rows.any(|row| agree(row, one))
}

/// True if no day that both state differs. Days are compared, months and years are not.
fn agree(row: &Attestation, one: &Attestation) -> bool {
    let start = |any: &Attestation| {
        any.claim.from.filter(|from| from.first.next() == from.next).map(|from| from.first)
    };
    let same = |row, own| matches!((row, own), (None, _) | (_, None)) || row == own;
    same(start(row), start(one)) && same(row.claim.to, one.claim.to)
}

/// True if the row says of another fact what the document's piece cannot stand beside, or would end.
pub(crate) fn overrules(inputs: &Inputs, row: &Piece, piece: &Piece) -> bool {
    let ends = row.days().meets(&piece.days()) && row.from() < piece.from();
    inputs.decides(row.attestation)
        && may_be_overruled(inputs, piece.attestation)
        && row.attestation.claim.fact != piece.attestation.claim.fact
        && (rivals::conflict(row, piece) || ends)
}

fn may_be_overruled(inputs: &Inputs, one: &Attestation) -> bool {
    matches!(one.origin, Origin::Document(_)) && inputs.vouched(one).is_none()
}
