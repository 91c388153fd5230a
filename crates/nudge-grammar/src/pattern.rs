//! Patterns: one text that names paths or filters content, in six kinds known by their shape.
//!
//! | kind | shape | `matches` (a whole path) | `found_in` (content) |
//! |---|---|---|---|
//! | sed | `s/a/b/flags`, any delimiter | the regex fits the whole | the regex is found |
//! | regex | `/a/flags` | fits the whole | is found |
//! | jsonpath | `$`, `$.a`, `$[0]` | never | the body is JSON and a node is selected |
//! | xpath | `//a`, `/a[1]`, `child::a` | never | the body is XML and a node is selected |
//! | glob | `*`, `**`, `?`, `[ab]`, `{a,b}`, `!(a)` | fits the whole | fits the whole or a line |
//! | literal | everything else | equal | is a substring; upper and lower case differ |
//!
//! Every pattern is bounded: its own length, the size of the body it reads, and the work it may
//! cause. What goes beyond a bound is an error, never a long wait.

mod error;
mod glob;
mod jsonpath;
mod kind;
mod regular;
mod xpath;

#[cfg(test)]
mod tests;

pub use error::{MAX_PATTERN_CHARS, PatternError};
pub use kind::PatternKind;

use glob::Glob;
use jsonpath::JsonQuery;
use regular::{Regular, Sed};
use xpath::XmlQuery;

/// A compiled pattern. The caller compiles it once and keeps it.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    prefix: String,
    form: Form,
}

/// What each kind needs to match.
#[derive(Clone, Debug)]
enum Form {
    Sed(Sed),
    Regex(Regular),
    JsonPath(JsonQuery),
    XPath(XmlQuery),
    Glob(Glob),
    /// The text to compare, without escapes.
    Literal(String),
}

impl Pattern {
    /// Detects the kind of `text` and compiles it.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let chars = text.chars().count();
        if chars > MAX_PATTERN_CHARS {
            return Err(PatternError::TooLong { chars });
        }
        let form = match PatternKind::of(text) {
            PatternKind::Sed => Form::Sed(Sed::parse(text)?),
            PatternKind::Regex => Form::Regex(Regular::parse(text)?),
            PatternKind::JsonPath => Form::JsonPath(JsonQuery::parse(text)?),
            PatternKind::XPath => Form::XPath(XmlQuery::parse(text)?),
            PatternKind::Glob => Form::Glob(Glob::parse(text)?),
            PatternKind::Literal => Form::Literal(glob::unescape(text)),
        };
        let prefix = match &form {
            Form::Sed(sed) => sed.find.prefix(),
            Form::Regex(regex) => regex.prefix(),
            Form::Glob(_) => glob::prefix(text),
            Form::Literal(value) => value.clone(),
            Form::JsonPath(_) | Form::XPath(_) => String::new(),
        };
        Ok(Self { text: text.to_owned(), prefix, form })
    }

    /// The length of the sed expression that begins `text`, when one does.
    pub(crate) fn leading_sed(text: &str) -> Option<usize> {
        regular::leading(text).map(|(_, length)| length)
    }

    /// A pattern that stands for exactly this text, whatever its shape.
    pub fn literal(text: &str) -> Self {
        let form = Form::Literal(text.to_owned());
        Self { text: text.to_owned(), prefix: text.to_owned(), form }
    }

    /// The kind that the shape of the text gave.
    pub fn kind(&self) -> PatternKind {
        match self.form {
            Form::Sed(_) => PatternKind::Sed,
            Form::Regex(_) => PatternKind::Regex,
            Form::JsonPath(_) => PatternKind::JsonPath,
            Form::XPath(_) => PatternKind::XPath,
            Form::Glob(_) => PatternKind::Glob,
            Form::Literal(_) => PatternKind::Literal,
        }
    }

    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern fits the whole of `whole`, such as a path.
    ///
    /// A query over a body (jsonpath, xpath) fits no path.
    pub fn matches(&self, whole: &str) -> Result<bool, PatternError> {
        match &self.form {
            Form::Sed(sed) => Ok(sed.find.fits(whole)),
            Form::Regex(regex) => Ok(regex.fits(whole)),
            Form::JsonPath(_) | Form::XPath(_) => Ok(false),
            Form::Glob(glob) => glob.fits(whole),
            Form::Literal(value) => Ok(value == whole),
        }
    }

    /// Whether content holds what the pattern looks for.
    ///
    /// A literal is a substring and upper and lower case differ; `/…/i` ignores case. A body that
    /// is not JSON or not XML holds nothing for a query.
    pub fn found_in(&self, text: &str) -> Result<bool, PatternError> {
        match &self.form {
            Form::Sed(sed) => Ok(sed.find.is_found(text)),
            Form::Regex(regex) => Ok(regex.is_found(text)),
            Form::JsonPath(query) => query.selects(text),
            Form::XPath(query) => query.selects(text),
            Form::Glob(glob) => glob.fits_whole_or_line(text),
            Form::Literal(value) => Ok(text.contains(value.as_str())),
        }
    }

    /// A text that begins every string that [`matches`](Self::matches) accepts.
    ///
    /// The whole text for a literal, `known://` for `known://*`, empty when nothing is known. An
    /// index scans the range of this prefix.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Whether the pattern fits exactly what begins with its [`prefix`](Self::prefix), as
    /// `known://**` does. The range of an index then needs no further match.
    pub fn is_prefix(&self) -> bool {
        matches!(self.form, Form::Glob(_)) && glob::is_prefix(&self.text)
    }

    /// Whether the pattern names at most one path.
    pub fn is_single(&self) -> bool {
        matches!(self.form, Form::Literal(_))
    }

    /// The text after the substitution; `None` when the pattern is not a sed expression.
    pub fn substitute(&self, text: &str) -> Option<Result<String, PatternError>> {
        match &self.form {
            Form::Sed(sed) => Some(sed.substitute(text)),
            _ => None,
        }
    }
}
