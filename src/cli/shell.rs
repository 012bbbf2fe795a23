//! What every command is given: the two streams, the workspace, the time, and how to open the graph.
#![expect(clippy::disallowed_methods, reason = "the command line is where the program meets the system")]

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::args::{Access, Global, ReadArgs};
use super::failure::Failure;
use super::out::Out;
use crate::config::{self, Loaded};
use crate::diag::Severity;
use crate::model::access::Reader;
use crate::model::job::Connections;
use crate::model::sabotage;
use crate::run::once::Options;
use crate::run::{self, Clock, Workspace};
use crate::serve::{Catalog, Graph, Lens, known_at};
use crate::store::{Lock, Request, RequestBody, Stamp, Store};

/// The clocks of the system. Who says what time it is gets one that stands still.
const CLOCK: Clock = Clock { elapsed, cpu };

fn elapsed() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}

/// The processor time of this process and of its children that have ended, in the hundredths of a second in which
/// the system tells it.
fn cpu() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name stands in brackets and may hold anything.
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks = fields.split(' ').skip(11).take(4).map(|field| field.parse::<u64>().ok());
    Some(Duration::from_millis(ticks.sum::<Option<u64>>()? * 10))
}

/// What the program finds around it. The tests make one up.
#[derive(Debug, Clone)]
pub struct World {
    /// The working directory.
    pub folder: PathBuf,
    /// The time.
    pub now: Timestamp,
    /// The person.
    pub user: String,
    /// True if the talk goes to a terminal.
    pub terminal: bool,
    /// This program.
    pub program: PathBuf,
    /// True if the answer goes to a terminal that may show bold letters.
    pub bold: bool,
    /// The value of a variable of the environment.
    pub variable: fn(&str) -> Option<String>,
}

/// What a command is given.
pub(super) struct Shell<'w> {
    pub(super) out: Out<'w>,
    pub(super) world: &'w World,
    pub(super) global: Global,
    /// The graph that was read without a lock, if one was.
    pub(super) unlocked: Option<Stamp>,
}

/// An open graph with what is needed to look at it.
pub(super) struct Opened {
    store: Store,
    catalog: Catalog,
    lens: Lens,
}

impl Opened {
    /// The graph through the lens that was asked for.
    pub(super) fn graph(&self) -> Result<Graph<'_>, Failure> {
        Ok(Graph::new(&self.store, self.lens.clone(), &self.catalog)?)
    }

    /// The store.
    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    /// Looks at the graph as this generation knows it.
    pub(super) fn know_at(&mut self, generation: u64) {
        self.lens.known_at = generation;
    }

    /// The lens.
    pub(super) fn lens(&self) -> &Lens {
        &self.lens
    }
}

