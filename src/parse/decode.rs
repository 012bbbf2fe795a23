//! Which encoding the bytes are in, and the text they spell, with line ends as `\n`.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::Format;
use crate::diag::{Diagnostic, Place, count};

/// How far into an HTML file its encoding may be declared, as browsers have it.
const META_WINDOW: usize = 1_024;

/// The signatures of formats that people put beside their texts and that contain few zero bytes.
const SIGNATURES: [(&[u8], &str); 4] = [
    (b"%PDF-", "PDF"),
    (b"PK\x03\x04", "ZIP or Office"),
    (b"\x89PNG", "PNG"),
    (b"\xd0\xcf\x11\xe0", "Office"),
];

pub(super) struct Decoded {
    pub(super) text: String,
    pub(super) encoding: &'static str,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Decodes the bytes, or says why they are not text.
pub(super) fn decode(file: &str, format: Format, bytes: &[u8]) -> Result<Decoded, Box<Diagnostic>> {
    if let Some((_, name)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return Err(binary(file, format!("the file is {name}, not text")));
    }
    let told = encoding_of(format, bytes);
    let (Told::By(encoding) | Told::Guessed(encoding)) = told;
    if bytes.contains(&0) && encoding != UTF_16LE && encoding != UTF_16BE {
        return Err(binary(file, "the file contains zero bytes, so it is not text"));
    }
    let (text, _) = encoding.decode_with_bom_removal(bytes);
    if looks_binary(&text) {
        return Err(binary(file, "the file consists mostly of control characters, so it is not text"));
    }
    let undecoded = text.matches('\u{fffd}').count();
    let spelled = bytes.windows(3).filter(|window| window == b"\xef\xbf\xbd").count();
    let mut diagnostics = Vec::new();
    if undecoded > 0 && (encoding != UTF_8 || undecoded > spelled) {
        let line = text.split('\u{fffd}').next().unwrap_or_default().matches('\n').count() + 1;
        let place = Place::at(file, u32::try_from(line).unwrap_or(u32::MAX), 0);
        let message = format!("{} could not be read as {}", count(undecoded, "character"), encoding.name());
        diagnostics.push(
            Diagnostic::warning("parse-encoding", place, message)
                .hint("save the file as UTF-8, or mend the damaged place"),
        );
    }
    if let Told::Guessed(_) = told {
        let at = bytes.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
        let line = bytes.iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        let place = Place::at(file, u32::try_from(line).unwrap_or(u32::MAX), 0);
        let message = format!("it is not UTF-8, and was read as {}, by a guess", encoding.name());
        diagnostics.push(
            Diagnostic::note("parse-encoding", place, message)
                .hint("save the file as UTF-8, or declare the encoding in the HTML file"),
        );
    }
    Ok(Decoded { text: unix_lines(&text), encoding: encoding.name(), diagnostics })
}

fn binary(file: &str, message: impl Into<String>) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error("parse-binary", Place::file(file), message);
    Box::new(diagnostic.hint("convert the file to Markdown, text or HTML, or leave it out of the source"))
}

/// How an encoding is known.
#[derive(Clone, Copy)]
enum Told {
    /// The bytes say so: by a mark, a declaration, or because they are UTF-8.
    By(&'static Encoding),
    /// By which letters are frequent.
    Guessed(&'static Encoding),
}

fn encoding_of(format: Format, bytes: &[u8]) -> Told {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        return Told::By(encoding);
    }
    if let Some(encoding) = utf16_without_mark(bytes) {
        return Told::By(encoding);
    }
    let declared = (format == Format::Html).then(|| declared(bytes)).flatten();
    if is_mostly_utf8(bytes, declared == Some(UTF_8)) {
        return Told::By(UTF_8);
    }
    if let Some(encoding) = declared.filter(|encoding| *encoding != UTF_8) {
        return Told::By(encoding);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    Told::Guessed(detector.guess(None, Utf8Detection::Deny))
}

/// UTF-16 shows by zero bytes at every other place only: those of spaces, line ends and Latin letters.
fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    if bytes.len() < 2 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let zeros = |parity: usize| bytes.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    let encoding = match (zeros(0), zeros(1)) {
        (0, 0) => return None,
        (0, _) => UTF_16LE,
        (_, 0) => UTF_16BE,
        _ => return None,
    };
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (!looks_binary(&text) && !text.contains('\u{fffd}')).then_some(encoding)
}

/// True for UTF-8, and for UTF-8 with some damaged places: reading those as another encoding would garble every
/// sound character. Letters of two or more bytes that are sound do not come about by chance, so as many of them as
/// there are damaged places decide; a file that declares UTF-8 is believed against a few bytes more.
fn is_mostly_utf8(bytes: &[u8], declared: bool) -> bool {
    let (mut sound, mut damaged) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        sound += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        damaged += usize::from(!chunk.invalid().is_empty());
    }
    damaged == 0 || sound >= damaged || (declared && damaged <= 8)
}

