//! What others hear of a run: alerts, metrics and lineage, from receivers that take them, and from those that do not.

mod receiver;

use serde_json::Value;

use crate::reports::{parts, vendors};
use crate::world::World;
use receiver::{Answer, Receiver};

fn alerts(receiver: &str) -> World {
    vendors(&format!("alerts:\n  runbook: https://runbook.example/\n  receivers:\n    chat: {receiver}"))
}

/// Names another receiver in the place of `chat`.
fn send_to(world: &World, receiver: &Receiver) {
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let line = job.lines().find(|line| line.contains("chat:")).unwrap().to_owned();
    let job = job.replace(&line, &format!("    chat: {{ url: \"{}\" }}", receiver.url()));
    world.write("jobs/nightly.yaml", job.as_bytes());
}

/// What a receiver was told: `open drift-emptied critical`, in the order of the alerts.
fn told(bodies: &[Value]) -> Vec<String> {
    let alerts = bodies.iter().flat_map(|body| body["alerts"].as_array().unwrap());
    let mut told: Vec<String> = alerts
        .map(|alert| {
            let text = |place: &str| alert.pointer(place).unwrap().as_str().unwrap();
            format!(
                "{} {} {}",
                text("/annotations/state"),
                text("/labels/alertname"),
                text("/labels/severity")
            )
        })
        .collect();
    told.sort();
    told
}

#[test]
fn each_cause_is_one_alert_that_opens_once_is_repeated_after_a_day_and_is_resolved() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
    world.run();
    assert_eq!(receiver.take().len(), 0, "nothing is wrong");

    world.today = "2026-06-02".to_owned();
    parts(&world, 0);
    world.run_code(3);
    let bodies = receiver.take();
    assert_eq!(bodies.len(), 1, "one message a run");
    let opened = told(&bodies);
    assert_eq!(opened, ["open drift-emptied critical", "open run-held critical"]);
    let body = &bodies[0];
    for (place, value) in [
        ("/version", "4"),
        ("/status", "firing"),
        ("/receiver", "chat"),
        ("/groupKey", "edgewright:nightly"),
        ("/groupLabels/job", "nightly"),
        ("/commonLabels/team", "data"),
        ("/alerts/0/status", "firing"),
        ("/alerts/0/endsAt", "0001-01-01T00:00:00Z"),
        ("/alerts/0/startsAt", "2026-06-02T12:00:00Z"),
    ] {
        assert_eq!(body.pointer(place).and_then(Value::as_str), Some(value), "{place}");
    }
    let emptied = body["alerts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["labels"]["alertname"] == "drift-emptied")
        .unwrap();
    assert_eq!(emptied["annotations"]["runbook_url"], "https://runbook.example/drift-emptied.md");
    let description = emptied["annotations"]["description"].as_str().unwrap();
    assert!(
        description.matches("; part=C1; since=2024-01-01\" (vendors row S").count() == 5,
        "five sentences: {description}"
    );
    assert!(emptied["annotations"]["command"].as_str().unwrap().starts_with("edgewright "));
    assert_eq!(
        (&emptied["labels"]["source"], &emptied["labels"]["edge_type"]),
        (&"vendors".into(), &"supplies".into())
    );

    // It is over once a run has looked and found nothing, under the same name.
    world.today = "2026-06-03".to_owned();
    parts(&world, 24);
    world.run();
    let bodies = receiver.take();
    assert_eq!(told(&bodies), ["resolved drift-emptied critical", "resolved run-held critical"]);
    let over = bodies[0]["alerts"].as_array().unwrap();
    let over = over.iter().find(|one| one["labels"]["alertname"] == "drift-emptied").unwrap();
    assert_eq!(over["fingerprint"], emptied["fingerprint"]);
    assert_eq!((&over["status"], &over["endsAt"]), (&"resolved".into(), &"2026-06-03T12:00:00Z".into()));
}

#[test]
fn failed_and_stale_inputs_are_alerts_until_they_are_mended() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
    world.run();
    let night = |world: &mut World, day: &str, code: i32| {
        world.today = day.to_owned();
        world.cmd("run").expect_code(code);
        told(&receiver.take()).join("; ")
    };
    world.put("//- remove v.csv");
    world.today = "2026-06-02".to_owned();
    world.run_code(4);
    let bodies = receiver.take();
    assert_eq!(told(&bodies).join("; "), "open feed-unreadable critical");
    // That its file is gone for good a person can say.
    let command = &bodies[0]["alerts"][0]["annotations"]["command"];
    assert_eq!(command, "edgewright accept feed vendors --reason \"…\"");
    // A run that fails says nothing of what it has not looked at.
    world.put("//- jobs/broken.yaml\nontology: nowhere");
    assert_eq!(night(&mut world, "2026-06-02", 2), "open run-failed critical");
    world.put("//- remove jobs/broken.yaml");
    assert_eq!(
        night(&mut world, "2026-06-03", 4),
        "reminder feed-unreadable critical; resolved run-failed critical"
    );
    parts(&world, 24);
    assert_eq!(night(&mut world, "2026-06-04", 0), "resolved feed-unreadable critical");
    assert_eq!(night(&mut world, "2026-06-20", 0), "open drift-stale warning");
    parts(&world, 23);
    assert_eq!(night(&mut world, "2026-06-20", 0), "resolved drift-stale warning");
}

