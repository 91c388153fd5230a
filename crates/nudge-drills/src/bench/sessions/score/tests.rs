//! Small projects and their counts.

use super::*;

fn event(session: &str, seq: u64, second: u32, text: &str) -> String {
    json!({"session": session, "seq": seq, "at": format!("2026-01-05T12:00:{second:02}Z"), "kind": "prompt", "text": text})
        .to_string()
}

fn row(
    session: &str,
    seq: u64,
    sample: &str,
    label: &str,
    statement: Option<&str>,
    same_as: Option<(&str, u64)>,
) -> Value {
    let same_as = same_as.map(|(session, seq)| json!({"session": session, "seq": seq}));
    json!({
        "project": "p", "session": session, "seq": seq, "text": "", "sample": sample, "label": label,
        "statement": statement, "same_as": same_as,
    })
}

fn pair(session: &str, seq: u64, prompt: &str, helpful: &[(&str, u64)], why: &str) -> Value {
    let helpful: Vec<Value> =
        helpful.iter().map(|(session, seq)| json!({"session": session, "seq": seq})).collect();
    json!({"project": "p", "prompt_session": session, "prompt_seq": seq, "prompt": prompt, "helpful": helpful, "why": why})
}

fn project(pairs: Vec<Value>, instructions: Vec<Value>) -> Project {
    let events = [
        event("a", 0, 0, "fix the zebra of the quokka in narwhal.rs. please never amend pushed commits"),
        event("a", 4, 20, "rename the button label only this time"),
        event("b", 0, 40, "where was the quokka again, the one with narwhal"),
        event("b", 2, 50, "yes"),
    ];
    let read = |value: Value| serde_json::from_value(value).expect("a row");
    Project {
        name: "p".to_owned(),
        events: events.iter().map(|line| serde_json::from_str(line).expect("an event")).collect(),
        pairs: pairs.into_iter().map(|pair| serde_json::from_value(pair).expect("a pair")).collect(),
        instructions: instructions.into_iter().map(read).collect(),
        ..Project::default()
    }
}

fn replay(start: &str, prompts: &[(u64, &str)], proposals: Value) -> ReplayOutput {
    let given = |text: &str| (!text.is_empty()).then(|| json!({"text": text, "lines": 1, "tokens": 40}));
    let at = |second: i64| 1_767_614_400_000 + second * 1_000;
    let mut lines = vec![
        json!({"session": "a", "seq": null, "source": "startup", "at": at(-1), "given": null}),
        json!({"session": "b", "seq": null, "source": "startup", "at": at(39), "given": given(start)}),
    ];
    for (seq, text) in prompts {
        lines.push(json!({"session": "b", "seq": seq, "source": null, "at": at(40), "given": given(text)}));
    }
    lines.push(json!({"proposals": proposals}));
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    ReplayOutput::read(&text).expect("well formed")
}

fn score(project: &Project, replay: &ReplayOutput) -> Score {
    Score::of(project, replay, &Rarity::of(project.events.iter().map(|event| event.text.as_str())))
}

fn share(score: &Score, name: &str) -> (u64, u64) {
    let (_, tally) = score.shares.iter().find(|(known, _)| known.contains(name)).expect("a share");
    let Share { hit, of } = tally.share();
    (hit, of)
}

#[test]
fn a_row_became_a_proposal_only_with_its_own_event_and_words() {
    let rows = vec![
        row("a", 0, "pattern", "holds", Some("never amend pushed commits"), None),
        row("a", 4, "random", "one_off", None, None),
    ];
    let project = project(Vec::new(), rows);
    let said = |text: &str, second: u32| json!({"kind": "statement", "text": text, "said": [{"session": "a", "at": format!("2026-01-05T12:00:{second:02}Z")}]});
    let right = replay("", &[], json!([said("Never amend pushed commits", 0)]));
    assert_eq!(share(&score(&project, &right), "recall"), (1, 1));
    assert_eq!(share(&score(&project, &right), "precision"), (1, 1));
    let late = replay("", &[], json!([said("Never amend pushed commits", 59)]));
    assert_eq!(share(&score(&project, &late), "recall"), (0, 1));
    assert_eq!(share(&score(&project, &late), "precision"), (0, 0));
    let wrong = replay("", &[], json!([said("fix the zebra", 0), said("rename the button label", 20)]));
    assert_eq!(share(&score(&project, &wrong), "recall"), (0, 1));
    assert_eq!(share(&score(&project, &wrong), "precision"), (1, 2));
}

#[test]
fn a_repeat_had_the_words_when_they_were_given_before_it() {
    let rows = vec![row("b", 2, "supplement", "holds", Some("don't amend what is pushed"), Some(("a", 0)))];
    let project = project(Vec::new(), rows);
    let known = "# nudge context\n- never amend pushed commits";
    assert_eq!(share(&score(&project, &replay(known, &[], json!([]))), "repeats"), (1, 1));
    assert_eq!(share(&score(&project, &replay("", &[(2, known)], json!([]))), "repeats"), (0, 1), "too late");
    assert_eq!(share(&score(&project, &replay("", &[(0, known)], json!([]))), "repeats"), (1, 1));
    assert_eq!(score(&project, &replay("", &[], json!([]))).in_session, 0);
}

#[test]
fn help_and_silence_are_counted_where_they_belong() {
    let pairs = vec![
        pair("b", 0, "where was the quokka again, the one with narwhal", &[("a", 0)], "rare_names"),
        pair("b", 2, "yes", &[], "control"),
        pair("b", 0, "where", &[("a", 0)], "repeated_failure"),
    ];
    let project = project(pairs, Vec::new());
    let help = "- fixed the zebra of the quokka in narwhal.rs";
    let at_start = score(&project, &replay(help, &[(0, ""), (2, "")], json!([])));
    assert_eq!(
        (share(&at_start, "helped at the start"), share(&at_start, "helped at the prompt")),
        ((1, 1), (0, 1))
    );
    assert_eq!(share(&at_start, "control"), (0, 1));
    let at_prompt = score(&project, &replay("", &[(0, help), (2, help)], json!([])));
    assert_eq!(
        (share(&at_prompt, "helped at the start"), share(&at_prompt, "helped at the prompt")),
        ((0, 1), (1, 1))
    );
    assert_eq!(share(&at_prompt, "control"), (1, 1));
    assert_eq!(share(&at_prompt, "five words"), (0, 0), "the control is not counted twice");
}

#[test]
fn a_one_off_that_stands_as_stated_is_listed() {
    let project = project(Vec::new(), vec![row("a", 4, "random", "one_off", None, None)]);
    let block = |line: &str| {
        format!("# nudge context\n## Stated here\n{line}\n## Recent Intents\n- rename the button label")
    };
    let listed = |line: &str| score(&project, &replay(&block(line), &[], json!([]))).task_rules_kept.len();
    assert_eq!(listed("- rename the button label"), 1);
    assert_eq!(listed("- rename the button label (said once, 3 d ago)"), 0);
    assert_eq!(listed("- never amend pushed commits"), 0);
}
