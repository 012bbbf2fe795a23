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
    let mut files = Vec::new();
    for (path, text) in config::starter() {
        write(&folder.join(&path), &text)?;
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
    fs::create_dir_all(folder).map_err(Failure::file("make the folder", folder))?;
    let mut links =
        Links { root: fs::canonicalize(folder).map_err(Failure::file("find", folder))?, made: Vec::new() };
    let made = with_links(shell, args, scan, &mut links);
    let draft = match made {
        Ok(draft) => draft,
        Err(failure) => {
            links.take_back();
            return Err(failure);
        }
    };
    let mut files: Vec<String> =
        links.made.iter().map(|(link, target)| format!("{link} -> {}", target.display())).collect();
    for (path, text) in &draft.files {
        write(&folder.join(path), text)?;
        files.push(path.clone());
    }
    let dir = args.dir.display().to_string();
    let of = if dir == "." { String::new() } else { format!("-C {dir} ") };
    let at = |command: &str| format!("edgewright {of}{command}");
    let mut report = draft.report;
    report.next = ["test", "run", "gaps", "eval --golden FILE"].map(at).to_vec();
    Ok(Written { version: 1, folder: dir, files, draft: Some(report) })
}

fn with_links(shell: &Shell<'_>, args: &Args, scan: &Path, links: &mut Links) -> Result<Draft, Failure> {
    let world = shell.world;
    let documents = links.inside(&world.folder.join(scan), "")?;
    if documents.is_empty() {
        return Err(Failure::usage(
            "the documents are the workspace itself",
            "put them into a folder of their own below it, such as `documents`; nothing was written",
        ));
    }
    let feeds: Result<Vec<String>, Failure> =
        args.feeds.iter().map(|feed| links.inside(&world.folder.join(feed), "feeds/")).collect();
    let called = args.name.clone().or_else(|| {
        let name = links.root.file_name().map(|name| name.to_string_lossy().into_owned());
        name.as_deref().and_then(draft::name_of)
    });
    let asked = Asked {
        name: called.unwrap_or_else(|| "draft".to_owned()),
        folder: documents,
        feeds: feeds?,
        most: args.most as usize,
        program: world.program.clone(),
    };
    Ok(draft::draft(&Workspace::new(&links.root), &asked)?)
}

/// Files of the workspace that lie elsewhere.
struct Links {
    root: PathBuf,
    /// The path in the workspace, and where it leads.
    made: Vec<(String, PathBuf)>,
}

impl Links {
    /// The path of a file or folder in the workspace; one that lies elsewhere is linked there, below a folder.
    fn inside(&mut self, path: &Path, below: &str) -> Result<String, Failure> {
        let real = fs::canonicalize(path).map_err(Failure::file("find", path))?;
        if let Ok(rest) = real.strip_prefix(&self.root) {
            let parts = rest.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
            return Ok(parts.collect::<Vec<_>>().join("/"));
        }
        let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let link = format!("{below}{name}");
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
        if let Some(parent) = at.parent() {
            fs::create_dir_all(parent).map_err(Failure::file("make the folder", parent))?;
        }
        symbolic(&real, &at)?;
        self.made.push((link.clone(), real));
        Ok(link)
    }

    /// Removes the links that were made. One that is gone already is what is wanted.
    fn take_back(&self) {
        for (link, _) in &self.made {
            drop(fs::remove_file(self.root.join(link)));
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

/// Writes a new file; one that is there is never overwritten.
fn write(file: &Path, text: &str) -> Result<(), Failure> {
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent).map_err(Failure::file("make the folder", parent))?;
    }
    let mut options = fs::OpenOptions::new();
    let mut opened = options.write(true).create_new(true).open(file).map_err(Failure::file("write", file))?;
    std::io::Write::write_all(&mut opened, text.as_bytes()).map_err(Failure::file("write", file))
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