/// The encoding that an HTML file declares.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes.get(..META_WINDOW).unwrap_or(bytes).to_ascii_lowercase();
    let at = head.windows(7).position(|window| window == b"charset")?;
    let rest = head[at + 7..].iter().copied().skip_while(|byte| b" =\"'\t\n".contains(byte));
    let label: Vec<u8> = rest.take_while(|byte| !b" \"'/>;\t\r\n".contains(byte)).collect();
    let encoding = Encoding::for_label(&label)?;
    // A file in which the declaration can be read byte by byte is not UTF-16.
    (encoding != UTF_16LE && encoding != UTF_16BE).then_some(encoding)
}

/// True if a tenth of the characters are control characters or undecodable ones are a third.
fn looks_binary(text: &str) -> bool {
    let (mut all, mut control, mut unknown) = (0_usize, 0_usize, 0_usize);
    for character in text.chars() {
        all += 1;
        control += usize::from(character.is_control() && !character.is_whitespace());
        unknown += usize::from(character == '\u{fffd}');
    }
    control * 10 > all || unknown * 3 > all
}

fn unix_lines(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> (String, &'static str) {
        let decoded = decode("f", Format::Text, bytes).unwrap();
        (decoded.text, decoded.encoding)
    }

    fn utf16(text: &str, little: bool) -> Vec<u8> {
        let bytes = |unit: u16| if little { unit.to_le_bytes() } else { unit.to_be_bytes() };
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn one_text_in_many_encodings() {
        let text = "Müller GmbH, Straße 5\nliefert für 3 € à la carte.\n";
        assert_eq!(read(text.as_bytes()).0, text);
        assert_eq!(read(format!("\u{feff}{text}").as_bytes()).0, text);
        assert_eq!(read(text.replace('\n', "\r\n").as_bytes()).0, text);
        assert_eq!(read(text.replace('\n', "\r").as_bytes()).0, text);
        for little in [true, false] {
            assert_eq!(read(&utf16(text, little)).0, text);
            assert_eq!(read(&utf16(&format!("\u{feff}{text}"), little)).0, text);
        }
        let (windows, _, _) = encoding_rs::WINDOWS_1252.encode(text);
        assert_eq!(read(&windows), (text.to_owned(), "windows-1252"));
    }

    #[test]
    fn html_may_declare_its_encoding() {
        let bytes = b"<meta charset='windows-1251'><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>";
        let decoded = decode("f", Format::Html, bytes).unwrap();
        assert!(decoded.text.contains("Привет"));
    }

    #[test]
    fn damaged_and_binary_files_are_said() {
        let decoded = decode("f", Format::Text, "äöüäöüäöü\nä\u{0}".replace('\u{0}', "").as_bytes()).unwrap();
        assert!(decoded.diagnostics.is_empty());
        let mut damaged = "äöüäöüäöü\nfein ".as_bytes().to_vec();
        damaged.push(0xff);
        let decoded = decode("f", Format::Text, &damaged).unwrap();
        assert_eq!(decoded.diagnostics[0].code, "parse-encoding");
        assert_eq!(decoded.diagnostics[0].at.line, 2);
        let said = |format, bytes: &[u8]| {
            let decoded = decode("f", format, bytes).unwrap();
            let said = decoded.diagnostics.iter().map(|one| format!("{}: {}", one.at.line, one.message));
            (decoded.text, said.collect::<Vec<_>>())
        };
        let lost = ["2: 1 character could not be read as UTF-8"].map(str::to_owned).to_vec();
        let one = "die Vättern\nRev \u{fffd} end";
        assert_eq!(said(Format::Text, b"die V\xc3\xa4ttern\nRev \xff end"), (one.to_owned(), lost.clone()));
        let page = b"<meta charset=utf-8>\nRev \xff end";
        assert_eq!(said(Format::Html, page).1, lost);
        let guessed = ["2: it is not UTF-8, and was read as windows-1252, by a guess"].map(str::to_owned);
        let latin = b"Vertrag\nM\xfcller GmbH, Stra\xdfe 5";
        assert_eq!(
            said(Format::Text, latin),
            ("Vertrag\nMüller GmbH, Straße 5".to_owned(), guessed.to_vec())
        );
        for bytes in [&b"a\0b\0\0c"[..], b"%PDF-1.7 text", b"\x01\x02\x03\x04abc"] {
            assert_eq!(decode("f", Format::Text, bytes).err().unwrap().code, "parse-binary");
        }
        assert_eq!(read(b"").0, "");
    }
}