impl Shell<'_> {
    /// The workspace: the folder asked for, else this one or the nearest above it that has `ontology/` and `jobs/`.
    pub(super) fn workspace(&self) -> Result<Workspace, Failure> {
        if let Some(folder) = &self.global.workspace {
            let folder = self.world.folder.join(folder);
            return if folder.is_dir() {
                Ok(Workspace::new(folder))
            } else {
                Err(Failure::usage(
                    format!("there is no folder `{}`", folder.display()),
                    "`edgewright init DIR` makes a workspace",
                ))
            };
        }
        let is_workspace = |folder: &&Path| folder.join("ontology").is_dir() && folder.join("jobs").is_dir();
        match self.world.folder.ancestors().find(is_workspace) {
            Some(folder) => Ok(Workspace::new(folder)),
            None => Err(Failure::usage(
                "this is not a workspace: neither this folder nor one above it has `ontology/` and `jobs/`",
                "name one with `-C DIR`, or make one with `edgewright init DIR`",
            )),
        }
    }

    /// The configuration as it is written, with everything that is wrong with it.
    pub(super) fn loaded(&self) -> Result<Loaded, Failure> {
        Ok(config::load(self.workspace()?.root()))
    }

    /// Now.
    pub(super) fn now(&self) -> Timestamp {
        self.global.now.unwrap_or(self.world.now)
    }

    /// Now as RFC 3339, to the second: finer than a second nobody asks what was known.
    pub(super) fn now_text(&self) -> String {
        let now = self.now();
        Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
    }

    /// The zone of the workspace.
    pub(super) fn zone(loaded: &Loaded) -> TimeZone {
        let named = loaded.jobs.first().map(|job| job.timezone.as_str());
        named.and_then(config::zone_of).unwrap_or(TimeZone::UTC)
    }

    /// Today in the workspace's zone.
    pub(super) fn today(&self, loaded: &Loaded) -> Date {
        let zoned = || self.now().to_zoned_datetime(Self::zone(loaded)).date();
        self.global.today.unwrap_or_else(zoned)
    }

    /// The time of a run, and nothing asked for beyond it.
    pub(super) fn options(&self, loaded: &Loaded) -> Options {
        Options {
            now: self.now_text(),
            now_ns: self.now().as_nanosecond(),
            today: self.today(loaded),
            logical_date: None,
            plan: false,
            candidate: false,
            force: None,
            again: Vec::new(),
            connections: self.connections(loaded),
            jobs: Vec::new(),
            threads: 0,
            stop_at: None,
            program: self.world.program.clone(),
            workspace: self.workspace().map(|workspace| workspace.root().to_owned()).unwrap_or_default(),
            faulty_parser: false,
            clock: if self.global.now.is_some() { Clock::still() } else { CLOCK },
        }
    }

    /// This program, under which those of the user's run.
    pub(super) fn program(&self) -> &Path {
        &self.world.program
    }

    /// The secrets that the feeds of the jobs name.
    pub(super) fn connections(&self, loaded: &Loaded) -> Connections {
        Connections::of(&loaded.jobs, self.world.variable)
    }

    /// Opens the graph for reading, and says what of it is on its way out.
    pub(super) fn open(&mut self, read: &ReadArgs) -> Result<Opened, Failure> {
        let opened = self.open_silently(read)?;
        if let Some(purge) = self.purging(&opened)? {
            self.out.say(&format!("note: {purge}"))?;
        }
        Ok(opened)
    }

    /// What is to be said of a purge that has not come to its end.
    pub(super) fn purging(&self, opened: &Opened) -> Result<Option<String>, Failure> {
        let found = run::purging(&self.workspace()?, &opened.store);
        // Who asks something else is answered all the same.
        Ok(found.map_or_else(|error| Some(error.told()), |found| found.map(str::to_owned)))
    }

    fn open_silently(&mut self, read: &ReadArgs) -> Result<Opened, Failure> {
        let workspace = self.workspace()?;
        let loaded = config::load(workspace.root());
        let reader = read.access.reader();
        self.trust_labels(&loaded, &reader)?;
        let store = Store::open_read(&workspace.store())?;
        self.unlocked = store.stamp();
        let generations = store.generations()?;
        let known = match &read.known_at {
            Some(text) if !sabotage::is_off("known-at") => generation(&store, text, &Self::zone(&loaded))?,
            _ => generations.last().map_or(0, |generation| generation.id),
        };
        let catalog = Catalog::new(loaded.ontologies.values(), &loaded.jobs);
        let today = self.today(&loaded);
        let lens = Lens { as_of: read.as_of, known_at: known, reader, pending: false, today };
        Ok(Opened { store, catalog, lens })
    }

    /// The generation that a word means: a number, a time, a date, or `held`.
    pub(super) fn known_at(&self, opened: &Opened, word: &str) -> Result<u64, Failure> {
        generation(&opened.store, word, &Self::zone(&self.loaded()?))
    }

    /// Opens the graph as it is now, for those who hold these labels.
    pub(super) fn open_now(&mut self, access: &Access) -> Result<Opened, Failure> {
        self.open(&ReadArgs { as_of: None, known_at: None, access: access.clone() })
    }

    /// The same for one who says himself what of it is on its way out.
    pub(super) fn open_now_silently(&mut self, access: &Access) -> Result<Opened, Failure> {
        self.open_silently(&ReadArgs { as_of: None, known_at: None, access: access.clone() })
    }

    /// A configuration that does not load does not say which labels guard what: it is read past only for
    /// those who see everything, and they are told.
    fn trust_labels(&mut self, loaded: &Loaded, reader: &Reader) -> Result<(), Failure> {
        let broken = loaded.diagnostics.iter().any(|one| one.severity == Severity::Error);
        if !broken {
            return Ok(());
        }
        if *reader != Reader::Everything {
            return Err(run::Error::Config(loaded.diagnostics.clone()).into());
        }
        self.out.say("note: the configuration has errors (`edgewright check` lists them)")?;
        Ok(())
    }

    /// Queues what a person asked for, under the lock.
    pub(super) fn queue(&self, by: Option<&str>, bodies: Vec<RequestBody>) -> Result<Vec<i64>, Failure> {
        let workspace = self.workspace()?;
        // Asked for in vain: an empty store must not come to be by a request.
        drop(Store::open_read(&workspace.store())?);
        let _lock = Lock::take(&workspace.lock())?;
        let store = Store::open(&workspace.store())?;
        let by = by.unwrap_or(&self.world.user).to_owned();
        let at = self.now_text();
        let mut numbers = Vec::new();
        for body in bodies {
            numbers.push(store.queue(&Request { number: 0, by: by.clone(), at: at.clone(), body })?);
        }
        Ok(numbers)
    }

    /// The words that a question is about: `@FILE` stands for the lines of a file, `-` for those of the
    /// standard input.
    pub(super) fn words(&self, words: &[String]) -> Result<Vec<String>, Failure> {
        let mut all = Vec::new();
        for word in words {
            let text = match word.strip_prefix('@') {
                Some(file) => self.read_file(Path::new(file))?,
                None if word == "-" => {
                    let input = Path::new("the standard input");
                    std::io::read_to_string(std::io::stdin()).map_err(Failure::file("read", input))?
                }
                None => {
                    all.push(word.clone());
                    continue;
                }
            };
            all.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
        }
        Ok(all)
    }

    /// Tells whether so many seconds have passed since it was made.
    pub(super) fn late_after(seconds: Option<f64>) -> impl Fn() -> bool {
        let began = Instant::now();
        move || seconds.is_some_and(|seconds| began.elapsed().as_secs_f64() >= seconds)
    }

    /// Reads a text that a person names.
    pub(super) fn read_file(&self, path: &Path) -> Result<String, Failure> {
        String::from_utf8(self.read_bytes(path)?).map_err(|_| {
            let path = self.world.folder.join(path);
            Failure::usage(format!("`{}` is not UTF-8", path.display()), "save it as UTF-8 and try again")
        })
    }

    /// Reads a file that a person names.
    pub(super) fn read_bytes(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let named = path.display();
        let path = self.world.folder.join(path);
        std::fs::read(&path).map_err(|error| {
            let folder = self.world.folder.display();
            let hint = match error.kind() {
                ErrorKind::NotFound => format!("it is looked for from `{folder}`; check its name"),
                ErrorKind::IsADirectory => "name a file in it".to_owned(),
                ErrorKind::PermissionDenied => "see who may read it".to_owned(),
                _ => return Failure::file("read", &path)(error),
            };
            Failure::usage(format!("cannot read `{named}`: {error}"), hint)
        })
    }
}

/// The generation that a word means. The held run's is the one above the last published.
fn generation(store: &Store, word: &str, zone: &TimeZone) -> Result<u64, Failure> {
    if word != "held" {
        return Ok(known_at(word, &store.generations()?, zone)?);
    }
    match store.held()? {
        Some(held) => Ok(held.generation),
        None => Err(Failure::usage("no run is held", "`edgewright status` says how the last run ended")),
    }
}
