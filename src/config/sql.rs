//! What a query says of the order of its rows.
//!
//! What comes in: the text of a query of SQLite or PostgreSQL. What goes out: whether its rows have an order of their
//! own. It must not know who is asked.

/// True if a query as a whole states an order. What stands in brackets orders the rows of a part, those of a window
/// or the values of a sum; in quotes and remarks the words are no order at all. Linear in the query.
pub(super) fn is_ordered(query: &str) -> bool {
    let (mut rest, mut depth, mut after_order) = (query, 0_usize, false);
    while let Some(first) = rest.chars().next() {
        if let Some(length) = passed_over(rest) {
            // A quoted name, a text or a number stands between the two words as little as another word.
            after_order &= first.is_whitespace() || rest.starts_with("--") || rest.starts_with("/*");
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(length);
        match word {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            word if depth == 0 && after_order && word.eq_ignore_ascii_case("by") => return true,
            _ => {}
        }
        after_order = depth == 0 && word.eq_ignore_ascii_case("order");
        rest = behind;
    }
    false
}

/// How many bytes at the beginning of a text are blanks, a remark or quoted; `None` if they are none of these.
fn passed_over(text: &str) -> Option<usize> {
    let until = |end: &str, from: usize| {
        text.get(from..).and_then(|rest| rest.find(end)).map_or(text.len(), |at| from + at + end.len())
    };
    match text.as_bytes() {
        [b'-', b'-', ..] => Some(until("\n", 2)),
        [b'/', b'*', ..] => Some(until("*/", 2)),
        // A doubled quote ends one text and begins the next.
        [quote @ (b'\'' | b'"' | b'`'), ..] => Some(until(&char::from(*quote).to_string(), 1)),
        [b'$', ..] => {
            let end = text.get(1..)?.find('$')? + 2;
            let tag = text.get(..end)?;
            let is_tag = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
            tag.chars().all(is_tag).then(|| until(tag, end))
        }
        _ => {
            let blanks = text.len() - text.trim_start().len();
            (blanks > 0).then_some(blanks)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_ordered;

    #[test]
    fn an_order_of_the_whole_is_one_and_that_of_a_part_is_none() {
        let ordered = [
            "select a from t order by a",
            "select a from t ORDER\n  BY a",
            "select a from (select 1 as a)order by a",
            "select a from t order /* of names */ by a",
            "select a from t where b = 'it''s' order by a",
            "with x as (select a from t order by a) select a from x order by 1",
        ];
        let not = [
            "select a from t",
            "select a from (select a from t order by a)",
            "select a, row_number() over (order by b) from t",
            "select array[(select 1 order by 1)] from t",
            "select a from t -- order by a",
            "select a from t /* order by a */",
            "select 'order by', a from t",
            "select \"order by\" from t",
            "select $x$ order by $x$ from t",
            "select border by from t",
            "select order, by from t",
            "select a from t where b = 'order",
        ];
        for query in ordered {
            assert!(is_ordered(query), "{query}");
        }
        for query in not {
            assert!(!is_ordered(query), "{query}");
        }
    }
}
