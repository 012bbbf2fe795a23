//! The vocabulary: one file per hand-off, in the order in which data passes.
//!
//! What comes in and out of every stage is a type of this module. Nothing here does I/O, reads a
//! clock or draws a random number, and nothing here knows a stage.
//!
//! The types that the store keeps derive `Serialize`. Their JSON form is the record format that
//! `docs/format.md` describes and versions; a change to a field is a change to the format.

pub mod access;
pub mod act;
pub mod assertion;
pub mod attestation;
pub mod cause;
pub mod chunk;
pub mod decision;
pub mod document;
pub mod edit;
pub mod entity;
pub mod fact;
pub mod file;
pub mod gates;
pub mod golden;
pub mod group;
pub mod id;
pub mod job;
pub mod mention;
pub mod outputs;
pub mod quote;
pub mod review;
pub mod sabotage;
pub mod sheet;
pub mod spot;
pub mod stats;
pub mod time;
pub mod token;
