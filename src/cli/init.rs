//! `init`: a small working workspace in an empty folder.
#![expect(clippy::disallowed_methods, reason = "writes the files of a new workspace")]

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::exit::Exit;
use super::failure::Failure;
use super::render;
use super::shell::Shell;
use crate::config;

/// Write a small working workspace into an empty folder
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  edgewright init supply
  edgewright -C supply check")]
pub(super) struct Args {
    /// The folder; it is made if it is not there, and must be empty.
    dir: PathBuf,
}

/// What `init` wrote.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(super) struct Written {
    /// The version of this form.
    pub(super) version: u32,
    /// The folder.
    pub(super) folder: String,
    /// The files, relative to it.
    pub(super) files: Vec<String>,
}

pub(super) fn run(shell: &mut Shell<'_>, args: &Args) -> Result<Exit, Failure> {
    let folder = shell.world.folder.join(&args.dir);
    if let Some(found) = first_entry(&folder)? {
        return Err(Failure::usage(
            format!("`{}` is not empty: it holds `{found}`", folder.display()),
            "name a new or empty folder; nothing was written",
        ));
    }
    let mut files = Vec::new();
    for (path, text) in config::starter() {
        let file = folder.join(&path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent).map_err(Failure::file("make the folder", parent))?;
        }
        std::fs::write(&file, text).map_err(Failure::file("write", &file))?;
        files.push(path);
    }
    let written = Written { version: 1, folder: args.dir.display().to_string(), files };
    shell.out.value(&written, render::init)?;
    Ok(Exit::Done)
}

/// What stands in a folder beside the repository's own folder, which a fresh checkout has.
fn first_entry(folder: &Path) -> Result<Option<String>, Failure> {
    if !folder.exists() {
        return Ok(None);
    }
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Failure::file("look into", folder))? {
        let entry = entry.map_err(Failure::file("look into", folder))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name != ".git");
    names.sort();
    Ok(names.into_iter().next())
}
