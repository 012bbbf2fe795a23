//! Changes that come as one file after another in a folder.
//!
//! What comes in: the names of the files in the order of their names. What goes out: what all their changes come to,
//! as if they stood in one file. So files may be added and those that were read taken away; a file that was withheld
//! is not lost. It must not know how a file is read.

use std::collections::BTreeMap;

use crate::model::id::Fingerprint;
use crate::model::job::Feed;

use super::{Changes, FeedRead, Row};

/// Reads the files of a folder one after another.
pub(super) fn read(
    feed: &Feed,
    names: &[String],
    known: &[String],
    one: impl Fn(&Feed) -> FeedRead,
) -> FeedRead {
    let mut whole = FeedRead {
        hash: Fingerprint::of_bytes(&[]),
        columns: known.to_vec(),
        rows: Vec::new(),
        changes: None,
        not_selected: 0,
        total: 0,
        diagnostics: Vec::new(),
        missing: false,
        usable: true,
    };
    let mut hashes = String::new();
    let (mut kept, mut changes) = (BTreeMap::<String, (usize, Row)>::new(), Changes::default());
    for (number, name) in names.iter().enumerate() {
        let file = Feed { path: format!("{}/{name}", feed.path), ..feed.clone() };
        let read = one(&file);
        hashes.push_str(&format!("{name}\n{}\n", read.hash));
        whole.usable &= read.usable;
        whole.total += read.total;
        whole.not_selected += read.not_selected;
        whole.diagnostics.extend(read.diagnostics);
        if !read.columns.is_empty() {
            whole.columns = read.columns;
        }
        let later = read.changes.unwrap_or_default();
        for key in later.removed.keys().chain(&later.deselected) {
            kept.remove(key);
        }
        changes.removed.extend(later.removed);
        changes.deselected.extend(later.deselected);
        for row in read.rows {
            changes.removed.remove(&row.key);
            changes.deselected.remove(&row.key);
            kept.insert(row.key.clone(), (number, row));
        }
    }
    whole.hash = Fingerprint::of_bytes(hashes.as_bytes());
    if whole.usable {
        let mut rows: Vec<(usize, Row)> = kept.into_values().collect();
        rows.sort_by_key(|(number, row)| (*number, row.line));
        whole.rows = rows.into_iter().map(|(_, row)| row).collect();
        whole.changes = Some(changes);
    }
    whole
}
