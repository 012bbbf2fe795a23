//! Papers: small PDFs, written by hand as bytes.

use std::fmt::Write as _;

/// A PDF in the making: pages of lines, and what stands in its dictionary of properties.
#[derive(Default)]
pub(crate) struct Paper {
    pages: Vec<String>,
    info: String,
    /// What the trailer says beside what it must.
    trailer: String,
}

impl Paper {
    /// No pages.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With a property, such as `Title`.
    pub(crate) fn info(mut self, key: &str, value: &str) -> Self {
        write!(self.info, "/{key} ({}) ", escaped(value)).unwrap();
        self
    }

    /// With an entry of the trailer.
    pub(crate) fn trailer(mut self, entry: &str) -> Self {
        self.trailer.push_str(entry);
        self
    }

    /// A page in a small notation, a line each: `# text` is a large line, `| a | b` a row of a table with lines
    /// drawn around its cells, `^ text` stands at the head and `_ text` at the foot of the page, an empty line is a
    /// gap, and `picture` draws one.
    pub(crate) fn page(mut self, text: &str) -> Self {
        let mut stream = String::new();
        let mut y = 700;
        let show = |stream: &mut String, font: &str, size: u32, x: u32, y: u32, text: &str| {
            writeln!(stream, "BT /{font} {size} Tf {x} {y} Td ({}) Tj ET", escaped(text)).unwrap();
        };
        for line in text.lines().map(str::trim) {
            if let Some(title) = line.strip_prefix("# ") {
                show(&mut stream, "F2", 18, 72, y, title);
                y -= 30;
            } else if let Some(head) = line.strip_prefix("^ ") {
                show(&mut stream, "F1", 9, 72, 760, head);
            } else if let Some(foot) = line.strip_prefix("_ ") {
                show(&mut stream, "F1", 9, 300, 40, foot);
            } else if let Some(row) = line.strip_prefix("| ") {
                for (at, cell) in (0..).zip(row.split(" | ")) {
                    show(&mut stream, "F1", 11, 75 + at * 150, y, cell);
                    writeln!(stream, "{} {} 150 18 re S", 72 + at * 150, y - 5).unwrap();
                }
                y -= 18;
            } else if line == "picture" {
                stream.push_str("q 400 0 0 600 72 100 cm /Im1 Do Q\n");
            } else if line.is_empty() {
                y -= 14;
            } else {
                show(&mut stream, "F1", 11, 72, y, line);
                y -= 14;
            }
        }
        self.pages.push(stream);
        self
    }

    /// The file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let kids: Vec<String> = (0..self.pages.len()).map(|at| format!("{} 0 R", 7 + 2 * at)).collect();
        let picture = "\u{7f}".repeat(64);
        let mut parts = vec![
            "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
            format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), self.pages.len()),
            font("Helvetica"),
            font("Helvetica-Bold"),
            format!("<< {}>>", self.info),
            format!(
                "<< /Type /XObject /Subtype /Image /Width 8 /Height 8 /ColorSpace /DeviceGray \
                 /BitsPerComponent 8 /Length {} >>\nstream\n{picture}\nendstream",
                picture.len()
            ),
        ];
        for (at, stream) in self.pages.iter().enumerate() {
            let picture = if stream.contains("/Im1") { " /XObject << /Im1 6 0 R >>" } else { "" };
            parts.push(format!(
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
                 /Resources << /Font << /F1 3 0 R /F2 4 0 R >>{picture} >> >>",
                8 + 2 * at
            ));
            parts.push(format!("<< /Length {} >>\nstream\n{stream}\nendstream", stream.len()));
        }
        let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
        let mut starts = Vec::new();
        for (number, part) in (1..).zip(&parts) {
            starts.push(file.len());
            file.extend_from_slice(format!("{number} 0 obj\n{part}\nendobj\n").as_bytes());
        }
        let table = file.len();
        let mut end = format!("xref\n0 {}\n0000000000 65535 f \n", parts.len() + 1);
        for start in starts {
            writeln!(end, "{start:010} 00000 n ").unwrap();
        }
        write!(
            end,
            "trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R {}>>\nstartxref\n{table}\n%%EOF\n",
            parts.len() + 1,
            self.trailer
        )
        .unwrap();
        file.extend_from_slice(end.as_bytes());
        file
    }

    /// The file, encrypted with these passwords.
    pub(crate) fn locked(&self, user: &str, owner: &str) -> Vec<u8> {
        use pdf_oxide::editor::{DocumentEditor, EncryptionConfig, SaveOptions};
        let mut editor = DocumentEditor::from_bytes(self.bytes()).unwrap();
        editor
            .save_to_bytes_with_options(SaveOptions::with_encryption(EncryptionConfig::new(user, owner)))
            .unwrap()
    }
}

fn font(name: &str) -> String {
    format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)")
}
