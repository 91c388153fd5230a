//! JSONPath (RFC 9535) over a body, with the work computed before it runs.

use serde_json::Value;
use serde_json_path::JsonPath;

use super::error;
use super::error::PatternError;

const KIND: &str = "jsonpath";

/// The largest body that is read, in bytes.
const MAX_BODY: usize = 4 << 20;

/// The deepest nesting of brackets in a query. The parser tries alternatives at every level.
const MAX_NESTING: usize = 6;

/// How many values a query may visit.
const MAX_VISITS: usize = 6_000_000;

/// A query.
#[derive(Clone, Debug)]
pub(super) struct JsonQuery {
    path: JsonPath,
    shape: Shape,
}

/// What decides how much work a query does.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// `..` segments.
    descents: u32,
    /// `$` inside filters: each reads from the root again.
    roots: u32,
    /// The product of the selectors of all brackets: `[*,*]` visits everything twice.
    choices: usize,
    /// How often filters read or compare.
    reads: usize,
    has_filter: bool,
}

impl JsonQuery {
    /// Compiles a query.
    pub(super) fn parse(text: &str) -> Result<Self, PatternError> {
        let bare = error::without_quoted(text, true);
        if error::depth(&bare) > MAX_NESTING {
            return Err(PatternError::too_costly(KIND, format!("it nests deeper than {MAX_NESTING}")));
        }
        if ["match(", "search("].iter().any(|name| bare.contains(name)) {
            return Err(PatternError::Unsupported { what: "a regex inside a jsonpath" });
        }
        let path =
            JsonPath::parse(text).map_err(|error| PatternError::invalid(KIND, text, error.to_string()))?;
        Ok(Self { path, shape: Shape::of(&bare) })
    }

    /// Whether the body is JSON and the query selects something.
    pub(super) fn selects(&self, body: &str) -> Result<bool, PatternError> {
        if body.len() > MAX_BODY {
            return Err(PatternError::BodyTooLarge { kind: KIND, bytes: body.len(), limit: MAX_BODY });
        }
        if !body.trim_start().starts_with(['{', '[', '"', '-', 't', 'f', 'n'])
            && !body.trim_start().starts_with(|c: char| c.is_ascii_digit())
        {
            return Ok(false);
        }
        // The reader stops at 128 levels, so a deep body is not JSON for us.
        let Ok(value) = serde_json::from_str::<Value>(body) else { return Ok(false) };
        let mut size = Size::default();
        size.measure(&value, 1);
        let visits = self.shape.visits(&size);
        if visits > MAX_VISITS {
            return Err(PatternError::too_costly(KIND, format!("it may visit {visits} values")));
        }
        Ok(!self.path.query(&value).is_empty())
    }
}

/// How large a body is.
#[derive(Default)]
struct Size {
    values: usize,
    depth: usize,
}

impl Size {
    fn measure(&mut self, value: &Value, depth: usize) {
        self.values += 1;
        self.depth = self.depth.max(depth);
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.measure(item, depth + 1)),
            Value::Object(fields) => fields.values().for_each(|field| self.measure(field, depth + 1)),
            _ => {}
        }
    }
}

impl Shape {
    fn of(bare: &str) -> Self {
        let mut choices = vec![1usize];
        let mut product = 1usize;
        for c in bare.chars() {
            match c {
                '[' | '(' => choices.push(1),
                ',' => *choices.last_mut().unwrap_or(&mut product) += 1,
                ']' | ')' => product = product.saturating_mul(choices.pop().unwrap_or(1)),
                _ => {}
            }
        }
        let count = |wanted: &str| bare.matches(wanted).count();
        Self {
            descents: count("..") as u32,
            roots: count("$").saturating_sub(1) as u32,
            choices: product,
            reads: 1 + count("@") + count("$") - 1 + count("&&") + count("||"),
            has_filter: bare.contains('?'),
        }
    }

    /// The most values that a query can visit: each descent repeats a value once for every value
    /// above it, and each root inside a filter reads the whole body again.
    fn visits(&self, size: &Size) -> usize {
        let repeats = if self.has_filter { self.descents + 1 } else { self.descents.saturating_sub(1) };
        size.values
            .saturating_mul(size.depth.saturating_pow(repeats))
            .saturating_mul(size.values.saturating_pow(self.roots))
            .saturating_mul(self.choices)
            .saturating_mul(self.reads)
    }
}
