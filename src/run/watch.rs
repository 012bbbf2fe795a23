//! How long the stages of a run take and what they cost, by a clock that is passed in.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::Step;
use super::report::{Cost, StageTime, Times};

/// How a run tells that time passes. Neither value decides anything: they are only told.
#[derive(Clone, Copy)]
pub struct Clock {
    /// The time since some moment, on a clock that only goes forward.
    pub elapsed: fn() -> Duration,
    /// The processor time that this process and its ended children took; `None` where the system does not say.
    pub cpu: fn() -> Option<Duration>,
}

impl Clock {
    /// A clock that stands still, for those who need the same bytes twice.
    pub fn still() -> Self {
        Self { elapsed: Duration::default, cpu: || Some(Duration::default()) }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

/// Looks at the clock at each step of a run.
pub(super) struct Watch {
    clock: Clock,
    began: Duration,
    cpu: Option<Duration>,
    seen: Mutex<Seen>,
}

/// The stages so far, and when the last of them was looked at.
struct Seen {
    last: Duration,
    stages: Vec<(&'static str, Duration)>,
}

impl Watch {
    /// Starts.
    pub(super) fn start(clock: Clock) -> Self {
        let began = (clock.elapsed)();
        let seen = Mutex::new(Seen { last: began, stages: Vec::new() });
        Self { clock, began, cpu: (clock.cpu)(), seen }
    }

    /// Notes that a step is reached: what has passed since the last look belongs to its stage.
    pub(super) fn reached(&self, step: Step) {
        let now = (self.clock.elapsed)();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let took = now.saturating_sub(seen.last);
        seen.last = now;
        match seen.stages.iter_mut().find(|(stage, _)| *stage == step.stage()) {
            Some((_, sum)) => *sum += took,
            None => seen.stages.push((step.stage(), took)),
        }
    }

    /// How long it has taken so far, of a run that began at an RFC 3339 time.
    pub(super) fn times(&self, started_at: &str) -> Times {
        let all = (self.clock.elapsed)().saturating_sub(self.began);
        let ended = started_at.parse::<jiff::Timestamp>().ok();
        let ended = ended.and_then(|began| began.checked_add(Duration::from_secs(all.as_secs())).ok());
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let stages = seen.stages.iter();
        Times {
            finished_at: ended.map_or_else(|| started_at.to_owned(), |ended| ended.to_string()),
            seconds: seconds(all),
            stages: stages
                .map(|(stage, took)| StageTime { stage: (*stage).to_owned(), seconds: seconds(*took) })
                .collect(),
        }
    }

    /// What it has cost so far.
    pub(super) fn cost(&self, external_calls: u64) -> Cost {
        let took = (self.clock.cpu)().zip(self.cpu).map(|(now, began)| seconds(now.saturating_sub(began)));
        Cost { cpu_seconds: took, external_calls }
    }
}

/// Seconds to the millisecond: finer is noise.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Each look at this clock is 1.5 seconds after the one before, and each look at the other one 0.25.
    fn ticking() -> Clock {
        static WALL: AtomicU64 = AtomicU64::new(0);
        static CPU: AtomicU64 = AtomicU64::new(0);
        Clock {
            elapsed: || Duration::from_millis(WALL.fetch_add(1500, Ordering::Relaxed)),
            cpu: || Some(Duration::from_millis(CPU.fetch_add(250, Ordering::Relaxed))),
        }
    }

    #[test]
    fn what_passes_belongs_to_the_stage_that_ends() {
        let watch = Watch::start(ticking());
        for step in [Step::Opened, Step::Swept, Step::BatchWritten, Step::BatchWritten, Step::Folded] {
            watch.reached(step);
        }
        let times = watch.times("2026-06-01T23:59:55Z");
        let stages: Vec<String> =
            times.stages.iter().map(|one| format!("{} {}", one.stage, one.seconds)).collect();
        assert_eq!(stages, ["prepare 3", "documents 3", "fold 1.5"]);
        assert_eq!((times.seconds, times.finished_at.as_str()), (9.0, "2026-06-02T00:00:04Z"));
        assert_eq!(watch.cost(2), Cost { cpu_seconds: Some(0.25), external_calls: 2 });
    }
}
