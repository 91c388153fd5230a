//! What the engine stores of a document: words to look up, numbers to filter by, no text.

use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{RawTokenizer, Token, TokenStream, Tokenizer, TokenizerManager};

use crate::source::Document;
use crate::text::analyzer::Words;
use crate::text::filters::reversed;

/// The version of this layout. An index of another version is rebuilt.
pub(crate) const VERSION: u32 = 2;

const WORDS_FIELD: &str = "words";

const EXACT_FIELD: &str = "exact";

/// The column with the number of positions of the title.
pub(crate) const TITLE_FIELD: &str = "title";

/// The longest path that is stored for the file filter; longer ones are still found by their last
/// segments.
const MAX_PATH: usize = 1024;

/// The fields of the index.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Fields {
    /// Title, body and files, in this order: decides whether a document matches. Positions below
    /// the number in [`TITLE_FIELD`] are the title; a separate field for it would take an eighth of
    /// the index.
    pub(crate) text: Field,
    /// Project, kind, scheme, session and files as exact words: see [`Label`]. One field for all of
    /// them, because every field with a dictionary costs each commit about a millisecond.
    pub(crate) label: Field,
    pub(crate) id: Field,
    title: Field,
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
                .add_text_field("text", indexed(WORDS_FIELD, IndexRecordOption::WithFreqsAndPositions, true)),
            label: schema.add_text_field("label", indexed(EXACT_FIELD, IndexRecordOption::Basic, false)),
            // Without lengths, which mean nothing for a number and take a byte per document.
            id: schema.add_i64_field("id", NumericOptions::default().set_indexed().set_fast()),
            title: schema.add_u64_field(TITLE_FIELD, FAST),
            kind: schema.add_u64_field("kind", FAST),
            project: schema.add_i64_field("project", FAST),
            at: schema.add_i64_field("at", FAST),
        };
        (schema.build(), fields)
    }

    /// The tokenizers that the schema names.
    pub(crate) fn tokenizers() -> TokenizerManager {
        // The engine requires its default tokenizer even for numbers.
        let tokenizers = TokenizerManager::default();
        tokenizers.register(WORDS_FIELD, Analyzer::default());
        tokenizers.register(EXACT_FIELD, RawTokenizer::default());
        tokenizers
    }

    /// `document` in the engine's form; `words` is for analyzing its title.
    pub(crate) fn document(&self, document: &Document, words: &mut Words) -> TantivyDocument {
        let mut taken = TantivyDocument::default();
        for text in document.texts() {
            taken.add_text(self.text, text);
        }
        for label in Label::of(document) {
            taken.add_text(self.label, label.word());
        }
        taken.add_i64(self.id, document.id);
        words.analyze(&document.title);
        taken.add_u64(self.title, u64::from(words.positions()));
        taken.add_u64(self.kind, u64::from(document.kind));
        taken.add_i64(self.project, document.project);
        taken.add_i64(self.at, document.at);
        taken
    }
}

/// Something that documents are filtered by.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Label<'a> {
    Project(i64),
    Kind(u8),
    Session(i64),
    Scheme(&'a str),
    /// The word of a path is a prefix of the word of every longer path with the same end.
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

    /// The word to look up.
    pub(crate) fn word(self) -> String {
        match self {
            Self::Project(id) => format!("p{id}"),
            Self::Kind(kind) => format!("k{kind}"),
            Self::Session(id) => format!("s{id}"),
            Self::Scheme(scheme) => format!("n{scheme}"),
            Self::File(file) => {
                let turned = reversed(file);
                format!("f{}", &turned[..turned.floor_char_boundary(MAX_PATH)])
            }
        }
    }
}

// The analyzer as a Tantivy tokenizer.

/// Gives the engine the words of our analyzer.
#[derive(Clone)]
struct Analyzer {
    words: Words,
    token: Token,
}

struct Tokens<'a> {
    words: &'a Words,
    token: &'a mut Token,
    next: usize,
}

impl Default for Analyzer {
    fn default() -> Self {
        Self { words: Words::with_memory(), token: Token::default() }
    }
}

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Tokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens<'a> {
        self.words.analyze(text);
        self.token.reset();
        Tokens { words: &self.words, token: &mut self.token, next: 0 }
    }
}

impl TokenStream for Tokens<'_> {
    fn advance(&mut self) -> bool {
        if self.next == self.words.len() {
            return false;
        }
        let word = self.words.at(self.next);
        self.token.text.clear();
        self.token.text.push_str(word.text);
        self.token.position = word.position as usize;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
