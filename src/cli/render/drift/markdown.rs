//! A drift report as Markdown, for a ticket or a summary of CI.

use super::{Shown, account, capital, causes, compared, further, headline, ledger, severity, state, tame};

/// A drift report as Markdown.
pub(in crate::cli) fn markdown(shown: &Shown) -> String {
    let Shown { run, drift, accepts, .. } = shown;
    let mut text =
        format!("# Drift of {}, {}: {}\n\n", plain(&drift.job), run.logical_date, state(drift.state));
    let told = super::super::runs::headline(run);
    text.push_str(&format!("Run `{}`{}. {}.\n", run.run, compared(shown), plain(&told)));
    if drift.findings.is_empty() {
        text.push_str("\nThere is nothing to look at.\n");
    }
    for (finding, accepts) in drift.findings.iter().zip(accepts) {
        text.push_str(&format!("\n## {}: {}\n\n", severity(finding.severity), plain(&headline(finding))));
        text.push_str(&format!(
            "| before | after |\n|---:|---:|\n| {} | {} |\n",
            finding.before, finding.after
        ));
        if let Some(causes) = causes(finding) {
            text.push_str(&format!("\nCauses: {}.\n", plain(&causes)));
        }
        let examples = finding.examples.iter().map(ToString::to_string);
        let lines: Vec<String> = further(finding).into_iter().chain(examples).collect();
        if !lines.is_empty() {
            text.push('\n');
        }
        for line in lines {
            text.push_str(&format!("- {}\n", plain(&line)));
        }
        text.push_str(&format!("\nSee `docs/codes/{}.md`.\n", finding.rule));
        for way in accepts {
            let command = tame(&way.command).replace('`', "");
            text.push_str(&format!("\n{}:\n\n```sh\n{command}\n```\n", capital(way.to)));
        }
    }
    let ledger = ledger(shown);
    if !ledger.is_empty() {
        text.push_str(
            "\n## Changes by cause\n\n| cause | added | retracted | changed |\n|---|---:|---:|---:|\n",
        );
    }
    for (cause, tally) in ledger {
        let (added, retracted, changed) = (tally.added, tally.retracted, tally.changed);
        text.push_str(&format!("| {} | {added} | {retracted} | {changed} |\n", plain(cause)));
    }
    if !drift.segments.is_empty() {
        text.push_str("\n## Edges by type and source\n\n| segment | account |\n|---|---|\n");
    }
    for row in &drift.segments {
        text.push_str(&format!("| {} | {} |\n", plain(&row.segment.to_string()), plain(&account(row))));
    }
    text
}

/// Foreign text in which nothing is markup.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in tame(text).chars() {
        match character {
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' => {
                plain.push('\\');
                plain.push(character);
            }
            other => plain.push(other),
        }
    }
    plain
}