#[test]
fn what_a_receiver_does_not_take_is_kept_and_never_fails_a_run() {
    // Nobody listens, nobody answers, and the answer is no.
    for (answer, why) in [
        (Answer::Nobody, "it cannot be reached"),
        (Answer::Silence, "it did not answer within 200 ms"),
        (Answer::Status(500), "it answered 500"),
        (Answer::Status(302), "it answered 302"),
        (Answer::Nonsense, "its answer is not HTTP"),
    ] {
        let receiver = Receiver::start(answer);
        let mut world = alerts(&format!("{{ url: \"{}\", timeout: 200ms }}", receiver.url()));
        world.run();
        world.put("//- remove v.csv");
        world.today = "2026-06-02".to_owned();
        let said = world.cmd("run").expect_code(4);
        assert!(
            said.stderr.contains(&format!(
                "1 message waits for `chat` of the job nightly, and the next run tries again: {why}"
            )),
            "{answer:?}: {}",
            said.stderr
        );
        let view = world.cmd("notify --output json").expect_code(1).json();
        assert_eq!((&view["receivers"][0]["waiting"], &view["receivers"][0]["sent"]), (&1.into(), &0.into()));
        assert!(view["receivers"][0]["error"].as_str().unwrap().starts_with(why), "{view}");
        drop(receiver);

        // The next run delivers, in order, what waited and what is new.
        let receiver = Receiver::start(Answer::Ok);
        send_to(&world, &receiver);
        parts(&world, 24);
        world.today = "2026-06-03".to_owned();
        world.run();
        let bodies = receiver.take();
        assert_eq!(told(&bodies[..1]), ["open feed-unreadable critical"]);
        assert_eq!(told(&bodies[1..]), ["resolved feed-unreadable critical"]);
        assert_eq!(world.cmd("notify").expect_code(0).stdout, "chat of nightly: 0 messages sent\n");
    }
}

#[test]
fn what_waits_is_sent_in_the_order_in_which_it_came_to_be() {
    let (away, here) = (Receiver::start(Answer::Nobody), Receiver::start(Answer::Ok));
    let mut world = alerts(&format!("{{ url: \"{}\" }}", away.url()));
    world.run();
    // A person judges a run, and two runs begin in one second, time and again: by their names they would come anyhow.
    let mut expected = Vec::new();
    for day in ["2026-06-02", "2026-06-04", "2026-06-06"] {
        world.today = day.to_owned();
        parts(&world, 0);
        world.run_code(3);
        world.cmd("discard --reason checked").expect_code(0);
        parts(&world, 24);
        world.run();
        expected.extend([
            "open drift-emptied critical, open run-held critical",
            "resolved run-held critical",
            "resolved drift-emptied critical",
        ]);
    }
    send_to(&world, &here);
    world.cmd("notify").expect_code(0);
    let bodies: Vec<String> =
        here.take().iter().map(|body| told(std::slice::from_ref(body)).join(", ")).collect();
    assert_eq!(bodies, expected);
}

#[test]
fn what_a_receiver_refuses_is_put_aside_and_keeps_nothing_back() {
    let (no, yes) = (Receiver::start(Answer::Status(400)), Receiver::start(Answer::Ok));
    let mut world = alerts(&format!("{{ url: \"{}\" }}", no.url()));
    world.run();
    world.put("//- remove v.csv");
    world.today = "2026-06-02".to_owned();
    let said = world.cmd("run").expect_code(4).stderr;
    let aside = ".edgewright/told/nightly/alerts/chat/m000000000002-20260602120000.refused";
    for part in
        ["`chat` of the job nightly refused a message, which is put aside as `", aside, "it answered 400"]
    {
        assert!(said.contains(part), "{part} in {said}");
    }
    let kept: Value = serde_json::from_slice(&std::fs::read(world.path(aside)).unwrap()).unwrap();
    assert_eq!(told(&[kept]), ["open feed-unreadable critical"]);
    // What was refused is not tried again, and what comes after it comes through.
    send_to(&world, &yes);
    parts(&world, 24);
    world.today = "2026-06-03".to_owned();
    world.run();
    assert_eq!(told(&yes.take()), ["resolved feed-unreadable critical"]);
    // Who looks by hand is told as well.
    send_to(&world, &no);
    world.put("//- remove v.csv");
    world.cmd("run --stop-at reported").expect_code(137);
    let view = world.cmd("notify --output json").expect_code(1).json();
    let chat = &view["receivers"][0];
    assert_eq!((&chat["waiting"], &chat["error"], &chat["dropped"]), (&0.into(), &Value::Null, &0.into()));
    assert!(chat["refused"][0].as_str().unwrap().ends_with(".refused`: it answered 400"), "{chat}");
    parts(&world, 24);
    world.today = "2026-06-04".to_owned();
    world.cmd("run --stop-at reported").expect_code(137);
    let said = world.cmd("notify").expect_code(1).stdout;
    let (first, second) = said.split_once('\n').unwrap();
    assert_eq!(first, "chat of nightly: 0 messages sent");
    assert!(
        second.starts_with("  refused and put aside as `") && second.ends_with("it answered 400\n"),
        "{said}"
    );
}

