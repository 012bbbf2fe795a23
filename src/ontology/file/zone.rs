//! Zones: the parts of documents in which a rule applies or does not.

use super::problems::Problems;
use super::yaml::Node;
use crate::model::chunk::Part;
use crate::ontology::Zone;

/// The zones under a key of a rule, one of which must fit.
pub(super) fn zones(rule: &Node, key: &str, problems: &mut Problems<'_>) -> Vec<Zone> {
    rule.list(key).iter().flat_map(|node| zone(node, problems)).collect()
}

fn zone(node: &Node, problems: &mut Problems<'_>) -> Vec<Zone> {
    match node.entries() {
        [(key, value)] => match key.text.as_str() {
            "part" => value.items().iter().filter_map(Node::text).filter_map(part).map(Zone::Part).collect(),
            "heading" => vec![Zone::Heading(problems.once(Some(value), "heading"))],
            "field" => value
                .entries()
                .iter()
                .map(|(field, values)| Zone::Field(field.text.clone(), problems.once(Some(values), "value")))
                .collect(),
            _ => vec![],
        },
        [] => vec![],
        [_, (second, _), ..] => {
            let message = "a zone has one key";
            let hint =
                "write a list of zones, of which one must fit: `[{ part: body }, { heading: Prices }]`";
            problems.error("config-value", second.at, message, hint);
            vec![]
        }
    }
}

fn part(word: &str) -> Option<Part> {
    Some(match word {
        "preamble" => Part::Preamble,
        "recitals" => Part::Recitals,
        "definitions" => Part::Definitions,
        "body" => Part::Body,
        "schedule" => Part::Schedule,
        "signature" => Part::Signature,
        "heading" => Part::Heading,
        _ => return None,
    })
}
