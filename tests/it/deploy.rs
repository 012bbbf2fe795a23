//! The samples for schedulers, each checked by the tool that reads it where that is installed, and by hand everywhere.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use edgewright::cli::Exit;

fn deploy(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(deploy(name)).unwrap()
}

/// What a tool says of a file; None where it is not installed.
fn asked(tool: &str, arguments: &[&str]) -> Option<(bool, String)> {
    let Ok(done) = Command::new(tool).args(arguments).output() else {
        println!("{tool} is not installed: its checks are left out");
        return None;
    };
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    Some((done.status.success(), said))
}

#[test]
fn systemd_takes_the_service_and_its_timer() {
    let service = read("systemd/edgewright.service");
    for line in [
        "ExecStart=/usr/bin/edgewright -C /var/lib/edgewright run",
        "RestartPreventExitStatus=2 3",
        "SuccessExitStatus=4 5",
        "ProtectSystem=strict",
        "NoNewPrivileges=yes",
    ] {
        assert!(service.lines().any(|one| one == line), "{line}");
    }
    assert!(read("systemd/edgewright.timer").contains("Persistent=true"));
    // The program stands in /usr/bin on a machine on which it is installed.
    let folder = tempfile::TempDir::new().unwrap();
    let (unit, timer) = (folder.path().join("edgewright.service"), folder.path().join("edgewright.timer"));
    fs::write(&unit, service.replace("/usr/bin/edgewright", "/bin/true")).unwrap();
    fs::copy(deploy("systemd/edgewright.timer"), &timer).unwrap();
    let (unit, timer) = (unit.display().to_string(), timer.display().to_string());
    if let Some((good, said)) = asked("systemd-analyze", &["verify", &unit, &timer]) {
        assert!(good && said.trim().is_empty(), "{said}");
    }
}

#[test]
fn kubernetes_is_told_which_codes_not_to_try_again() {
    let text = read("kubernetes/cronjob.yaml");
    let job: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    assert_eq!((&job["apiVersion"], &job["kind"]), (&"batch/v1".into(), &"CronJob".into()));
    let spec = &job["spec"];
    assert_eq!(spec["concurrencyPolicy"], "Forbid");
    let rules = spec["jobTemplate"]["spec"]["podFailurePolicy"]["rules"].as_array().unwrap();
    let values = |action: &str| {
        let rule =
            rules.iter().find(|rule| rule["action"] == action && rule["onExitCodes"].is_object()).unwrap();
        rule["onExitCodes"]["values"].clone()
    };
    assert_eq!(values("FailJob"), serde_json::json!([Exit::Invalid as u8, Exit::Held as u8]));
    assert_eq!(values("Ignore"), serde_json::json!([Exit::Busy as u8]));
    let pod = &spec["jobTemplate"]["spec"]["template"]["spec"];
    assert_eq!(
        (&pod["restartPolicy"], &pod["securityContext"]["runAsNonRoot"]),
        (&"Never".into(), &true.into())
    );
    if let Some((good, said)) =
        asked("kubernetes-validate", &["--strict", &deploy("kubernetes/cronjob.yaml").display().to_string()])
    {
        assert!(good, "{said}");
    }
}

#[test]
fn the_command_of_the_pod_ends_well_with_code_four_and_with_no_other() {
    let text = read("kubernetes/cronjob.yaml");
    let job: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let container = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["command"], serde_json::json!(["/bin/sh", "-c"]));
    let script = container["args"][0].as_str().unwrap();
    for (code, expected) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 0), (5, 5)] {
        let script = script.replace("edgewright -C /work run", &format!("(exit {code})"));
        let done = Command::new("/bin/sh").args(["-c", &script]).status().unwrap();
        assert_eq!(done.code(), Some(expected), "{code}");
    }
}

