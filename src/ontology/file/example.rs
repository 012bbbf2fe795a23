//! Examples: sentences with what a rule must find in them, checked for their form.

use super::problems::Problems;
use super::yaml::Node;
use crate::model::time::Date;
use crate::ontology::Example;

const FORM: &str = "write `SUBJECT edge_type OBJECT [from DATE] [until DATE]` or `nothing`";

/// The examples of a rule.
pub(super) fn examples(rule: &Node, problems: &mut Problems<'_>) -> Vec<Example> {
    rule.list("examples").iter().filter_map(|node| example(rule, node, problems)).collect()
}

fn example(rule: &Node, node: &Node, problems: &mut Problems<'_>) -> Option<Example> {
    let text = node.get("text")?;
    let mut finds = Vec::new();
    for item in node.list("finds") {
        let Some(find) = item.text().map(str::trim).filter(|find| *find != "nothing") else { continue };
        let wrong = match (rule.word("bind"), rule.word("edge")) {
            (Some(name), _) => wrong_binding(find, name),
            (None, Some(edge)) => wrong_fact(find, edge),
            (None, None) => None,
        };
        if let Some((message, hint)) = wrong {
            problems.error("config-value", item.at, message, hint);
        }
        finds.push(find.to_owned());
    }
    let given = node.get("given").map(Node::entries).unwrap_or_default();
    Some(Example {
        text: text.text()?.to_owned(),
        given: given
            .iter()
            .filter_map(|(key, value)| Some((key.text.clone(), value.text()?.to_owned())))
            .collect(),
        finds,
        line: text.at.line,
    })
}

fn wrong_binding(find: &str, name: &str) -> Option<(String, String)> {
    let fits = find
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(" is "))
        .is_some_and(|rest| !rest.trim().is_empty());
    (!fits).then(|| {
        (format!("`{find}` is not what a binding finds"), format!("write `{name} is NAME` or `nothing`"))
    })
}

fn wrong_fact(find: &str, edge: &str) -> Option<(String, String)> {
    let Some((subject, object)) = find.split_once(&format!(" {edge} ")) else {
        let message = format!("`{find}` does not name the edge `{edge}` between a subject and an object");
        return Some((message, FORM.to_owned()));
    };
    let (object, until) = date_after(object, " until ");
    let (object, from) = date_after(object, " from ");
    if subject.trim().is_empty() || object.trim().is_empty() {
        return Some((format!("`{find}` has no subject or no object"), FORM.to_owned()));
    }
    [from, until].into_iter().flatten().find(|date| !is_date(date)).map(|date| {
        (
            format!("there is no date `{date}`"),
            "write a day as `2024-02-17`, a month as `2024-02`, a year as `2024`".to_owned(),
        )
    })
}

/// Takes ` from 2024…` off the end; a word that does not begin with a digit belongs to a name.
fn date_after<'t>(text: &'t str, word: &str) -> (&'t str, Option<&'t str>) {
    match text.rsplit_once(word) {
        Some((rest, date)) if date.starts_with(|first: char| first.is_ascii_digit()) => (rest, Some(date)),
        _ => (text, None),
    }
}

fn is_date(text: &str) -> bool {
    let (year, rest) = text.split_at_checked(4).unwrap_or((text, ""));
    let whole = match rest.len() {
        0 => format!("{year}-01-01"),
        3 => format!("{text}-01"),
        _ => text.to_owned(),
    };
    whole.len() == 10 && whole.parse::<Date>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_have_a_form() {
        for sound in [
            "TechChip Inc supplies FCU",
            "TechChip Inc supplies FCU from 2024-02-17 until 2024-12",
            "self supplies Flight from Home until 2024",
            "Ålesund supplies Über",
        ] {
            assert_eq!(wrong_fact(sound, "supplies"), None, "{sound}");
        }
        for wrong in [
            "TechChip Inc FCU",
            "supplies FCU",
            "TechChip supplies ",
            "TechChip supplies FCU from 2024-02-30",
            "TechChip supplies FCU until 24",
            "TechChip supplies FCU until 2024-€1",
        ] {
            assert!(wrong_fact(wrong, "supplies").is_some(), "{wrong}");
        }
    }

    #[test]
    fn bindings_have_a_form() {
        assert_eq!(wrong_binding("base is Contract 7", "base"), None);
        assert!(
            ["base", "base is ", "other is x", "baseis x"]
                .iter()
                .all(|one| wrong_binding(one, "base").is_some())
        );
    }
}
