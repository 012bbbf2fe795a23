//! edgewright keeps a knowledge graph that is extracted from documents true over time.
//!
//! Read `ARCHITECTURE.md` for the tour. The modules stand here in the order in which data passes:
//!
//! ```text
//! scan → parse → chunk → link → extract → resolve → gate → reconcile → drift → publish → index → report
//!        └─────────── pure, per document ───────────┘  └── pure, per run ──┘
//! ```
//!
//! One sentence to hold on to: an edge lives by its attestations; everything else is derived from them.

pub mod model;

pub mod diag;
pub mod ontology;

pub mod chunk;
pub mod drift;
pub mod extract;
pub mod gate;
pub mod link;
pub mod parse;
pub mod reconcile;
pub mod resolve;

pub mod index;
pub mod source;
pub mod store;
pub mod worker;

pub mod cli;
pub mod config;
pub mod notify;
pub mod run;
pub mod serve;
