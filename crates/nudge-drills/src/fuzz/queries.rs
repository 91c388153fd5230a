//! Queries of every kind against a small store: the index and a scan find the same entries, and
//! nothing fails.

use nudge_index::{Filters, Hit, Index, Order, Page, Query, Reading, State};

use super::damage::{self, NASTY, Random};
use super::library::{FILES, Library, WORDS};

/// The parts of queries, in addition to words and texts that are hard to parse.
const SIGNS: &[&str] = &[
    " AND ", " OR ", " NOT ", "\"", "\"", "(", ")", "*", " ", " ", " ", "-", "_", ".", "::", "/", "++", "#",
    "'", "\\", "\t", "\n", ":", "^", "~", "+", "?", "&&", "||", "[", "]", "{", "}", "<", ">", "=", "NOT",
    "AND", "OR", "NEAR(",
];

/// A time close to those of the library, so that time filters have an effect.
const NOW: i64 = 60_000;

/// Makes the query with this number.
pub(super) fn query(number: u64) -> String {
    let mut random = Random::new(number);
    let mut text = String::new();
    for _ in 0..=random.below(12) {
        match random.below(8) {
            0..3 => text.push_str(WORDS[random.below(WORDS.len())]),
            3 => text.push(letter(&mut random)),
            4 => text.push_str(NASTY[random.below(NASTY.len())]),
            _ => text.push_str(SIGNS[random.below(SIGNS.len())]),
        }
        if random.below(3) == 0 {
            text.push(' ');
        }
    }
    match random.below(8) {
        0 => damage::damaged(&text, WORDS[random.below(WORDS.len())], &mut random),
        1 => text.repeat(1 + random.below(60)),
        _ => text,
    }
}

/// Any character at all.
fn letter(random: &mut Random) -> char {
    char::from_u32(random.below(0x11_0000) as u32).unwrap_or('\u{fffd}')
}

/// Asks `text` both ways, as a query and as a prompt. Panics if something is wrong.
pub(super) fn ask(library: &Library, text: &str, number: u64) {
    let mut random = Random::new(!number);
    match Query::parse(text) {
        Ok(query) => agree(library, &query, &mut random),
        Err(error) => {
            assert!(!error.message.is_empty(), "an error says what is wrong");
            assert!(error.at <= text.chars().count(), "an error lies within the query");
        }
    }
    if let Some(query) = Query::of_prompt(text) {
        agree(library, &query, &mut random);
    }
}

/// Index and scan find the same entries, and each page is the matching part of them.
fn agree(library: &Library, query: &Query, random: &mut Random) {
    let filters = filters(random);
    let found = matching(&library.index, library, query, &filters);
    assert_eq!(found, matching(&library.nowhere, library, query, &filters), "index and scan");
    let page = Page { limit: random.below(30), offset: random.below(10) };
    let order = if random.below(2) == 0 { Order::Relevance } else { Order::Blended };
    for index in [&library.index, &library.nowhere] {
        let hits =
            index.search(&library.rows, query, &filters, order, page, NOW).expect("the store does not fail");
        let wanted = if std::ptr::eq(index, &library.index) { State::Ready } else { State::Missing };
        assert_eq!(hits.state, wanted, "the index is used");
        let shows_rest = query.reading() == Reading::Keywords && !hits.is_relaxed;
        let (first, rest): (Vec<Hit>, Vec<Hit>) =
            hits.hits.iter().cloned().partition(|hit| !shows_rest || hit.has_all);
        assert_eq!([&first[..], &rest[..]].concat(), hits.hits, "what has all the words comes first");
        assert!(rest.iter().all(|hit| found.binary_search(&hit.id).is_err()), "the rest has some");
        // For a long sentence only the rarest words are searched.
        let total = hits.total.filter(|_| !shows_rest && !query.is_narrowed());
        assert!(total.is_none_or(|total| total == found.len()), "the total");
        let full = found.len().saturating_sub(page.offset).min(page.limit);
        assert!(first.len() == full || first.len() < full && query.is_narrowed(), "the page is full");
        are_ranked(&first, &found);
        assert!(rest.windows(2).all(|pair| pair[0].score >= pair[1].score), "the best of the rest first");
    }
    let at_most = 1 + random.below(200);
    let count =
        library.index.count(&library.rows, query, &filters, at_most).expect("the store does not fail");
    assert_eq!(count.min(at_most), found.len().min(at_most), "counting");
}

fn are_ranked(hits: &[Hit], found: &[i64]) {
    assert!(hits.windows(2).all(|pair| pair[0].score >= pair[1].score), "the best first");
    for (number, hit) in hits.iter().enumerate() {
        assert!(found.binary_search(&hit.id).is_ok(), "a hit matches");
        assert!(hits[..number].iter().all(|before| before.id != hit.id), "each once");
        assert!(hit.score.is_finite() && (0.0..=1.001).contains(&hit.covered), "scores are numbers");
    }
}

fn matching(index: &Index, library: &Library, query: &Query, filters: &Filters) -> Vec<i64> {
    index.matching(&library.rows, query, filters).expect("the store does not fail")
}

/// Mostly no filters, and sometimes one of each.
fn filters(random: &mut Random) -> Filters {
    let mut filters = Filters::default();
    match random.below(12) {
        0 => filters.projects = vec![random.below(5) as i64, random.below(5) as i64],
        1 => filters.other_than = vec![random.below(5) as i64],
        2 => filters.kinds = vec![random.below(20) as u8],
        3 => filters.session = Some(random.below(10) as i64),
        4 => filters.scheme = Some("obs".to_owned()),
        5 => filters.file = Some(FILES[random.below(FILES.len())].to_owned()),
        6 => filters.since = Some(random.below(NOW as usize) as i64),
        7 => filters.until = Some(random.below(NOW as usize) as i64),
        _ => {}
    }
    filters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_many_kinds_and_can_be_made_again() {
        assert_eq!(query(7), query(7));
        let (good, bad): (Vec<_>, Vec<_>) = (0..400).map(query).partition(|text| Query::parse(text).is_ok());
        assert!(good.len() > 50 && bad.len() > 50, "{} and {}", good.len(), bad.len());
    }

    #[test]
    fn most_queries_find_something() {
        let library = Library::open().expect("a library");
        let finds = |number: &u64| {
            let query = Query::parse(&query(*number));
            query.is_ok_and(|query| {
                !matching(&library.index, &library, &query, &Filters::default()).is_empty()
            })
        };
        assert!((0..200).filter(finds).count() > 40);
        (0..200).for_each(|number| ask(&library, &query(number), number));
    }
}
