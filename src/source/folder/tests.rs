//! Folders as they are met in the wild, made in a temporary folder.

use std::fs;
use std::process::Command;

use super::*;
use crate::model::job::{Edits, Gone};

/// Long after any file of these tests was written: stamps are settled.
pub(super) const LATER: i128 = 4_000_000_000_000_000_000;

pub(super) fn source(include: &[&str], exclude: &[&str]) -> Source {
    let owned = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
    Source {
        name: "notes".to_owned(),
        path: "docs".to_owned(),
        include: owned(include),
        exclude: owned(exclude),
        access: Default::default(),
        documents: Vec::new(),
        register: None,
        only: BTreeMap::new(),
        withdrawn: BTreeMap::new(),
        effective: None,
        edits: Edits::Correct,
        gone: Gone::Retract,
        date_order: None,
        max_bytes: 1000,
        limits: Default::default(),
        parser: None,
        fresh_within: None,
        withdrawn_within: None,
    }
}

struct Folder {
    root: tempfile::TempDir,
    source: Source,
    seen: BTreeMap<String, Seen>,
}

impl Folder {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("docs")).unwrap();
        Self { root, source: source(&[], &[]), seen: BTreeMap::new() }
    }

    /// A folder with these files, scanned once.
    fn scanned(files: &[&str]) -> Self {
        let mut folder = Self::new();
        for file in files {
            folder.write(file, file);
        }
        folder.scan();
        folder
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join("docs").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.path(path)).unwrap();
    }

    fn look(&self) -> Scan {
        let walked = walk(self.root.path(), &self.source);
        compare(self.root.path(), &self.source, walked, &[Span::whole()], &self.seen, LATER)
    }

    /// Scans and moves the checkpoint on, as a run that publishes does.
    fn scan(&mut self) -> String {
        let scan = self.look();
        for found in &scan.found {
            self.seen.insert(found.path.clone(), found.seen);
        }
        for gone in &scan.gone {
            self.seen.remove(gone);
        }
        show(&scan)
    }
}

/// One line each: `+` found and changed, `=` found, `-` gone, `?` unproven, `o` out of scope, diagnostics.
fn show(scan: &Scan) -> String {
    let mut lines = Vec::new();
    for found in &scan.found {
        lines.push(format!("{} {}", if found.changed { '+' } else { '=' }, found.path));
    }
    lines.extend(scan.gone.iter().map(|path| format!("- {path}")));
    lines.extend(scan.unproven.iter().map(|scope| format!("? {} ({})", scope.path, scope.why)));
    lines.extend(scan.out_of_scope.iter().map(|path| format!("o {path}")));
    let at = |diagnostic: &Diagnostic| {
        format!("{} {} {}", diagnostic.severity, diagnostic.code, diagnostic.at.file)
    };
    lines.extend(scan.diagnostics.iter().map(at));
    lines.join("\n")
}

#[test]
fn new_changed_same_and_gone() {
    let mut folder = Folder::new();
    folder.write("b.md", "b");
    folder.write("a/c.TXT", "c");
    folder.write("a.html", "a");
    assert_eq!(folder.scan(), "+ a.html\n+ a/c.TXT\n+ b.md");
    assert_eq!(folder.scan(), "= a.html\n= a/c.TXT\n= b.md");
    folder.write("b.md", "B");
    folder.remove("a.html");
    assert_eq!(folder.scan(), "= a/c.TXT\n+ b.md\n- a.html");
    assert_eq!(folder.scan(), "= a/c.TXT\n= b.md");
}

/// An editor that keeps size and mtime; `touch -r` does the same from a shell.
#[test]
fn t04_same_size_and_mtime_with_another_text_is_found() {
    let mut folder = Folder::scanned(&["x.md"]);
    folder.write("x.md", "ACME");
    folder.scan();
    let before = fs::metadata(folder.path("x.md")).unwrap();
    folder.write("x.md", "ACMF");
    let file = File::options().write(true).open(folder.path("x.md")).unwrap();
    file.set_modified(before.modified().unwrap()).unwrap();
    drop(file);
    let after = fs::metadata(folder.path("x.md")).unwrap();
    assert_eq!((before.len(), before.modified().unwrap()), (after.len(), after.modified().unwrap()));
    assert_eq!(folder.scan(), "+ x.md");
}

