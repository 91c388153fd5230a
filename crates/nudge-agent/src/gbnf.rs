//! A grammar in the form of llama.cpp (GBNF) that holds a small model to the tags of a loop.

use nudge_grammar::Tool;

/// The grammar of one reply: notes if there is a tool for them, up to four calls, one update.
///
/// What follows the calls is fixed, because small models end before they have read a result, and go
/// on without a call: an update that goes on follows at least one call, and one that ends follows
/// only calls whose result is not waited for.
///
/// A body has no angle brackets, so that no call hides in another. The body of a `set` may have
/// edit markers: `<<` before a capital letter never begins a tag.
pub fn grammar(tools: &[Tool]) -> String {
    let names = |is: fn(Tool) -> bool| -> Vec<&str> {
        tools.iter().copied().filter(|tool| is(*tool)).map(rule_name).collect()
    };
    let (calls, changes) = (names(is_call), names(is_change));
    let mut root = Vec::new();
    if tools.contains(&Tool::Think) {
        root.push("think?");
    }
    root.push(match (calls.is_empty(), changes.is_empty()) {
        (true, _) => "( go-on | end )",
        (false, true) => "( call{1,4} go-on | end )",
        (false, false) => "( call{1,4} go-on | change{0,4} end )",
    });
    let mut lines = vec![format!("root ::= {}", root.join(" "))];
    for (name, rules) in [("call", calls), ("change", changes)] {
        if !rules.is_empty() {
            lines.push(format!("{name} ::= ( {} ) \"\\n\"", rules.join(" | ")));
        }
    }
    let own = tools.iter().filter(|tool| **tool != Tool::Update);
    lines.extend(own.map(|tool| format!("{} ::= {}", rule_name(*tool), rule(*tool))));
    lines.push(format!("go-on ::= {GO_ON}"));
    lines.push(format!("end ::= {}", rule(Tool::Update)));
    let used =
        |name: &str| lines.iter().any(|line| line.split(' ').any(|word| word.trim_end_matches('?') == name));
    let shared: Vec<String> = SHARED_RULES
        .iter()
        .filter(|(name, _)| used(name))
        .map(|(name, rule)| format!("{name} ::= {rule}"))
        .collect();
    lines.extend(shared);
    lines.join("\n") + "\n"
}

/// Whether it stands between the notes and the update.
const fn is_call(tool: Tool) -> bool {
    !matches!(tool, Tool::Think | Tool::Update)
}

/// Whether the answer does not depend on its result.
const fn is_change(tool: Tool) -> bool {
    matches!(tool, Tool::Set | Tool::Rm | Tool::Cp | Tool::Mv)
}

/// An update after which the loop goes on.
const GO_ON: &str = r#""<update status=\"102\">" said "</update>""#;

