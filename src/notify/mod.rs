//! What others hear of a run: metrics, alerts and lineage.
//!
//! In come the reports that a run left, out go a file of metrics, one alert a cause, and events of lineage. What is
//! said is decided by pure functions on values; `desk` keeps what was told and what still has to be, `post` writes
//! to the network. Nothing here can fail a run: what goes wrong is a note for whoever watches it.

mod alerts;
mod causes;
mod desk;
mod lineage;
mod metrics;
mod post;
mod webhook;

pub use causes::accepts;
pub use desk::{Delivered, Desk, Secrets};
