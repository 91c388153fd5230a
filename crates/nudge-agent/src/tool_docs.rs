//! What a model reads about each tool, a list for each.
//!
//! A doc is a list of lines with the reason for each. The model reads the line; the reason stays in
//! the source. Read all reasons of a doc before you change a line: lines lean on each other.
//!
//! The form is the same for every tool: a header with the syntax, two or more examples from simple
//! to powerful, two or more rules with the words of RFC 2119. Patterns, body filters, parts and
//! previews are shown in several docs, so that a model learns that they work everywhere. Small
//! models pay for every token: a line that teaches nothing new is left out.

use nudge_grammar::Tool;

/// The doc of a tool, ending in a newline.
pub fn tool_doc(tool: Tool) -> String {
    lines(tool).iter().map(|[text, _]| format!("{text}\n")).collect()
}

/// The lines of a doc, each with its reason.
fn lines(tool: Tool) -> &'static [[&'static str; 2]] {
    match tool {
        Tool::Get => GET,
        Tool::Search => SEARCH,
        Tool::Think => THINK,
        Tool::Set => SET,
        Tool::Env => ENV,
        Tool::Sh => SH,
        Tool::Mcp => MCP,
        Tool::Rm => RM,
        Tool::Cp => CP,
        Tool::Mv => MV,
        Tool::Update => UPDATE,
        Tool::AskUser => ASK_USER,
    }
}

