//! Paragraph styles: what they say of headings, lists and quotes, those that they are based on included.

use std::collections::BTreeMap;

use super::super::xml::{self, Node};
use super::super::{Fault, Package, Relation};
use super::body::indent;

/// A style is based on so many others at most; more is a circle.
const LONGEST_CHAIN: usize = 16;

/// What a style says by itself.
#[derive(Debug, Default, Clone)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline: Option<u8>,
    list: Option<u32>,
    level: Option<usize>,
    indent: Option<i32>,
}

/// The styles by their ids.
#[derive(Debug, Default)]
pub(super) struct Styles {
    styles: BTreeMap<String, Style>,
    /// The style of a paragraph that names none.
    default: Option<String>,
}

/// Reads the styles; a document without them has none.
pub(super) fn read(package: &mut Package<'_>, related: &[Relation]) -> Result<Styles, Fault> {
    let part =
        related.iter().find(|relation| relation.kind == "styles").map(|relation| relation.target.clone());
    let Some(text) = part.map_or(Ok(None), |part| package.text(&part))? else { return Ok(Styles::default()) };
    let mut styles = Styles::default();
    let mut open: Option<(String, Style)> = None;
    xml::walk(&text, &mut |node| {
        match node {
            Node::Open(tag) if tag.name == "w:style" => {
                let id = tag.value("styleId").unwrap_or_default();
                let of_paragraphs =
                    tag.value("type").is_none_or(|kind| kind == "paragraph" || kind == "numbering");
                if of_paragraphs && tag.value("default").is_some_and(|on| on == "1" || on == "true") {
                    styles.default = Some(id.clone());
                }
                open = of_paragraphs.then(|| (id, Style::default()));
            }
            Node::Open(tag) => {
                let Some((_, style)) = &mut open else { return Ok(()) };
                match tag.name.as_str() {
                    // Built-in styles have the same names in every language; their ids are translated.
                    "w:name" => style.name = tag.value("val").unwrap_or_default().to_lowercase(),
                    "w:basedOn" => style.based_on = tag.value("val"),
                    "w:outlineLvl" => style.outline = tag.number("val"),
                    "w:numId" => style.list = tag.number("val"),
                    "w:ilvl" => style.level = tag.number("val"),
                    "w:ind" => style.indent = indent(tag),
                    _ => {}
                }
            }
            Node::Close("w:style") => styles.styles.extend(open.take()),
            _ => {}
        }
        Ok(())
    })
    .map_err(|why| Fault::Damaged(format!("the styles: {why}")))?;
    Ok(styles)
}

impl Styles {
    /// The style and those that it is based on, nearest first.
    fn chain<'s>(&'s self, id: Option<&'s str>) -> impl Iterator<Item = &'s Style> {
        let first = id.or(self.default.as_deref()).and_then(|id| self.styles.get(id));
        let next = |style: &&Style| style.based_on.as_ref().and_then(|id| self.styles.get(id));
        std::iter::successors(first, next).take(LONGEST_CHAIN)
    }

    /// The outline level that the style gives, 0 being the highest.
    pub(super) fn outline(&self, id: Option<&str>) -> Option<u8> {
        self.chain(id).find_map(|style| {
            let by_name = style.name.strip_prefix("heading ").and_then(|level| level.parse::<u8>().ok());
            style.outline.or_else(|| by_name.filter(|level| (1..=9).contains(level)).map(|level| level - 1))
        })
    }

    /// The list that the style belongs to.
    pub(super) fn list(&self, id: Option<&str>) -> Option<u32> {
        self.chain(id).find_map(|style| style.list)
    }

    /// The level of its list.
    pub(super) fn level(&self, id: Option<&str>) -> Option<usize> {
        self.chain(id).find_map(|style| style.level)
    }

    /// How far the style indents.
    pub(super) fn indent(&self, id: Option<&str>) -> Option<i32> {
        self.chain(id).find_map(|style| style.indent)
    }

    /// True if the style or one that it is based on has one of these names.
    pub(super) fn is(&self, id: Option<&str>, names: &[&str]) -> bool {
        self.chain(id).any(|style| names.contains(&style.name.as_str()))
    }

    /// The list of the numbering style with this id, for numberings that only point to one.
    pub(super) fn list_of_style(&self, id: &str) -> Option<u32> {
        self.styles.get(id).and_then(|style| style.list)
    }
}
