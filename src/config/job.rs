//! Job files: from the checked tree to what they mean, with everything that they name.

use jiff::tz::TimeZone;

use super::{feed, gates, golden, outputs, source};
use crate::model::job::{Job, Retention};
use crate::ontology::file::problems::Problems;
use crate::ontology::file::shape::hours;
use crate::ontology::file::stem;
use crate::ontology::file::yaml::{At, Node};
use crate::ontology::{EdgeType, EntityType, Ontology};

/// What the parts of a job may name.
pub(super) struct Scope<'c> {
    /// The job's ontology, as far as it could be read; `None` if it is unknown, which was reported.
    pub(super) ontology: Option<&'c Ontology>,
    /// The feeds of the job.
    pub(super) feeds: Vec<String>,
    /// The feeds that are registers of its sources.
    pub(super) registers: Vec<String>,
}

impl<'c> Scope<'c> {
    /// The entity type of this name; one that is unknown is reported.
    pub(super) fn entity(&self, at: At, name: &str, problems: &mut Problems<'_>) -> Option<&'c EntityType> {
        let ontology = self.ontology?;
        problems.known(at, "entity type", name, ontology.entities.keys().map(String::as_str));
        ontology.entities.get(name)
    }

    /// The edge type of this name; one that is unknown is reported.
    pub(super) fn edge(&self, at: At, name: &str, problems: &mut Problems<'_>) -> Option<&'c EdgeType> {
        let ontology = self.ontology?;
        problems.known(at, "edge type", name, ontology.edges.keys().map(String::as_str));
        ontology.edges.get(name)
    }
}

/// The name of the job in a file.
pub(super) fn name<'n>(file: &'n str, root: &'n Node) -> &'n str {
    root.word("job").unwrap_or_else(|| stem(file))
}

/// A job. `find` gives an ontology by name: `None` if there is none of that name, `Some(None)` if there is
/// one that could not be read.
pub(super) fn job<'c>(
    root: &Node,
    ontologies: &[&str],
    find: impl Fn(&str) -> Option<&'c Ontology>,
    problems: &mut Problems<'_>,
) -> Job {
    let ontology = root.get("ontology").and_then(|node| Some((node, node.text()?)));
    let known = ontology
        .filter(|(node, name)| problems.known(node.at, "ontology", name, ontologies.iter().copied()))
        .and_then(|(_, name)| find(name));
    let scope = Scope { ontology: known, feeds: keys(root, "feeds"), registers: registers(root) };
    let named = |key| root.get(key).map(Node::entries).unwrap_or_default();
    let sources = named("sources")
        .iter()
        .map(|(name, node)| (name.text.clone(), source::source(name, node, &scope, problems)))
        .collect();
    let feeds = named("feeds")
        .iter()
        .map(|(name, node)| (name.text.clone(), feed::feed(name, node, &scope, problems)))
        .collect();
    Job {
        name: name(problems.sheet.file(), root).to_owned(),
        ontology: ontology.map(|(_, name)| name.to_owned()).unwrap_or_default(),
        owner: root.word("owner").map(str::to_owned),
        timezone: timezone(root, problems),
        sources,
        feeds,
        gates: gates::gates(root, &scope, problems),
        golden: golden::declared(root, problems),
        outputs: outputs::outputs(root, problems),
        retention: Retention {
            reports: root.get("retention").and_then(|node| node.word("reports")).and_then(hours),
        },
    }
}

fn keys(root: &Node, key: &str) -> Vec<String> {
    root.get(key).map(Node::entries).unwrap_or_default().iter().map(|(name, _)| name.text.clone()).collect()
}

fn registers(root: &Node) -> Vec<String> {
    let sources = root.get("sources").map(Node::entries).unwrap_or_default();
    sources.iter().filter_map(|(_, source)| source.get("register")?.word("feed").map(str::to_owned)).collect()
}

/// The zone of a name. Where the machine has no zone database, none but UTC is known; for UTC it is not looked
/// through, which takes longer than starting does.
pub fn zone_of(name: &str) -> Option<TimeZone> {
    if name == "UTC" { Some(TimeZone::UTC) } else { TimeZone::get(name).ok() }
}

/// The zone's canonical name. Where the machine has no zone database, every name is taken as it is.
fn timezone(root: &Node, problems: &mut Problems<'_>) -> String {
    let Some((node, name)) = root.get("timezone").and_then(|node| Some((node, node.text()?))) else {
        return "UTC".to_owned();
    };
    if let Some(zone) = zone_of(name) {
        return zone.iana_name().unwrap_or(name).to_owned();
    }
    let known: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).collect();
    if known.len() > 1 {
        let hint = match crate::diag::nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write an IANA zone such as `Europe/Berlin`".to_owned(),
        };
        problems.error("config-value", node.at, format!("there is no timezone `{name}`"), hint);
    }
    name.to_owned()
}

/// The path of a source or feed: relative, `/`-separated, inside the workspace.
pub(super) fn path(node: &Node, problems: &mut Problems<'_>) -> String {
    node.get("path").map(|path| below(path, problems)).unwrap_or_default()
}

/// A path as it is written in a node: relative, `/`-separated, inside the workspace.
pub(super) fn below(path: &Node, problems: &mut Problems<'_>) -> String {
    let Some(text) = path.text() else { return String::new() };
    let drive = text.as_bytes().get(1) == Some(&b':');
    let wrong = if text.starts_with('/') || text.starts_with('~') || drive {
        Some("is not relative to the workspace")
    } else if text.split(['/', '\\']).any(|part| part == "..") {
        Some("leads out of the workspace")
    } else if text.contains('\\') {
        Some("has a `\\`")
    } else if text.contains('\0') {
        Some("has a character that no path has")
    } else {
        None
    };
    if let Some(wrong) = wrong {
        let hint = "write it relative to the workspace, with `/`; a link in the workspace may lead elsewhere";
        problems.error("config-value", path.at, format!("the path `{text}` {wrong}"), hint);
    }
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}
