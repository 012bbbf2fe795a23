//! What was told and what still has to be: the files between runs and those who hear of them.
#![expect(clippy::disallowed_methods, reason = "an edge: metrics, lineage and the spool are files")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde_json::Value;

use super::alerts::{Alert, Board, Naming, News, Standing, tell};
use super::causes::{HELD, Level, Looked, causes};
use super::landmarks::{concerns, metrics_of};
use super::lineage::{self, Stage};
use super::post::{Secrets, Unsent, post};
use super::spool::{Spool, write_aside};
use super::told::{Delivered, Told};
use super::webhook::{to_alertmanager, webhook};
use crate::drift::Segment;
use crate::model::job::Job;
use crate::model::outputs::{Alerts, Form, Lineage, LineageTo, Outputs, Receiver, Target};
use crate::run::past::{drift_report, judgement, run_ids, run_report};
use crate::run::{Error, RunReport, Workspace};
use crate::store::{Lock, LockError};

/// How many runs are told of at once, if none were for a long time.
const UNTOLD: usize = 100;

/// Everybody may read metrics, or the program that tells them could not.
const READABLE: u32 = 0o644;

/// Where the outputs of jobs are written, and with what.
pub struct Desk<'d> {
    /// The workspace.
    pub workspace: &'d Workspace,
    /// The jobs whose outputs are meant.
    pub jobs: &'d [Job],
    /// Where secrets are found.
    pub secrets: Secrets<'d>,
    /// Now.
    pub now: Timestamp,
    /// Today in the workspace's zone.
    pub today: String,
    /// Whether the sentences of a segment may leave the workspace.
    pub may_quote: &'d dyn Fn(&Job, &Segment) -> bool,
}

/// What there is to tell of.
#[derive(Debug, Default, PartialEq, Eq)]
struct There {
    /// The ids of the runs that left a report.
    runs: BTreeSet<String>,
    /// What people made of the last runs that were held.
    judgements: BTreeSet<PathBuf>,
    /// The events of lineage that wait.
    events: BTreeSet<PathBuf>,
}

/// So many of the last runs are looked at for what a person made of them.
const JUDGED: usize = 50;

impl There {
    /// True if all of it was there before.
    fn was_in(&self, before: &Self) -> bool {
        self.runs.is_subset(&before.runs)
            && self.judgements.is_subset(&before.judgements)
            && self.events.is_subset(&before.events)
    }
}

/// What became of what each receiver is told: first of alerts, by name, then of lineage.
type Deliveries = BTreeMap<(bool, String), Delivered>;