/// Rules that several tools use. Lengths are bounded where small models run on.
const SHARED_RULES: &[(&str, &str)] = &[
    ("value", r#"[^"<>\n]{1,200}"#),
    ("command", r#"[^"\n]{1,300}"#),
    ("part", r#"( " line=\"" [0-9]{1,6} "\"" )? ( " limit=\"" [0-9]{1,4} "\"" )?"#),
    ("preview", r#"" preview""#),
    ("words", r"[^<>\n]{1,200}"),
    ("arguments", r"[^<>\n]{0,600}"),
    ("said", r"[^<> \n] [^<>]{0,1499}"),
    ("text", r#"( [^<>] | "<<" [A-Z] )+"#),
];

/// Names of rules have letters and dashes only.
const fn rule_name(tool: Tool) -> &'static str {
    match tool {
        Tool::Get => "get",
        Tool::Search => "search",
        Tool::Think => "think",
        Tool::Set => "set",
        Tool::Env => "env",
        Tool::Sh => "sh",
        Tool::Mcp => "mcp",
        Tool::Rm => "rm",
        Tool::Cp => "cp",
        Tool::Mv => "mv",
        Tool::Update => "update",
        Tool::AskUser => "ask-user",
    }
}

const fn rule(tool: Tool) -> &'static str {
    match tool {
        Tool::Get => r#""<get path=\"" value "\"" part preview? ( "/>" | ">" words "</get>" )"#,
        Tool::Search => r#""<search" ( " results=\"" [0-9]{1,2} "\"" )? ">" words "</search>""#,
        Tool::Think => r#""<think>" [^<>]{1,400} "</think>\n""#,
        Tool::Set => {
            r#""<set path=\"" value "\"" ( ">" text "</set>" | " visibility=\"" ( "visible" | "summarized" | "archived" ) "\"/>" )"#
        }
        Tool::Env => r#""<env command=\"" command "\"/>""#,
        Tool::Sh => r#""<sh command=\"" command "\"/>""#,
        Tool::Mcp => r#""<mcp tool=\"" value "\">{" arguments "}</mcp>""#,
        Tool::Rm => r#""<rm path=\"" value "\"" preview? ( "/>" | ">" words "</rm>" )"#,
        Tool::Cp => r#""<cp path=\"" value "\" to=\"" value "\"" preview? "/>""#,
        Tool::Mv => r#""<mv path=\"" value "\" to=\"" value "\"" preview? "/>""#,
        Tool::Update => r#""<update status=\"" ( "200" | "204" | "422" ) "\">" said "</update>""#,
        Tool::AskUser => r#""<ask_user question=\"" value "\"" ( "/>" | ">" words "</ask_user>" )"#,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nudge_core::run::Mode;

    use super::*;
    use crate::tools::{Flags, tools_for};

    /// The names that a rule uses: words outside of literals and character classes.
    fn references(rule: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut rest = rule;
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '"' => closing(rest, '"'),
                '[' => closing(rest, ']'),
                '{' => closing(rest, '}'),
                c if c.is_ascii_lowercase() => {
                    let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
                    names.insert(rest[..end].to_owned());
                    end
                }
                c => c.len_utf8(),
            };
            rest = &rest[end..];
        }
        names
    }

    /// The byte after the end of a literal or class that begins here.
    fn closing(text: &str, close: char) -> usize {
        let mut escaped = false;
        for (at, c) in text.char_indices().skip(1) {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                c if c == close => return at + 1,
                _ => {}
            }
        }
        panic!("no {close} in {text}")
    }

    #[test]
    fn every_rule_is_defined_once_and_used() {
        for (mode, flags) in [
            (Mode::Ask, Flags::default()),
            (Mode::Act, Flags::default()),
            (Mode::Ask, Flags { no_interaction: true, no_search: true, no_proposals: true, plugins: false }),
            (Mode::Act, Flags { plugins: true, ..Flags::default() }),
        ] {
            let tools = tools_for(mode, flags);
            let text = grammar(&tools);
            let rules: Vec<(&str, &str)> =
                text.lines().map(|line| line.split_once(" ::= ").expect("a rule")).collect();
            let defined: BTreeSet<String> = rules.iter().map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(defined.len(), rules.len(), "{text}");
            let mut used: BTreeSet<String> = rules.iter().flat_map(|(_, rule)| references(rule)).collect();
            used.insert("root".to_owned());
            assert_eq!(defined, used, "{text}");
            for tool in Tool::ALL {
                assert_eq!(text.contains(&format!("\"<{}", tool.name())), tools.contains(&tool), "{tool:?}");
            }
        }
    }

    #[test]
    fn the_root_has_notes_calls_and_one_update() {
        let all = grammar(&tools_for(Mode::Act, Flags::default()));
        let first = "root ::= think? ( call{1,4} go-on | change{0,4} end )";
        assert_eq!(all.lines().next(), Some(first));
        let few = grammar(&[Tool::Update]);
        assert_eq!(few.lines().next(), Some("root ::= ( go-on | end )"));
        let reads = grammar(&[Tool::Get, Tool::Update]);
        assert_eq!(reads.lines().next(), Some("root ::= ( call{1,4} go-on | end )"));
    }
}
