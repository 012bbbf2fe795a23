//! What was told and what still has to be: the files between runs and those who hear of them.
#![expect(clippy::disallowed_methods, reason = "an edge: metrics, lineage and the spool are files")]

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::alerts::{Alert, Board, Naming, News, Standing, tell};
use super::causes::{HELD, Level, Looked, causes};
use super::lineage::{self, Stage};
use super::metrics::{Known, describes, metrics, succeeded};
pub use super::post::Secrets;
use super::post::post;
use super::webhook::{to_alertmanager, webhook};
use crate::drift::Segment;
use crate::model::job::Job;
use crate::model::outputs::{Alerts, Form, Lineage, LineageTo, Receiver, Target};
use crate::model::sabotage;
use crate::run::past::{drift_report, judgement, last_runs, run_ids, run_report, second_of, sources_report};
use crate::run::report::Outcome;
use crate::run::{Error, RunReport, Workspace};
use crate::store::{Lock, LockError};

/// How many runs are looked back on for what the last one does not say.
const BACK: usize = 50;

/// How many runs are told of at once, if none were for a long time.
const UNTOLD: usize = 100;

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

/// What became of what a receiver is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Delivered {
    /// The job.
    pub job: String,
    /// The receiver of alerts; `lineage` for events of lineage.
    pub receiver: String,
    /// How many messages it took.
    pub sent: u64,
    /// How many still wait for it.
    pub waiting: u64,
    /// Why the first of them does; null if none does.
    pub error: Option<String>,
}

/// What was told of a job's alerts.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Told {
    version: u32,
    /// The second of the last run that was told of, and the runs that began in it.
    second: String,
    runs: Vec<String>,
    board: Board,
}