#[test]
fn an_alert_of_a_held_run_leads_to_the_run_that_is_held_now() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = vendors(&format!(
        "alerts:\n  remind_after: 7 days\n  receivers:\n    chat: {{ form: alertmanager, url: \"{}\" }}",
        receiver.url()
    ));
    world.run();
    let held = |world: &World| {
        let bodies = receiver.take();
        let alerts = bodies.iter().flat_map(|body| body.as_array().unwrap());
        let held: Vec<&Value> = alerts.filter(|one| one["labels"]["alertname"] == "run-held").collect();
        let [one] = held.as_slice() else { panic!("one alert: {bodies:?}") };
        let is_over = one["endsAt"] == format!("{}T12:00:00Z", world.today).as_str();
        (one["annotations"]["run"].as_str().unwrap().to_owned(), is_over)
    };
    parts(&world, 0);
    let mut runs = Vec::new();
    for day in ["2026-06-02", "2026-06-03"] {
        world.today = day.to_owned();
        let run = world.run_code(3)["run"].as_str().unwrap().to_owned();
        assert_eq!(held(&world), (run.clone(), false));
        runs.push(run);
    }
    assert_ne!(runs[0], runs[1]);
    // The judgement is of the second run, and the alert is over with it.
    world.cmd("discard --reason checked").expect_code(0);
    assert_eq!(held(&world), (runs[1].clone(), true));
}

#[test]
fn a_run_that_was_killed_before_it_could_tell_is_told_of_by_the_next() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
    world.run();
    world.put("//- remove v.csv");
    world.today = "2026-06-02".to_owned();
    world.cmd("run --stop-at reported").expect_code(137);
    assert_eq!(receiver.take().len(), 0);
    parts(&world, 24);
    world.today = "2026-06-03".to_owned();
    world.run();
    assert_eq!(
        told(&receiver.take()),
        ["open feed-unreadable critical", "resolved feed-unreadable critical"]
    );
}

#[test]
fn a_test_alert_says_of_each_receiver_whether_it_takes_alerts() {
    let (yes, no) = (Receiver::start(Answer::Ok), Receiver::start(Answer::Status(401)));
    let mut world = alerts(&format!(
        "{{ url: {{ env: HOOK }}, token: {{ file: secret/token }} }}\n    pager: {{ url: \"{}\" }}",
        no.url()
    ));
    let hook = format!("{}/s3cret-path", yes.url());
    world.env.push(("HOOK".to_owned(), hook));
    let said = world.cmd("notify --test").expect_code(1);
    assert!(
        said.stdout.contains("chat of nightly: 0 tests sent; the file `secret/token` cannot be read: "),
        "{}",
        said.stdout
    );
    world.put("//- secret/token\nt0ken");
    let said = world.cmd("notify --test --verbose --verbose --verbose").expect_code(1);
    assert_eq!(
        said.stdout,
        "chat of nightly: 1 test sent\npager of nightly: 0 tests sent; it answered 401\n"
    );
    let bodies = yes.take();
    assert_eq!(told(&bodies), ["resolved edgewright-test warning"]);
    let request = yes.last_request();
    assert!(request.starts_with("POST /s3cret-path HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains("authorization: bearer t0ken\r\n"), "{request}");
    // Neither stands anywhere else.
    assert!(!said.stderr.contains("s3cret") && !said.stderr.contains("t0ken"), "{}", said.stderr);
    world.run();
    for entry in walk(&world.path(".edgewright")) {
        let bytes = std::fs::read(&entry).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("s3cret") && !text.contains("t0ken"), "{}", entry.display());
    }
    world.env.clear();
    let said = world.cmd("notify --test").expect_code(1);
    assert!(said.stdout.contains("the variable `HOOK` is not set"), "{}", said.stdout);
    assert!(world.cmd("notify --test weekly").expect_code(2).stderr.contains("there is no job `weekly`"));
    assert!(vendors("").cmd("notify --test").expect_code(2).stderr.contains("no receivers of alerts"));
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() { found.extend(walk(&entry.path())) } else { found.push(entry.path()) }
    }
    found
}

#[test]
fn alertmanager_itself_is_told_what_stands_each_night_and_what_is_over() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = alerts(&format!("{{ form: alertmanager, url: \"{}/api/v2/alerts\" }}", receiver.url()));
    world.run();
    let night = |world: &mut World, day: &str, code: i32| -> Vec<String> {
        world.today = day.to_owned();
        world.cmd("run").expect_code(code);
        let bodies = receiver.take();
        let alerts = bodies.iter().flat_map(|body| body.as_array().unwrap());
        alerts
            .map(|one| {
                format!(
                    "{} until {}",
                    one["labels"]["alertname"].as_str().unwrap(),
                    one["endsAt"].as_str().unwrap()
                )
            })
            .collect()
    };
    world.put("//- remove v.csv");
    assert_eq!(night(&mut world, "2026-06-02", 4), ["feed-unreadable until 2026-06-04T12:00:00Z"]);
    assert_eq!(night(&mut world, "2026-06-03", 4), ["feed-unreadable until 2026-06-05T12:00:00Z"]);
    parts(&world, 24);
    assert_eq!(night(&mut world, "2026-06-04", 0), ["feed-unreadable until 2026-06-04T12:00:00Z"]);
    assert_eq!(night(&mut world, "2026-06-05", 0), [""; 0]);
}

