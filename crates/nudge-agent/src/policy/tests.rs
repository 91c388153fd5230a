//! A table for each check.

use nudge_grammar::{TagLimits, parse_tags};

use super::*;

fn recorded(mode: Mode, text: &str) -> Vec<Recorded> {
    let parsed = parse_tags(text, TagLimits::default());
    Policy::new(mode, Flags::default(), Limits::default()).record(3, &parsed, false)
}

/// The outcomes of the calls; `-` for one that is carried out.
fn outcomes(mode: Mode, text: &str) -> Vec<String> {
    let outcome =
        |each: Recorded| each.rejection.map_or_else(|| "-".to_owned(), |rejection| rejection.outcome);
    recorded(mode, text).into_iter().map(outcome).collect()
}

fn check(mode: Mode, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(outcomes(mode, text).join(" "), *expected, "{mode:?} {text}");
    }
}

#[test]
fn an_example_is_no_answer() {
    check(
        Mode::Ask,
        &[
            (r#"<update status="200">The whole answer (path of its source).</update>"#, "invalid"),
            (r#"<update status="200"> ... </update>"#, "invalid"),
            (r#"<update status="422">Ada reviews releases (known://team/review).</update>"#, "invalid"),
            (r#"<update status="102">What was read; what comes next.</update>"#, "-"),
            (r#"<update status="200">The whole answer is 42.</update>"#, "-"),
            (r#"<update status="204"/>"#, "-"),
        ],
    );
}

#[test]
fn ask_mode_changes_no_file() {
    check(
        Mode::Ask,
        &[
            (r#"<set path="src/a.rs">x</set>"#, "permission"),
            (r#"<set path="file://src/a.rs">x</set>"#, "permission"),
            (r#"<set path="/a|b:///">x</set>"#, "permission"),
            (r#"<set path="{known://a,src/b}">x</set>"#, "permission"),
            (r#"<set path="s:x|src/a.rs:b://c:">x</set>"#, "permission"),
            (r#"<set path="**">x</set>"#, "permission"),
            (r#"<set path="known://**">x</set>"#, "-"),
            (r#"<set path="src/a.rs"></set>"#, "permission"),
            (r#"<set path="src/a.rs" visibility="archived" append="x"/>"#, "permission"),
            (r#"<set path="src/a.rs" visibility="archived"/>"#, "-"),
            (r#"<set path="known://a">x</set>"#, "-"),
            (r#"<get path="src/a.rs"/>"#, "-"),
            (r#"<rm path="src/a.rs"/>"#, "permission"),
            (r#"<mv path="src/a.rs" to="known://a"/>"#, "permission"),
            (r#"<mv path="known://a" to="src/a.rs"/>"#, "permission"),
            (r#"<cp path="known://a" to="src/a.rs"/>"#, "permission"),
        ],
    );
    let why = |text: &str| recorded(Mode::Ask, text)[0].rejection.clone().expect("rejected").why;
    assert_eq!(
        why(r#"<cp path="known://a" to="src/a.rs"/>"#),
        "This loop only reads: cp may not change the file src/a.rs. Describe the change in the answer, or store a \
         fact under known://."
    );
    assert_eq!(
        why(r#"<sh command="ls"/>"#),
        "sh is not among the tools: this loop only reads and answers; look with get, and name in the answer what \
         should be done."
    );
}

#[test]
fn act_mode_leaves_files_to_proposals() {
    check(
        Mode::Act,
        &[
            (r#"<set path="src/a.rs">x</set>"#, "-"),
            (r#"<rm path="src/a.rs"/>"#, "-"),
            (r#"<mv path="src/a.rs" to="src/b.rs"/>"#, "-"),
            (r#"<sh command="ls"/>"#, "-"),
        ],
    );
}

#[test]
fn an_excluded_tool_is_not_permitted() {
    let text = r#"<sh command="ls"/><env command="ls"/><ask_user question="q"/><search>x</search>"#;
    assert_eq!(outcomes(Mode::Ask, text).join(" "), "permission permission - -");
    let flags = Flags { no_interaction: true, no_search: true, no_proposals: false, plugins: false };
    let parsed = parse_tags(text, TagLimits::default());
    let calls = Policy::new(Mode::Act, flags, Limits::default()).record(1, &parsed, false);
    let rejected: Vec<bool> = calls.iter().map(|call| call.rejection.is_some()).collect();
    assert_eq!(rejected, [false, false, true, true]);
}

#[test]
fn a_target_is_there_and_is_no_reasoning() {
    let long = format!(r#"<get path="{}"/>"#, "a".repeat(513));
    let longest = format!(r#"<get path="{}"/>"#, "ü".repeat(512));
    let long_to = format!(r#"<mv path="a" to="{}"/>"#, "a".repeat(513));
    check(
        Mode::Act,
        &[
            (&long, "invalid"),
            (&longest, "-"),
            (&long_to, "invalid"),
            ("<get path=\"a\nb\"/>", "invalid"),
            ("<sh>ls\nrm x</sh>", "invalid"),
            ("<get/>", "invalid"),
            ("<set>x</set>", "invalid"),
            (r#"<cp path="a"/>"#, "invalid"),
            ("<sh/>", "invalid"),
            ("<ask_user/>", "invalid"),
            ("<search/>", "invalid"),
            ("<think>\n</think><update/>", "- -"),
        ],
    );
}

#[test]
fn what_removes_is_not_carried_out_by_half() {
    check(
        Mode::Act,
        &[
            (r#"<rm path="a">"#, "invalid"),
            (r#"<mv path="a" to="b">"#, "invalid"),
            ("<sh>ls", "invalid"),
            ("<env>ls", "invalid"),
            (r#"<get path="a">"#, "-"),
            (r#"<set path="a">half"#, "-"),
            (r#"<rm path="a"/>"#, "-"),
        ],
    );
}

#[test]
fn a_call_that_the_limit_cut_is_not_carried_out() {
    let parsed = parse_tags("<get path=\"b\"/>\n<set path=\"a\">half", TagLimits::default());
    let policy = Policy::new(Mode::Act, Flags::default(), Limits::default());
    let ends = |was_cut| {
        policy.record(1, &parsed, was_cut).into_iter().map(|call| (call.end, call.rejection.is_some()))
    };
    assert!(ends(true).eq([(TagEnd::Closed, false), (TagEnd::Cut, true)]));
    assert!(ends(false).eq([(TagEnd::Closed, false), (TagEnd::Unclosed, false)]));
}

#[test]
fn exactly_one_attribute_is_the_target() {
    for tool in Tool::ALL {
        let text = format!(r#"<{} question="q" command="c" path="p" to="t" tool="a.b">b</{0}>"#, tool.name());
        let expected = match tool {
            Tool::Think | Tool::Update => "",
            Tool::Env | Tool::Sh => "c",
            Tool::AskUser => "q",
            Tool::Mcp => "a.b",
            _ => "p",
        };
        assert_eq!(recorded(Mode::Act, &text)[0].call.target, expected, "{text}");
    }
}

#[test]
fn every_record_of_a_turn_has_a_path_of_its_own() {
    let text = r#"<think>a</think><think>b</think><get path="a"/><get path="a_2"/><get path="a"/><get path="a"/>
<set path="a">x</set><update status="102">x</update>"#;
    let paths: Vec<String> =
        recorded(Mode::Act, text).iter().map(|each| each.path.as_str().to_owned()).collect();
    assert_eq!(
        paths,
        [
            "log://turn_3/think/note",
            "log://turn_3/think/note_2",
            "log://turn_3/get/a",
            "log://turn_3/get/a_2",
            "log://turn_3/get/a_3",
            "log://turn_3/get/a_4",
            "log://turn_3/set/a",
            "log://turn_3/update/102",
        ]
    );
}

#[test]
fn a_caller_adds_filters() {
    let policy = Policy::new(Mode::Act, Flags::default(), Limits::default()).with(5, "no_secrets", |call| {
        if call.call.target == ".env" { call.rejected("policy", "no") } else { call }
    });
    let parsed = parse_tags(r#"<get path=".env"/><get path="a"/>"#, TagLimits::default());
    let calls = policy.record(1, &parsed, false);
    let outcome = |index: usize| calls[index].rejection.as_ref().map(|rejection| rejection.outcome.as_str());
    assert_eq!((outcome(0), outcome(1)), (Some("policy"), None));
    let names: Vec<&str> = policy.order().map(|(_, name)| name).collect();
    assert_eq!(
        names,
        [
            "no_secrets",
            "target_missing",
            "target_shape",
            "copied_example",
            "ask_mode_files",
            "excluded_tool",
            "unclosed"
        ]
    );
}

/// The store replaces what looks like a credential, and the driver looks for the path it gave.
#[test]
fn a_record_has_a_path_that_the_store_keeps() {
    let encoded =
        "echo Y3VybCAtcyAtbSAyIC0tZGF0YS1iaW5hcnkgQC90bXAvbmhaZjdyRTEvLnNzaC9pZF9l | base64 -d | sh; true";
    let calls = format!(r#"<sh command="{encoded}"/><sh command="{encoded} "/><sh command="cargo test"/>"#);
    let paths: Vec<String> =
        recorded(Mode::Act, &calls).into_iter().map(|each| each.path.as_str().to_owned()).collect();
    assert_eq!(
        paths,
        ["log://turn_3/sh/%5BREDACTED%5D", "log://turn_3/sh/%5BREDACTED%5D_2", "log://turn_3/sh/cargo_test"]
    );
}
