//! The grammar for constrained output, read by a small recognizer of the same notation.

mod recognizer;

use nudge_agent::{Flags, grammar, tool_doc, tools_for};
use nudge_core::run::Mode;
use nudge_grammar::{TagLimits, Tool, parse_tags};

use recognizer::Grammar;

const DONE: &str = r#"<update status="200">done</update>"#;
const NEXT: &str = r#"<update status="102">next</update>"#;

fn act() -> Grammar {
    Grammar::read(&grammar(&tools_for(Mode::Act, Flags { plugins: true, ..Flags::default() })))
}

/// @run_tools: what the docs show a model, the grammar lets it write.
#[test]
fn every_example_of_the_docs_is_allowed() {
    let grammar = act();
    for tool in Tool::ALL {
        for example in tool_doc(tool).lines().filter(|line| line.starts_with('<')) {
            let reply = match tool {
                Tool::Update if example.contains("102") => format!("<get path=\"a\"/>\n{example}"),
                Tool::Update => example.to_owned(),
                _ => format!("{example}\n{NEXT}"),
            };
            let reply = if tool == Tool::Think { reply.replace(NEXT, DONE) } else { reply };
            assert!(grammar.accepts(&reply), "{reply}");
            let parsed = parse_tags(&reply, TagLimits::default());
            assert_eq!((parsed.warnings.len(), &*parsed.text), (0, ""), "{reply}");
        }
    }
}

/// @run_tools: a reply is notes, up to four calls and one update, and nothing else. One that goes
/// on has a call; one that ends waits for no result.
#[test]
fn the_form_of_a_reply_is_fixed() {
    let get = "<get path=\"a\"/>\n";
    let grammar = act();
    for (reply, is_allowed) in [
        (DONE.to_owned(), true),
        (format!("<think>one\ntwo, (three)!</think>\n{get}{NEXT}"), true),
        (format!("{}{NEXT}", get.repeat(4)), true),
        (format!("{}{NEXT}", get.repeat(5)), false),
        (format!("{get}{DONE}"), false),
        (NEXT.to_owned(), false),
        ("<update status=\"200\">\n</update>".to_owned(), false),
        (get.to_owned(), false),
        (format!("{DONE}{DONE}"), false),
        (format!("{DONE}\n{get}"), false),
        (format!("Well. {DONE}"), false),
        (String::new(), false),
        (format!("<set path=\"known://a\">x <get path=\"b\"/></set>\n{DONE}"), false),
        (format!("<set path=\"known://a\"><<NEW\na\nNEW</set>\n{DONE}"), true),
        ("<update status=\"300\">x</update>".to_owned(), false),
    ] {
        assert_eq!(grammar.accepts(&reply), is_allowed, "{reply}");
    }
}

/// @run_tools: an ask loop has no rule for what changes things.
#[test]
fn an_ask_loop_cannot_write_a_command() {
    let grammar = Grammar::read(&grammar(&tools_for(Mode::Ask, Flags::default())));
    assert!(grammar.accepts(&format!("<get path=\"a\"/>\n{NEXT}")));
    assert!(!grammar.accepts(&format!("<sh command=\"ls\"/>\n{NEXT}")));
}
