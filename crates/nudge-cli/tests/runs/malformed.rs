//! Answers that are not what the instructions ask for.

use insta::assert_snapshot;

use crate::runs::kit::{Move, Scene, ends, says};

/// The stories of several first answers, each in a run of its own that is then ended.
fn stories(answers: &[&str]) -> String {
    let scene = Scene::new(Vec::new());
    for (index, answer) in answers.iter().enumerate() {
        let run = format!("r{}", index + 1);
        scene.push(says(answer));
        if !answer.contains("\"200\"") {
            scene.push(ends("Tea."));
        }
        let words = ["ask", "--json", "--no-repo", "--no-search", "--run", &run, "what is sold?"];
        // What comes of the answer is in the first turn; the end is the same for all.
        let view = scene.run(&words).json();
        scene.note(answer);
        let history = view["history"].as_array().expect("a history");
        for row in history.iter().filter(|row| row["turn"] == 1 && row["tool"] != "prompt") {
            let body = row["body"].as_str().unwrap_or_default().replace('\n', " ⏎ ");
            let target = row["target"].as_str().unwrap_or_default();
            let body = crate::runs::tell::one_line(&body, 90);
            scene.note(&format!(
                "  {} {} {target}: {body}",
                row["status"],
                row["tool"].as_str().unwrap_or("")
            ));
        }
        let healed = scene.run(&["entry", "get", "assistant://1", "--run", &run, "--json"]).json();
        for fault in healed["entries"][0]["attributes"]["healed"].as_array().into_iter().flatten() {
            scene.note(&format!("  healed {}", fault.as_str().unwrap_or_default()));
        }
        scene.note(&format!("  = {}\n", view["summary"].as_str().unwrap_or_default()));
    }
    scene.page()
}

/// @run_healing: tags that are not closed, not quoted, or closed by another.
#[test]
fn tags_with_faults() {
    let page = stories(&[
        "<set path=\"known://tea\">green\n<update status=\"102\">next</update>",
        "<set path=\"known://tea\">green<update status=\"102\">next</update>",
        "<set path=\"known://tea\">green</get><update status=\"102\">next</update>",
        "<set path=\"known://tea\" summary=\"the \"good\" tea\">green</set><update status=\"102\">next</update>",
        "<get path=README.md><update status=102>next</update>",
        "<get path=\"README.md\"/>\n<update status=\"102\">next",
    ]);
    assert_snapshot!(page);
}

/// @run_healing: other names for the tools and their parts.
#[test]
fn other_names() {
    let page = stories(&[
        "<read path=\"README.md\"/><update status=\"102\">next</update>",
        "<read_file><path>README.md</path></read_file><update status=\"102\">next</update>",
        "<write file=\"known://tea\">green</write><update status=\"102\">next</update>",
        "<known path=\"tea\">green</known><update status=\"102\">next</update>",
    ]);
    assert_snapshot!(page);
}

/// @run_healing: text around tags, tags in code, and tags in tags.
#[test]
fn tags_in_text() {
    let page = stories(&[
        "Let me look at the readme.\n<get path=\"README.md\"/>\nThen I go on.\n<update status=\"102\">next</update>",
        "```xml\n<get path=\"README.md\"/>\n<update status=\"102\">next</update>\n```",
        "Use `<get path=\"secret.md\"/>` to read.\n<update status=\"200\">Tea; `<rm path=\"x\"/>` removes it.</update>",
        "<set path=\"known://how\">Write <set path=\"x\">y</set> to store.</set><update status=\"102\">next</update>",
    ]);
    assert_snapshot!(page);
}

/// @run_healing: the formats that model families learned.
#[test]
fn native_formats() {
    let page = stories(&[
        "<tool_call>\n{\"name\": \"get\", \"arguments\": {\"path\": \"README.md\"}}\n</tool_call>",
        "{\"tool_calls\": [{\"type\": \"function\", \"function\": {\"name\": \"get\", \"arguments\": \"{\\\"path\\\": \\\"README.md\\\"}\"}}]}",
        "<function_calls>\n<invoke name=\"get\">\n<parameter name=\"path\">README.md</parameter>\n</invoke>\n</function_calls>",
        "{\"type\": \"tool_use\", \"id\": \"t1\", \"name\": \"get\", \"input\": {\"path\": \"README.md\"}}",
        "[TOOL_CALLS][{\"name\": \"get\", \"arguments\": {\"path\": \"README.md\"}}]",
        "<|channel|>commentary to=functions.get <|constrain|>json<|message|>{\"path\": \"README.md\"}<|call|>",
        "```tool_code\nprint(default_api.get(path=\"README.md\"))\n```",
    ]);
    assert_snapshot!(page);
}

/// @run_healing @run_strikes: an answer that is cut at the limit of its length loses its last call.
#[test]
fn an_answer_that_is_cut() {
    let cut = "<get path=\"README.md\"/><set path=\"known://tea\">The tea is gre";
    let scene = Scene::new(vec![Move::say(cut, |say| say.finish("length")), ends("Green tea.")]);
    scene.ask("what is sold?").ok();
    scene.run(&["entry", "get", "known://tea"]).exits(3);
    assert_snapshot!(scene.story());
}
