//! What a model reads of the program itself, and what people read of a run.

use insta::assert_snapshot;
use nudge_agent::{DumpEntry, DumpTurn, Flags, REMINDERS, dump, grammar, system_prompt, tool_doc, tools_for};
use nudge_context::count_tokens;
use nudge_core::run::Mode;
use nudge_grammar::Tool;
use serde_json::Map;

/// @run_system_prompt: the same tools give the same bytes; the persona stands below them.
#[test]
fn the_system_prompt_of_each_mode() {
    for mode in [Mode::Ask, Mode::Act] {
        let tools = tools_for(mode, Flags::default());
        let text = system_prompt(&tools, "", None);
        assert_eq!(text, system_prompt(&tools, "", None));
        assert_snapshot!(
            format!("system_{}", mode.name()),
            format!("{} tokens\n\n{text}", count_tokens(&text))
        );
    }
    assert_snapshot!("reminders", format!("{} tokens\n\n{REMINDERS}", count_tokens(REMINDERS)));
}

/// @run_tools: a tool that a loop does not have is neither named, documented nor in the grammar.
#[test]
fn an_excluded_tool_is_nowhere() {
    let flags = Flags { no_interaction: true, no_search: true, no_proposals: true, plugins: false };
    for (mode, flags) in [(Mode::Ask, Flags::default()), (Mode::Ask, flags), (Mode::Act, flags)] {
        let tools = tools_for(mode, flags);
        let (text, grammar) = (system_prompt(&tools, "", None), grammar(&tools));
        for tool in Tool::ALL {
            let tag = format!("<{}", tool.name());
            let is_there = tools.contains(&tool);
            assert_eq!(text.contains(&format!("## {tag}")), is_there, "{tool:?}");
            assert_eq!(grammar.contains(&format!("\"{tag}")), is_there, "{tool:?}");
        }
    }
}

/// @run_tools: the grammar for constrained output allows notes, calls and one update.
#[test]
fn the_grammar_of_each_mode() {
    for mode in [Mode::Ask, Mode::Act] {
        assert_snapshot!(format!("grammar_{}", mode.name()), grammar(&tools_for(mode, Flags::default())));
    }
}

/// @run_tool_docs: every tool has a doc with a header, examples and rules, and no reasons in it.
#[test]
fn every_tool_has_a_doc() {
    for tool in Tool::ALL {
        let doc = tool_doc(tool);
        assert!(doc.starts_with(&format!("## <{}", tool.name())), "{doc}");
        assert!(doc.lines().filter(|line| line.starts_with('<')).count() >= 2, "{doc}");
        assert!(doc.lines().filter(|line| line.starts_with("* ")).count() >= 2, "{doc}");
        assert!(!doc.contains("The same form as cp."), "a reason is not for the model: {doc}");
    }
}

/// @run_dump: a run is shown turn by turn, each entry with state, path, attributes and body.
#[test]
fn a_run_as_a_dump() {
    let entry = |scheme: &str, state: &str, path: &str, body: &str| DumpEntry {
        scheme: scheme.to_owned(),
        state: state.to_owned(),
        path: path.to_owned(),
        attributes: Map::from_iter([("turn".to_owned(), 1.into())]),
        body: body.to_owned(),
    };
    let turns = [
        DumpTurn {
            turn: 1,
            entries: vec![
                entry("get", "resolved", "log://turn_1/get/src_a.rs", "fn main() {\n    run();\n}\n"),
                entry("error", "422", "log://turn_1/error/no_update", &"x".repeat(200)),
            ],
        },
        DumpTurn { turn: 2, entries: vec![entry("update", "409", "log://turn_2/update/200", "")] },
    ];
    assert_snapshot!(dump(&turns));
}
