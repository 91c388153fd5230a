//! The second look at the engine's best: which terms they have, and which of them in the title.

use std::sync::Arc;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::Postings;
use tantivy::query::{EnableScoring, Scorer};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, InvertedIndexReader, SegmentReader, TERMINATED, Term};

use super::Snapshot;
use super::collect::Found;
use super::compile::{Compiler, Refusal};
use super::wordings::Wordings;
use crate::query::{Pattern, Query};
use crate::scale::{Evidence, Scale};

/// Evidence for each of `found`, in their order.
pub(crate) fn evidence(
    snapshot: &Snapshot,
    query: &Query,
    scale: &Scale,
    wordings: &Wordings<'_>,
    found: &[Found],
) -> Result<Vec<Evidence>, Refusal> {
    let mut evidence: Vec<Evidence> = found.iter().map(|found| Evidence::new(found.base)).collect();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&index| (found[index].segment, found[index].document));
    for group in order.chunk_by(|&a, &b| found[a].segment == found[b].segment) {
        let look = Look::open(snapshot, scale, wordings, found[group[0]].segment)?;
        for &term in &scale.wanted {
            for (number, pattern) in query.terms[term].patterns.iter().enumerate() {
                match pattern {
                    Pattern::Word(word) => look.word(term, number, word, group, found, &mut evidence)?,
                    pattern => look.pattern(term, pattern, group, found, &mut evidence)?,
                }
            }
        }
    }
    Ok(evidence)
}

/// What is looked at in one segment.
struct Look<'a> {
    snapshot: &'a Snapshot,
    scale: &'a Scale,
    wordings: &'a Wordings<'a>,
    number: u32,
    segment: &'a SegmentReader,
    text: Arc<InvertedIndexReader>,
    title: Arc<InvertedIndexReader>,
    title_lengths: FieldNormReader,
}

impl<'a> Look<'a> {
    fn open(
        snapshot: &'a Snapshot,
        scale: &'a Scale,
        wordings: &'a Wordings<'a>,
        number: u32,
    ) -> Result<Self, Refusal> {
        let segment = snapshot.searcher.segment_reader(number);
        let (text, title) =
            (segment.inverted_index(snapshot.fields.text)?, segment.inverted_index(snapshot.fields.title)?);
        let title_lengths = segment.get_fieldnorms_reader(snapshot.fields.title)?;
        Ok(Self { snapshot, scale, wordings, number, segment, text, title, title_lengths })
    }

    fn word(
        &self,
        term: usize,
        number: usize,
        word: &str,
        group: &[usize],
        found: &[Found],
        evidence: &mut [Evidence],
    ) -> Result<(), Refusal> {
        let Some(place) = self.wordings.at(word, self.number) else { return Ok(()) };
        let mut postings = self.text.read_postings_from_terminfo(place, IndexRecordOption::Basic)?;
        // What has it in the title has it in the text.
        if !mark(&mut postings, term, group, found, evidence) {
            return Ok(());
        }
        let term_of_title = Term::from_field_text(self.snapshot.fields.title, word);
        let Some(mut postings) = self.title.read_postings(&term_of_title, IndexRecordOption::WithFreqs)?
        else {
            return Ok(());
        };
        for &index in group {
            let document = found[index].document;
            if reach(&mut postings, document) {
                let length = self.title_lengths.fieldnorm(document);
                evidence[index].title += self.scale.title(term, number, postings.term_freq(), length);
                evidence[index].set_in_title(term);
            }
        }
        Ok(())
    }

    fn pattern(
        &self,
        term: usize,
        pattern: &Pattern,
        group: &[usize],
        found: &[Found],
        evidence: &mut [Evidence],
    ) -> Result<(), Refusal> {
        let searcher = &self.snapshot.searcher;
        let compiler = Compiler { searcher, fields: self.snapshot.fields };
        let weight = compiler.pattern(pattern)?.weight(EnableScoring::disabled_from_searcher(searcher))?;
        let mut scorer: Box<dyn Scorer> = weight.scorer(self.segment, 1.0)?;
        mark(&mut scorer, term, group, found, evidence);
        Ok(())
    }
}

/// Notes which documents have it; says whether any has.
fn mark<D: DocSet>(
    set: &mut D,
    term: usize,
    group: &[usize],
    found: &[Found],
    evidence: &mut [Evidence],
) -> bool {
    let mut is_any = false;
    for &index in group {
        if reach(set, found[index].document) {
            evidence[index].set(term);
            is_any = true;
        }
    }
    is_any
}

/// Whether `document` is in the set, which is only ever walked forward.
fn reach<D: DocSet + ?Sized>(set: &mut D, document: u32) -> bool {
    let mut at = set.doc();
    if at < document && at != TERMINATED {
        at = set.seek(document);
    }
    at == document
}
