//! XPath 1.0 over a body, with the work bounded before and while it runs.

use uppsala::{NodeId, Parser, XPathEvaluator, XPathValue, XmlError};

use super::error;
use super::error::PatternError;

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
const UPWARD_STEPS: &[&str] = &["..", "parent::", "ancestor", "preceding", "following", "id("];

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
        let bare = error::without_quoted(text, false);
        if error::depth(&bare) > MAX_NESTING {
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
        check(text).map_err(|why| PatternError::invalid(KIND, text, why))?;
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
        if !is_xml || has_own_rules(body) {
            return Ok(false);
        }
        if most_attributes(body) > MAX_ATTRIBUTES {
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
    is_absolute || UPWARD_STEPS.iter().any(|axis| inside.contains(axis))
}

// The library that reads XML and runs XPath, behind three calls.
//
// Entities of a body are rejected, external files are never loaded, and namespaces are not
// resolved: `//svg` finds `<svg xmlns="…">`.

/// The deepest element that is read.
const MAX_DEPTH: u32 = 128;

/// How many nodes an expression may visit.
const MAX_VISITS: usize = 1_000_000;

/// Why an expression did not run to its end.
enum Failure {
    /// It visits more than this many nodes.
    TooCostly(usize),
    /// It is wrong in a way that only running it shows.
    Invalid(String),
}

/// Whether the syntax of an expression is right.
fn check(expression: &str) -> Result<(), String> {
    let document = Document::parse("<x/>").ok_or("the library reads no XML")?;
    match document.run(expression) {
        Err(Failure::Invalid(why)) => Err(why),
        _ => Ok(()),
    }
}

/// A body that is XML.
struct Document<'a> {
    tree: uppsala::Document<'a>,
    nodes: usize,
    depth: usize,
}

impl<'a> Document<'a> {
    /// Reads a body; `None` when it is not XML that we accept.
    fn parse(body: &'a str) -> Option<Self> {
        let parser = Parser::with_namespace_aware(false).with_max_depth(MAX_DEPTH).with_forbid_entities(true);
        let mut tree = parser.parse(body).ok()?;
        tree.prepare_xpath();
        let mut document = Self { tree, nodes: 0, depth: 0 };
        document.measure();
        Some(document)
    }

    /// How many nodes there are, without attributes.
    fn nodes(&self) -> usize {
        self.nodes
    }

    /// How deep the deepest node is.
    fn depth(&self) -> usize {
        self.depth
    }

    /// Whether an expression selects a node, or is true.
    fn selects(&self, expression: &str) -> Result<bool, Failure> {
        Ok(self.run(expression)?.to_boolean())
    }

    fn run(&self, expression: &str) -> Result<XPathValue, Failure> {
        let evaluator = XPathEvaluator::new().with_max_node_visits(MAX_VISITS);
        evaluator.evaluate(&self.tree, self.tree.root(), expression).map_err(|error| match error {
            XmlError::XPath(error) if error.message.contains("node visit budget") => {
                Failure::TooCostly(MAX_VISITS)
            }
            other => Failure::Invalid(other.to_string()),
        })
    }

    fn measure(&mut self) {
        let mut open: Vec<(NodeId, usize)> = vec![(self.tree.root(), 1)];
        while let Some((node, depth)) = open.pop() {
            self.nodes += 1;
            self.depth = self.depth.max(depth);
            open.extend(self.tree.children(node).into_iter().map(|child| (child, depth + 1)));
        }
    }
}

// A first look at the tags of a body, before the reader sees it.

/// The number of attributes of the element that has most: quoted values between `<` and `>`.
fn most_attributes(body: &str) -> usize {
    let mut most = 0;
    let mut rest = body;
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        let (skipped, attributes) = tag(rest);
        most = most.max(attributes);
        rest = &rest[skipped..];
    }
    most
}

/// How long the tag is that begins `text`, and how many quoted values it has.
fn tag(text: &str) -> (usize, usize) {
    for (opens, closes) in [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")] {
        if text.starts_with(opens) {
            return (text.find(closes).unwrap_or(text.len()), 0);
        }
    }
    if !text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':') {
        return (0, 0);
    }
    let (mut quote, mut values) = (None, 0);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return (at, values),
            (None, b'"' | b'\'') => {
                quote = Some(byte);
                values += 1;
            }
            (Some(end), _) if end == byte => quote = None,
            _ => {}
        }
    }
    (text.len(), values)
}

/// Whether the document type has rules of its own, between `[` and `]`.
fn has_own_rules(body: &str) -> bool {
    let Some(start) = body.find("<!DOCTYPE") else { return false };
    let mut quote = None;
    for byte in body[start..].bytes() {
        match (quote, byte) {
            (None, b'[') => return true,
            (None, b'>') => return false,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(end), _) if end == byte => quote = None,
            _ => {}
        }
    }
    true
}