/// Where even ctime cannot tell, because the scan looked in the same tick as the writer wrote.
#[test]
fn stamps_younger_than_two_seconds_are_not_trusted() {
    let mut folder = Folder::scanned(&["x.md"]);
    let mut lie = folder.seen["x.md"];
    lie.hash = Fingerprint::of_bytes(b"other");
    folder.seen.insert("x.md".to_owned(), lie);
    assert_eq!(show(&folder.look()), "= x.md", "settled stamps are trusted, nothing is read");
    lie.scanned_ns = lie.ctime_ns + STAMPS_SETTLE_NS;
    folder.seen.insert("x.md".to_owned(), lie);
    assert_eq!(show(&folder.look()), "= x.md");
    lie.scanned_ns -= 1;
    folder.seen.insert("x.md".to_owned(), lie);
    assert_eq!(show(&folder.look()), "+ x.md");
    lie.scanned_ns = -LATER;
    folder.seen.insert("x.md".to_owned(), lie);
    assert_eq!(show(&folder.look()), "+ x.md", "a clock that was set back");
}

#[test]
fn a_touched_file_with_equal_bytes_is_unchanged() {
    let mut folder = Folder::scanned(&["x.md"]);
    let before = folder.seen["x.md"];
    folder.write("x.md", "x.md");
    assert_eq!(folder.scan(), "= x.md");
    assert_eq!(folder.seen["x.md"].hash, before.hash);
}

/// An atomic save: written beside, renamed over.
#[test]
fn a_file_renamed_over_another_is_found() {
    let mut folder = Folder::scanned(&["x.md"]);
    folder.write("x.tmp", "XXXX");
    fs::rename(folder.path("x.tmp"), folder.path("x.md")).unwrap();
    assert_eq!(folder.scan(), "+ x.md");
}

#[test]
fn an_empty_or_missing_folder_proves_nothing() {
    let mut folder = Folder::scanned(&["a.md", "b.md"]);
    folder.remove("a.md");
    folder.remove("b.md");
    assert_eq!(folder.scan(), "?  (the folder is empty)\nerror scan-folder-empty docs");
    fs::remove_dir(folder.path("")).unwrap();
    assert_eq!(folder.scan(), "?  (the folder cannot be read)\nerror scan-folder-missing docs");
    fs::write(folder.path("").as_os_str().to_str().unwrap().trim_end_matches('/'), "a file").unwrap();
    assert_eq!(folder.scan(), "?  (the folder cannot be read)\nerror scan-folder-missing docs");
}

#[test]
fn an_empty_folder_is_fine_the_first_time() {
    assert_eq!(Folder::new().scan(), "");
}

#[test]
fn a_narrowed_glob_takes_nothing_away() {
    let mut folder = Folder::scanned(&["a/1.md", "a/2.md", "b/1.md", "b/2.md"]);
    folder.remove("b/2.md");
    folder.remove("a/2.md");
    folder.source.include = vec!["a/**".to_owned()];
    assert_eq!(folder.scan(), "= a/1.md\n- a/2.md\no b/1.md\no b/2.md");
    folder.source.include = vec!["c/**".to_owned()];
    assert_eq!(folder.scan(), "o a/1.md\no b/1.md\no b/2.md");
    folder.source.include = vec!["[".to_owned()];
    assert_eq!(folder.scan(), "?  (a glob is invalid)\nerror scan-glob-invalid docs");
}

#[test]
fn ignore_files_say_nothing_about_documents() {
    let mut folder = Folder::scanned(&["a.md", "sub/b.md"]);
    for name in [".gitignore", ".ignore", ".rgignore"] {
        folder.write(name, "*.md\n");
    }
    fs::create_dir(folder.path(".git")).unwrap();
    assert_eq!(folder.scan(), "= a.md\n= sub/b.md");
}

#[test]
fn formats_that_cannot_be_read_are_counted_once_each() {
    let mut folder = Folder::scanned(&["a.md"]);
    for name in ["1.djvu", "2.DJVU", "3.odt", "Makefile"] {
        folder.write(name, "x");
    }
    folder.source.include = vec!["**/*".to_owned(), "*.odt".to_owned()];
    let scan = folder.look();
    assert_eq!(
        show(&scan),
        "= a.md\n\
         note scan-format-unreadable docs/1.djvu\n\
         warning scan-format-unreadable docs/3.odt\n\
         note scan-format-unreadable docs/Makefile"
    );
    assert_eq!(scan.diagnostics[0].message, "files with `.djvu` cannot be read and were left out: 2");
}