impl Desk<'_> {
    /// Says that a run begins. Gives what went wrong with saying so.
    pub fn started(&self) -> Vec<String> {
        self.lineage(Stage::Start)
    }

    /// Says what became of a run. Gives what went wrong with saying so.
    pub fn ended(&self, ended: &Result<RunReport, Error>) -> Vec<String> {
        let mut notes = match ended {
            Ok(report) => self.lineage(Stage::Complete(report)),
            Err(Error::Busy { .. }) => return self.lineage(Stage::Abort),
            // As if killed: nobody is left to say anything.
            Err(Error::Stopped(_)) => return Vec::new(),
            Err(error) => self.lineage(Stage::Fail(&error.to_string())),
        };
        notes.extend(self.tell());
        notes
    }

    /// Writes the metrics, tells of what was not told of, and tries again what did not come through. Gives what went
    /// wrong.
    pub fn tell(&self) -> Vec<String> {
        let mut notes = self.write_metrics();
        let (delivered, more) = self.deliver();
        notes.extend(more);
        notes.extend(delivered.iter().filter_map(waits));
        notes
    }

    /// Writes the files of metrics. Gives what went wrong.
    pub fn write_metrics(&self) -> Vec<String> {
        let files = self.jobs.iter().filter_map(|job| Some((job, job.outputs.metrics.as_ref()?)));
        let failed = |(job, file): (&Job, &String)| {
            let error = self.metrics_of(job).and_then(|text| {
                let path = self.workspace.root().join(file);
                write_aside(&path, text.as_bytes()).map_err(|error| format!("`{file}`: {error}"))
            });
            error.err().map(|error| format!("the metrics of the job {} are not written: {error}", job.name))
        };
        files.filter_map(failed).collect()
    }

    fn metrics_of(&self, job: &Job) -> Result<String, String> {
        let read = |most| last_runs(self.workspace, most).map_err(told_error);
        let mut runs = read(1)?;
        if !runs.iter().any(|run| succeeded(run) && describes(run)) {
            runs = read(BACK)?;
        }
        runs.iter_mut().try_for_each(|run| judge(self.workspace, run)).map_err(told_error)?;
        let (mut drift, mut sources) = (None, None);
        for run in &runs {
            drift = drift.or(drift_report(self.workspace, &run.run).map_err(told_error)?);
            // A rollback reads no source.
            let looked = sources_report(self.workspace, &run.run).map_err(told_error)?;
            sources = sources.or(looked.filter(|looked| !looked.sources.is_empty()));
            if drift.is_some() && sources.is_some() {
                break;
            }
        }
        Ok(metrics(Known { job: &job.name, runs: &runs, drift: drift.as_ref(), sources: sources.as_ref() }))
    }

    /// Tells of runs that were not told of, and tries again what did not come through. Gives what became of it, and
    /// what went wrong beside.
    pub fn deliver(&self) -> (Vec<Delivered>, Vec<String>) {
        let (mut delivered, mut notes) = (Vec::new(), Vec::new());
        for job in self.jobs {
            let alerts = job.outputs.alerts.as_ref();
            let lineage = match &job.outputs.lineage {
                Some(Lineage { to: LineageTo::Address(target), .. }) => Some(target),
                _ => None,
            };
            if alerts.is_none() && lineage.is_none() {
                continue;
            }
            let folder = self.workspace.told(&job.name);
            let _lock = match Lock::take(&folder.join("lock")) {
                Ok(lock) => lock,
                // Another process is telling: what is left it, or the next one, tells.
                Err(LockError::Busy { .. }) => continue,
                Err(error) => {
                    notes.push(format!("the alerts of the job {} are not told: {error}", job.name));
                    continue;
                }
            };
            if let Some(alerts) = alerts {
                match self.tell_of_runs(job, alerts, &folder) {
                    Ok(more) => notes.extend(more),
                    Err(error) => {
                        notes.push(format!("the alerts of the job {} are not told: {error}", job.name));
                    }
                }
                for (name, receiver) in &alerts.receivers {
                    let spool = folder.join("alerts").join(name);
                    delivered.push(self.empty(job, name, &receiver.target, &spool));
                }
            }
            if let Some(target) = lineage {
                delivered.push(self.empty(job, "lineage", target, &folder.join("lineage")));
            }
        }
        (delivered, notes)
    }

    /// Puts what runs have to say into the spool of each receiver. A kill in between repeats a run, with the same
    /// messages under the same names.
    fn tell_of_runs(&self, job: &Job, alerts: &Alerts, folder: &Path) -> Result<Vec<String>, String> {
        let mut notes = Vec::new();
        let path = folder.join("alerts.json");
        let (mut told, is_first) = match fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice::<Told>(&bytes) {
                Ok(told) => (told, false),
                Err(_) => {
                    notes.push(format!("`{}` cannot be read: what stands is told anew", path.display()));
                    (Told::default(), true)
                }
            },
            Err(error) if error.kind() == ErrorKind::NotFound => (Told::default(), true),
            Err(error) => return Err(format!("`{}`: {error}", path.display())),
        };
        let mut ids = run_ids(self.workspace).map_err(told_error)?;
        ids.retain(|id| second_of(id) >= told.second.as_str() && !told.runs.contains(id));
        // What was wrong before anybody was to be told is history.
        let most = if is_first { 1 } else { UNTOLD };
        let skipped = ids.len().saturating_sub(most);
        for id in ids.into_iter().skip(skipped) {
            if let Some(run) = run_report(self.workspace, &id).map_err(told_error)? {
                self.tell_of(job, alerts, folder, &run, &mut told)?;
            }
            if second_of(&id) != told.second {
                told.second = second_of(&id).to_owned();
                told.runs.clear();
            }
            told.runs.push(id);
            told.version = 1;
            let bytes = serde_json::to_vec(&told).map_err(|error| error.to_string())?;
            write_aside(&path, &bytes).map_err(|error| format!("`{}`: {error}", path.display()))?;
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
        self.spool(job, alerts, folder, &format!("{run}-judged"), &news, &told.board, self.now)?;
        let (path, bytes) = (folder.join("alerts.json"), serde_json::to_vec(told));
        let bytes = bytes.map_err(|error| error.to_string())?;
        write_aside(&path, &bytes).map_err(|error| format!("`{}`: {error}", path.display()))
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
        // A run that failed before it knew its jobs concerns all of them.
        if !run.job.is_empty() && !run.job.split(", ").any(|name| name == job.name) {
            return Ok(());
        }
        let drift = drift_report(self.workspace, &run.run).map_err(told_error)?;
        let found = causes(job, run, drift.as_ref(), &|segment| (self.may_quote)(job, segment));
        let looked = Looked::of(run, drift.as_ref());
        let now = run.started_at.parse().unwrap_or(self.now);
        let naming = Naming { job: &job.name, alerts, run: &run.run };
        let (news, board) = tell(&told.board, &found, &looked, naming, now);
        self.spool(job, alerts, folder, &run.run, &news, &board, now)?;
        told.board = board;
        Ok(())
    }

    /// Puts news into the spool of each receiver, under a name by which they come in order.
    #[expect(clippy::too_many_arguments, reason = "a message is made of all of them")]
    fn spool(
        &self,
        job: &Job,
        alerts: &Alerts,
        folder: &Path,
        name: &str,
        news: &[Alert],
        board: &Board,
        now: Timestamp,
    ) -> Result<(), String> {
        for (to, receiver) in &alerts.receivers {
            if let Some(body) = body(job, to, receiver, alerts, news, board, now) {
                let path = folder.join("alerts").join(to).join(format!("{name}.json"));
                write_aside(&path, body.to_string().as_bytes())
                    .map_err(|error| format!("`{}`: {error}", path.display()))?;
            }
        }
        Ok(())
    }

    /// Sends what waits for a receiver, the oldest first, up to the first that does not come through.
    fn empty(&self, job: &Job, name: &str, target: &Target, spool: &Path) -> Delivered {
        let mut delivered =
            Delivered { job: job.name.clone(), receiver: name.to_owned(), sent: 0, waiting: 0, error: None };
        let waiting = match waiting(spool) {
            Ok(waiting) => waiting,
            Err(error) => {
                delivered.error = Some(format!("`{}`: {error}", spool.display()));
                return delivered;
            }
        };
        for path in waiting {
            if delivered.error.is_none() {
                let sent = fs::read(&path)
                    .map_err(|error| format!("`{}`: {error}", path.display()))
                    .and_then(|body| post(target, self.secrets, &body))
                    .and_then(|()| {
                        fs::remove_file(&path).map_err(|error| format!("`{}`: {error}", path.display()))
                    });
                match sent {
                    Ok(()) => {
                        delivered.sent += 1;
                        continue;
                    }
                    Err(_) if sabotage::is_off("alert-spool") => drop(fs::remove_file(&path)),
                    Err(error) => delivered.error = Some(error),
                }
            }
            delivered.waiting += 1;
        }
        delivered
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
                    job: job.name.clone(),
                    receiver: name.clone(),
                    sent: u64::from(sent.is_ok()),
                    waiting: 0,
                    error: sent.err(),
                });
            }
        }
        delivered
    }

    /// Says what a run has come to, to those who follow the lineage of data.
    fn lineage(&self, stage: Stage<'_>) -> Vec<String> {
        let mut notes = Vec::new();
        for job in self.jobs {
            let Some(Lineage { namespace, to }) = &job.outputs.lineage else { continue };
            let run = lineage::uuid(&job.name, self.now.as_nanosecond());
            let at = match stage {
                Stage::Complete(report) => report.times.finished_at.clone(),
                _ => self.now.to_string(),
            };
            let event = lineage::event(job, namespace, &run, &at, &self.today, stage);
            let written = match to {
                LineageTo::File(file) => add_line(&self.workspace.root().join(file), &event)
                    .map_err(|error| format!("`{file}`: {error}")),
                // It is sent with everything else that waits; at the start, at once.
                LineageTo::Address(target) => {
                    let place = if matches!(stage, Stage::Start) { 0 } else { 1 };
                    let spool = self.workspace.told(&job.name).join("lineage");
                    let path = spool.join(format!("{:030}-{place}.json", self.now.as_nanosecond()));
                    let kept = write_aside(&path, event.to_string().as_bytes());
                    let kept = kept.map_err(|error| format!("`{}`: {error}", path.display()));
                    if place == 0 && kept.is_ok() {
                        notes.extend(waits(&self.empty(job, "lineage", target, &spool)));
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

/// Takes a held run for what a person has made of it: released it describes what readers see, discarded it is history.
fn judge(workspace: &Workspace, run: &mut RunReport) -> Result<(), Error> {
    let Some(judgement) = (if run.held { judgement(workspace, &run.run)? } else { None }) else {
        return Ok(());
    };
    run.held = false;
    if let Some(published_at) = judgement {
        run.outcome = Outcome::Published;
        run.published_at = Some(published_at);
    }
    Ok(())
}

/// What is said of a receiver that did not take everything.
fn waits(delivered: &Delivered) -> Option<String> {
    let Delivered { job, receiver, waiting, error, .. } = delivered;
    let messages = if *waiting == 1 { "message waits".to_owned() } else { "messages wait".to_owned() };
    let error = error.as_ref()?;
    Some(format!(
        "{waiting} {messages} for `{receiver}` of the job {job}, and the next run tries again: {error}"
    ))
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

/// The messages of a spool, the oldest first.
fn waiting(spool: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(spool) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Writes a file beside its place and puts it there, so that nobody reads half of it.
fn write_aside(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(".part");
    fs::write(&aside, bytes)?;
    fs::rename(&aside, path)
}

/// Adds a line to a file, in one write.
fn add_line(path: &Path, line: &Value) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(format!("{line}\n").as_bytes())
}

fn told_error(error: Error) -> String {
    match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
