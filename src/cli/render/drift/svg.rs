//! Charts as inline SVG. They read without color: lines carry their numbers, bars differ by pattern.

use std::collections::BTreeMap;

use super::html::escaped;
use crate::drift::Tally;

/// The width of a small chart.
const WIDTH: f64 = 300.0;
/// Its height.
const HEIGHT: f64 = 110.0;
/// The room for numbers on its right.
const RIGHT: f64 = 56.0;
/// The room for its title, above.
const TOP: f64 = 22.0;
/// The room for its days, below.
const BOTTOM: f64 = 18.0;

/// A count over the runs: a point a run, none where it is not known, with the days of the first and last one.
pub(super) fn counts(title: &str, points: &[Option<u64>], first: &str, last: &str) -> String {
    let most = points.iter().flatten().copied().max().unwrap_or(0).max(1);
    let step = (WIDTH - RIGHT - 8.0) / (points.len().max(2) - 1) as f64;
    let spot = |at: usize, count: u64| {
        let y = TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - count as f64 / most as f64);
        (4.0 + step * at as f64, y)
    };
    let mut line = String::new();
    let mut dots = String::new();
    let mut pen_up = true;
    for (at, point) in points.iter().enumerate() {
        let Some(count) = point else {
            pen_up = true;
            continue;
        };
        let (x, y) = spot(at, *count);
        line.push_str(&format!("{}{x:.1} {y:.1} ", if pen_up { "M" } else { "L" }));
        dots.push_str(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2\"/>"));
        pen_up = false;
    }
    let now = points.iter().rev().flatten().next().copied();
    let label = now.map(|count| {
        let (_, y) = spot(0, count);
        format!("<text class=\"now\" x=\"{:.1}\" y=\"{:.1}\">{count}</text>", WIDTH - RIGHT + 4.0, y + 4.0)
    });
    let floor = HEIGHT - BOTTOM;
    let name = escaped(title);
    let told = now.map_or_else(|| "not known".to_owned(), |count| count.to_string());
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{name}: {told} now, {most} at most\">\
         <text class=\"title\" x=\"4\" y=\"13\">{name}</text>\
         <text class=\"small end\" x=\"{:.1}\" y=\"13\">most {most}</text>\
         <path class=\"axis\" d=\"M4 {floor}H{:.1}\"/>\
         <path class=\"line\" d=\"{line}\"/>{dots}{}\
         <text class=\"small\" x=\"4\" y=\"{:.1}\">{}</text>\
         <text class=\"small end\" x=\"{:.1}\" y=\"{:.1}\">{}</text></svg>",
        WIDTH - RIGHT,
        WIDTH - RIGHT,
        label.unwrap_or_default(),
        HEIGHT - 5.0,
        escaped(first),
        WIDTH - RIGHT,
        HEIGHT - 5.0,
        escaped(last),
    )
}

/// What each cause changed: retracted to the left and hatched, added to the right and filled, changed beside it in
/// outline.
pub(super) fn ledger(causes: &BTreeMap<&str, Tally>) -> String {
    const ROW: f64 = 26.0;
    const NAMES: f64 = 170.0;
    const SIDE: f64 = 215.0;
    let left = causes.values().map(|tally| tally.retracted).max().unwrap_or(0);
    let right = causes.values().map(|tally| tally.added + tally.changed).max().unwrap_or(0);
    let scale = (SIDE - 50.0) / left.max(right).max(1) as f64;
    let (middle, height) = (NAMES + SIDE, ROW * causes.len() as f64 + 26.0);
    let mut rows = String::new();
    for (at, (cause, tally)) in causes.iter().enumerate() {
        let y = 22.0 + ROW * at as f64;
        let text = y + 14.0;
        rows.push_str(&format!("<text class=\"title\" x=\"4\" y=\"{text}\">{}</text>", escaped(cause)));
        let bar = |class: &str, x: f64, width: f64| {
            format!(
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y}\" width=\"{:.1}\" height=\"18\"/>",
                width.max(1.0)
            )
        };
        let (gone, come, other) =
            (tally.retracted as f64 * scale, tally.added as f64 * scale, tally.changed as f64 * scale);
        if tally.retracted > 0 {
            rows.push_str(&bar("gone", middle - gone, gone));
            let x = middle - gone - 4.0;
            rows.push_str(&format!(
                "<text class=\"small end\" x=\"{x:.1}\" y=\"{text}\">−{}</text>",
                tally.retracted
            ));
        }
        if tally.added > 0 {
            rows.push_str(&bar("come", middle, come));
        }
        if tally.changed > 0 {
            rows.push_str(&bar("other", middle + come, other));
        }
        let told = [("+", tally.added), ("~", tally.changed)];
        let told: Vec<String> =
            told.iter().filter(|(_, n)| *n > 0).map(|(sign, n)| format!("{sign}{n}")).collect();
        let x = middle + come + other + 4.0;
        rows.push_str(&format!("<text class=\"small\" x=\"{x:.1}\" y=\"{text}\">{}</text>", told.join(" ")));
    }
    format!(
        "<svg class=\"wide\" viewBox=\"0 0 {} {height}\" role=\"img\" aria-label=\"changes by cause\">\
         <defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#fff\"/>\
         <path d=\"M0 0V6\" stroke=\"#222\" stroke-width=\"3\"/></pattern></defs>\
         <text class=\"small end\" x=\"{}\" y=\"12\">retracted ◂</text>\
         <text class=\"small\" x=\"{}\" y=\"12\">▸ added, changed in outline</text>\
         <path class=\"axis\" d=\"M{middle} 16V{height}\"/>{rows}</svg>",
        NAMES + 2.0 * SIDE,
        middle - 6.0,
        middle + 6.0,
    )
}
