//! Which files of a folder are documents: globs, hidden names and readable formats.
//!
//! What comes in: a source's globs and a relative path. What goes out: yes or no. It must not touch the
//! disk, so that a path of the last checkpoint can be tested after its file has gone.
//!
//! Globs speak of the path below the source's folder, with `/` between names:
//!
//! | glob | selects |
//! |---|---|
//! | `*.md` | every Markdown file, at any depth: a glob without `/` speaks of the name alone |
//! | `acts/*.md` | the Markdown files of `acts`, not of folders below it |
//! | `acts/**` or `acts/` | everything below `acts` |
//! | `**/2024/*.md` | the Markdown files of any folder named `2024` |
//! | `*.{md,txt}`, `[0-9]?.md` | alternatives, classes, one character |
//!
//! `include` must match the file itself. `exclude` may also match a folder above it and stands above
//! `include`. A path with a hidden name in it (one that begins with `.`) is left out unless an `include`
//! glob spells the dot itself (`.github/*.md`). Case counts in globs and does not count in file formats.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use unicode_normalization::UnicodeNormalization;

use crate::model::job::Source;

/// The formats that can be read, by the extension of the file's name.
const FORMATS: [&str; 17] = [
    "md", "markdown", "txt", "text", "html", "htm", "xhtml", "docx", "docm", "dotx", "dotm", "xlsx", "xlsm",
    "xlsb", "xls", "ods", "pdf",
];

/// A source's globs, compiled.
#[derive(Debug, Clone)]
pub(super) struct Selection {
    include: Gitignore,
    /// Those of the `include` globs that spell a leading dot: they alone select hidden files.
    include_hidden: Gitignore,
    /// Those of the `include` globs that name an extension: they alone ask for an unreadable format.
    include_format: Gitignore,
    exclude: Gitignore,
    /// The globs of files that a program of the user's parses, whatever their format.
    parsed: Gitignore,
}

/// A glob that does not compile, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BadGlob {
    pub(super) glob: String,
    pub(super) why: String,
}

impl Selection {
    /// Compiles the globs of a source.
    pub(super) fn of(source: &Source) -> Result<Self, BadGlob> {
        let everything = ["**/*".to_owned()];
        let include: &[String] = if source.include.is_empty() { &everything } else { &source.include };
        Ok(Self {
            include: compile(include.iter())?,
            include_hidden: compile(include.iter().filter(|glob| spells_hidden(glob)))?,
            include_format: compile(include.iter().filter(|glob| names_format(glob)))?,
            exclude: compile(source.exclude.iter())?,
            parsed: compile(source.parser.iter().flat_map(|parser| &parser.globs))?,
        })
    }

    /// True if a file with this path is a document of the source.
    pub(super) fn selects(&self, path: &str) -> bool {
        (is_readable_format(path) || self.is_parsed(path)) && self.in_scope(path)
    }

    /// True if a program of the user's parses files with this path.
    pub(super) fn is_parsed(&self, path: &str) -> bool {
        self.parsed.matched(path, false).is_ignore()
    }

    /// True if the globs select a file with this path, whatever its format.
    pub(super) fn in_scope(&self, path: &str) -> bool {
        let include = if is_hidden(path) { &self.include_hidden } else { &self.include };
        include.matched(path, false).is_ignore() && !self.excludes(path, false)
    }

    /// True if nothing below this folder can be selected.
    pub(super) fn prunes(&self, folder: &str) -> bool {
        (is_hidden(folder) && self.include_hidden.is_empty()) || self.excludes(folder, true)
    }

    /// True if an `include` glob names the extension of this path, as `*.pdf` does and `**/*` does not.
    pub(super) fn asks_for_format(&self, path: &str) -> bool {
        self.include_format.matched(path, false).is_ignore()
    }

    fn excludes(&self, path: &str, is_folder: bool) -> bool {
        self.exclude.matched_path_or_any_parents(path, is_folder).is_ignore()
    }
}

/// True if the name's extension is one of the formats that can be read.
pub(super) fn is_readable_format(path: &str) -> bool {
    // Asked of every file each night: most names are ASCII, and need not be copied to be compared.
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is = |name: &str| FORMATS.iter().any(|format| name.eq_ignore_ascii_case(format));
    if extension.is_ascii() { is(extension) } else { is(&extension.to_lowercase()) }
}

/// The extension of the file's name in lower case; `None` for `README` and `.profile`.
pub(super) fn extension(path: &str) -> Option<String> {
    Path::new(path).extension().and_then(|extension| extension.to_str()).map(str::to_lowercase)
}