#[test]
fn a_held_run_is_an_alert_and_a_metric_until_a_person_judges_it() {
    let receiver = Receiver::start(Answer::Ok);
    let outputs = format!(
        "metrics: {{ file: e.prom }}\nalerts: {{ receivers: {{ chat: {{ url: \"{}\" }} }} }}",
        receiver.url()
    );
    let mut world = vendors(&outputs);
    let metric = |world: &World, name: &str| {
        value(&std::fs::read_to_string(world.path("e.prom")).unwrap(), &format!("edgewright_{name}"))
    };
    let edges = "edges{job=\"nightly\",edge_type=\"supplies\"}";
    world.run();
    for (day, act, left) in [("2026-06-02", "discard", 24.0), ("2026-06-04", "release", 0.0)] {
        parts(&world, 0);
        world.today = day.to_owned();
        let run = world.run_code(3);
        let opened = told(&receiver.take());
        assert!(opened.contains(&"open run-held critical".to_owned()), "{opened:?}");
        assert_eq!((metric(&world, "run_held"), metric(&world, edges)), (Some(1.0), Some(24.0)), "{act}");
        assert_eq!((&run["held"], &run["exit_code"]), (&true.into(), &3.into()));
        world.cmd(&format!("{act} --reason checked")).expect_code(0);
        assert_eq!(told(&receiver.take()), ["resolved run-held critical"], "{act}");
        assert_eq!((metric(&world, "run_held"), metric(&world, edges)), (Some(0.0), Some(left)), "{act}");
        if act == "discard" {
            parts(&world, 24);
            world.today = "2026-06-03".to_owned();
            world.run();
            assert!(told(&receiver.take()).contains(&"resolved drift-emptied critical".to_owned()));
        }
    }
}

#[test]
fn sentences_that_labels_guard_do_not_leave_the_workspace() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write(
        "jobs/nightly.yaml",
        job.replace("    path: v.csv\n", "    path: v.csv\n    access: [secret]\n").as_bytes(),
    );
    world.run();
    parts(&world, 0);
    world.today = "2026-06-02".to_owned();
    world.run_code(3);
    let text = receiver.take().iter().map(Value::to_string).collect::<String>();
    assert!(text.contains("drift-emptied") && text.contains("guarded by labels"), "{text}");
    assert!(!text.contains("Supplier:S"), "{text}");
}

#[test]
fn what_is_wrong_with_a_guarded_feed_is_told_without_what_stands_in_it() {
    let receiver = Receiver::start(Answer::Ok);
    let told = |access: &str| {
        let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
        let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
        let guarded = job.replace("    path: v.csv\n", &format!("    path: v.csv\n{access}"));
        world.write("jobs/nightly.yaml", guarded.as_bytes());
        world.run();
        receiver.take();
        // One key twice, with other values.
        let table = std::fs::read_to_string(world.path("v.csv")).unwrap();
        world.write("v.csv", format!("{table}S24,Confidant,C1,2024-01-01\n").as_bytes());
        world.today = "2026-06-02".to_owned();
        world.run_code(4);
        receiver.take().iter().map(Value::to_string).collect::<String>()
    };
    let open = told("");
    assert!(open.contains("feed-duplicate-key") && open.contains("S24"), "{open}");
    let guarded = told("    access: [secret]\n");
    assert!(
        guarded.contains("feed-duplicate-key") && guarded.contains("why is guarded by labels"),
        "{guarded}"
    );
    assert!(!guarded.contains("S24"), "{guarded}");
}

#[test]
fn a_finding_of_an_open_source_quotes_no_other_source_that_says_the_same() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let hidden = "feeds:\n  hidden:\n    path: h.csv\n    access: [secret]\n    edge: { type: supplies, subject: id, object: part, valid_from: since }\n";
    world.write("jobs/nightly.yaml", job.replace("feeds:\n", hidden).as_bytes());
    let row = |number: usize| format!("S{number:02},C1,1999-12-31\n");
    let rows: String = (1..=24).map(row).collect();
    world.write("h.csv", format!("id,part,since\n{rows}").as_bytes());
    world.run();
    parts(&world, 0);
    world.today = "2026-06-02".to_owned();
    world.run_code(3);
    let text = receiver.take().iter().map(Value::to_string).collect::<String>();
    assert_eq!(text.matches("since=2024-01-01").count(), 5, "five rows of the open feed: {text}");
    assert!(!text.contains("hidden") && !text.contains("1999"), "{text}");
}