#[test]
fn a_file_over_the_limit_keeps_its_last_state() {
    let mut folder = Folder::scanned(&["a.md", "b.md"]);
    folder.write("a.md", &"x".repeat(1001));
    folder.write("new.md", &"x".repeat(1001));
    folder.write("b.md", &"x".repeat(1000));
    assert_eq!(
        folder.scan(),
        "+ b.md\n? a.md (the file is too large)\n\
         warning scan-too-large docs/a.md\nwarning scan-too-large docs/new.md"
    );
}

#[test]
fn a_file_without_content_keeps_its_last_state() {
    let mut folder = Folder::scanned(&["a.md", "b.md"]);
    folder.write("a.md", "");
    folder.write("new.md", "");
    assert_eq!(
        folder.scan(),
        "= b.md\n? a.md (the file is empty)\n\
         warning scan-file-empty docs/a.md\nwarning scan-file-empty docs/new.md"
    );
}

#[test]
fn checkpoints_read_back() {
    let folder = Folder::scanned(&["a.md"]);
    let seen = folder.seen["a.md"];
    assert_eq!(Seen::unpack(&seen.pack()), Some(seen));
    assert_eq!(Seen::unpack(&seen.pack()[1..]), None);
}

#[test]
fn read_refuses_what_is_not_a_file_of_that_size() {
    let folder = Folder::scanned(&["a.md"]);
    assert_eq!(read(&folder.path("a.md"), 4).unwrap(), b"a.md");
    assert!(matches!(read(&folder.path("a.md"), 3), Err(ReadError::TooLarge { limit: 3, .. })));
    assert!(matches!(read(&folder.path(""), 3), Err(ReadError::NotAFile { .. })));
    assert!(matches!(read(&folder.path("b.md"), 3), Err(ReadError::Missing { .. })));
}

#[test]
fn a_file_that_vanishes_is_not_yet_gone() {
    let folder = Folder::scanned(&["a.md", "b.md"]);
    folder.write("a.md", "another text");
    let walked = walk(folder.root.path(), &folder.source);
    folder.remove("a.md");
    let scan = compare(folder.root.path(), &folder.source, walked, &[Span::whole()], &folder.seen, LATER);
    assert_eq!(
        show(&scan),
        "= b.md\n? a.md (the file vanished during the scan)\nwarning scan-vanished docs/a.md"
    );
}

#[test]
fn a_folder_with_the_name_of_a_document_is_a_folder() {
    let mut folder = Folder::scanned(&["a.md", "b.md"]);
    folder.remove("a.md");
    folder.write("a.md/c.md", "c");
    assert_eq!(folder.scan(), "+ a.md/c.md\n= b.md\n- a.md");
}

