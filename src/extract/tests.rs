//! The sentences of `docs/rules.md`, and what the tables there cannot say: fingerprints, evidence,
//! near misses, hostile texts.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::examples::describe;
use super::*;
use crate::model::assertion::Says;
use crate::model::chunk::{ChunkBody, ChunkKind, Context, Part};
use crate::model::document::Table;
use crate::model::id::Fingerprint;
use crate::model::token::tokens;
use crate::ontology::{
    DateFiller, EdgeType, Filler, Pattern, Property, Rule, Scope, Side, TableRule, Template, ValueKind, Zone,
};

mod kit;
mod page;
mod work;
