//! Charts: the numbers that a chart shows, as a table of its series.

use std::collections::{BTreeMap, BTreeSet};

use super::super::xml::{self, Node};
use super::super::{Fault, Package, Relation};
use super::body::{Cell, Grid, Paragraph, Part, Row};

/// A series: its name, and by their numbers its categories and values.
#[derive(Default)]
struct Series {
    name: String,
    categories: BTreeMap<u32, String>,
    values: BTreeMap<u32, String>,
}

/// Which part of a series is open.
#[derive(Clone, Copy)]
enum Side {
    Name,
    Categories,
    Values,
}

/// Reads the charts of a document by the ids of their relations: the title, if there is one, and a table.
pub(super) fn read(
    package: &mut Package<'_>,
    related: &[Relation],
) -> Result<BTreeMap<String, Vec<Part>>, Fault> {
    let mut charts = BTreeMap::new();
    for relation in related.iter().filter(|relation| relation.kind == "chart") {
        let Some(text) = package.text(&relation.target)? else { continue };
        let parts = chart(&text).map_err(|why| Fault::Damaged(format!("`{}`: {why}", relation.target)))?;
        charts.insert(relation.id.clone(), parts);
    }
    Ok(charts)
}

fn chart(text: &str) -> Result<Vec<Part>, String> {
    let mut title = String::new();
    let mut all: Vec<Series> = Vec::new();
    let (mut in_title, mut plot, mut value) = (false, false, false);
    let (mut side, mut at) = (None, 0_u32);
    xml::walk(text, &mut |node| {
        match node {
            Node::Open(tag) => match tag.local() {
                "title" => in_title = !plot,
                "plotArea" => plot = true,
                "ser" => all.push(Series::default()),
                "tx" if plot => side = Some(Side::Name),
                "cat" | "xVal" => side = Some(Side::Categories),
                "val" | "yVal" => side = Some(Side::Values),
                "pt" => at = tag.number("idx").unwrap_or(0),
                "v" => value = true,
                _ => {}
            },
            Node::Close(name) => match name.rsplit(':').next() {
                Some("title") => in_title = false,
                Some("tx" | "cat" | "xVal" | "val" | "yVal") => side = None,
                Some("v") => value = false,
                _ => {}
            },
            Node::Text(text) if in_title => title.push_str(&text),
            Node::Text(text) if value => {
                if let (Some(series), Some(side)) = (all.last_mut(), side) {
                    match side {
                        Side::Name => series.name.push_str(&text),
                        Side::Categories => series.categories.entry(at).or_default().push_str(&text),
                        Side::Values => series.values.entry(at).or_default().push_str(&text),
                    }
                }
            }
            Node::Text(_) => {}
        }
        Ok(())
    })?;
    let title = Some(paragraph(&title)).filter(|_| !title.trim().is_empty());
    Ok(title.into_iter().chain(Some(Part::Table(grid(&all))).filter(|_| !all.is_empty())).collect())
}

/// A row of names, then a row for each category.
fn grid(all: &[Series]) -> Grid {
    let row = |is_header, cells: Vec<&str>| Row {
        is_header,
        cells: cells
            .into_iter()
            .map(|text| Cell { span: 1, parts: vec![paragraph(text)], ..Cell::default() })
            .collect(),
        ..Row::default()
    };
    let names = std::iter::once("").chain(all.iter().map(|series| series.name.as_str())).collect();
    let numbers: BTreeSet<u32> = all.iter().flat_map(|series| series.values.keys().copied()).collect();
    let text =
        |texts: &BTreeMap<u32, String>, number| texts.get(&number).map_or("", String::as_str).to_owned();
    let rows = numbers.into_iter().map(|number| {
        let category =
            all.iter().map(|series| text(&series.categories, number)).find(|text| !text.is_empty());
        let values = all.iter().map(|series| short(text(&series.values, number)));
        let cells: Vec<String> = std::iter::once(category.unwrap_or_default()).chain(values).collect();
        row(false, cells.iter().map(String::as_str).collect())
    });
    Grid { rows: std::iter::once(row(true, names)).chain(rows).collect() }
}

/// A number as a person sees it, without the digits beyond the fifteenth, which only its binary form has:
/// `4.4000000000000004` is 4.4.
fn short(text: String) -> String {
    let number = text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let rounded = number.and_then(|number| format!("{number:.14e}").parse::<f64>().ok());
    rounded.map(|number| number.to_string()).filter(|short| short.len() < text.len()).unwrap_or(text)
}

fn paragraph(text: &str) -> Part {
    Part::Paragraph(Paragraph { text: text.to_owned(), ..Paragraph::default() })
}