impl Desk<'_> {
    /// Says that a run begins. Gives what went wrong with saying so.
    pub fn started(&self) -> Vec<String> {
        self.lineage(Stage::Start)
    }

    /// Says what became of a run. Gives what went wrong with saying so.
    pub fn ended(&self, ended: &Result<RunReport, Error>) -> Vec<String> {
        let mut notes = match ended {
            Ok(report) if report.held => self.lineage(Stage::Held(report)),
            Ok(report) => self.lineage(Stage::Complete(report)),
            Err(Error::Busy { .. } | Error::Words { .. }) => return self.lineage(Stage::Abort),
            // As if killed: nobody is left to say anything.
            Err(Error::Stopped(_)) => return Vec::new(),
            Err(error) => self.lineage(Stage::Fail(&error.told())),
        };
        notes.extend(self.tell());
        notes
    }

    /// Says that a person has released a held run: what readers see is another generation by an act that begins and
    /// ends now, since the held run had its end.
    pub fn released(&self, report: &RunReport) -> Vec<String> {
        let jobs = || self.jobs.iter().filter(|job| concerns(report, &job.name));
        let mut notes = self.lineage_of(jobs(), Stage::Start);
        notes.extend(self.lineage_of(jobs(), Stage::Released(report)));
        notes.extend(self.tell());
        notes
    }

    /// Tells of what was not told of, and tries again what did not come through. Gives what went wrong.
    pub fn tell(&self) -> Vec<String> {
        let (delivered, mut notes) = self.deliver();
        notes.extend(delivered.iter().flat_map(Delivered::notes));
        notes
    }

    /// Writes the metrics, tells of runs that were not told of, and tries again what did not come through. Gives what
    /// became of it, and what went wrong beside.
    pub fn deliver(&self) -> (Vec<Delivered>, Vec<String>) {
        let (mut delivered, mut notes) = (Vec::new(), Vec::new());
        for job in self.jobs.iter().filter(|job| job.outputs != Outputs::default()) {
            delivered.extend(self.tell_of_job(job, true, &mut notes));
        }
        (delivered, notes)
    }

    /// Tells what a job has to say, one process at a time: everything, or at first only what waits of its lineage.
    /// Another process that is telling sees to what was left here.
    fn tell_of_job(&self, job: &Job, everything: bool, notes: &mut Vec<String>) -> Vec<Delivered> {
        let mut delivered = Deliveries::new();
        let folder = self.workspace.told(&job.name);
        let failed = |error: String| format!("what the job {} has to say is not told: {error}", job.name);
        let mut everything = everything;
        loop {
            let lock = match Lock::take(&folder.join("lock")) {
                Ok(lock) => lock,
                Err(LockError::Busy { .. }) => break,
                Err(error) => {
                    notes.push(failed(error.to_string()));
                    break;
                }
            };
            let found = match self.what_is_there(job) {
                Ok(found) => found,
                Err(error) => {
                    notes.push(failed(error));
                    break;
                }
            };
            if everything {
                notes.extend(self.write_metrics(job, &folder));
                if let Some(alerts) = &job.outputs.alerts {
                    match self.tell_of_runs(job, alerts, &folder, &found.runs) {
                        Ok(more) => notes.extend(more),
                        Err(error) => {
                            notes.push(format!("the alerts of the job {} are not told: {error}", job.name));
                        }
                    }
                    for (name, receiver) in &alerts.receivers {
                        let spool = Spool::at(folder.join("alerts").join(name));
                        self.empty(job, name, &receiver.target, &spool, &mut delivered);
                    }
                }
            }
            if let Some(target) = lineage_target(job) {
                self.empty(job, "lineage", target, &self.lineage_spool(job), &mut delivered);
            }
            drop(lock);
            // Who found the lock taken has left its news and gone.
            match self.what_is_there(job) {
                Ok(now) if now.was_in(&found) => break,
                Ok(_) => everything = true,
                Err(error) => {
                    notes.push(failed(error));
                    break;
                }
            }
        }
        delivered.into_values().collect()
    }

    fn what_is_there(&self, job: &Job) -> Result<There, String> {
        let events = match lineage_target(job) {
            Some(_) => self.lineage_spool(job).waiting()?,
            None => Vec::new(),
        };
        let runs = run_ids(self.workspace).map_err(told_error)?;
        let last = runs.iter().rev().take(JUDGED).map(|run| self.workspace.run_folder(run));
        let of_run = |folder: PathBuf| ["release.json", "discard.json"].map(|name| folder.join(name));
        let judgements = last.flat_map(of_run).filter(|path| path.is_file()).collect();
        Ok(There { runs: runs.into_iter().collect(), judgements, events: events.into_iter().collect() })
    }

    fn lineage_spool(&self, job: &Job) -> Spool {
        Spool::at(self.workspace.told(&job.name).join("lineage"))
    }

    /// Writes the file of metrics, if there is to be one. Gives what went wrong.
    fn write_metrics(&self, job: &Job, folder: &Path) -> Option<String> {
        let file = job.outputs.metrics.as_ref()?;
        let text = metrics_of(self.workspace, &job.name, &folder.join("metrics.json"), &second(self.now));
        let written = text.and_then(|text| {
            let path = self.workspace.root().join(file);
            write_aside(&path, text.as_bytes(), Some(READABLE)).map_err(|error| format!("`{file}`: {error}"))
        });
        written.err().map(|error| format!("the metrics of the job {} are not written: {error}", job.name))
    }

    /// Puts what runs have to say into the spool of each receiver. A kill in between repeats a run, with the same
    /// messages under the same names.
    fn tell_of_runs(
        &self,
        job: &Job,
        alerts: &Alerts,
        folder: &Path,
        found: &BTreeSet<String>,
    ) -> Result<Vec<String>, String> {
        let mut notes = Vec::new();
        let (mut told, is_first) = Told::read(folder, alerts, &mut notes)?;
        let ids: Vec<&String> = found.iter().filter(|id| told.is_new(id)).collect();
        // What was wrong before anybody was to be told is history.
        let most = if is_first { 1 } else { UNTOLD };
        let skipped = ids.len().saturating_sub(most);
        let now = second(self.now);
        for (at, id) in ids.into_iter().enumerate() {
            if at < skipped {
                told.remember(id.clone(), &now);
                continue;
            }
            if let Some(run) = run_report(self.workspace, id).map_err(told_error)? {
                self.tell_of(job, alerts, folder, &run, &mut told)?;
            }
            told.remember(id.clone(), &now);
            told.write(folder)?;
        }
        self.tell_of_judgement(job, alerts, folder, &mut told)?;
        Ok(notes)
    }

    /// A held run that a person has released or discarded is over at once; what it found is over once a run has looked.
    fn tell_of_judgement(
        &self,
        job: &Job,
        alerts: &Alerts,
        folder: &Path,
        told: &mut Told,
    ) -> Result<(), String> {
        let named = |standing: &Standing, name: &str| standing.annotations.get(name).cloned();
        let held =
            told.board.iter().find(|(_, one)| one.labels.get("alertname").is_some_and(|it| it == HELD));
        let Some((fingerprint, run)) = held.and_then(|(id, one)| Some((id.clone(), named(one, "run")?)))
        else {
            return Ok(());
        };
        if judgement(self.workspace, &run).map_err(told_error)?.is_none() {
            return Ok(());
        }
        let Some(standing) = told.board.remove(&fingerprint) else { return Ok(()) };
        let news = [Alert { fingerprint, news: News::Resolved, standing, was: None }];
        self.spool(job, alerts, folder, &news, told, self.now)?;
        told.write(folder)
    }

    /// Puts what one run has to say into the spool of each receiver.
    fn tell_of(
        &self,
        job: &Job,
        alerts: &Alerts,
        folder: &Path,
        run: &RunReport,
        told: &mut Told,
    ) -> Result<(), String> {
        if !concerns(run, &job.name) {
            return Ok(());
        }
        let drift = drift_report(self.workspace, &run.run).map_err(told_error)?;
        let found = causes(job, run, drift.as_ref(), &|segment| (self.may_quote)(job, segment));
        let looked = Looked::of(run, drift.as_ref());
        let now = run.started_at.parse().unwrap_or(self.now);
        let naming = Naming { job: &job.name, alerts, run: &run.run };
        let (news, board) = tell(&told.board, &found, &looked, naming, now);
        told.board = board;
        self.spool(job, alerts, folder, &news, told, now)
    }

    /// Puts news into the spool of each receiver, under a name by which they come in the order in which they were made.
    fn spool(
        &self,
        job: &Job,
        alerts: &Alerts,
        folder: &Path,
        news: &[Alert],
        told: &mut Told,
        now: Timestamp,
    ) -> Result<(), String> {
        let name = told.next_message(&second(now));
        for (to, receiver) in &alerts.receivers {
            let Some(body) = body(job, to, receiver, alerts, news, &told.board, now) else { continue };
            let spool = Spool::at(folder.join("alerts").join(to));
            match receiver.form {
                Form::Webhook => spool.put_once(&name, &body)?,
                Form::Alertmanager => spool.put_instead(&name, body, now)?,
            }
        }
        Ok(())
    }

    /// Sends what waits for a receiver, and adds what became of it to what is known of it.
    fn empty(&self, job: &Job, name: &str, target: &Target, spool: &Spool, delivered: &mut Deliveries) {
        let emptied = spool.empty(self.now, |body| post(target, self.secrets, body));
        // A receiver of alerts may be called so as well.
        let is_lineage = lineage_target(job).is_some_and(|lineage| std::ptr::eq(lineage, target));
        let one = delivered.entry((is_lineage, name.to_owned())).or_insert_with(|| Delivered::to(job, name));
        one.sent += emptied.sent;
        one.dropped += emptied.dropped;
        one.refused.extend(emptied.refused);
        (one.waiting, one.error) = (emptied.waiting, emptied.error);
    }

    /// Sends each receiver an alert that says that it is none.
    pub fn test(&self) -> Vec<Delivered> {
        let mut delivered = Vec::new();
        for job in self.jobs {
            let Some(alerts) = &job.outputs.alerts else { continue };
            for (name, receiver) in &alerts.receivers {
                let news = [test_alert(job, alerts, self.now)];
                let board = Board::new();
                let form = match receiver.form {
                    Form::Webhook => webhook(&job.name, name, &news, self.now),
                    // It is over as it comes, so that it stands nowhere.
                    Form::Alertmanager => to_alertmanager(&news, &board, alerts.remind_after, self.now),
                };
                let sent = form
                    .map_or(Ok(()), |body| post(&receiver.target, self.secrets, body.to_string().as_bytes()));
                delivered.push(Delivered {
                    sent: u64::from(sent.is_ok()),
                    error: sent.err().map(Unsent::why),
                    ..Delivered::to(job, name)
                });
            }
        }
        delivered
    }

    /// Says what a run has come to, to those who follow the lineage of data.
    fn lineage(&self, stage: Stage<'_>) -> Vec<String> {
        self.lineage_of(self.jobs.iter(), stage)
    }

    fn lineage_of<'j>(&self, jobs: impl Iterator<Item = &'j Job>, stage: Stage<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        for job in jobs {
            let Some(Lineage { namespace, to }) = &job.outputs.lineage else { continue };
            let run = lineage::uuid(&job.name, self.now.as_nanosecond());
            let at = match stage {
                Stage::Complete(report) | Stage::Held(report) => report.times.finished_at.clone(),
                _ => self.now.to_string(),
            };
            let event = lineage::event(job, namespace, &run, &at, &self.today, stage);
            let written = match to {
                LineageTo::File(file) => add_line(&self.workspace.root().join(file), &event)
                    .map_err(|error| format!("`{file}`: {error}")),
                // It is sent with everything else that waits; at the start, at once.
                LineageTo::Address(_) => {
                    let place = if matches!(stage, Stage::Start) { 0 } else { 1 };
                    let name = format!("{:030}-{place}", self.now.as_nanosecond());
                    let kept = self.lineage_spool(job).put(&name, &event);
                    if place == 0 && kept.is_ok() {
                        let delivered = self.tell_of_job(job, false, &mut notes);
                        notes.extend(delivered.iter().flat_map(Delivered::notes));
                    }
                    kept
                }
            };
            let note = |error| format!("the lineage of the job {} is not written: {error}", job.name);
            notes.extend(written.err().map(note));
        }
        notes
    }
}

