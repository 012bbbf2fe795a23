//! A drift report as JUnit's XML: a test case for each finding, and one for each segment that has none.

use std::collections::BTreeSet;

use super::{Shown, account, causes, further, headline, severity, tame};
use crate::drift::{Segment, Severity, State};

/// A drift report as JUnit's XML. A finding that fails is a failure; one that warns passes and says so.
pub(in crate::cli) fn junit(shown: &Shown) -> String {
    let Shown { run, drift, accepts, .. } = shown;
    let (mut cases, mut tests, mut failures, mut skipped) = (String::new(), 0_u64, 0_u64, 0_u64);
    let mut case = |segment: &Segment, name: &str, body: &str| {
        tests += 1;
        let class = format!("{}.{}", segment.source, segment.edge_type);
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{}\"",
            escaped(&class),
            escaped(name)
        ));
        cases.push_str(&if body.is_empty() {
            "/>\n".to_owned()
        } else {
            format!(">\n{body}    </testcase>\n")
        });
    };
    for (finding, accepts) in drift.findings.iter().zip(accepts) {
        let mut told: Vec<String> =
            causes(finding).map(|causes| format!("causes: {causes}")).into_iter().collect();
        told.extend(further(finding));
        told.extend(finding.examples.iter().map(|example| tame(&example.to_string())));
        told.extend(accepts.iter().map(|way| format!("{}: {}", way.to, way.command)));
        let (told, headline) = (escaped(&told.join("\n")), escaped(&headline(finding)));
        let body = if finding.severity == Severity::Fail {
            failures += 1;
            format!(
                "      <failure type=\"{}\" message=\"{headline}\">{told}</failure>\n",
                escaped(&finding.rule)
            )
        } else {
            format!("      <system-out>{}: {headline}\n{told}</system-out>\n", severity(finding.severity))
        };
        case(&finding.segment, &finding.rule, &body);
    }
    let found: BTreeSet<&Segment> = drift.findings.iter().map(|finding| &finding.segment).collect();
    for row in drift.segments.iter().filter(|row| !found.contains(&row.segment)) {
        let body = if drift.state == State::NoBaseline {
            skipped += 1;
            "      <skipped message=\"the first run has nothing to compare with\"/>\n".to_owned()
        } else {
            format!("      <system-out>{}</system-out>\n", escaped(&account(row)))
        };
        case(&row.segment, "drift", &body);
    }
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
         <testsuite name=\"edgewright drift of {}\" id=\"{}\" timestamp=\"{}\" time=\"{}\" {counts}>\n{cases}  \
         </testsuite>\n</testsuites>\n",
        escaped(&drift.job),
        escaped(&run.run),
        escaped(run.started_at.trim_end_matches('Z')),
        run.times.seconds,
    )
}

/// Foreign text in which nothing is markup, and no character that XML does not have.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push('\n'),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}
