//! Translates our queries into queries of the engine.

use std::collections::BTreeSet;

use tantivy::query::{
    AllQuery, BooleanQuery, ConstScoreQuery, EmptyQuery, Occur, PhrasePrefixQuery, PhraseQuery,
    Query as EngineQuery, TermQuery,
};
use tantivy::schema::IndexRecordOption;
use tantivy::{Searcher, Term};

use super::plain_seek::PlainSeekQuery;
use super::schema::{Fields, Label};
use crate::text::filters::Filters;
use crate::text::query::{Expression, Pattern, Query, Step};

type Clause = (Occur, Box<dyn EngineQuery>);

/// The most words that the end of a phrase may match. The engine opens all of them at once, some 2
/// kB each; beyond that the documents are scanned instead.
const MAX_ENDINGS: u32 = 20_000;

/// The most words if each becomes a phrase of its own.
const MAX_SPELLED_OUT: usize = 1_000;

/// One in this many: below this share of the documents, a filter is looked up like a word; above
/// it, the best answers are found first and then filtered. (At a share of 18 %, looking up takes
/// two thirds of the time.)
const RARE_SHARE: u64 = 3;

/// Why the engine cannot run a query.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It would have to open too many words.
    TooBroad,
    /// It failed.
    Failed,
}

impl From<tantivy::TantivyError> for Refusal {
    fn from(_: tantivy::TantivyError) -> Self {
        Self::Failed
    }
}

impl From<std::io::Error> for Refusal {
    fn from(_: std::io::Error) -> Self {
        Self::Failed
    }
}

/// Compiles queries for one searcher.
pub(crate) struct Compiler<'a> {
    pub(crate) searcher: &'a Searcher,
    pub(crate) fields: Fields,
}

