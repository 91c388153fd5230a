//! A minimal text index on the engine that Nudge uses: words, project, id.

use std::path::Path;

use anyhow::Context;
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, BoostQuery, ConstScoreQuery, Occur, Query, TermQuery};
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexWriter, ReloadPolicy, Searcher, Term, doc};

/// How many hits each engine is asked for.
pub const MAX_HITS: usize = 20;

/// The engine's own English tokenizer.
const TOKENIZER: &str = "en_stem";

/// Bytes buffered in memory before a write.
const BUFFER_BYTES: usize = 100_000_000;

/// The fields that a word is searched in.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum In {
    /// The whole text, once.
    Text,
    /// The whole text, and the first line again with a higher weight, as Nudge does.
    TextAndTitle,
}

/// Fills a bare index.
pub struct BareWriter {
    writer: IndexWriter,
    fields: Fields,
}

#[derive(Copy, Clone)]
struct Fields {
    text: Field,
    title: Field,
    project: Field,
    id: Field,
}

impl BareWriter {
    /// Creates an index in an empty directory.
    pub fn create(directory: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(directory)?;
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqs);
        let words = TextOptions::default().set_indexing_options(indexing);
        let fields = Fields {
            text: schema.add_text_field("text", words.clone()),
            title: schema.add_text_field("title", words),
            project: schema.add_u64_field("project", INDEXED | FAST),
            id: schema.add_u64_field("id", FAST),
        };
        let index = Index::create_in_dir(directory, schema.build())?;
        Ok(Self { writer: index.writer_with_num_threads(1, BUFFER_BYTES)?, fields })
    }

    /// Adds a row.
    pub fn add(&mut self, id: u64, project: u64, title: &str, text: &str) -> anyhow::Result<()> {
        let Fields { text: text_field, title: title_field, project: project_field, id: id_field } =
            self.fields;
        self.writer.add_document(
            doc!(text_field => text, title_field => title, project_field => project, id_field => id),
        )?;
        Ok(())
    }

    /// Writes everything and waits until the engine has finished its merges.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.writer.commit()?;
        self.writer.wait_merging_threads()?;
        Ok(())
    }
}

/// Searches a bare index.
pub struct BareTantivy {
    index: Index,
    searcher: Searcher,
    fields: Fields,
}

impl BareTantivy {
    /// Opens an existing index.
    pub fn open(directory: &Path) -> anyhow::Result<Self> {
        let index = Index::open_in_dir(directory)?;
        let schema = index.schema();
        let field = |name| schema.get_field(name);
        let fields = Fields {
            text: field("text")?,
            title: field("title")?,
            project: field("project")?,
            id: field("id")?,
        };
        let reader: tantivy::IndexReader =
            index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { searcher: reader.searcher(), index, fields })
    }

    /// The number of best rows that contain any of these words, at most [`MAX_HITS`].
    pub fn search(&self, words: &[&str], project: Option<u64>, fields: In) -> anyhow::Result<usize> {
        let query = self.query(words, project, fields)?;
        Ok(self.searcher.search(&*query, &TopDocs::with_limit(MAX_HITS).order_by_score())?.len())
    }

    fn query(&self, words: &[&str], project: Option<u64>, fields: In) -> anyhow::Result<Box<dyn Query>> {
        let mut tokenizer = self.index.tokenizers().get(TOKENIZER).context("the engine has no stemmer")?;
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        for word in words {
            let mut stream = tokenizer.token_stream(word);
            while stream.advance() {
                let text = &stream.token().text;
                let of = |field| -> Box<dyn Query> {
                    let term = Term::from_field_text(field, text);
                    Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))
                };
                clauses.push((Occur::Should, of(self.fields.text)));
                if fields == In::TextAndTitle {
                    clauses.push((Occur::Should, Box::new(BoostQuery::new(of(self.fields.title), 0.5))));
                }
            }
        }
        let query: Box<dyn Query> = Box::new(BooleanQuery::new(clauses));
        let Some(project) = project else { return Ok(query) };
        let of = TermQuery::new(Term::from_field_u64(self.fields.project, project), IndexRecordOption::Basic);
        let of: Box<dyn Query> = Box::new(ConstScoreQuery::new(Box::new(of), 0.0));
        Ok(Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, of)])))
    }
}

// A minimal search as a whole process: it opens the index, searches for the words and prints the
// number of hits.
//
// `bare-search DIRECTORY WORD…`. The baseline for `nudge search`.

pub(crate) fn run_search(args: &[String]) -> anyhow::Result<()> {
    let mut args = args.iter();
    let directory = args.next().context("usage: bare-search DIRECTORY WORD…")?;
    let words: Vec<&str> = args.map(String::as_str).collect();
    println!("{}", BareTantivy::open(Path::new(&directory))?.search(&words, None, In::TextAndTitle)?);
    Ok(())
}
