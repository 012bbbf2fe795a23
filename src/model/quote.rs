//! Quotes: which words of a text were taken from a document, by the hashes of runs of them.
//!
//! Words are compared as they are linked (see [`tokens`]), without marks and spaces, so a quote that is wrapped,
//! indented or put into capitals is still one. What is kept is hashes: whoever has them finds the words again in a
//! text, and cannot read them.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::id::Fingerprint;
use super::token::{Span, Token, tokens};

/// What stands where something was said of an erased document.
pub const ERASED: &str = "(purged)";

/// So many words in a row are a quote, wherever they begin and end.
pub const RUN: usize = 8;

/// A passage of fewer words says too little to be a quote: a title such as "Insurance" stands elsewhere as well.
pub const FEWEST: usize = 4;

/// A name of one word stands in many a text that says nothing of whom it names.
const FEWEST_OF_A_NAME: usize = 2;

/// Runs of words, each by how many it has and their hash.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quotes(BTreeSet<Run>);

/// How many words a run has, and the hash of them.
type Run = (u8, Fingerprint);

/// A run that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    run: Run,
    /// Its words, folded and joined by spaces.
    pub words: String,
    span: Span,
}

impl Quotes {
    /// Adds a passage: each [`RUN`] of its words, or the whole of one that has fewer and at least [`FEWEST`].
    pub fn add(&mut self, passage: &str) {
        self.add_from(passage, FEWEST);
    }

    /// Adds a name of at least two words.
    pub fn add_name(&mut self, name: &str) {
        self.add_from(name, FEWEST_OF_A_NAME);
    }

    fn add_from(&mut self, passage: &str, fewest: usize) {
        let words = words_of(passage);
        if words.len() >= fewest {
            self.0.extend(words.windows(words.len().min(RUN)).map(run_of));
        }
    }

    /// Adds a run that was found in a text.
    pub fn keep(&mut self, quoted: &Quoted) {
        self.0.insert(quoted.run);
    }

    /// Adds other runs.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// True if nothing is quoted.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many runs there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if a run that was found in a text is one of these.
    pub fn has(&self, quoted: &Quoted) -> bool {
        self.0.contains(&quoted.run)
    }

    /// The runs that stand in a text, by where they begin. Linear in its words, times the lengths that runs have.
    pub fn runs_in(&self, text: &str) -> Vec<Quoted> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let lengths: BTreeSet<u8> = self.0.iter().map(|(length, _)| *length).collect();
        let words = words_of(text);
        let mut found = Vec::new();
        for at in 0..words.len() {
            for window in lengths.iter().filter_map(|length| words.get(at..at + usize::from(*length))) {
                let (run, [first, .., last]) = (run_of(window), window) else { continue };
                if self.0.contains(&run) {
                    let words: Vec<&str> = window.iter().map(|word| word.folded.as_str()).collect();
                    let span = Span::new(first.span.start, last.span.end);
                    found.push(Quoted { run, words: words.join(" "), span });
                }
            }
        }
        found
    }

    /// Where a text quotes, in order: spans that do not touch, none of them beyond the end of a line.
    pub fn spans(&self, text: &str) -> Vec<Span> {
        lines_of(text, self.runs_in(text).into_iter().map(|quoted| quoted.span))
    }

    /// A text without what it quotes; `None` if it quotes nothing. Its lines stay as many as they were, so that a file
    /// keeps its form.
    pub fn without(&self, text: &str) -> Option<String> {
        let spans = self.spans(text);
        (!spans.is_empty()).then(|| erased(text, &spans))
    }
}

/// A text with [`ERASED`] in place of spans that are in order and do not overlap.
pub fn erased(text: &str, spans: &[Span]) -> String {
    let (mut left, mut at) = (String::with_capacity(text.len()), 0);
    for span in spans {
        left.push_str(text.get(at..span.start).unwrap_or_default());
        left.push_str(ERASED);
        at = span.end;
    }
    left.push_str(text.get(at..).unwrap_or_default());
    left
}

/// Spans united where they overlap, and cut at the ends of lines, without the marks with which a line begins or ends.
fn lines_of(text: &str, spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut united: Vec<Span> = Vec::new();
    for span in spans {
        match united.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => united.push(span),
        }
    }
    let mut cut = Vec::new();
    for span in united {
        let mut start = span.start;
        for line in span.of(text).split_inclusive('\n') {
            let words = words_of(line);
            if let (Some(first), Some(last)) = (words.first(), words.last()) {
                cut.push(Span::new(start + first.span.start, start + last.span.end));
            }
            start += line.len();
        }
    }
    cut
}

/// The words of a text: its tokens without marks, but for marks that are letters in disguise ("²", "№").
fn words_of(text: &str) -> Vec<Token> {
    let mut found = tokens(text);
    found.retain(|token| token.is_wordlike() || token.folded.chars().any(char::is_alphanumeric));
    found
}

fn run_of(words: &[Token]) -> Run {
    let folded: Vec<&str> = words.iter().map(|word| word.folded.as_str()).collect();
    (u8::try_from(words.len()).unwrap_or(u8::MAX), Fingerprint::of(&folded))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(passages: &[&str]) -> Quotes {
        let mut quotes = Quotes::default();
        passages.iter().for_each(|passage| quotes.add(passage));
        quotes
    }

    #[test]
    fn eight_words_in_a_row_or_a_whole_short_passage_are_a_quote() {
        let quotes = of(&[
            "Ada supplies the rudder.",
            "As the office in Orkney has it, the rudder was painted twice in May.",
            "The rudder.",
        ]);
        for (text, left) in [
            ("we know: ada  SUPPLIES the\u{a0}rudder!", "we know: (purged)!"),
            ("in Orkney has it, the rudder was painted", "(purged)"),
            ("of Orkney has it, the rudder was painted", "of Orkney has it, the rudder was painted"),
            ("Ada supplies a rudder. The rudder.", "Ada supplies a rudder. The rudder."),
        ] {
            assert_eq!(quotes.without(text).unwrap_or_else(|| text.to_owned()), left, "{text}");
        }
        let left = quotes.without("Ada supplies the rudder.").unwrap();
        assert_eq!(quotes.without(&left), None);
    }

    #[test]
    fn a_file_keeps_its_lines() {
        let quotes = of(&["Ada supplies the rudder. Bob supplies the fan since 1 May 2021."]);
        let file =
            "examples:\n- \"Ada supplies the rudder.\"\n  # Bob supplies the\n  # fan since 1 May 2021.\n";
        let left = "examples:\n- \"(purged).\"\n  # (purged)\n  # (purged).\n";
        assert_eq!(quotes.without(file).unwrap(), left);
    }

    #[test]
    fn what_is_kept_reads_back_within_an_act() {
        let quotes = of(&["Ada supplies the rudder.", "one two three four five six seven eight nine"]);
        let text = serde_json::to_string(&quotes).unwrap();
        assert!(text.starts_with("[[4,\""), "{text}");
        assert_eq!(serde_json::from_str::<Quotes>(&text).unwrap(), quotes);
    }
}
