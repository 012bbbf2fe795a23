//! Telling others of a run: what a command needs of `notify`, with what may be quoted to them.

use std::collections::BTreeMap;

use super::shell::Shell;
use crate::config::Loaded;
use crate::drift::Segment;
use crate::model::job::Job;
use crate::notify::{Delivered, Desk, Secrets};
use crate::ontology::Ontology;
use crate::run::{self, RunReport, Workspace};

/// What is told, and of what. It keeps what a run takes.
pub(super) struct Teller {
    workspace: Workspace,
    jobs: Vec<Job>,
    ontologies: BTreeMap<String, Ontology>,
}

impl Teller {
    /// Tells what these jobs declare; all jobs if none is named.
    pub(super) fn of(workspace: &Workspace, loaded: &Loaded, names: &[String]) -> Self {
        let wanted = |job: &&Job| names.is_empty() || names.contains(&job.name);
        let jobs = loaded.jobs.iter().filter(wanted).cloned().collect();
        Self { workspace: workspace.clone(), jobs, ontologies: loaded.ontologies.clone() }
    }

    /// Says that a run begins, and what went wrong with saying so.
    pub(super) fn started(&self, shell: &mut Shell<'_>) -> std::io::Result<()> {
        let notes = self.with(shell, |desk| desk.started());
        say(shell, notes)
    }

    /// Says what became of a run, and what went wrong with saying so.
    pub(super) fn ended(
        &self,
        shell: &mut Shell<'_>,
        ended: &Result<RunReport, run::Error>,
    ) -> std::io::Result<()> {
        let notes = self.with(shell, |desk| desk.ended(ended));
        say(shell, notes)
    }

    /// Says that a person has released a held run, tells what has not been told yet, and what went wrong with it.
    pub(super) fn released(&self, shell: &mut Shell<'_>, report: &RunReport) -> std::io::Result<()> {
        let notes = self.with(shell, |desk| desk.released(report));
        say(shell, notes)
    }

    /// Tells what has not been told yet, and what went wrong with telling it.
    pub(super) fn tell(&self, shell: &mut Shell<'_>) -> std::io::Result<()> {
        let notes = self.with(shell, |desk| desk.tell());
        say(shell, notes)
    }

    /// Tells what has not been told yet.
    pub(super) fn deliver(&self, shell: &mut Shell<'_>) -> std::io::Result<Vec<Delivered>> {
        let (delivered, notes) = self.with(shell, |desk| desk.deliver());
        say(shell, notes)?;
        Ok(delivered)
    }

    /// Sends each receiver a test.
    pub(super) fn test(&self, shell: &Shell<'_>) -> Vec<Delivered> {
        self.with(shell, |desk| desk.test())
    }

    fn with<T>(&self, shell: &Shell<'_>, act: impl FnOnce(&Desk<'_>) -> T) -> T {
        let today = shell.global.today.unwrap_or_else(|| {
            let zone = self.jobs.first().and_then(|job| crate::config::zone_of(&job.timezone));
            shell.now().to_zoned_datetime(zone.unwrap_or(jiff::tz::TimeZone::UTC)).date()
        });
        act(&Desk {
            workspace: &self.workspace,
            jobs: &self.jobs,
            secrets: Secrets { root: self.workspace.root(), variable: shell.world.variable },
            now: shell.now(),
            today: today.to_string(),
            may_quote: &|job, segment| self.may_quote(job, segment),
        })
    }

    /// True if no label guards what a segment's sentences tell: that of its source, its edge type, or what that
    /// leads to. Of several segments together none may be guarded.
    fn may_quote(&self, job: &Job, segment: &Segment) -> bool {
        let Some(ontology) = self.ontologies.get(&job.ontology) else { return false };
        let of_source = |job: &Job, name: &str| {
            let source = job.sources.get(name).map(|source| source.access.is_empty());
            source.or_else(|| job.feeds.get(name).map(|feed| feed.access.is_empty()))
        };
        let all_open = |job: &Job| {
            let names = job.sources.keys().chain(job.feeds.keys());
            names.into_iter().all(|name| of_source(job, name) == Some(true))
        };
        let source = of_source(job, &segment.source).unwrap_or_else(|| self.jobs.iter().all(all_open));
        let is_open =
            |name: &String| ontology.entities.get(name).is_some_and(|entity| entity.access.is_empty());
        let edge_open = |edge: &crate::ontology::EdgeType| {
            edge.access.is_empty()
                && edge.properties.values().all(|property| property.access.is_empty())
                && edge.subject.iter().chain(&edge.object).all(is_open)
        };
        let edges = match ontology.edges.get(&segment.edge_type) {
            Some(edge) => edge_open(edge),
            None => self.ontologies.values().all(|one| one.edges.values().all(edge_open)),
        };
        source && edges
    }
}

fn say(shell: &mut Shell<'_>, notes: Vec<String>) -> std::io::Result<()> {
    for note in notes {
        shell.out.say(&format!("warning: {note}"))?;
    }
    Ok(())
}
