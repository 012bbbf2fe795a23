//! Where output goes: data to one stream, talk to the other. Nothing else in the program writes to either.

use std::io::{self, Write};

use serde::Serialize;

/// The two streams.
pub(super) struct Out<'w> {
    data: &'w mut dyn Write,
    talk: &'w mut dyn Write,
    /// True for `--output json`.
    pub(super) json: bool,
    /// True for `--quiet`.
    pub(super) quiet: bool,
}

impl<'w> Out<'w> {
    pub(super) fn new(data: &'w mut dyn Write, talk: &'w mut dyn Write) -> Self {
        Self { data, talk, json: false, quiet: false }
    }

    /// Writes a laid-out text to the data stream.
    pub(super) fn text(&mut self, text: &str) -> io::Result<()> {
        self.data.write_all(text.as_bytes())
    }

    /// Writes a value as one line of JSON to the data stream.
    pub(super) fn json_line(&mut self, value: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.data, value)?;
        self.data.write_all(b"\n")
    }

    /// Writes a value as JSON or as text, as was asked for.
    pub(super) fn value<V: Serialize>(&mut self, value: &V, text: impl Fn(&V) -> String) -> io::Result<()> {
        if self.json { self.json_line(value) } else { self.text(&text(value)) }
    }

    /// Says something to a person, unless they asked for quiet.
    pub(super) fn say(&mut self, text: &str) -> io::Result<()> {
        if self.quiet { Ok(()) } else { self.complain(text) }
    }

    /// Says something that must be heard.
    pub(super) fn complain(&mut self, text: &str) -> io::Result<()> {
        self.talk.write_all(text.as_bytes())?;
        if text.ends_with('\n') { Ok(()) } else { self.talk.write_all(b"\n") }
    }

    /// The data stream itself, for what is written row by row.
    pub(super) fn data(&mut self) -> &mut dyn Write {
        self.data
    }

    /// Hands everything over.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.data.flush()?;
        self.talk.flush()
    }
}
