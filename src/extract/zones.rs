//! Whether a rule applies in a chunk: its zones against the chunk's place and the document's fields.

use super::Setting;
use crate::model::chunk::{ChunkBody, ChunkKind, Part};
use crate::model::token::fold;
use crate::ontology::{Rule, RuleKind, Zone};

/// True if the rule applies: of each kind of zone that it names, one fits, and none that it excludes.
pub(super) fn fits(rule: &Rule, setting: &Setting, body: &ChunkBody) -> bool {
    // A heading states nothing unless a rule asks for headings, but it may well name what the text below it
    // is about.
    let heading = body.kind == ChunkKind::Heading && !matches!(rule.kind, RuleKind::Bind { .. });
    if heading && !rule.within.contains(&Zone::Part(Part::Heading)) {
        return false;
    }
    let holds = |kind: fn(&Zone) -> bool| {
        let mut named = rule.within.iter().filter(|zone| kind(zone)).peekable();
        named.peek().is_none() || named.any(|zone| is_in(zone, setting, body))
    };
    holds(|zone| matches!(zone, Zone::Part(_)))
        && holds(|zone| matches!(zone, Zone::Heading(_)))
        && holds(|zone| matches!(zone, Zone::Field(..)))
        && !rule.not_within.iter().any(|zone| is_in(zone, setting, body))
}

fn is_in(zone: &Zone, setting: &Setting, body: &ChunkBody) -> bool {
    match zone {
        Zone::Part(Part::Heading) => body.kind == ChunkKind::Heading || body.context.part == Part::Heading,
        Zone::Part(part) => body.context.part == *part,
        Zone::Heading(texts) => under_heading(texts, body),
        Zone::Field(name, values) => setting.fields.iter().any(|field| {
            same_name(&field.name, name)
                && values.iter().any(|value| fold(value.trim()) == fold(field.value.trim()))
        }),
    }
}

/// True if a heading above the chunk contains one of the texts.
pub(super) fn under_heading(texts: &[String], body: &ChunkBody) -> bool {
    body.context
        .headings
        .iter()
        .map(|heading| fold(heading))
        .any(|heading| texts.iter().any(|text| heading.contains(&fold(text))))
}

/// Names of fields and columns are compared without regard to case and of `_`, `-`, stops and spaces.
pub(super) fn same_name(left: &str, right: &str) -> bool {
    plain(left) == plain(right)
}

fn plain(name: &str) -> String {
    fold(name).chars().filter(|next| !next.is_whitespace() && !"_-.:*".contains(*next)).collect()
}
