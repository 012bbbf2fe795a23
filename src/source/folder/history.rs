//! Random histories of a folder: what blocks let a scan pass over must be what a plain comparison finds unchanged.
//!
//! Each history is played in a real folder. After every night the scan that reads checkpoints only where the sum of
//! a block differs is laid beside the one that reads them all. A failing history is printed as its actions.

use std::collections::BTreeSet;
use std::fs;

use super::tests::{LATER, source};
use super::*;

/// The histories, and the nights of each.
const SEEDS: u64 = 40;
const NIGHTS: usize = 12;

/// SplitMix64 (Steele et al. 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((value ^ (value >> 31)) % end as u64) as usize
    }
}

struct History {
    dice: Dice,
    root: tempfile::TempDir,
    source: Source,
    /// The checkpoints, and whether the document of each is what was seen there.
    seen: BTreeMap<String, (Seen, bool)>,
    blocks: Vec<Block>,
    told: Vec<String>,
    /// How many files a scan was spared.
    passed: usize,
}

impl History {
    fn new(seed: u64) -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("docs")).unwrap();
        Self {
            dice: Dice(seed),
            root,
            source: source(&[], &[]),
            seen: BTreeMap::new(),
            blocks: Vec::new(),
            told: Vec::new(),
            passed: 0,
        }
    }

    fn folder(&self) -> PathBuf {
        self.root.path().join("docs")
    }

    /// A path: most are in two folders, so that these hold several blocks.
    fn path(&mut self) -> String {
        let folders = ["a/", "a/", "b/", "", "a/deep/", "a.md/", "M\u{fc}ller/"];
        let number = self.dice.below(30);
        let format = ["md", "md", "md", "TXT", "pdf"][self.dice.below(5)];
        format!("{}{number}.{format}", folders[self.dice.below(folders.len())])
    }

    fn some(&mut self) -> String {
        let paths: Vec<String> = self.seen.keys().cloned().collect();
        if paths.is_empty() { self.path() } else { paths[self.dice.below(paths.len())].clone() }
    }

    /// Does something to the folder, to what people and other commands do to documents, or to the configuration. What
    /// cannot be done at the moment is not done.
    fn act(&mut self) {
        let (path, some) = (self.path(), self.some());
        let (file, other) = (self.folder().join(&path), self.folder().join(&some));
        // Most nights bring a new file or two; what confuses a scan is rare, or hardly anything would be passed over.
        let what = if self.dice.below(3) == 0 { self.dice.below(20) } else { self.dice.below(8) };
        let write = |file: &Path, text: &str| {
            file.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok())
                && fs::write(file, text).is_ok()
        };
        let text = format!("{}", self.dice.below(1000));
        let done = match what {
            0..=5 => write(&file, &text),
            6 => write(&other, &text),
            // Size, time and text are as before, the time of the change is not.
            7 => fs::read_to_string(&other).is_ok_and(|text| write(&other, &text)),
            8 => fs::remove_file(&other).is_ok(),
            9 => fs::rename(&other, &file).is_ok(),
            10 => fs::remove_dir_all(
                self.folder().join(["a", "a/deep", "b", "M\u{fc}ller"][self.dice.below(4)]),
            )
            .is_ok(),
            11 => fs::rename(self.folder().join("a"), self.folder().join("b/moved")).is_ok(),
            12 => write(&other, ""),
            13 => write(&other, &"x".repeat(1001)),
            14 => link(&self.folder().join("nowhere"), &file),
            15 => {
                link(&self.folder().join("a"), &self.folder().join("linked"))
                    || fs::remove_file(self.folder().join("linked")).is_ok()
            }
            16 => {
                link(&self.folder().join("loop"), &self.folder().join("loop"))
                    || fs::remove_file(self.folder().join("loop")).is_ok()
            }
            17 => {
                let globs = [vec![], vec!["*.md"], vec!["a/**", "b/**"], vec!["**/1*"], vec!["["]];
                let globs = globs[[0, 0, 0, 1, 2, 3, 4][self.dice.below(7)]].iter();
                self.source.include = globs.map(|glob| (*glob).to_owned()).collect();
                true
            }
            18 => {
                write(&self.folder().join("Mu\u{308}ller/1.md"), &text)
                    && write(&self.folder().join("M\u{fc}ller/1.md"), &text)
            }
            // A document is withdrawn, or restored.
            _ => match self.seen.get_mut(&some) {
                Some((_, holds)) => {
                    *holds = !*holds;
                    self.doubt(&some);
                    true
                }
                None => false,
            },
        };
        self.told.push(format!("{what} {path} {some}{}", if done { "" } else { ": not done" }));
    }

    /// What the triggers of the store do when a checkpoint is written.
    fn doubt(&mut self, path: &str) {
        if let Some(block) = self.blocks.iter_mut().rev().find(|block| *block.first <= *path) {
            block.sum = None;
        }
    }

    /// Both scans of a night, and what both must agree in.
    fn night(&mut self) {
        // One night of four is so near that the stamps of what was just written are not settled.
        let near = self.dice.below(4) == 0;
        let since = std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos();
        let now = if near { i128::try_from(since).unwrap() } else { LATER };
        let before: BTreeMap<String, Seen> =
            self.seen.iter().map(|(path, (seen, _))| (path.clone(), *seen)).collect();
        let walked = || walk(self.root.path(), &self.source);
        let plain = compare(self.root.path(), &self.source, walked(), &[Span::whole()], &before, now);

        let walk = walked();
        let spans = walk.spans(&self.blocks);
        let read: BTreeMap<String, Seen> = before
            .iter()
            .filter(|(path, _)| spans.iter().any(|span| span.holds(path)))
            .map(|(path, seen)| (path.clone(), *seen))
            .collect();
        let scan = compare(self.root.path(), &self.source, walk, &spans, &read, now);

        let told = self.told.join("\n");
        let is_same = |found: &&Found| {
            found.changed || found.is_news || !self.seen.get(&found.path).is_some_and(|(_, holds)| *holds)
        };
        let news = |scan: &Scan| scan.found.iter().filter(is_same).cloned().collect::<Vec<_>>();
        assert_eq!(news(&scan), news(&plain), "{told}");
        assert_eq!(scan.found.len() + scan.passed, plain.found.len(), "{told}");
        assert_eq!(
            Scan { found: Vec::new(), passed: 0, ..scan.clone() },
            Scan { found: Vec::new(), passed: 0, ..plain },
            "{told}"
        );
        self.passed += scan.passed;

        for span in &spans {
            let mut cutter = Cutter::new(span);
            for (path, (seen, holds)) in self.seen.iter().filter(|(path, _)| span.holds(path)) {
                cutter.add(path, seen.sum(path).filter(|_| *holds));
            }
            self.blocks.retain(|block| !span.holds(&block.first));
            self.blocks.extend(cutter.blocks());
        }
        self.blocks.sort_by(|a, b| a.first.cmp(&b.first));
        self.check_blocks();
        self.publish(&scan);
    }

    /// A night that is given up leaves the checkpoints as they were.
    fn publish(&mut self, scan: &Scan) {
        if self.dice.below(6) == 0 {
            return;
        }
        let mut written = BTreeSet::new();
        for found in &scan.found {
            let before = self.seen.insert(found.path.clone(), (found.seen, true));
            if before != Some((found.seen, true)) {
                written.insert(found.path.clone());
            }
        }
        for gone in &scan.gone {
            self.seen.remove(gone);
            written.insert(gone.clone());
        }
        written.iter().for_each(|path| self.doubt(path));
    }

    /// The blocks cover every path once, and each sum is that of its checkpoints.
    fn check_blocks(&self) {
        let told = self.told.join("\n");
        assert_eq!(self.blocks[0].first, "", "{told}");
        assert!(self.blocks.is_sorted_by(|a, b| a.first < b.first), "{told}");
        for (at, block) in self.blocks.iter().enumerate().filter(|(_, block)| block.sum.is_some()) {
            let until = self.blocks.get(at + 1).map(|next| next.first.clone());
            let span = Span { from: block.first.clone(), until };
            let held = self.seen.iter().filter(|(path, _)| span.holds(path));
            let mut adds = held.map(|(path, (seen, holds))| seen.sum(path).filter(|_| *holds));
            let sum = adds.try_fold(Sum::default(), |sum, adds| Some(sum.plus(adds?)));
            assert_eq!(sum, block.sum, "{told}\nthe block that begins with `{}`", block.first);
        }
    }
}

#[cfg(unix)]
fn link(to: &Path, from: &Path) -> bool {
    std::os::unix::fs::symlink(to, from).is_ok()
}

#[cfg(not(unix))]
fn link(_to: &Path, _from: &Path) -> bool {
    false
}

#[test]
fn blocks_say_what_a_plain_comparison_says() {
    let mut passed = 0;
    for seed in 0..SEEDS {
        let mut history = History::new(seed);
        for night in 0..NIGHTS {
            let acts = if night == 0 { 60 } else { [0, 0, 1, 1, 2, 5][history.dice.below(6)] };
            (0..acts).for_each(|_| history.act());
            history.told.push(format!("night {night} of seed {seed}"));
            history.night();
        }
        passed += history.passed;
    }
    assert!(passed > SEEDS as usize * NIGHTS, "hardly any file was passed over: {passed}");
}