#[test]
fn unproven_scopes_cover_whole_names() {
    let scope = |path: &str| Unproven { path: path.to_owned(), why: String::new() };
    assert!(scope("a").covers("a") && scope("a").covers("a/b") && scope("").covers("a"));
    assert!(!scope("a").covers("ab") && !scope("a/b").covers("a"));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_and_loops_are_not() {
        let mut folder = Folder::scanned(&["a/x.md"]);
        symlink(folder.path("a"), folder.path("b")).unwrap();
        symlink(folder.path("a/x.md"), folder.path("y.md")).unwrap();
        symlink(folder.path("a"), folder.path("a/up")).unwrap();
        assert_eq!(
            folder.scan(),
            "= a/x.md\n+ b/x.md\n+ y.md\n\
             warning scan-symlink-loop docs/a/up\nwarning scan-symlink-loop docs/b/up"
        );
    }

    /// Each folder holds two links to the next: without a limit this is 2^30 folders.
    #[test]
    fn links_that_fan_out_are_cut_off() {
        let mut folder = Folder::new();
        for level in 0..30 {
            let at = folder.path(&format!("../elsewhere/{level}"));
            fs::create_dir_all(&at).unwrap();
            for name in ["l", "r"] {
                let next = folder.path(&format!("../elsewhere/{}", level + 1));
                symlink(next, at.join(name)).unwrap();
            }
        }
        fs::create_dir_all(folder.path("../elsewhere/30")).unwrap();
        symlink(folder.path("../elsewhere/0"), folder.path("in")).unwrap();
        assert!(folder.scan().contains("scan-symlink-loop"));
    }

    #[test]
    fn a_link_that_leads_nowhere_proves_nothing() {
        let mut folder = Folder::scanned(&["a.md", "b.md", "sub/c.md"]);
        folder.remove("a.md");
        fs::remove_dir_all(folder.path("sub")).unwrap();
        symlink("/no/such/file", folder.path("a.md")).unwrap();
        symlink("/no/such/folder", folder.path("sub")).unwrap();
        symlink("user@host", folder.path(".#b.md")).unwrap();
        assert_eq!(
            folder.scan(),
            "= b.md\n? a.md (the link leads nowhere)\n? sub (the link leads nowhere)\n\
             warning scan-unreadable docs/a.md\nwarning scan-unreadable docs/sub"
        );
    }

    /// `f -> f` cannot be resolved, whoever asks: an error other than "not found".
    #[test]
    fn a_folder_that_cannot_be_read_keeps_everything_below_it() {
        let mut folder = Folder::scanned(&["a.md", "sub/b.md", "sub/deep/c.md", "subway.md"]);
        fs::remove_dir_all(folder.path("sub")).unwrap();
        folder.remove("subway.md");
        symlink(folder.path("sub"), folder.path("sub")).unwrap();
        assert_eq!(
            folder.scan(),
            "= a.md\n- subway.md\n? sub (it cannot be read)\nerror scan-unreadable docs/sub"
        );
        folder.source.exclude = vec!["sub".to_owned()];
        assert_eq!(folder.scan(), "= a.md\no sub/b.md\no sub/deep/c.md");
    }

    /// Opening a pipe waits for a writer; the test would hang.
    #[test]
    fn pipes_and_devices_are_never_opened() {
        let mut folder = Folder::scanned(&["a.md", "b.md"]);
        folder.remove("a.md");
        for name in ["a.md", "new.md", "unasked.bin"] {
            assert!(Command::new("mkfifo").arg(folder.path(name)).status().unwrap().success());
        }
        symlink("/dev/zero", folder.path("zero.txt")).unwrap();
        assert_eq!(
            folder.scan(),
            "= b.md\n? a.md (it is not a regular file)\n\
             warning scan-not-a-file docs/a.md\nwarning scan-not-a-file docs/new.md\n\
             note scan-format-unreadable docs/unasked.bin\nwarning scan-not-a-file docs/zero.txt"
        );
        assert!(matches!(read(&folder.path("a.md"), 3), Err(ReadError::NotAFile { .. })));
    }

    #[test]
    fn names_that_are_not_utf8_are_reported_and_left_out() {
        use std::ffi::OsStr;
        let mut folder = Folder::scanned(&["a.md"]);
        let name = |bytes| folder.path("").join(OsStr::from_bytes(bytes));
        fs::write(name(b"\xff.md"), "x").unwrap();
        fs::write(name(b"\xff.bin"), "x").unwrap();
        fs::create_dir(name(b"d\xfe")).unwrap();
        fs::write(name(b"d\xfe/in.md"), "x").unwrap();
        assert_eq!(
            folder.scan(),
            "= a.md\nwarning scan-name-not-utf8 docs/d\u{fffd}\nwarning scan-name-not-utf8 docs/\u{fffd}.md"
        );
    }

    #[test]
    fn two_names_that_compose_alike_are_both_left_out() {
        let mut folder = Folder::scanned(&["M\u{fc}ller.md", "a.md"]);
        assert_eq!(folder.scan(), "= M\u{fc}ller.md\n= a.md");
        folder.write("Mu\u{308}ller.md", "another");
        assert_eq!(
            folder.scan(),
            "= a.md\n? M\u{fc}ller.md (several files have this name)\n\
             error scan-name-collision docs/M\u{fc}ller.md"
        );
        folder.remove("M\u{fc}ller.md");
        assert_eq!(folder.scan(), "+ M\u{fc}ller.md\n= a.md");
    }

    #[test]
    fn hostile_names_pass_through() {
        let names =
            ["a\nb.md", " .md", "\u{202e}x.md", "a\\b.md", "*?[.md", "-rf.md", "#1.md", "!x.md", "~.md"];
        let mut folder = Folder::scanned(&names);
        let mut expected: Vec<String> = names.iter().map(|name| format!("= {name}")).collect();
        expected.sort();
        assert_eq!(folder.scan(), expected.join("\n"));
        folder.remove("a\nb.md");
        assert!(folder.scan().ends_with("- a\nb.md"));
    }
}
