//! What the engine keeps of a document: words for looking up, numbers for filtering, no text.

use tantivy::TantivyDocument;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{RawTokenizer, TokenizerManager};

use super::tokens::Analyzer;
use crate::document::Document;
use crate::filters::reversed;

/// The version of this layout. An index of another is built anew.
pub(crate) const VERSION: u32 = 1;

const WORDS: &str = "words";
const EXACT: &str = "exact";

/// The longest path that is kept for the file filter; longer ones are found by their last segments all the same.
const LONGEST_PATH: usize = 1024;

/// The fields of the index.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Fields {
    /// Title, body and files: what decides whether a document matches.
    pub(crate) text: Field,
    /// The title again, for its weight.
    pub(crate) title: Field,
    /// Project, kind, scheme, session and files as exact words: see [`Label`]. One field for all of them,
    /// because every field with a dictionary costs each commit about a millisecond.
    pub(crate) label: Field,
    pub(crate) id: Field,
    kind: Field,
    project: Field,
    at: Field,
}

impl Fields {
    /// The schema, and its fields.
    pub(crate) fn schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let indexed = |tokenizer: &str, option, norms| {
            let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option);
            TextOptions::default().set_indexing_options(indexing.set_fieldnorms(norms))
        };
        let fields = Self {
            text: schema
                .add_text_field("text", indexed(WORDS, IndexRecordOption::WithFreqsAndPositions, true)),
            title: schema.add_text_field("title", indexed(WORDS, IndexRecordOption::WithFreqs, true)),
            label: schema.add_text_field("label", indexed(EXACT, IndexRecordOption::Basic, false)),
            id: schema.add_i64_field("id", INDEXED | FAST),
            kind: schema.add_u64_field("kind", FAST),
            project: schema.add_i64_field("project", FAST),
            at: schema.add_i64_field("at", FAST),
        };
        (schema.build(), fields)
    }

    /// The tokenizers the schema names.
    pub(crate) fn tokenizers() -> TokenizerManager {
        // The engine asks for its default tokenizer even for numbers.
        let tokenizers = TokenizerManager::default();
        tokenizers.register(WORDS, Analyzer::default());
        tokenizers.register(EXACT, RawTokenizer::default());
        tokenizers
    }

    /// `document` as the engine takes it.
    pub(crate) fn document(&self, document: &Document) -> TantivyDocument {
        let mut taken = TantivyDocument::default();
        for text in document.texts() {
            taken.add_text(self.text, text);
        }
        taken.add_text(self.title, &document.title);
        for label in Label::of(document) {
            taken.add_text(self.label, label.word());
        }
        taken.add_i64(self.id, document.id);
        taken.add_u64(self.kind, u64::from(document.kind));
        taken.add_i64(self.project, document.project);
        taken.add_i64(self.at, document.at);
        taken
    }
}

/// Something a document is filed under.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Label<'a> {
    Project(i64),
    Kind(u8),
    Session(i64),
    Scheme(&'a str),
    /// Its word is the beginning of that of every longer path with the same end.
    File(&'a str),
}

impl<'a> Label<'a> {
    fn of(document: &'a Document) -> impl Iterator<Item = Self> {
        let one = [
            Self::Project(document.project),
            Self::Kind(document.kind),
            Self::Session(document.session),
            Self::Scheme(&document.scheme),
        ];
        one.into_iter().chain(document.files.iter().map(|file| Self::File(file)))
    }

    /// The word it is looked up by.
    pub(crate) fn word(self) -> String {
        match self {
            Self::Project(id) => format!("p{id}"),
            Self::Kind(kind) => format!("k{kind}"),
            Self::Session(id) => format!("s{id}"),
            Self::Scheme(scheme) => format!("n{scheme}"),
            Self::File(file) => {
                let turned = reversed(file);
                format!("f{}", &turned[..turned.floor_char_boundary(LONGEST_PATH)])
            }
        }
    }
}
