//! The problems of one file, collected while it is read.

use super::yaml::{At, Node, Sheet};
use crate::diag::{Diagnostic, Severity, nearest};

/// A name is compared with no more than so many; nobody has written more by hand.
const MOST_COMPARED: usize = 1000;

/// What was found wrong with one file.
#[derive(Debug)]
pub struct Problems<'s> {
    /// The file.
    pub sheet: &'s Sheet,
    /// What was found, in any order.
    pub found: Vec<Diagnostic>,
}

impl<'s> Problems<'s> {
    /// Nothing found yet.
    pub fn new(sheet: &'s Sheet) -> Self {
        Self { sheet, found: vec![] }
    }

    /// Notes an error with a hint.
    pub fn error(&mut self, code: &'static str, at: At, message: impl Into<String>, hint: impl Into<String>) {
        self.found.push(Diagnostic::error(code, self.sheet.place(at), message).hint(hint));
    }

    /// Notes a warning with a hint.
    pub fn warning(
        &mut self,
        code: &'static str,
        at: At,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.found.push(Diagnostic::warning(code, self.sheet.place(at), message).hint(hint));
    }

    /// Notes an error that may have no hint.
    pub fn plain(&mut self, code: &'static str, at: At, message: impl Into<String>, hint: Option<String>) {
        let at = self.sheet.place(at);
        self.found.push(Diagnostic { at, severity: Severity::Error, code, message: message.into(), hint });
    }

    /// Notes a name that nothing has, with the nearest that something has; true if it is known.
    ///
    /// `what` is what the name would be of; where it goes on behind the name, `{}` stands for the name.
    pub fn known<'k>(
        &mut self,
        at: At,
        what: &str,
        name: &str,
        known: impl IntoIterator<Item = &'k str>,
    ) -> bool {
        let known: Vec<&str> = known.into_iter().collect();
        if known.contains(&name) {
            return true;
        }
        let named = |name: &str| match what.split_once("{}") {
            Some((before, after)) => format!("there is no {before}{name}{after}"),
            None => format!("there is no {what} {name}"),
        };
        let hint = match nearest(name, known.iter().take(MOST_COMPARED).copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => named("at all"),
            None => format!("known: {}", list(&known)),
        };
        self.error("config-unknown-name", at, named(&format!("`{name}`")), hint);
        false
    }

    /// The texts of a value that is one or a list of several, each of which must be there once.
    pub fn once(&mut self, node: Option<&Node>, what: &str) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for item in node.map(Node::items).unwrap_or_default() {
            let Some(text) = item.text() else { continue };
            if texts.iter().any(|known| known == text) {
                let message = format!("the {what} `{text}` is named twice");
                self.error("config-duplicate-name", item.at, message, "keep one of the two");
            } else {
                texts.push(text.to_owned());
            }
        }
        texts
    }
}

/// The first of the words in backticks.
fn list(words: &[&str]) -> String {
    const MOST: usize = 12;
    let shown = super::shape::quoted(words.iter().take(MOST).copied());
    if words.len() > MOST { format!("{shown} and {} more", words.len() - MOST) } else { shown }
}