#[test]
fn names_that_labels_guard_stand_in_no_finding_of_an_open_feed() {
    let receiver = Receiver::start(Answer::Ok);
    let told = |access: &str| {
        let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
        let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
        let names = format!(
            "feeds:\n  directory:\n    path: d.csv{access}\n    entity: {{ type: Supplier, key: key, names: [title] }}\n"
        );
        world.write("jobs/nightly.yaml", job.replace("feeds:\n", &names).as_bytes());
        let row = |number: usize| format!("S{number:02},Confidant {number}\n");
        let rows: String = (1..=24).map(row).collect();
        world.write("d.csv", format!("key,title\n{rows}").as_bytes());
        world.run();
        parts(&world, 0);
        world.today = "2026-06-02".to_owned();
        world.run_code(3);
        let text: String = receiver.take().iter().map(Value::to_string).collect();
        assert!(text.contains("Supplier:S"), "the sentences are told: {text}");
        text.contains("Confidant")
    };
    assert!(told(""), "an open name is told");
    assert!(!told("\n    access: [secret]"));
}

#[test]
fn what_a_rollback_undid_is_told_without_the_names_of_guarded_documents() {
    let receiver = Receiver::start(Answer::Ok);
    let mut world = alerts(&format!("{{ url: \"{}\" }}", receiver.url()));
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    let secret = job.replace("    path: v.csv\n", "    path: v.csv\n    access: [secret]\n");
    world.write("jobs/nightly.yaml", secret.as_bytes());
    world.run();
    parts(&world, 23);
    world.today = "2026-06-02".to_owned();
    world.run();
    world.cmd("rollback 1 --reason wrong").expect_code(0);
    receiver.take();
    world.run_code(3);
    let text: String = receiver.take().iter().map(Value::to_string).collect();
    assert!(text.contains("an input that a rollback took out would come back as it was"), "{text}");
    assert!(!text.contains("documents: "), "{text}");
}

#[test]
fn what_is_wrong_with_outputs_is_told_at_once() {
    let world = vendors(
        "metrics: { file: metrics.txt }\nalerts:\n  remind_after: soon\n  receivers:\n    a: { url: \"ftp://x\" }\n    b: { url: \"https://user:pw@x/\" }\n    c: { url: { env: A, file: b } }\n    d: { url: \"http://x\", timeout: 20min }\nlineage: { file: a, url: \"http://x\" }",
    );
    let said = world.cmd("check").expect_code(2);
    let text = format!("{}{}", said.stdout, said.stderr);
    for told in [
        "`metrics.txt` does not end in `.prom`",
        "`ftp://x` is no address",
        "an address with a password stands in the file",
        "a secret stands in one place",
        "a receiver is given between a moment and `300s`",
        "events go to one place",
        "remind_after",
    ] {
        assert!(text.contains(told), "{told} in:\n{text}");
    }
}

/// The value of a metric; None if it is not told.
fn value(page: &str, metric: &str) -> Option<f64> {
    let line = page.lines().find(|line| {
        line.starts_with(&format!("{metric} ")) || line.starts_with(&format!("{metric}{{job=\"nightly\"}} "))
    })?;
    line.rsplit(' ').next()?.parse().ok()
}

#[test]
fn metrics_are_times_and_counts_in_one_file_that_is_always_whole() {
    let mut world = vendors("metrics: { file: out/edgewright.prom }");
    let page = |world: &World| std::fs::read_to_string(world.path("out/edgewright.prom")).unwrap();
    let noon =
        |day: &str| Some(format!("{day}T12:00:00Z").parse::<jiff::Timestamp>().unwrap().as_second() as f64);
    let first = noon("2026-06-01");
    world.run();
    let text = page(&world);
    for metric in ["last_success", "last_completion", "published"] {
        assert_eq!(value(&text, &format!("edgewright_{metric}_timestamp_seconds")), first, "{metric}");
    }
    assert_eq!(value(&text, "edgewright_run_held"), Some(0.0));
    assert_eq!(value(&text, "edgewright_edges{job=\"nightly\",edge_type=\"supplies\"}"), Some(24.0));
    assert_eq!(
        value(&text, "edgewright_source_last_change_timestamp_seconds{job=\"nightly\",source=\"vendors\"}"),
        first
    );
    assert_eq!(value(&text, "edgewright_quarantine_oldest_timestamp_seconds"), None, "nothing waits");
    assert!(text.contains("edgewright_stage_duration_seconds{job=\"nightly\",stage=\"fold\"} 0\n"), "{text}");
    assert_eq!(promtool_accepts(&text), Ok(()));

    // A run that withholds completes and does not succeed.
    world.put("//- remove v.csv");
    world.today = "2026-06-03".to_owned();
    world.cmd("run").expect_code(4);
    let text = page(&world);
    assert_eq!(value(&text, "edgewright_last_completion_timestamp_seconds"), noon("2026-06-03"));
    assert_eq!(value(&text, "edgewright_run_exit_code"), Some(4.0));
    assert_eq!(value(&text, "edgewright_source_withheld{job=\"nightly\",source=\"vendors\"}"), Some(1.0));
    // A run that fails says so and keeps what is known of the graph.
    world.put("//- jobs/broken.yaml\nontology: nowhere");
    world.today = "2026-06-04".to_owned();
    world.cmd("run").expect_code(2);
    let text = page(&world);
    assert_eq!(value(&text, "edgewright_run_exit_code"), Some(2.0));
    assert_eq!(value(&text, "edgewright_last_completion_timestamp_seconds"), noon("2026-06-03"));
    assert!(value(&text, "edgewright_published_timestamp_seconds") >= first, "{text}");
    assert_eq!(promtool_accepts(&text), Ok(()));
    assert!(!world.path("out/edgewright.prom.part").exists());
}

