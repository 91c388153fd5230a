//! XPath 1.0 over a body, with the work bounded before and while it runs.

mod engine;
mod tags;

use super::error::PatternError;
use super::nesting;
use engine::{Document, Failure};

const KIND: &str = "xpath";

/// The largest body that is read, in bytes.
const MAX_BODY: usize = 1 << 20;

/// The deepest nesting of brackets.
const MAX_NESTING: usize = 8;

/// The most `//` and other axes that reach far, in one expression.
const MAX_FAR_STEPS: usize = 12;

/// The most attributes of one element: the reader compares each with all others.
const MAX_ATTRIBUTES: usize = 1000;

/// How many bytes of text an expression may compare.
const MAX_COMPARED: usize = 1 << 30;

/// What reaches out of the node that a predicate looks at.
const UPWARD: &[&str] = &["..", "parent::", "ancestor", "preceding", "following", "id("];

/// An expression.
#[derive(Clone, Debug)]
pub(super) struct XmlQuery {
    text: String,
    /// How many operators and calls there are: each may read text.
    reads: usize,
    /// Whether a predicate reads outside its own node, so that one text is read for every node.
    is_upward: bool,
}

impl XmlQuery {
    /// Checks an expression.
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let bare = nesting::without_quoted(text, false);
        if nesting::depth(&bare) > MAX_NESTING {
            return Err(PatternError::too_costly(KIND, format!("it nests deeper than {MAX_NESTING}")));
        }
        let far = bare.matches("//").count()
            + ["descendant", "ancestor", "following", "preceding"]
                .iter()
                .map(|axis| bare.matches(axis).count())
                .sum::<usize>();
        if far > MAX_FAR_STEPS {
            return Err(PatternError::too_costly(
                KIND,
                format!("it has more than {MAX_FAR_STEPS} far steps"),
            ));
        }
        if bare.contains("translate(") {
            return Err(PatternError::Unsupported { what: "translate() in an xpath" });
        }
        engine::check(text).map_err(|why| PatternError::invalid(KIND, text, why))?;
        let reads = 1 + bare.matches(['(', ',', '=', '<', '>', '+', '|', '*']).count();
        Ok(Self { text: text.to_owned(), reads, is_upward: is_upward(&bare) })
    }

    /// Whether the body is XML and the expression selects a node or is true.
    pub(super) fn selects(&self, body: &str) -> Result<bool, PatternError> {
        if body.len() > MAX_BODY {
            return Err(PatternError::BodyTooLarge { kind: KIND, bytes: body.len(), limit: MAX_BODY });
        }
        // Rules of its own are where entities and deep nesting hide; data hardly ever has them.
        let is_xml = body.trim_start_matches('\u{feff}').trim_start().starts_with('<');
        if !is_xml || tags::has_own_rules(body) {
            return Ok(false);
        }
        if tags::most_attributes(body) > MAX_ATTRIBUTES {
            let why = format!("an element of the body has more than {MAX_ATTRIBUTES} attributes");
            return Err(PatternError::too_costly(KIND, why));
        }
        let Some(document) = Document::parse(body) else { return Ok(false) };
        self.check_compared(&document, body.len())?;
        document.selects(&self.text).map_err(|failure| match failure {
            Failure::TooCostly(visits) => {
                PatternError::too_costly(KIND, format!("it visits more than {visits} nodes"))
            }
            Failure::Invalid(why) => PatternError::invalid(KIND, &self.text, why),
        })
    }

    /// Refuses what would read too much text: the text of a node is read once for every node above
    /// it, or once for every node at all when a predicate reads outside its own.
    fn check_compared(&self, document: &Document<'_>, bytes: usize) -> Result<(), PatternError> {
        let repeats = if self.is_upward { document.nodes() } else { document.depth() };
        let compared = bytes.saturating_mul(repeats).saturating_mul(self.reads);
        if compared > MAX_COMPARED {
            let why = format!("it may compare {} MiB of text", compared >> 20);
            return Err(PatternError::too_costly(KIND, why));
        }
        Ok(())
    }
}

/// Whether a predicate has a path that begins at the root, or goes up or sideways.
fn is_upward(bare: &str) -> bool {
    let Some(open) = bare.find('[') else { return false };
    let inside = &bare[open..];
    let is_absolute = inside.match_indices('/').any(|(at, _)| {
        let before = inside[..at].trim_end().chars().next_back();
        before.is_none_or(|c| "[(,=<>+-|!".contains(c))
            || ["or", "and", "div", "mod"].iter().any(|word| inside[..at].trim_end().ends_with(word))
    });
    is_absolute || UPWARD.iter().any(|axis| inside.contains(axis))
}