fn is_hidden(path: &str) -> bool {
    // Word processors keep `~$name` beside a file that is open.
    path.split('/').any(|name| name.starts_with('.') || name.starts_with("~$"))
}

fn spells_hidden(glob: &str) -> bool {
    glob.split('/').any(|name| name.starts_with('.'))
}

/// `*.pdf` and `*.{pdf,docx}` name a format; `**/*`, `acts/*.*` and `acts/**` do not.
fn names_format(glob: &str) -> bool {
    let name = glob.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(_, extension)| !extension.chars().all(|letter| letter == '*'))
}

/// The compiler is that of ignore files, whose globs have the meaning that the table above gives; what
/// is special in such a file and not in a glob (comments, spaces at the end) is escaped first.
fn compile<'g>(globs: impl Iterator<Item = &'g String>) -> Result<Gitignore, BadGlob> {
    let mut builder = GitignoreBuilder::new(".");
    builder.allow_unclosed_class(false);
    let bad = |glob: &str, why: String| BadGlob { glob: glob.to_owned(), why };
    for glob in globs {
        let mut line: String = glob.trim().trim_start_matches("./").nfc().collect();
        if line.is_empty() {
            return Err(bad(glob, "it is empty".to_owned()));
        }
        if line.starts_with('#') || line.starts_with('!') {
            line.insert(0, '\\');
        }
        if line.ends_with('/') {
            line.push_str("**");
        }
        builder.add_line(None, &line).map_err(|error| bad(glob, error.to_string()))?;
    }
    builder.build().map_err(|error| bad("", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::folder::tests::source;

    #[track_caller]
    fn check(include: &[&str], exclude: &[&str], path: &str, selected: bool) {
        let source = source(include, exclude);
        assert_eq!(Selection::of(&source).unwrap().selects(path), selected, "{include:?} {exclude:?} {path}");
    }

    #[test]
    fn globs_speak_of_the_path_below_the_folder() {
        check(&[], &[], "a/b/c.md", true);
        check(&["**/*"], &[], "c.HTML", true);
        check(&["*.md"], &[], "a/b/c.md", true);
        check(&["acts/*.md"], &[], "acts/c.md", true);
        check(&["acts/*.md"], &[], "acts/b/c.md", false);
        check(&["acts/*"], &[], "acts/b/c.md", false);
        check(&["acts/*.md"], &[], "x/acts/c.md", false);
        check(&["acts/**"], &[], "acts/b/c.md", true);
        check(&["acts/"], &[], "acts/b/c.md", true);
        check(&["./acts/*"], &[], "acts/c.md", true);
        check(&["*.{md,txt}"], &[], "c.txt", true);
        check(&["*.{md,txt}"], &[], "c.html", false);
        check(&["#1.md"], &[], "#1.md", true);
        check(&["!1.md"], &[], "!1.md", true);
        check(&["Mu\u{308}ller.md"], &[], "M\u{fc}ller.md", true);
        check(&[], &[], "c.pdf", true);
        check(&[], &[], "c.djvu", false);
        check(&["*.djvu"], &[], "c.djvu", false);
        check(&[], &[], "README", false);
    }

    #[test]
    fn exclude_stands_above_include_and_may_name_a_folder() {
        check(&["*.md"], &["drafts"], "a/drafts/b/c.md", false);
        check(&["*.md"], &["drafts/**"], "drafts/c.md", false);
        check(&["*.md"], &["*_old.md"], "a/c_old.md", false);
        check(&["*.md"], &["drafts"], "a/draft.md", true);
    }

    #[test]
    fn hidden_names_are_left_out_unless_a_glob_spells_the_dot() {
        check(&[], &[], ".git/c.md", false);
        check(&["*.md"], &[], ".c.md", false);
        check(&[".github/*.md"], &[], ".github/c.md", true);
        check(&[".*.md"], &[], ".c.md", true);
        check(&["**/.notes/**"], &[], "a/.notes/c.md", true);
    }

    #[test]
    fn a_bad_glob_is_named() {
        for glob in ["a[", "{a", " "] {
            assert_eq!(Selection::of(&source(&["*.md", glob], &[])).unwrap_err().glob, glob);
        }
    }

    #[test]
    fn only_a_named_extension_asks_for_a_format() {
        for (glob, named) in [("*.pdf", true), ("**/*.{pdf,docx}", true), ("**/*", false), ("*.*", false)] {
            assert_eq!(names_format(glob), named, "{glob}");
        }
    }
}
