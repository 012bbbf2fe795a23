//! The files that `edgewright init` writes: a small workspace that works.

/// Pairs each path with the text of the file of that name beside this one.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        vec![$(($path.to_owned(), include_str!(concat!("starter/", $path)).to_owned())),*]
    };
}

/// The path of each file, relative to the workspace, with its text.
pub fn starter() -> Vec<(String, String)> {
    files![
        "README.md",
        "documents/2023-02-alder-lifts.md",
        "documents/2024-04-brightwater.md",
        "documents/2024-04-order.md",
        "documents/2025-06-notice.txt",
        "feeds/buildings.csv",
        "feeds/contractors.csv",
        "jobs/nightly.yaml",
        "ontology/maintenance.yaml",
    ]
}