const GET: &[[&str; 2]] = &[
    [
        r#"## <get path="..."/> - read a file or entry"#,
        "The header is the syntax. Files and entries are one thing.",
    ],
    [r#"<get path="src/main.rs"/>"#, "The simplest call, and the most frequent one."],
    [
        r#"<get path="known://*">deploy</get>"#,
        "A pattern and a body filter: recall by keyword, which set and rm build on.",
    ],
    [r#"<get path="src/**/*.rs" preview/>"#, "A list before a load: what there is and what it costs."],
    [r#"<get path="big.log" line="200" limit="50"/>"#, "A part of a file, for when the whole would not fit."],
    ["* You MUST read what you make claims about.", "Small models answer from the name of a file otherwise."],
    ["* You SHOULD preview a pattern before you read all it matches.", "The budget is the model's to keep."],
];

const SEARCH: &[[&str; 2]] = &[
    ["## <search>words</search> - find in memory and project files", "Says what is searched: not the web."],
    ["<search>login timeout</search>", "Plain words are enough."],
    [
        r#"<search results="5">"connection refused" AND port*</search>"#,
        "Phrase, operator, prefix and count in one line.",
    ],
    [
        "* You SHOULD search before you say that something is not known.",
        "The commonest wrong answer is a hasty no.",
    ],
    ["* You MAY then read a hit in full with get.", "Ties search to the tool before it: find, then load."],
];

const THINK: &[[&str; 2]] = &[
    [
        "## <think>notes</think> - reason before you act",
        "Gives reasoning a place, so that it does not leak into paths.",
    ],
    [
        "<think>Two entries differ; the newer one counts.</think>",
        "Short, and no fact: small models copy examples into their answers.",
    ],
    [
        "<think>Read: a.rs. Missing: who calls it. Next: search.</think>",
        "A form to copy: known, missing, next.",
    ],
    ["* You SHOULD keep it under 50 words.", "Small models think until their output is used up."],
    [
        "* You MUST NOT put calls or the answer in it.",
        "What is in a body is text: a call there is never made.",
    ],
];

const SET: &[[&str; 2]] = &[
    [r#"## <set path="...">body</set> - write or edit an entry"#, "One tool to create, edit and put away."],
    [
        r#"<set path="known://topic/name">One fact (its source).</set>"#,
        "One fact, one entry, with its source. Small models copy examples: this one states nothing.",
    ],
    [r#"<set path="known://old/*" visibility="archived"/>"#, "The pattern of get, now to free tokens."],
    [
        r#"<set path="known://plan"><<SEARCH step 1 SEARCH <<REPLACE step 2 REPLACE</set>"#,
        "An edit in place; the form for files too.",
    ],
    [
        "* You MUST store one fact per entry, below 500 tokens.",
        "The size gate rejects transcripts; better to know it first.",
    ],
    [
        "* You MAY keep open questions under unknown://.",
        "A rule and no example: small models make a tag of its name.",
    ],
    ["* You SHOULD archive what you no longer need.", "The budget block shows what that frees."],
];

const ENV: &[[&str; 2]] = &[
    [
        r#"## <env command="..."/> - run a command that only looks"#,
        "Apart from sh, so that looking is cheap to allow.",
    ],
    [r#"<env command="git status --short"/>"#, "The simplest look."],
    [r#"<env command="rg -n 'fn main' src | head -20"/>"#, "A pipe, with an output that is kept short."],
    ["* You MUST NOT change anything with it.", "The one difference to sh."],
    ["* You SHOULD prefer get for files.", "A read by get has a cost and can be archived; output cannot."],
];

const SH: &[[&str; 2]] = &[
    [r#"## <sh command="..."/> - run a command that may change things"#, "The user accepts it first."],
    [r#"<sh command="cargo test"/>"#, "The simplest command."],
    [
        r#"<sh command="cargo fmt && cargo test -p api 2>&1 | tail -30"/>"#,
        "Steps that depend on each other, with a short output.",
    ],
    ["* You MUST NOT edit files with it; use set.", "An edit by set can be reviewed; sed cannot."],
    ["* You SHOULD run one command, then read its result.", "The output comes with the next turn."],
];

const MCP: &[[&str; 2]] = &[
    [
        r#"## <mcp tool="...">{...}</mcp> - call a tool of a plugin"#,
        "One tag for all of them; the list follows.",
    ],
    [
        r#"<mcp tool="shop.find">{"text": "tea"}</mcp>"#,
        "Name and one argument; no plugin of this name is likely.",
    ],
    [
        r#"<mcp tool="shop.order">{"item": 7, "note": "two \"small\" ones"}</mcp>"#,
        "Numbers, and quotation marks in a text.",
    ],
    ["* The body MUST be one JSON object with the arguments.", "Small models write words otherwise."],
    ["* You MUST NOT call other tools than those listed below.", "The examples are made up."],
];

const RM: &[[&str; 2]] = &[
    [r#"## <rm path="..."/> - remove files or entries"#, "The same paths and patterns as get."],
    [r#"<rm path="src/old.rs"/>"#, "The simplest removal."],
    [r#"<rm path="known://tmp/*">draft</rm>"#, "Pattern and body filter, as in get."],
    [r#"<rm path="known://tmp/*" preview/>"#, "Safety: see what a pattern matches."],
    [
        "* You MUST preview a pattern before you remove by it.",
        "A removal by pattern is the costliest mistake.",
    ],
    ["* You SHOULD archive with set what may be needed again.", "Points back to the gentler way."],
];

const CP: &[[&str; 2]] = &[
    [
        r#"## <cp path="..." to="..."/> - copy files or entries"#,
        "Source and destination as attributes: a body may get lost.",
    ],
    [r#"<cp path="config.toml" to="config.bak.toml"/>"#, "One file."],
    [
        r#"<cp path="known://plan_*" to="known://archive/" preview/>"#,
        "A pattern, and the preview known from get and rm.",
    ],
    ["* You MUST give both path and to.", "The commonest broken copy has one of them."],
    ["* You MUST NOT expect it to overwrite; an existing entry stays.", "So that a failure is no surprise."],
];

const MV: &[[&str; 2]] = &[
    [r#"## <mv path="..." to="..."/> - move or rename files or entries"#, "The same form as cp."],
    [r#"<mv path="src/util.rs" to="src/text.rs"/>"#, "One file."],
    [r#"<mv path="known://draft/*" to="known://done/"/>"#, "A pattern moves all that it matches."],
    ["* You MUST give both path and to.", "As in cp."],
    ["* You SHOULD then correct what refers to the old path.", "A rename alone breaks imports."],
];

const UPDATE: &[[&str; 2]] = &[
    [
        r#"## <update status="...">text</update> - end every reply with one"#,
        "Every reply has one: said here and in the reminders.",
    ],
    [
        r#"<update status="102">What was read; what comes next.</update>"#,
        "The loop goes on: what was done, what comes next.",
    ],
    [
        r#"<update status="200">The whole answer (path of its source).</update>"#,
        "The answer itself, with its source; no made-up fact, because small models copy it.",
    ],
    [
        "* Status MUST be 102 (go on), 200 (answer), 204 (nothing to do) or 422 (impossible).",
        "Other numbers go on, which wastes a turn.",
    ],
    ["* The text of 200 MUST be the whole answer.", "Only this text reaches the user."],
    [
        "* You MUST NOT send 200 before you have read the results of your calls.",
        "Results come with the next turn.",
    ],
];

const ASK_USER: &[[&str; 2]] = &[
    [
        r#"## <ask_user question="...">options</ask_user> - ask the user"#,
        "Last in the list: a question stops the work.",
    ],
    [r#"<ask_user question="Which database is meant?"/>"#, "An open question."],
    [
        r#"<ask_user question="Delete the old branch?">yes;no;later</ask_user>"#,
        "Options, apart by semicolons.",
    ],
    [
        "* You MUST search first; ask only what no file or entry answers.",
        "Asking is cheap for a model and costly for a person.",
    ],
    ["* You SHOULD ask one question at a time.", "The loop waits for each answer."],
];

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