/// A second job beside `nightly`, with a feed and a file of metrics of its own.
const WEEKLY: &str = r"
//- jobs/weekly.yaml
job: weekly
ontology: o
feeds:
  more: { path: m.csv, entity: { type: Component, key: id, names: name } }
metrics: { file: weekly.prom }
//- m.csv
id,name
C2,Nut
";

#[test]
fn metrics_of_a_job_are_of_its_own_runs_and_inputs() {
    let mut world = vendors("metrics: { file: nightly.prom }");
    world.put(WEEKLY);
    let noon =
        |day: &str| Some(format!("{day}T12:00:00Z").parse::<jiff::Timestamp>().unwrap().as_second() as f64);
    let of = |world: &World, job: &str| {
        let page = std::fs::read_to_string(world.path(&format!("{job}.prom"))).unwrap();
        let page = page.replace("{job=\"weekly\"", "{job=\"nightly\"");
        let value = |name: &str| value(&page, &format!("edgewright_{name}"));
        let mut sources: Vec<&str> =
            page.split("source=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        sources.sort();
        sources.dedup();
        (value("run_exit_code"), value("last_success_timestamp_seconds"), sources.join(" "))
    };
    world.run();
    world.put("//- remove v.csv");
    world.today = "2026-06-02".to_owned();
    world.cmd("run nightly").expect_code(4);
    world.today = "2026-06-03".to_owned();
    world.cmd("run weekly").expect_code(0);
    let inputs = "components vendors".to_owned();
    assert_eq!(of(&world, "nightly"), (Some(4.0), noon("2026-06-01"), inputs.clone()));
    assert_eq!(of(&world, "weekly"), (Some(0.0), noon("2026-06-03"), "more".to_owned()));
    // The run of the other job is no success of this one.
    world.today = "2026-06-04".to_owned();
    world.cmd("run nightly").expect_code(4);
    assert_eq!(of(&world, "nightly"), (Some(4.0), noon("2026-06-01"), inputs));
}

#[test]
fn the_last_success_is_told_however_many_runs_ago_it_was() {
    let mut world = vendors("metrics: { file: e.prom }");
    let success = |world: &World| {
        let page = std::fs::read_to_string(world.path("e.prom")).unwrap();
        value(&page, "edgewright_last_success_timestamp_seconds")
    };
    world.run();
    let first = success(&world);
    assert!(first.is_some());
    world.put("//- remove v.csv");
    world.today = "2026-06-02".to_owned();
    let run = world.run_code(4)["run"].as_str().unwrap().to_owned();
    let report = std::fs::read_to_string(world.path(&format!(".edgewright/runs/{run}/run.json"))).unwrap();
    for number in 0..120 {
        let id = format!("20260603{:02}{:02}00-x", number / 60, number % 60);
        world.write(&format!(".edgewright/runs/{id}/run.json"), report.replace(&run, &id).as_bytes());
    }
    // Before the runs are known to it, when it has gone back to it, and from what it kept of that.
    for (day, forgets) in [("2026-06-04", true), ("2026-06-05", false), ("2026-06-09", false)] {
        if forgets {
            std::fs::remove_file(world.path(".edgewright/told/nightly/metrics.json")).unwrap();
        }
        world.today = day.to_owned();
        world.cmd("run").expect_code(4);
        assert_eq!(success(&world), first, "{day}");
    }
}

#[test]
fn a_run_that_ends_after_one_that_began_later_is_not_passed_over() {
    let mut world = vendors("metrics: { file: e.prom }");
    let run = world.run()["run"].as_str().unwrap().to_owned();
    let page = |world: &World| std::fs::read_to_string(world.path("e.prom")).unwrap();
    let success = value(&page(&world), "edgewright_last_success_timestamp_seconds");
    // It is still at work: it has left no report, and nothing was told of it.
    let (report, aside) = (format!(".edgewright/runs/{run}/run.json"), "aside.json");
    std::fs::rename(world.path(&report), world.path(aside)).unwrap();
    std::fs::remove_file(world.path(".edgewright/told/nightly/metrics.json")).unwrap();
    let fails = |world: &mut World, day: &str| {
        world.today = day.to_owned();
        world.put("//- jobs/broken.yaml\nontology: nowhere");
        world.cmd("run").expect_code(2);
        world.put("//- remove jobs/broken.yaml");
        value(&page(world), "edgewright_last_success_timestamp_seconds")
    };
    assert_eq!(fails(&mut world, "2026-06-02"), None);
    std::fs::rename(world.path(aside), world.path(&report)).unwrap();
    assert_eq!(fails(&mut world, "2026-06-03"), success);
}

#[cfg(unix)]
#[test]
fn everybody_may_read_metrics_and_nobody_else_what_is_told_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = vendors("metrics: { file: out/e.prom }");
    let run = "umask 0077 && mkdir out && exec \"$0\" run --now 2026-06-01T12:00:00Z";
    let done = std::process::Command::new("sh")
        .args(["-c", run, env!("CARGO_BIN_EXE_edgewright")])
        .current_dir(world.path("."))
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mode = |name: &str| std::fs::metadata(world.path(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(format!("{:o}", mode("out/e.prom")), "644");
    assert_eq!(format!("{:o}", mode(".edgewright/told/nightly/metrics.json")), "600");
}

#[test]
fn two_jobs_with_one_file_of_metrics_are_a_mistake_of_the_configuration() {
    let world = vendors("metrics: { file: out/e.prom }");
    world.put(&WEEKLY.replace("weekly.prom", "./out//x/../e.prom"));
    let said = world.cmd("check").expect_code(2);
    let text = format!("{}{}", said.stdout, said.stderr);
    for part in [
        "jobs/weekly.yaml:5:18",
        "the metrics file `./out//x/../e.prom` is that of another job",
        "`jobs/nightly.yaml:11` names it already, and each job writes its file whole: name another one",
    ] {
        assert!(text.contains(part), "{part} in:\n{text}");
    }
    // Others may lie beside it.
    world.put(&WEEKLY.replace("weekly.prom", "/out/e.prom"));
    world.cmd("check").expect_code(0);
}

#[test]
fn a_metrics_file_that_cannot_be_written_is_said_and_fails_nothing() {
    let world = vendors("metrics: { file: v.csv/edgewright.prom }");
    let said = world.cmd("run").expect_code(0);
    assert!(
        said.stderr.contains("the metrics of the job nightly are not written: `v.csv/edgewright.prom`"),
        "{}",
        said.stderr
    );
}

#[test]
fn what_waits_in_quarantine_is_dated_by_when_it_came() {
    let mut world = vendors("metrics: { file: e.prom }");
    world.run();
    world.today = "2026-06-05".to_owned();
    let table = std::fs::read_to_string(world.path("v.csv")).unwrap();
    world.write("v.csv", format!("{table}S25,Vendor 25,C9,2024-01-01\n").as_bytes());
    world.run();
    world.today = "2026-06-09".to_owned();
    world.run();
    let text = std::fs::read_to_string(world.path("e.prom")).unwrap();
    let then = "2026-06-05T12:00:00Z".parse::<jiff::Timestamp>().unwrap().as_second() as f64;
    assert_eq!(value(&text, "edgewright_quarantined_assertions"), Some(1.0), "{text}");
    assert_eq!(value(&text, "edgewright_quarantine_oldest_timestamp_seconds"), Some(then), "{text}");
}

/// True if `promtool` takes a file of metrics, where it is installed.
fn promtool_accepts(text: &str) -> Result<(), String> {
    use std::io::Write as _;
    let mut command = std::process::Command::new("promtool");
    command.args(["check", "metrics"]).stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let Ok(mut child) = command.spawn() else {
        println!("promtool is not installed: its checks are left out");
        return Ok(());
    };
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    if done.status.success() { Ok(()) } else { Err(said) }
}

#[test]
fn alert_rules_are_shipped_and_fire_when_they_should() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("deploy/prometheus");
    // Each metric of a rule is one that is told.
    let rules = std::fs::read_to_string(folder.join("edgewright.rules.yaml")).unwrap();
    let told = std::fs::read_to_string(root.join("src/notify/metrics.rs")).unwrap();
    let mut metrics = 0;
    for (at, _) in rules.match_indices("edgewright_") {
        let name: String =
            rules[at..].chars().take_while(|one| one.is_ascii_alphanumeric() || *one == '_').collect();
        assert!(told.contains(&format!("\"{name}\"")), "no metric is called `{name}`");
        metrics += 1;
    }
    assert!(metrics >= 8);
    // Each rule leads to a page of the runbook.
    let runbook = std::fs::read_to_string(root.join("docs/runbook.md")).unwrap();
    for line in rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")) {
        assert!(runbook.contains(&format!("`{line}`")), "docs/runbook.md does not know `{line}`");
    }
    for (what, file) in [("check", "edgewright.rules.yaml"), ("test", "edgewright.test.yaml")] {
        let done =
            std::process::Command::new("promtool").args([what, "rules", file]).current_dir(&folder).output();
        let Ok(done) = done else {
            println!("promtool is not installed: the rules are not tried");
            return;
        };
        let said =
            format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        assert!(done.status.success(), "promtool {what} rules {file}:\n{said}");
    }
}