impl Compiler<'_> {
    /// What matches `query` and those `filters` that are cheaper to look up than to check.
    pub(crate) fn query(&self, query: &Query, filters: &Filters) -> Result<Box<dyn EngineQuery>, Refusal> {
        let text = self.expression(&query.expression, query)?;
        let mut clauses = self.filters(filters)?;
        if clauses.is_empty() {
            return Ok(text);
        }
        clauses.insert(0, (Occur::Must, text));
        Ok(Box::new(BooleanQuery::new(clauses)))
    }

    /// What matches a pattern.
    pub(crate) fn pattern(&self, pattern: &Pattern) -> Result<Box<dyn EngineQuery>, Refusal> {
        Ok(match pattern {
            Pattern::Word(word) => Box::new(TermQuery::new(self.word(word), IndexRecordOption::WithFreqs)),
            Pattern::Prefix(beginning) => prefix(self.word(beginning)),
            Pattern::Phrase(steps) => Box::new(PhraseQuery::new_with_offset(self.steps(steps))),
            Pattern::PhrasePrefix(steps) if ends_apart(steps) => self.spelled_out(steps)?,
            Pattern::PhrasePrefix(steps) => {
                let last = steps.last().map_or("", |step| step.text.as_str());
                let mut query = PhrasePrefixQuery::new_with_offset(self.steps(steps));
                query.set_max_expansions(self.endings(last)?);
                Box::new(query)
            }
        })
    }

    pub(crate) fn word(&self, word: &str) -> Term {
        Term::from_field_text(self.fields.text, word)
    }

    fn steps(&self, steps: &[Step]) -> Vec<(usize, Term)> {
        let first = steps.first().map_or(0, |step| step.offset);
        steps.iter().map(|step| ((step.offset - first) as usize, self.word(&step.text))).collect()
    }

    fn label(&self, label: Label<'_>) -> Term {
        Term::from_field_text(self.fields.label, &label.word())
    }

    /// A phrase for each word that its end can match.
    fn spelled_out(&self, steps: &[Step]) -> Result<Box<dyn EngineQuery>, Refusal> {
        let Some((last, before)) = steps.split_last() else { return Ok(Box::new(EmptyQuery)) };
        let mut endings = BTreeSet::new();
        for segment in self.searcher.segment_readers() {
            let words = segment.inverted_index(self.fields.text)?;
            let mut stream = words.terms().range().ge(last.text.as_bytes()).into_stream()?;
            while stream.advance() && stream.key().starts_with(last.text.as_bytes()) {
                endings.insert(String::from_utf8_lossy(stream.key()).into_owned());
                if endings.len() > MAX_SPELLED_OUT {
                    return Err(Refusal::TooBroad);
                }
            }
        }
        let phrases = endings.into_iter().map(|text| {
            let whole: Vec<Step> = before.iter().cloned().chain([Step { text, ..last.clone() }]).collect();
            let phrase: Box<dyn EngineQuery> = Box::new(PhraseQuery::new_with_offset(self.steps(&whole)));
            (Occur::Should, phrase)
        });
        Ok(Box::new(BooleanQuery::new(phrases.collect())))
    }

    /// How many words of any one segment begin with `prefix`, at least one.
    fn endings(&self, prefix: &str) -> Result<u32, Refusal> {
        let mut most = 1;
        for segment in self.searcher.segment_readers() {
            let words = segment.inverted_index(self.fields.text)?;
            let mut stream = words.terms().range().ge(prefix.as_bytes()).into_stream()?;
            let mut count = 0;
            while stream.advance() && stream.key().starts_with(prefix.as_bytes()) {
                count += 1;
                if count > MAX_ENDINGS {
                    return Err(Refusal::TooBroad);
                }
            }
            most = most.max(count);
        }
        Ok(most)
    }

    fn expression(&self, expression: &Expression, query: &Query) -> Result<Box<dyn EngineQuery>, Refusal> {
        let mut clauses: Vec<Clause> = Vec::new();
        match expression {
            Expression::Term(index) => self.alternatives(&query.terms[*index].patterns, &mut clauses)?,
            Expression::Or(parts) => {
                for part in parts {
                    match part {
                        // A flat list of words, not groups: only then can the engine skip documents
                        // that cannot be among the best.
                        Expression::Term(index) => {
                            self.alternatives(&query.terms[*index].patterns, &mut clauses)?;
                        }
                        part => clauses.push((Occur::Should, self.expression(part, query)?)),
                    }
                }
            }
            Expression::And(parts) => {
                for part in parts {
                    clauses.push(match part {
                        Expression::Not(inner) => self.without(inner, query)?,
                        part => (Occur::Must, self.expression(part, query)?),
                    });
                }
                if clauses.iter().all(|(occur, _)| *occur == Occur::MustNot) {
                    clauses.push(everything());
                }
            }
            Expression::Not(inner) => {
                clauses.push(everything());
                clauses.push(self.without(inner, query)?);
            }
        }
        if clauses.len() == 1 && clauses[0].0 != Occur::MustNot {
            return Ok(clauses.remove(0).1);
        }
        Ok(Box::new(BooleanQuery::new(clauses)))
    }

    fn without(&self, expression: &Expression, query: &Query) -> Result<Clause, Refusal> {
        Ok((Occur::MustNot, Box::new(PlainSeekQuery(self.expression(expression, query)?))))
    }

    fn alternatives(&self, patterns: &[Pattern], into: &mut Vec<Clause>) -> Result<(), Refusal> {
        for pattern in patterns {
            into.push((Occur::Should, self.pattern(pattern)?));
        }
        Ok(())
    }

    fn filters(&self, filters: &Filters) -> Result<Vec<Clause>, Refusal> {
        let mut clauses = Vec::new();
        let projects = filters.projects.iter().map(|&id| self.label(Label::Project(id)));
        clauses.extend(self.rare(projects.collect())?);
        let kinds = filters.kinds.iter().map(|&kind| self.label(Label::Kind(kind)));
        clauses.extend(self.rare(kinds.collect())?);
        if let Some(session) = filters.session {
            clauses.push(must(any(vec![self.label(Label::Session(session))])));
        }
        if let Some(session) = filters.other_session {
            let term = any(vec![self.label(Label::Session(session))]);
            clauses.push((Occur::MustNot, Box::new(PlainSeekQuery(term))));
        }
        if let Some(scheme) = &filters.scheme {
            clauses.push(must(any(vec![self.label(Label::Scheme(scheme))])));
        }
        if let Some(file) = &filters.file {
            clauses.push(must(prefix(self.label(Label::File(file)))));
        }
        Ok(clauses)
    }

    /// A clause for `terms` if few documents have one of them.
    fn rare(&self, terms: Vec<Term>) -> Result<Option<Clause>, Refusal> {
        if terms.is_empty() {
            return Ok(None);
        }
        let mut holding = 0;
        for term in &terms {
            holding += self.searcher.doc_freq(term)?;
        }
        Ok((holding * RARE_SHARE < self.searcher.num_docs()).then(|| must(any(terms))))
    }
}

/// Whether the last word of a phrase does not directly follow the one before it, as after a word of
/// two signs. In such a phrase with more words before it, the engine assumes that the last follows
/// directly.
fn ends_apart(steps: &[Step]) -> bool {
    matches!(steps, [_, .., before, last] if last.offset != before.offset + 1)
}

/// A constant score for every document with a word that begins like this.
fn prefix(beginning: Term) -> Box<dyn EngineQuery> {
    let mut query = PhrasePrefixQuery::new(vec![beginning]);
    query.set_max_expansions(u32::MAX);
    Box::new(query)
}

fn any(terms: Vec<Term>) -> Box<dyn EngineQuery> {
    let clauses = terms.into_iter().map(|term| {
        let query: Box<dyn EngineQuery> = Box::new(TermQuery::new(term, IndexRecordOption::Basic));
        (Occur::Should, query)
    });
    Box::new(BooleanQuery::new(clauses.collect()))
}

fn must(query: Box<dyn EngineQuery>) -> Clause {
    (Occur::Must, Box::new(ConstScoreQuery::new(query, 0.0)))
}

fn everything() -> Clause {
    (Occur::Must, Box::new(ConstScoreQuery::new(Box::new(AllQuery), 0.0)))
}
