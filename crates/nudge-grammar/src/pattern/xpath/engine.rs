//! The library that reads XML and runs XPath, behind three calls.
//!
//! Entities of a body are rejected, external files are never loaded, and namespaces are not
//! resolved: `//svg` finds `<svg xmlns="…">`.

use uppsala::{NodeId, Parser, XPathEvaluator, XPathValue, XmlError};

/// The deepest element that is read.
const MAX_DEPTH: u32 = 128;

/// How many nodes an expression may visit.
const MAX_VISITS: usize = 1_000_000;

/// Why an expression did not run to its end.
pub(super) enum Failure {
    /// It visits more than this many nodes.
    TooCostly(usize),
    /// It is wrong in a way that only running it shows.
    Invalid(String),
}

/// Whether the syntax of an expression is right.
pub(super) fn check(expression: &str) -> Result<(), String> {
    let document = Document::parse("<x/>").ok_or("the library reads no XML")?;
    match document.run(expression) {
        Err(Failure::Invalid(why)) => Err(why),
        _ => Ok(()),
    }
}

/// A body that is XML.
pub(super) struct Document<'a> {
    tree: uppsala::Document<'a>,
    nodes: usize,
    depth: usize,
}

impl<'a> Document<'a> {
    /// Reads a body; `None` when it is not XML that we accept.
    pub(super) fn parse(body: &'a str) -> Option<Self> {
        let parser = Parser::with_namespace_aware(false).with_max_depth(MAX_DEPTH).with_forbid_entities(true);
        let mut tree = parser.parse(body).ok()?;
        tree.prepare_xpath();
        let mut document = Self { tree, nodes: 0, depth: 0 };
        document.measure();
        Some(document)
    }

    /// How many nodes there are, without attributes.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// How deep the deepest node is.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Whether an expression selects a node, or is true.
    pub(super) fn selects(&self, expression: &str) -> Result<bool, Failure> {
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