/// What an event of OpenLineage 2-0-2 must have: a time, a producer and a schema that are addresses, a run whose id is a
/// UUID, a job with its namespace, and datasets and facets with theirs.
fn fits_openlineage(event: &Value) {
    let text = |value: &Value, place: &str| {
        value
            .pointer(place)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no {place} in {value}"))
            .to_owned()
    };
    text(event, "/eventTime").parse::<jiff::Timestamp>().unwrap();
    assert!(
        ["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]
            .contains(&text(event, "/eventType").as_str())
    );
    let is_uri = |text: &str| {
        text.split_once(':')
            .is_some_and(|(scheme, rest)| scheme.chars().all(char::is_alphanumeric) && !rest.is_empty())
    };
    assert!(is_uri(&text(event, "/producer")));
    assert_eq!(
        text(event, "/schemaURL"),
        "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
    );
    let id = text(event, "/run/runId");
    let form: Vec<usize> = id.split('-').map(str::len).collect();
    assert!(form == [8, 4, 4, 4, 12] && id.chars().all(|one| one == '-' || one.is_ascii_hexdigit()), "{id}");
    assert!(id.as_bytes()[14] == b'8' && b"89ab".contains(&id.as_bytes()[19]), "{id}");
    for place in ["/job/namespace", "/job/name"] {
        text(event, place);
    }
    let mut facets: Vec<Value> = Vec::new();
    let mut gather =
        |of: &Value| facets.extend(of.as_object().into_iter().flat_map(|map| map.values().cloned()));
    gather(&event["run"]["facets"]);
    for kind in ["inputs", "outputs"] {
        for dataset in event[kind].as_array().unwrap() {
            text(dataset, "/namespace");
            text(dataset, "/name");
            gather(&dataset["facets"]);
            gather(&dataset["outputFacets"]);
        }
    }
    for facet in facets {
        assert!(is_uri(&text(&facet, "/_producer")) && is_uri(&text(&facet, "/_schemaURL")), "{facet}");
    }
}

#[test]
fn lineage_has_a_start_and_one_end_of_each_run_in_a_file() {
    let mut world = vendors("lineage: { file: out/lineage.ndjson, namespace: plant }");
    world.run();
    world.put("//- remove v.csv\n//- jobs/broken.yaml\nontology: nowhere");
    world.today = "2026-06-02".to_owned();
    world.cmd("run").expect_code(2);
    let text = std::fs::read_to_string(world.path("out/lineage.ndjson")).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.iter().for_each(fits_openlineage);
    let kinds: Vec<&str> = events.iter().map(|event| event["eventType"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["START", "COMPLETE", "START", "FAIL"]);
    let run = |at: usize| &events[at]["run"]["runId"];
    assert!(run(0) == run(1) && run(2) == run(3) && run(0) != run(2));
    assert_eq!(
        (&events[1]["job"]["namespace"], &events[1]["job"]["name"]),
        (&"plant".into(), &"nightly".into())
    );
    let names: Vec<&str> =
        events[1]["inputs"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["c.csv", "v.csv"]);
    assert_eq!(events[1]["inputs"], events[0]["inputs"], "both say what is read");
    assert_eq!(events[1]["outputs"][0]["outputFacets"]["outputStatistics"]["rowCount"], 24);
    assert_eq!(events[3]["run"]["facets"]["errorMessage"]["message"], "the configuration is invalid");
}

#[test]
fn a_held_run_ends_without_an_output_and_its_release_has_one() {
    let mut world = vendors("lineage: { file: lineage.ndjson }");
    world.put(&WEEKLY.replace("metrics: { file: weekly.prom }", "lineage: { file: lineage.ndjson }"));
    world.run();
    parts(&world, 0);
    world.today = "2026-06-02".to_owned();
    world.cmd("run nightly").expect_code(3);
    world.today = "2026-06-03".to_owned();
    world.cmd("release --reason checked").expect_code(0);
    let text = std::fs::read_to_string(world.path("lineage.ndjson")).unwrap();
    let events: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    events.iter().for_each(fits_openlineage);
    let lines: Vec<String> = events
        .iter()
        .map(|event| {
            let rows = event.pointer("/outputs/0/outputFacets/outputStatistics/rowCount");
            let rows = rows.map(|rows| format!(" {rows} rows")).unwrap_or_default();
            let text = |place: &str| event.pointer(place).and_then(Value::as_str).unwrap();
            format!("{} {} {}{rows}", &text("/eventTime")[..10], text("/job/name"), text("/eventType"))
        })
        .collect();
    assert_eq!(
        lines,
        [
            "2026-06-01 nightly START",
            "2026-06-01 weekly START",
            "2026-06-01 nightly COMPLETE 24 rows",
            "2026-06-01 weekly COMPLETE 24 rows",
            "2026-06-02 nightly START",
            "2026-06-02 nightly ABORT",
            // What readers see is another graph, by an act of its own and of the job that was held.
            "2026-06-03 nightly START",
            "2026-06-03 nightly COMPLETE 0 rows",
        ]
    );
    let run = |at: usize| &events[at]["run"]["runId"];
    assert!(run(4) == run(5) && run(6) == run(7) && run(5) != run(6));
}

#[test]
fn lineage_over_http_waits_for_a_receiver_that_is_away() {
    let away = Receiver::start(Answer::Nobody);
    let mut world = vendors(&format!("lineage: {{ url: \"{}\" }}", away.url()));
    let said = world.cmd("run").expect_code(0);
    assert!(said.stderr.contains("for `lineage` of the job nightly"), "{}", said.stderr);
    let here = Receiver::start(Answer::Ok);
    let job = std::fs::read_to_string(world.path("jobs/nightly.yaml")).unwrap();
    world.write("jobs/nightly.yaml", job.replace(&away.url(), &here.url()).as_bytes());
    world.today = "2026-06-02".to_owned();
    world.run();
    let events = here.take();
    events.iter().for_each(fits_openlineage);
    let kinds: Vec<&str> = events.iter().map(|event| event["eventType"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["START", "COMPLETE", "START", "COMPLETE"]);
}
