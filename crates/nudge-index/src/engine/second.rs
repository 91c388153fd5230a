//! The second look at the engine's best: which terms they have, and which of them in the title.

use tantivy::postings::Postings;
use tantivy::query::{EnableScoring, Scorer};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet, SegmentReader, TERMINATED, Term};

use super::Snapshot;
use super::collect::Found;
use super::compile::{Compiler, Refusal};
use crate::query::{Pattern, Query};
use crate::scale::{Evidence, Scale};

/// Evidence for each of `found`, in their order.
pub(crate) fn evidence(
    snapshot: &Snapshot,
    query: &Query,
    scale: &Scale,
    found: &[Found],
) -> Result<Vec<Evidence>, Refusal> {
    let mut evidence: Vec<Evidence> = found.iter().map(|found| Evidence::new(found.base)).collect();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|&index| (found[index].segment, found[index].document));
    for group in order.chunk_by(|&a, &b| found[a].segment == found[b].segment) {
        let segment = snapshot.searcher.segment_reader(found[group[0]].segment);
        let look = Look { snapshot, segment, scale };
        for &term in &scale.wanted {
            for (number, pattern) in query.terms[term].patterns.iter().enumerate() {
                look.text(term, pattern, group, found, &mut evidence)?;
                if let Pattern::Word(word) = pattern {
                    look.title(term, number, word, group, found, &mut evidence)?;
                }
            }
        }
    }
    Ok(evidence)
}

struct Look<'a> {
    snapshot: &'a Snapshot,
    segment: &'a SegmentReader,
    scale: &'a Scale,
}

impl Look<'_> {
    fn text(
        &self,
        term: usize,
        pattern: &Pattern,
        group: &[usize],
        found: &[Found],
        evidence: &mut [Evidence],
    ) -> Result<(), Refusal> {
        let snapshot = self.snapshot;
        if let Pattern::Word(word) = pattern {
            let term_of_text = Term::from_field_text(snapshot.fields.text, word);
            let words = self.segment.inverted_index(snapshot.fields.text)?;
            if let Some(mut postings) = words.read_postings(&term_of_text, IndexRecordOption::Basic)? {
                mark(&mut postings, term, group, found, evidence);
            }
            return Ok(());
        }
        let compiler = Compiler { searcher: &snapshot.searcher, fields: snapshot.fields };
        let scoring = EnableScoring::disabled_from_searcher(&snapshot.searcher);
        let weight = compiler.pattern(pattern)?.weight(scoring)?;
        let mut scorer: Box<dyn Scorer> = weight.scorer(self.segment, 1.0)?;
        mark(&mut scorer, term, group, found, evidence);
        Ok(())
    }

    fn title(
        &self,
        term: usize,
        number: usize,
        word: &str,
        group: &[usize],
        found: &[Found],
        evidence: &mut [Evidence],
    ) -> Result<(), Refusal> {
        let field = self.snapshot.fields.title;
        let words = self.segment.inverted_index(field)?;
        let term_of_title = Term::from_field_text(field, word);
        let Some(mut postings) = words.read_postings(&term_of_title, IndexRecordOption::WithFreqs)? else {
            return Ok(());
        };
        let lengths = self.segment.get_fieldnorms_reader(field)?;
        for &index in group {
            let document = found[index].document;
            if reach(&mut postings, document) {
                let length = lengths.fieldnorm(document);
                evidence[index].title += self.scale.title(term, number, postings.term_freq(), length);
                evidence[index].set_in_title(term);
            }
        }
        Ok(())
    }
}

fn mark<D: DocSet>(set: &mut D, term: usize, group: &[usize], found: &[Found], evidence: &mut [Evidence]) {
    for &index in group {
        if reach(set, found[index].document) {
            evidence[index].set(term);
        }
    }
}

/// Whether `document` is in the set, which is only ever walked forward.
fn reach<D: DocSet + ?Sized>(set: &mut D, document: u32) -> bool {
    let mut at = set.doc();
    if at < document && at != TERMINATED {
        at = set.seek(document);
    }
    at == document
}
