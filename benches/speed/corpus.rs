//! The generator of large corpora: documents, feeds, and the truth about them, from a fixed seed.
//!
//! The prose varies: sentences are put together from parts, some state an edge, some only name somebody,
//! and some deny or forbid what they speak of. The truth is every (subject, edge type, object) that some
//! sentence, table or header of some document states.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// What to generate.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    /// How many documents.
    pub(crate) documents: usize,
    /// How many suppliers the feed has.
    pub(crate) suppliers: usize,
    /// How many components the feed has.
    pub(crate) components: usize,
    /// How many rows the list of approved sources has; 0 for no such feed.
    pub(crate) sources: usize,
}

/// What was generated.
#[derive(Debug, Clone, Default)]
pub(crate) struct Generated {
    /// The bytes of all documents.
    pub(crate) bytes: u64,
    /// Every fact that the documents state: (subject, edge type, object), by key.
    pub(crate) truth: BTreeSet<(String, &'static str, String)>,
}

/// SplitMix64 (Steele et al. 2014): the same numbers on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// A stream of numbers of its own for each seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        value ^ (value >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn pick<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len())]
    }
}

const SYLLABLES: [&str; 32] = [
    "bar", "cor", "dal", "fen", "gar", "hol", "jan", "kel", "lor", "mar", "nov", "ost", "pel", "quin", "ras",
    "sol", "tar", "ulm", "vek", "wil", "yor", "zan", "bre", "cla", "dri", "fro", "gle", "kni", "pra", "sto",
    "tre", "vla",
];
const BUSINESS: [&str; 12] = [
    "Metals",
    "Systems",
    "Optics",
    "Forge",
    "Plastics",
    "Hydraulics",
    "Castings",
    "Circuits",
    "Bearings",
    "Coatings",
    "Textiles",
    "Controls",
];
const FORMS: [&str; 6] = ["GmbH", "Inc.", "Ltd", "SA", "AG", "LLC"];
const KINDS: [&str; 24] = [
    "Flange",
    "Bracket",
    "Valve",
    "Sensor Board",
    "Pump Module",
    "Gear Ring",
    "Seal Profile",
    "Actuator",
    "Harness",
    "Manifold",
    "Bushing",
    "Lens Mount",
    "Heat Shield",
    "Rotor Blade",
    "Filter Unit",
    "Relay",
    "Coupling",
    "Strut",
    "Nozzle",
    "Panel",
    "Hinge",
    "Spring Pack",
    "Cable Guide",
    "Cover Plate",
];
const SITES: usize = 60;

