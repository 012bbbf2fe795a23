//! What others hear of a run: metrics, alerts and lineage.
//!
//! In come the reports that a run left, out go a file of metrics, one alert a cause, and events of lineage. What is
//! said is decided by pure functions on values; `told` keeps what was told, `spool` what still has to be, `landmarks`
//! the runs that metrics are about; `desk` brings them together and `post` writes to the network. Nothing here can
//! fail a run: what goes wrong is a note for whoever watches it.

mod alerts;
mod causes;
mod desk;
mod landmarks;
mod lineage;
mod metrics;
mod post;
mod spool;
mod told;
mod webhook;

pub use causes::accepts;
pub use desk::Desk;
pub use post::Secrets;
pub use told::Delivered;