fn lineage_target(job: &Job) -> Option<&Target> {
    match &job.outputs.lineage {
        Some(Lineage { to: LineageTo::Address(target), .. }) => Some(target),
        _ => None,
    }
}

/// A moment as the ids of runs have it.
fn second(moment: Timestamp) -> String {
    moment.strftime("%Y%m%d%H%M%S").to_string()
}

fn body(
    job: &Job,
    name: &str,
    receiver: &Receiver,
    alerts: &Alerts,
    news: &[Alert],
    board: &Board,
    now: Timestamp,
) -> Option<Value> {
    match receiver.form {
        Form::Webhook => webhook(&job.name, name, news, now),
        Form::Alertmanager => to_alertmanager(news, board, alerts.remind_after, now),
    }
}

fn test_alert(job: &Job, alerts: &Alerts, now: Timestamp) -> Alert {
    let pairs = |pairs: &[(&str, &str)]| {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let labels = [
        ("alertname", "edgewright-test"),
        ("job", job.name.as_str()),
        ("team", &alerts.team),
        ("severity", "warning"),
    ];
    let summary = [
        ("summary", "a test: alerts of this job arrive here, and nothing is wrong"),
        ("description", "sent by `edgewright notify --test`"),
    ];
    let standing = Standing {
        labels: pairs(&labels),
        annotations: pairs(&summary),
        level: Level::Warning,
        count: 1,
        since: now,
        told: now,
    };
    Alert { fingerprint: "0000000000000000".to_owned(), news: News::Resolved, standing, was: None }
}

/// Adds a line to a file, in one write.
fn add_line(path: &Path, line: &Value) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

/// An error with its cause, in a line.
pub(super) fn told_error(error: Error) -> String {
    match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
