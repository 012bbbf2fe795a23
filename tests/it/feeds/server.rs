//! A PostgreSQL server of the test's own: made in a temporary folder, asked on a socket in it, ended with the test.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use postgres::{Client, NoTls};
use tempfile::TempDir;

/// A server that runs.
pub(super) struct Server {
    folder: TempDir,
    programs: PathBuf,
}

impl Server {
    /// What no message may hold.
    pub(super) const USER: &'static str = "erpreader7";
    /// Neither this.
    pub(super) const PASSWORD: &'static str = "hunter2-of-erp";

    /// Starts a server; `None` if none is installed. Returns when it takes connections, which its own starter awaits.
    pub(super) fn start() -> Option<Self> {
        let programs = programs()?;
        let folder = TempDir::new().unwrap();
        // It refuses to run for root, so another user must come in.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
        std::fs::write(folder.path().join("word"), Self::PASSWORD).unwrap();
        let server = Self { folder, programs };
        let at = |name: &str| server.folder.path().join(name).display().to_string();
        let word = format!("--pwfile={}", at("word"));
        let made = [
            "-D",
            &at("data"),
            "-U",
            Self::USER,
            "-A",
            "scram-sha-256",
            &word,
            "--locale=C",
            "-E",
            "UTF8",
            "-N",
        ];
        server.must("initdb", &made);
        let options = format!("-k {} -c listen_addresses= -c fsync=off", server.folder.path().display());
        server.must(
            "pg_ctl",
            &["-D", &at("data"), "-w", "-t", "120", "-l", &at("log"), "-o", &options, "start"],
        );
        Some(server)
    }

    /// What leads to it.
    pub(super) fn secret(&self) -> String {
        let (user, word) = (Self::USER, Self::PASSWORD);
        format!("host={} user={user} password={word} dbname=postgres", self.folder.path().display())
    }

    /// Somebody who may do everything in it.
    pub(super) fn client(&self) -> Client {
        Client::connect(&self.secret(), NoTls).unwrap()
    }

    fn must(&self, program: &str, arguments: &[&str]) {
        let mut command = as_somebody(&self.programs.join(program));
        // What the server inherits would keep its pipes open.
        let done = command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        let log = self.folder.path().join(format!("{program}.said"));
        let said = std::fs::File::create(&log).unwrap();
        let done = done.stdout(said.try_clone().unwrap()).stderr(said).status().unwrap();
        assert!(done.success(), "{program}: {}", std::fs::read_to_string(log).unwrap());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let data = self.folder.path().join("data").display().to_string();
        let mut command = as_somebody(&self.programs.join("pg_ctl"));
        command.args(["-D", &data, "-m", "immediate", "-w", "stop"]).current_dir(self.folder.path());
        drop(command.stdout(Stdio::null()).stderr(Stdio::null()).status());
    }
}

/// Where the programs of a server are: in the path, or where a distribution puts them.
fn programs() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(installed.map(|entry| entry.path().join("bin")));
    folders
        .into_iter()
        .find(|folder| ["initdb", "pg_ctl", "postgres"].iter().all(|one| folder.join(one).is_file()))
}

/// A command for the user who runs the tests; for root, for one who is not.
fn as_somebody(program: &Path) -> Command {
    let root = Command::new("id").arg("-u").output().is_ok_and(|done| done.stdout == b"0\n");
    if !root {
        return Command::new(program);
    }
    let known = |user: &str| Command::new("id").arg(user).output().is_ok_and(|done| done.status.success());
    let user = if known("postgres") { "postgres" } else { "nobody" };
    let mut command = Command::new("setpriv");
    let group = Command::new("id").args(["-g", user]).output().unwrap();
    let group = String::from_utf8(group.stdout).unwrap();
    command.args(["--reuid", user, "--regid", group.trim(), "--clear-groups", "--"]).arg(program);
    command
}
