//! The one place that knows the order of the stages.
//!
//! Start reading at [`once::run`]: it is the flow, top to bottom, a paragraph a stage. Everything that it
//! decides is a value; everything that it writes goes through one `store::Writer`.

mod amend;
mod at_once;
mod audit;
mod changed;
mod changes;
mod corrections;
mod documents;
pub mod draft;
pub mod edits;
pub mod error;
pub mod eval;
mod examples;
mod external;
mod failed;
mod feeds;
mod floors;
mod fold;
mod freshness;
mod hold;
mod index;
mod moves;
mod named;
mod names;
pub mod once;
mod output;
pub mod past;
mod patterns;
mod planning;
mod precision;
mod purge;
mod recall;
mod register;
mod replay;
pub mod report;
mod requests;
mod retention;
mod rollback;
mod scan;
mod session;
mod setup;
mod sources;
pub mod step;
mod totals;
mod trial;
mod verify;
mod watch;
mod week;
pub mod workspace;

pub use crate::drift::{DriftReport, Finding, Severity as FindingSeverity};
pub use at_once::{preview, retract};
pub use error::{Error, ErrorKind};
pub use examples::{ExampleReport, ExamplesReport, examples};
pub use hold::{ActReport, Actor, discard, freeze, frozen, release};
pub use purge::{PurgeReport, purge};
pub use replay::{Replayed, replay};
pub use report::RunReport;
pub use rollback::rollback;
pub use session::standing_of;
pub use step::Step;
pub use trial::{Found, MissGroup, TrialReport, trial};
pub use verify::{FaultReport, Verified, verify};
pub use watch::Clock;
pub use workspace::Workspace;
