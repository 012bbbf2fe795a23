//! The running text of an HTML document: white space, line ends, and when a block begins.

use super::Walker;
use super::table::Grid;

impl Walker {
    pub(super) fn text(&mut self, text: &str) {
        if self.skipping.is_some() {
            return;
        }
        if let Some(title) = &mut self.title {
            title.push_str(text);
            return;
        }
        if self.grid.as_ref().is_some_and(|grid| !grid.in_cell()) {
            if text.trim().is_empty() {
                return;
            }
            self.leave_broken_table();
        }
        if self.pre > 0 && !self.grid.as_ref().is_some_and(Grid::in_cell) {
            return self.preformatted(text);
        }
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.line += 1;
                self.space();
            }
            self.line_of_text(line);
        }
    }

    /// Text or a block between the cells: the end of the table was forgotten.
    pub(super) fn leave_broken_table(&mut self) {
        if self.grid.as_ref().is_some_and(|grid| grid.has_cells() && !grid.in_cell()) {
            self.end_grid();
        }
    }

    /// Runs of white space become one space.
    pub(super) fn line_of_text(&mut self, line: &str) {
        for (at, word) in line.split(is_html_space).enumerate() {
            if at > 0 {
                self.space();
            }
            if !word.is_empty() {
                self.open();
                self.builder.push(word, self.line);
            }
        }
    }

    pub(super) fn space(&mut self) {
        if !self.builder.at_space() {
            self.builder.push(" ", self.line);
        }
    }

    /// In `<pre>` white space counts; outside `<code>` a blank line ends a paragraph.
    pub(super) fn preformatted(&mut self, text: &str) {
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                if self.builder.is_open() && self.builder.ends_line() && !self.code {
                    self.flush();
                } else if self.builder.is_open() {
                    self.builder.push("\n", self.line);
                }
                self.line += 1;
            }
            if self.builder.is_open() || !line.trim().is_empty() {
                self.open();
                self.builder.push(line, self.line);
            }
        }
    }

    pub(super) fn open(&mut self) {
        if self.grid.as_ref().is_some_and(Grid::in_cell) || self.builder.is_open() {
            return;
        }
        self.write_metas();
        let item = !self.lists.is_empty() && self.heading.is_none();
        self.builder.begin(item);
    }

    pub(super) fn newline(&mut self) {
        if self.grid.as_ref().is_some_and(Grid::in_cell) {
            self.space_in_cell("br");
        } else if self.builder.is_open() {
            self.builder.push("\n", self.line);
        }
    }

    /// In a cell, a tag that would begin a paragraph separates words.
    pub(super) fn space_in_cell(&mut self, name: &str) {
        let inline =
            matches!(name, "b" | "i" | "em" | "strong" | "span" | "font" | "u" | "sub" | "sup" | "small");
        if !inline {
            self.space();
        }
    }
}

/// White space as HTML has it: a no-break space is none.
fn is_html_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}
