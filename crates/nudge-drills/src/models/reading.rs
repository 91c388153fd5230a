//! What a stored output is good for: read with healing as the product reads it, and without.
//!
//! Without healing, a call counts only if its tag is exactly as documented: a known name, quoted
//! attributes, closed, and not in a fence. Such a tag is read by the same parser, which must have
//! nothing to heal.

use std::sync::LazyLock;

use nudge_agent::{Flags, Limits, Policy, tools_for};
use nudge_core::run::Mode;
use nudge_grammar::{Parsed, TagLimits, Tool, parse_tags};
use regex::Regex;

/// The flags of the loops that the drill starts.
const FLAGS: Flags = Flags { no_interaction: true, no_search: false, no_proposals: false };

/// What one output is good for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// A call that is carried out, as the product reads it.
    pub(super) healed: bool,
    /// A call that is carried out, if nothing is healed.
    pub(super) strict: bool,
    /// An update, as the product reads it.
    pub(super) has_update: bool,
    /// The parser lost something.
    pub(super) has_losses: bool,
}

/// Reads an output both ways.
pub(super) fn read(output: &str) -> Reading {
    let parsed = parse(output);
    Reading {
        healed: is_usable(&parsed),
        strict: strict_tags(output).any(|tag| {
            let alone = parse(tag);
            alone.warnings.is_empty() && is_usable(&alone)
        }),
        has_update: parsed.calls.iter().any(|call| call.tool == Tool::Update),
        has_losses: parsed.warnings.iter().any(|warning| warning.kind.is_loss()),
    }
}

fn parse(output: &str) -> Parsed {
    parse_tags(output, TagLimits { max_calls: Limits::default().max_commands })
}

/// Whether the policy lets a call pass.
fn is_usable(parsed: &Parsed) -> bool {
    let policy = Policy::new(Mode::Ask, FLAGS, Limits::default());
    policy.record(1, parsed, false).iter().any(|call| call.rejection.is_none())
}

/// The tags that are exactly as documented, outside of fences.
fn strict_tags(output: &str) -> impl Iterator<Item = &str> {
    let is_outside = |at: usize| output[..at].matches("```").count().is_multiple_of(2);
    TAGS.iter()
        .flat_map(move |tag| tag.find_iter(output))
        .filter(move |found| is_outside(found.start()))
        .map(|found| found.as_str())
}

static TAGS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let tools = tools_for(Mode::Ask, FLAGS);
    let tag = |tool: &Tool| {
        let name = tool.name();
        let attribute = r#"(?: [a-z_]+="[^"<>\n]*"| preview)*"#;
        Regex::new(&format!("<{name}{attribute} ?(?:/>|>(?:[^<>]|<<[A-Z])*</{name}>)")).expect("a pattern")
    };
    tools.iter().map(tag).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_reply_is_usable_both_ways() {
        let reading = read("<get path=\"src/a.rs\" preview/>\n<update status=\"102\">Next.</update>");
        assert_eq!(reading, Reading { healed: true, strict: true, has_update: true, has_losses: false });
    }

    #[test]
    fn what_needs_healing_is_not_strict() {
        for output in [
            "<get path='src/a.rs'/>",
            "<get path=\"src/a.rs\">",
            "```xml\n<get path=\"src/a.rs\"/>\n```",
            "<update status=200>Port 8087</update>",
            "{\"name\": \"get\", \"arguments\": {\"path\": \"src/a.rs\"}}",
        ] {
            let reading = read(output);
            assert!(reading.healed && !reading.strict, "{output}: {reading:?}");
        }
    }

    #[test]
    fn prose_and_forbidden_calls_are_not_usable() {
        for output in ["The port is 8087.", "<sh command=\"ls\"/>", "<set path=\"src/a.rs\">x</set>"] {
            let reading = read(output);
            assert!(!reading.healed && !reading.strict, "{output}: {reading:?}");
        }
    }
}
