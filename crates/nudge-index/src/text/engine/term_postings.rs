//! The dictionary entries of a query's words in each segment, looked up once for all users.

use std::collections::HashMap;

use tantivy::postings::TermInfo;
use tantivy::{Searcher, Term};

use super::schema::Fields;

/// For each word, its dictionary entry in each segment.
pub(crate) struct TermPostings<'q>(HashMap<&'q str, Vec<Option<TermInfo>>>);

impl<'q> TermPostings<'q> {
    /// Looks up `words`.
    pub(crate) fn look_up(
        words: impl Iterator<Item = &'q str>,
        searcher: &Searcher,
        fields: Fields,
    ) -> tantivy::Result<Self> {
        let segments = searcher.segment_readers().iter();
        let dictionaries = segments
            .map(|segment| segment.inverted_index(fields.text))
            .collect::<tantivy::Result<Vec<_>>>()?;
        let mut places = HashMap::new();
        for word in words {
            let term = Term::from_field_text(fields.text, word);
            let found: Result<Vec<_>, _> =
                dictionaries.iter().map(|dictionary| dictionary.get_term_info(&term)).collect();
            places.insert(word, found?);
        }
        Ok(Self(places))
    }

    /// How many documents of the index contain `word`.
    pub(crate) fn document_count(&self, word: &str) -> u64 {
        let places = self.0.get(word).into_iter().flatten().flatten();
        places.map(|place| u64::from(place.doc_freq)).sum()
    }

    /// Its dictionary entry in one segment.
    pub(crate) fn at(&self, word: &str, segment: u32) -> Option<&TermInfo> {
        self.0.get(word)?.get(segment as usize)?.as_ref()
    }
}