fn word(mut number: usize, least: usize) -> String {
    let mut word = String::new();
    let mut count = 0;
    while number > 0 || count < least {
        word.push_str(SYLLABLES[number % SYLLABLES.len()]);
        number /= SYLLABLES.len();
        count += 1;
    }
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The full name of a supplier.
pub(crate) fn supplier(number: usize) -> String {
    format!("{} {} {}", word(number, 3), BUSINESS[number % BUSINESS.len()], FORMS[number / 7 % FORMS.len()])
}

/// A supplier's name without its legal form.
fn short_supplier(number: usize) -> String {
    format!("{} {}", word(number, 3), BUSINESS[number % BUSINESS.len()])
}

/// The key of a supplier.
pub(crate) fn supplier_key(number: usize) -> String {
    format!("SUP-{number:06}")
}

/// The name of a component.
pub(crate) fn component(number: usize) -> String {
    format!("{} {}", word(number * 7 + 3, 2), KINDS[number % KINDS.len()])
}

/// The key of a component.
pub(crate) fn component_key(number: usize) -> String {
    format!("CMP-{number:07}")
}

fn site_key(number: usize) -> String {
    format!("SITE-{number:03}")
}

fn site(number: usize) -> String {
    format!("{} Works", word(number * 31 + 5, 2))
}

/// The path of a document below `documents/`.
pub(crate) fn path(number: usize) -> String {
    format!("{:03}/notice-{number:06}.md", number / 500)
}

/// Writes a whole workspace.
pub(crate) fn write(root: &Path, size: Size) -> io::Result<Generated> {
    for folder in ["ontology", "jobs", "feeds", "documents"] {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::write(root.join("ontology/supply.yaml"), include_str!("supply.yaml"))?;
    let job = include_str!("job.yaml");
    let sources = if size.sources > 0 { include_str!("sources.yaml") } else { "" };
    fs::write(root.join("jobs/nightly.yaml"), format!("{job}{sources}"))?;
    write_feeds(root, size)?;
    let mut generated = Generated::default();
    for number in 0..size.documents {
        let file = root.join("documents").join(path(number));
        if number % 500 == 0
            && let Some(folder) = file.parent()
        {
            fs::create_dir_all(folder)?;
        }
        let text = document(number, size, &mut generated.truth);
        generated.bytes += text.len() as u64;
        fs::write(file, text)?;
    }
    Ok(generated)
}

fn write_feeds(root: &Path, size: Size) -> io::Result<()> {
    write_suppliers(root, size.suppliers, None)?;
    let mut components = csv(root, "components")?;
    writeln!(components, "Part No,Description,Material")?;
    for number in 0..size.components {
        let material = ["steel", "aluminium", "polymer"][number % 3];
        writeln!(components, "{},{},{material}", component_key(number), component(number))?;
    }
    components.flush()?;
    let mut sites = csv(root, "sites")?;
    writeln!(sites, "Site,Name")?;
    for number in 0..SITES {
        writeln!(sites, "{},{}", site_key(number), site(number))?;
    }
    sites.flush()?;
    if size.sources > 0 {
        write_sources(root, size, 0)?;
    }
    Ok(())
}

/// Writes the suppliers' feed; `alias` gives one supplier one more name.
pub(crate) fn write_suppliers(root: &Path, count: usize, alias: Option<(usize, &str)>) -> io::Result<()> {
    let mut suppliers = csv(root, "suppliers")?;
    writeln!(suppliers, "SUPPNO,NAME,ALIAS")?;
    for number in 0..count {
        let alias = alias.filter(|(of, _)| *of == number).map_or("", |(_, alias)| alias);
        writeln!(suppliers, "{},{},{alias}", supplier_key(number), supplier(number))?;
    }
    suppliers.flush()
}

/// Writes the list of approved sources, in which the first `changed` rows have another lead time.
pub(crate) fn write_sources(root: &Path, size: Size, changed: usize) -> io::Result<()> {
    let mut sources = csv(root, "sources")?;
    writeln!(sources, "LIFNR,MATNR,VDATU,LEAD")?;
    for number in 0..size.sources {
        let (supplier, component) = source(number, size);
        let lead = 10 + number % 90 + usize::from(number < changed) * 100;
        let month = 1 + number % 12;
        writeln!(
            sources,
            "{},{},2024-{month:02}-01,{lead} days",
            supplier_key(supplier),
            component_key(component)
        )?;
    }
    sources.flush()
}

/// The supplier and component of a row of the list of approved sources; every row has another pair.
pub(crate) fn source(number: usize, size: Size) -> (usize, usize) {
    let component = number % size.components;
    let round = number / size.components;
    ((component * 13 + round * 101) % size.suppliers, component)
}

fn csv(root: &Path, name: &str) -> io::Result<io::BufWriter<fs::File>> {
    Ok(io::BufWriter::new(fs::File::create(root.join(format!("feeds/{name}.csv")))?))
}

/// One document, and what it states.
fn document(number: usize, size: Size, truth: &mut BTreeSet<(String, &'static str, String)>) -> String {
    let mut random = Random::new(number as u64 + 1);
    let mut text = String::with_capacity(1600);
    let home = random.below(size.suppliers);
    let day = 1 + random.below(28);
    let month = random.pick(&["January", "March", "April", "June", "July", "September", "November"]);
    let year = 2021 + random.below(5);
    let _ = writeln!(text, "Reference: N-{number:06}\nIssued: {day} {month} {year}\n");
    let _ =
        writeln!(text, "# {} notice {number}\n", random.pick(&["Supply", "Sourcing", "Quality", "Plant"]));
    for _ in 0..1 + random.below(3) {
        let _ = writeln!(
            text,
            "## {}\n",
            random.pick(&["Background", "Scope", "Delivery", "Remarks", "Findings", "Measures"])
        );
        for _ in 0..2 + random.below(3) {
            paragraph(&mut text, &mut random, home, size, truth);
        }
    }
    if number.is_multiple_of(4) {
        table(&mut text, &mut random, size, truth);
    }
    text
}

fn paragraph(
    text: &mut String,
    random: &mut Random,
    home: usize,
    size: Size,
    truth: &mut BTreeSet<(String, &'static str, String)>,
) {
    for _ in 0..2 + random.below(3) {
        match random.below(8) {
            0 => states_supply(text, random, home, size, truth),
            1 => denies(text, random, size),
            2 => {
                let supplier = random.below(size.suppliers);
                let _ = write!(
                    text,
                    "{} {} {} {}. ",
                    random.pick(&["A visit to", "The last audit of", "Our talks with", "A letter from"]),
                    short_supplier(supplier),
                    random.pick(&["took place in", "was closed after the review of", "was put off until"]),
                    random.pick(&["the second quarter", "the autumn", "the new year", "last May"])
                );
            }
            _ => filler(text, random),
        }
    }
    text.push_str("\n\n");
}

fn states_supply(
    text: &mut String,
    random: &mut Random,
    home: usize,
    size: Size,
    truth: &mut BTreeSet<(String, &'static str, String)>,
) {
    let of = if random.below(3) == 0 { random.below(size.suppliers) } else { home };
    let part = random.below(size.components);
    let name = if random.below(2) == 0 { supplier(of) } else { short_supplier(of) };
    let verb = random.pick(&["shall supply", "will deliver", "agrees to sell", "shall provide"]);
    let written = if random.below(4) == 0 { component_key(part) } else { component(part) };
    let _ = write!(text, "{name} {verb} the {written}");
    if random.below(2) == 0 {
        let _ = write!(
            text,
            " from {} {} {}",
            1 + random.below(28),
            random.pick(&["January", "May", "October"]),
            2021 + random.below(5)
        );
    }
    text.push_str(". ");
    truth.insert((supplier_key(of), "supplies", component_key(part)));
}

fn denies(text: &mut String, random: &mut Random, size: Size) {
    let (of, part) = (random.below(size.suppliers), random.below(size.components));
    let _ = match random.below(3) {
        0 => write!(text, "{} shall not supply the {}. ", short_supplier(of), component(part)),
        1 => write!(text, "{} may supply the {} to others. ", supplier(of), component(part)),
        _ => {
            write!(text, "If the board agrees, {} will supply the {}. ", short_supplier(of), component(part))
        }
    };
}

fn filler(text: &mut String, random: &mut Random) {
    let opening = random.pick(&[
        "The committee notes that",
        "In the past quarter",
        "As stated before,",
        "For the record,",
        "By the end of the month",
        "After the last inspection",
        "According to the plan",
        "On the whole",
    ]);
    let subject = random.pick(&[
        "the lead times",
        "the stock levels",
        "the transport costs",
        "the test results",
        "the drawings",
        "the open orders",
        "the quality figures",
        "the tooling costs",
    ]);
    let verb = random.pick(&[
        "remained within the agreed range",
        "rose a little",
        "fell below last year's figures",
        "were reviewed with the plant",
        "are to be confirmed in writing",
        "gave no cause for concern",
        "were sent to the purchasing office",
    ]);
    let closing = random.pick(&[
        "",
        ", and no further action is needed",
        ", which the plant will look into",
        ", as the minutes of the meeting show",
        ", although two points are still open",
    ]);
    let number = 100 + random.below(9000);
    let _ = write!(text, "{opening} {subject} {verb}{closing} (file {number}). ");
}

fn table(
    text: &mut String,
    random: &mut Random,
    size: Size,
    truth: &mut BTreeSet<(String, &'static str, String)>,
) {
    let home = random.below(SITES);
    let _ = writeln!(text, "## Parts list of {}\n\n| Site | Component | Qty |\n|---|---|---|", site(home));
    for _ in 0..2 + random.below(4) {
        let part = random.below(size.components);
        let _ = writeln!(text, "| {} | {} | {} |", site(home), component(part), 1 + random.below(40));
        truth.insert((site_key(home), "uses", component_key(part)));
    }
    text.push('\n');
}
