//! `init`: a small working workspace in an empty folder, or a draft of one for a folder of documents.
#![expect(clippy::disallowed_methods, reason = "writes the files of a new workspace")]

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::config;
use crate::run::Workspace;
use crate::run::draft::{self, Asked, Draft, report::DraftReport};

/// Write a small working workspace, or draft one from your own files
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright init supply                                     a small workspace that works, to look at
  edgewright -C supply check
  edgewright init mine --scan mine/contracts --feed mine/parties.csv
  edgewright init mine --scan ~/contracts --feed ~/erp/LFA1.csv --feed ~/erp/MARA.xlsx

With --scan, the documents and feeds are looked at, and an ontology and a job are proposed from what
recurs in them, with comments that say where each part was seen. Files outside of DIR are linked into
it. Nothing is ever overwritten.")]
pub(super) struct Args {
    /// The folder; it is made if it is not there. Without --scan it must be empty.
    dir: PathBuf,
    /// Draft ontology and job for the documents in this folder.
    #[arg(long, value_name = "FOLDER")]
    scan: Option<PathBuf>,
    /// A table of master data: who and what the documents may name. May be given several times.
    #[arg(long = "feed", value_name = "FILE", requires = "scan")]
    feeds: Vec<PathBuf>,
    /// What ontology and job are called; default: as DIR is.
    #[arg(long, value_name = "NAME", requires = "scan")]
    name: Option<String>,
    /// How many documents are looked at, evenly spread over all.
    #[arg(long, value_name = "N", default_value_t = 100, requires = "scan")]
    most: u32,
}

/// What `init` wrote.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Written {
    /// The version of this form.
    pub(super) version: u32,
    /// The folder.
    pub(super) folder: String,
    /// The files, relative to it; links end with ` -> ` and where they lead.
    pub(super) files: Vec<String>,
    /// What was found and proposed; with `--scan`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) draft: Option<DraftReport>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let folder = shell.world.folder.join(&args.dir);
    let written = match &args.scan {
        Some(scan) => drafted(shell, args, &folder, scan)?,
        None => starter(args, &folder)?,
    };
    shell.out.value(&written, render::init)?;
    Ok(Exit::Done)
}

fn starter(args: &Args, folder: &Path) -> Result<Written, Failure> {
    if let Some(found) = first_entry(folder)? {
        return Err(Failure::usage(
            format!("`{}` is not empty: it holds `{found}`", folder.display()),
            "name a new or empty folder, or draft a workspace for the files in it with `--scan FOLDER`; nothing was written",
        ));
    }
    let mut made = Made::default();
    let mut files = Vec::new();
    for (path, text) in config::starter() {
        let written = made.file(&folder.join(&path), &text);
        written.inspect_err(|_| made.take_back())?;
        files.push(path);
    }
    Ok(Written { version: 1, folder: args.dir.display().to_string(), files, draft: None })
}

fn drafted(shell: &Shell<'_>, args: &Args, folder: &Path, scan: &Path) -> Result<Written, Failure> {
    for kind in ["ontology", "jobs"] {
        if let Some(found) = first_entry(&folder.join(kind))? {
            return Err(Failure::usage(
                format!("`{}` is a workspace already: `{kind}` holds `{found}`", folder.display()),
                "name another folder; nothing was written",
            ));
        }
    }
    let mut made = Made::default();
    let written = written(shell, args, folder, scan, &mut made);
    written.inspect_err(|_| made.take_back())
}

/// Links what lies elsewhere, drafts from it and writes the draft. After an error what was made is still there.
fn written(
    shell: &Shell<'_>,
    args: &Args,
    folder: &Path,
    scan: &Path,
    made: &mut Made,
) -> Result<Written, Failure> {
    let world = &shell.world.folder;
    let scan = real(world, scan, true)?;
    let feeds: Result<Vec<PathBuf>, Failure> =
        args.feeds.iter().map(|feed| real(world, feed, false)).collect();
    let feeds = feeds?;
    made.folder(folder)?;
    let root = fs::canonicalize(folder).map_err(Failure::file("find", folder))?;
    let mut links = Links { root, made, links: Vec::new() };
    let draft = with_links(shell, args, &scan, &feeds, &mut links)?;
    let Links { root, made, links } = links;
    let mut files: Vec<String> =
        links.iter().map(|(link, target)| format!("{link} -> {}", target.display())).collect();
    for (path, text) in &draft.files {
        made.file(&root.join(path), text)?;
        files.push(path.clone());
    }
    let dir = args.dir.display().to_string();
    let of = if dir == "." { String::new() } else { format!("-C {} ", for_shell(&dir)) };
    let at = |command: &str| format!("edgewright {of}{command}");
    let mut report = draft.report;
    report.next = ["test", "run", "gaps", "eval --golden FILE"].map(at).to_vec();
    Ok(Written { version: 1, folder: dir, files, draft: Some(report) })
}

