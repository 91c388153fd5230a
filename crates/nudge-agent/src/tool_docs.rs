//! What a model reads about each tool, a file for each.
//!
//! A doc is a list of lines with the reason for each. The model reads the line; the reason stays in
//! the source. Read all reasons of a doc before you change a line: lines lean on each other.
//!
//! The form is the same for every tool: a header with the syntax, two or more examples from simple
//! to powerful, two or more rules with the words of RFC 2119. Patterns, body filters, parts and
//! previews are shown in several docs, so that a model learns that they work everywhere. Small
//! models pay for every token: a line that teaches nothing new is left out.

mod ask_user;
mod cp;
mod env;
mod get;
mod mv;
mod rm;
mod search;
mod set;
mod sh;
mod think;
mod update;

use nudge_grammar::Tool;

/// The doc of a tool, ending in a newline.
pub fn tool_doc(tool: Tool) -> String {
    lines(tool).iter().map(|[text, _]| format!("{text}\n")).collect()
}

fn lines(tool: Tool) -> &'static [[&'static str; 2]] {
    match tool {
        Tool::Get => get::LINES,
        Tool::Search => search::LINES,
        Tool::Think => think::LINES,
        Tool::Set => set::LINES,
        Tool::Env => env::LINES,
        Tool::Sh => sh::LINES,
        Tool::Rm => rm::LINES,
        Tool::Cp => cp::LINES,
        Tool::Mv => mv::LINES,
        Tool::Update => update::LINES,
        Tool::AskUser => ask_user::LINES,
    }
}

#[cfg(test)]
mod tests {
    use nudge_grammar::{TagLimits, parse_tags};

    use super::*;

    /// Whether a rule has a word of RFC 2119.
    fn obliges(text: &str) -> bool {
        ["MUST", "SHOULD", "MAY"].iter().any(|word| text.split(' ').any(|each| each == *word))
    }

    #[test]
    fn every_doc_has_header_examples_and_rules() {
        for tool in Tool::ALL {
            let name = tool.name();
            let lines = lines(tool);
            let header = lines[0][0];
            assert!(header.starts_with(&format!("## <{name}")), "{name}: {header}");
            let examples = lines.iter().filter(|[text, _]| text.starts_with('<')).count();
            let rules: Vec<_> = lines.iter().filter(|[text, _]| text.starts_with("* ")).collect();
            assert!(examples >= 2 && rules.len() >= 2, "{name}: {examples} examples, {} rules", rules.len());
            assert_eq!(1 + examples + rules.len(), lines.len(), "{name} has a line of no kind");
            let kinds: Vec<usize> = lines[1..]
                .iter()
                .map(|[text, _]| text.find('*').map_or(0, |at| usize::from(at == 0)))
                .collect();
            assert!(kinds.is_sorted(), "{name}: examples come before rules");
            for [text, reason] in lines {
                assert!(!reason.is_empty() && !text.contains('\n') && text.len() <= 110, "{name}: {text}");
            }
            for [text, _] in rules {
                assert!(obliges(text), "{name}: {text}");
            }
        }
    }

    #[test]
    fn every_example_is_one_whole_call() {
        for tool in Tool::ALL {
            for [text, _] in lines(tool).iter().filter(|[text, _]| text.starts_with('<')) {
                let parsed = parse_tags(text, TagLimits::default());
                let tools: Vec<Tool> = parsed.calls.iter().map(|call| call.tool).collect();
                assert_eq!((tools, &parsed.warnings[..], &*parsed.text), (vec![tool], &[][..], ""), "{text}");
            }
        }
    }

    #[test]
    fn patterns_are_shown_in_several_docs() {
        let docs_with = |wanted: &str| {
            let shown = |tool: &Tool| {
                lines(*tool).iter().any(|[text, _]| text.starts_with('<') && text.contains(wanted))
            };
            Tool::ALL.iter().filter(|tool| shown(tool)).count()
        };
        assert!(docs_with("*") >= 4, "globs");
        assert!(docs_with(" preview") >= 2, "previews");
        assert!(docs_with("line=\"") >= 1 && docs_with("limit=\"") >= 1, "parts");
        let filter = |tool| lines(tool).iter().any(|[text, _]| text.contains("*\">"));
        assert!(filter(Tool::Get) && filter(Tool::Rm), "body filters");
    }
}
