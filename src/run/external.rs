//! Programs of the user's behind rules: who is asked, who need not be, and what is said of what went wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::Workspace;
use crate::diag::{Diagnostic, Place};
use crate::extract::external::{Answers, Call, Fault, Heard, Refusal};
use crate::extract::{Extractor, Input};
use crate::model::chunk::Chunk;
use crate::model::id::Fingerprint;
use crate::worker::{Means, Pool, Silence};

/// Where the contract stands.
const CONTRACT: &str = "`docs/external.md` has what a program is to answer";

/// What became of the calls about one chunk, by the rules that asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// What programs answered now.
    pub(super) answers: Answers,
    /// The rules that are answered, now or before → what they asked.
    pub(super) answered: BTreeMap<String, Fingerprint>,
    /// The rules that would have asked what they asked before: what they read then stands.
    pub(super) kept: BTreeSet<String>,
    /// The rules whose programs gave no answer.
    pub(super) silent: BTreeMap<String, Silence>,
}

/// A pool for questions that are not part of a run; it writes nothing.
pub(super) fn pool(workspace: &Workspace, program: &Path) -> Pool {
    Pool::new(Means {
        program: program.to_owned(),
        root: workspace.root().to_owned(),
        kept: workspace.parsed(),
        plan: true,
        faulty: false,
    })
}

/// Asks what is to be asked about a chunk. `before` is what was answered about it when it was last extracted; `wanted`
/// says which rules ask.
pub(super) fn ask(
    extractor: &Extractor,
    input: &Input,
    workers: &Pool,
    before: &BTreeMap<String, Fingerprint>,
    wanted: &dyn Fn(&str) -> bool,
) -> Asked {
    let mut asked = Asked::default();
    for call in extractor.calls(input).filter(|call| wanted(call.rule)) {
        let rule = call.rule.to_owned();
        if before.get(&rule) == Some(&call.fingerprint) {
            asked.answered.insert(rule.clone(), call.fingerprint);
            asked.kept.insert(rule);
            continue;
        }
        match answer(&call, workers) {
            Ok(Heard::Answer(answer)) => {
                asked.answered.insert(rule.clone(), call.fingerprint);
                asked.answers.insert(rule, answer);
            }
            Ok(Heard::Error(said)) => {
                let why = format!("it says that it cannot answer: {said}");
                asked.silent.insert(rule, Silence { nonsense: false, why });
            }
            Err(silence) => {
                asked.silent.insert(rule, silence);
            }
        }
    }
    asked
}

fn answer(call: &Call<'_>, workers: &Pool) -> Result<Heard, Silence> {
    let external = call.external;
    workers.ask(&external.program, &external.limits, &call.line, &|line| call.hear(line))
}

/// True if every rule that asks about a chunk was answered when it was last extracted.
pub(super) fn is_answered(
    extractor: &Extractor,
    input: &Input,
    before: &BTreeMap<String, Fingerprint>,
) -> bool {
    extractor.asking(input).all(|rule| before.contains_key(rule))
}

/// What is said of programs that gave no answer about a chunk of a file.
pub(super) fn silences(asked: &Asked, file: &str, chunk: &Chunk) -> Vec<Diagnostic> {
    let told = asked.silent.iter().map(|(rule, silence)| {
        let at = Place::in_file(file, chunk.spot());
        let stays = "what the rule said of the document stays as it was";
        let message = format!("the program of rule `{rule}` gave no answer here: {}; {stays}", silence.why);
        if silence.nonsense {
            return Diagnostic::error("external-output", at, message).hint(CONTRACT);
        }
        let hint = "mend the program, or raise `limits` of the rule; the next run asks again";
        Diagnostic::error("external-failed", at, message).hint(hint)
    });
    told.collect()
}

/// What is said of what a program said of a chunk of a file and that is no assertion.
pub(super) fn refused(refusals: &[Refusal], file: &str, chunk: &Chunk) -> Vec<Diagnostic> {
    refusals.iter().map(|refusal| one_refused(refusal, file, chunk)).collect()
}

fn one_refused(refusal: &Refusal, file: &str, chunk: &Chunk) -> Diagnostic {
    let start = refusal.span.map_or(0, |span| span.start);
    let at = Place::in_file(file, chunk.spot_at(start));
    let message = format!("refused from the program of rule `{}`: {}", refusal.rule, refusal.message);
    match refusal.fault {
        Fault::Form => Diagnostic::warning("external-form", at, message).hint(CONTRACT),
        Fault::EdgeType => Diagnostic::warning("external-edge-type", at, message)
            .hint("add the edge type to `edges` of the rule's `external`, or mend the program"),
        Fault::Types => Diagnostic::warning("external-domain-range", at, message)
            .hint("look at the types in the request's `edges`; the ontology says what an edge type joins"),
        Fault::Span => Diagnostic::warning("external-span", at, message)
            .hint("a span counts characters of the request's `text`, from 0, its end not included"),
        Fault::Entity => Diagnostic::warning("external-entity", at, message)
            .hint("name who stands in the text by `span`; by key only whom the request names, or a key of the form in `makes`"),
        Fault::Value => {
            Diagnostic::warning("external-value", at, message).hint("leave out what the text does not say")
        }
    }
}