/// A word as a shell takes it for one.
pub(super) fn for_shell(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_-./+,@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Where a folder or file that the command line names really lies.
fn real(world: &Path, named: &Path, folder: bool) -> Result<PathBuf, Failure> {
    let (option, what) = if folder { ("--scan", "folder") } else { ("--feed", "file") };
    let is_it = |path: &PathBuf| if folder { path.is_dir() } else { path.is_file() };
    fs::canonicalize(world.join(named)).ok().filter(is_it).ok_or_else(|| {
        Failure::usage(
            format!("`{option}` names `{}`, and there is no such {what}", named.display()),
            format!("name a {what} that is there; a relative path begins where the command runs, not in DIR"),
        )
    })
}

fn with_links(
    shell: &Shell<'_>,
    args: &Args,
    scan: &Path,
    feeds: &[PathBuf],
    links: &mut Links<'_>,
) -> Result<Draft, Failure> {
    let documents = links.inside(scan, "")?;
    if documents.is_empty() {
        return Err(Failure::usage(
            "the documents are the workspace itself",
            "put them into a folder of their own below it, such as `documents`; nothing was written",
        ));
    }
    let feeds: Result<Vec<String>, Failure> = feeds.iter().map(|feed| links.inside(feed, "feeds/")).collect();
    let called = args.name.clone().or_else(|| {
        let name = links.root.file_name().map(|name| name.to_string_lossy().into_owned());
        name.as_deref().and_then(draft::name_of)
    });
    let asked = Asked {
        name: called.unwrap_or_else(|| "draft".to_owned()),
        folder: documents,
        feeds: feeds?,
        most: args.most as usize,
        program: shell.world.program.clone(),
    };
    Ok(draft::draft(&Workspace::new(&links.root), &asked)?)
}

/// The names that a workspace uses itself: a link of such a name would lead its files into the user's own folder.
const OWN: [&str; 6] = ["ontology", "jobs", "feeds", "changelog", ".edgewright", ".git"];

/// What a linked folder is called whose own name is one of those.
const OTHERWISE: &str = "documents";

/// Files of the workspace that lie elsewhere.
struct Links<'m> {
    root: PathBuf,
    made: &'m mut Made,
    /// The path in the workspace, and where it leads.
    links: Vec<(String, PathBuf)>,
}

impl Links<'_> {
    /// The path of a file or folder in the workspace; one that lies elsewhere is linked there, below a folder.
    fn inside(&mut self, real: &Path, below: &str) -> Result<String, Failure> {
        if let Ok(rest) = real.strip_prefix(&self.root) {
            let parts = rest.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            return Ok(parts.collect::<Vec<_>>().join("/"));
        }
        let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Some file systems know no case.
        let is_own = below.is_empty() && OWN.iter().any(|own| own.eq_ignore_ascii_case(&name));
        let link = format!("{below}{}", if is_own || name.is_empty() { OTHERWISE } else { &name });
        let at = self.root.join(&link);
        if fs::symlink_metadata(&at).is_ok() {
            return Err(Failure::usage(
                format!(
                    "`{}` is there already, and `{}` would be linked there",
                    at.display(),
                    real.display()
                ),
                "name the file in the workspace, or another folder; nothing was written",
            ));
        }
        self.made.link(real, &at)?;
        self.links.push((link.clone(), real.to_owned()));
        Ok(link)
    }
}

/// What was made, in this order, to be taken back if not all of it can be.
#[derive(Default)]
struct Made {
    paths: Vec<PathBuf>,
}

impl Made {
    /// Makes a folder, and those above it.
    fn folder(&mut self, folder: &Path) -> Result<(), Failure> {
        let missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
        let missing: Vec<&Path> = folder.ancestors().take_while(missing).collect();
        for folder in missing.into_iter().rev() {
            fs::create_dir(folder).map_err(Failure::file("make the folder", folder))?;
            self.paths.push(folder.to_owned());
        }
        Ok(())
    }

    /// Makes a link to a file or folder.
    fn link(&mut self, target: &Path, link: &Path) -> Result<(), Failure> {
        if let Some(parent) = link.parent() {
            self.folder(parent)?;
        }
        symbolic(target, link)?;
        self.paths.push(link.to_owned());
        Ok(())
    }

    /// Writes a new file; one that is there is never overwritten.
    fn file(&mut self, file: &Path, text: &str) -> Result<(), Failure> {
        if let Some(parent) = file.parent() {
            self.folder(parent)?;
        }
        let mut options = fs::OpenOptions::new();
        let opened = options.write(true).create_new(true).open(file);
        let mut opened = opened.map_err(Failure::file("write", file))?;
        self.paths.push(file.to_owned());
        std::io::Write::write_all(&mut opened, text.as_bytes()).map_err(Failure::file("write", file))
    }

    /// Removes what was made, the last first. What is gone already is what is wanted, and a folder that somebody put
    /// something into meanwhile stays.
    fn take_back(&mut self) {
        while let Some(path) = self.paths.pop() {
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            drop(if is_folder { fs::remove_dir(&path) } else { fs::remove_file(&path) });
        }
    }
}

#[cfg(unix)]
fn symbolic(target: &Path, link: &Path) -> Result<(), Failure> {
    std::os::unix::fs::symlink(target, link).map_err(Failure::file("make the link", link))
}

#[cfg(not(unix))]
fn symbolic(target: &Path, _: &Path) -> Result<(), Failure> {
    Err(Failure::usage(
        format!("`{}` is outside of the workspace, which reads only what is in it", target.display()),
        "copy it there, and name the copy",
    ))
}

/// What stands in a folder beside the repository's own folder, which a fresh checkout has.
fn first_entry(folder: &Path) -> Result<Option<String>, Failure> {
    if !folder.exists() {
        return Ok(None);
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::file("look into", folder))? {
        let entry = entry.map_err(Failure::file("look into", folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name != ".git");
    names.sort();
    Ok(names.into_iter().next())
}