/// The DAG is imported with a stand-in of the names that it takes from Airflow.
#[test]
fn airflow_tries_again_what_may_help_and_nothing_else() {
    let folder = tempfile::TempDir::new().unwrap();
    fs::create_dir(folder.path().join("airflow")).unwrap();
    fs::write(folder.path().join("airflow/__init__.py"), "").unwrap();
    fs::write(
        folder.path().join("airflow/exceptions.py"),
        "class AirflowException(Exception): pass\nclass AirflowFailException(AirflowException): pass\n",
    )
    .unwrap();
    fs::write(
        folder.path().join("airflow/decorators.py"),
        "def dag(**said):\n    return lambda act: act\ndef task(**said):\n    assert said['retries'] > 0\n    return lambda act: lambda: None\n",
    )
    .unwrap();
    let program = folder.path().join("edgewright");
    fs::write(&program, "#!/bin/sh\necho '{\"version\":1}'\nexit $CODE\n").unwrap();
    let script = format!(
        "import importlib.util, os, stat, sys\n\
         os.chmod(r'{program}', 0o755)\n\
         spec = importlib.util.spec_from_file_location('dag', r'{dag}')\n\
         dag = importlib.util.module_from_spec(spec); spec.loader.exec_module(dag)\n\
         for code in range(6):\n    \
             os.environ['CODE'] = str(code)\n    \
             try:\n        print(code, dag.run_edgewright('.', r'{program}'))\n    \
             except Exception as error:\n        print(code, type(error).__name__)\n",
        program = program.display(),
        dag = deploy("airflow/edgewright_nightly.py").display(),
    );
    let python =
        Command::new("python3").args(["-B", "-c", &script]).env("PYTHONPATH", folder.path()).output();
    let Ok(done) = python else {
        println!("python3 is not installed: the DAG is not tried");
        return;
    };
    assert_eq!(
        String::from_utf8_lossy(&done.stdout),
        "0 {\"version\":1}\n1 AirflowException\n2 AirflowFailException\n3 AirflowFailException\n4 {\"version\":1}\n5 AirflowException\n",
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
}

#[test]
fn cron_is_given_a_line_that_it_reads() {
    let text = read("cron/edgewright");
    let lines: Vec<&str> =
        text.lines().filter(|line| !line.starts_with('#') && !line.contains('=')).collect();
    let [line] = lines.as_slice() else { panic!("one job: {lines:?}") };
    let fields: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(&fields[..7], ["30", "2", "*", "*", "*", "edgewright", "/usr/bin/edgewright"]);
    assert!(!line.contains('%'), "cron takes it for the end of the line");
    // A log whose folder is missing keeps the run from starting: whoever copies the file reads how to make it.
    let log = line.split(">>").nth(1).and_then(|log| log.trim().rsplit_once('/')).unwrap();
    let makes = format!("install -d -o {} -g {} {}", fields[5], fields[5], log.0);
    let page =
        fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/scheduling.md")).unwrap();
    assert!(text.contains(&makes) && page.contains(&makes), "{makes}");
    // What cron does with the zone depends on which one it is, and both say so.
    assert!(text.contains("CRON_TZ=UTC\n") && page.contains("the zone of the machine"), "{page}");
}

#[test]
fn the_page_of_schedulers_says_the_codes_that_the_program_has() {
    let page =
        fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/scheduling.md")).unwrap();
    for exit in [Exit::Done, Exit::Unexpected, Exit::Invalid, Exit::Held, Exit::Partial, Exit::Busy] {
        assert!(page.contains(&format!("\n| {} | ", exit as u8)), "{exit:?}");
    }
    for (at, _) in page.match_indices("`deploy/") {
        let path = page[at + 1..].split('`').next().unwrap();
        assert!(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path).exists(), "{path}");
    }
}

#[test]
fn the_runbook_has_an_entry_for_each_finding_and_its_links_lead_somewhere() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/runbook.md")).unwrap();
    for link in page.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(root.join("docs").join(link).is_file(), "{link}");
    }
    for entry in fs::read_dir(root.join("docs/codes")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if name.starts_with("drift-") || name.starts_with("run-") {
            assert!(page.contains(&format!("](codes/{name})")), "docs/runbook.md has no entry for {name}");
        }
    }
}
