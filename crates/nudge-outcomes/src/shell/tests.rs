//! Lines and their trees in short notation: `a b|c && (d)`.

use nudge_core::shell::{Reading, Token as ShellToken, tokens};
use serde_json::{Value, json};

use super::*;
use crate::marks::{self, part};

fn shown(list: &List) -> String {
    list.iter().map(shown_step).collect::<Vec<_>>().join(" ")
}

fn shown_step(step: &Step) -> String {
    let stages: Vec<String> = step.stages.iter().map(shown_stage).collect();
    let then = match step.then {
        Then::And => " &&",
        Then::Or => " ||",
        Then::Next => ";",
        Then::Background => " &",
        Then::End => "",
    };
    format!("{}{}{then}", if step.negated { "!" } else { "" }, stages.join("|"))
}

fn shown_stage(stage: &Stage) -> String {
    let words = stage.words.iter().map(|word| word.replace(' ', "_")).collect::<Vec<_>>().join(" ");
    let body = match &stage.body {
        Body::None => String::new(),
        Body::Group(list) => format!("({})", shown(list)),
        Body::Branches(list) => format!("<{}>", shown(list)),
    };
    let file = stage.file.as_ref().map_or_else(String::new, |file| format!(" >{file}"));
    let inner = stage.inner.iter().fold(String::new(), |all, line| all + " $" + line);
    let document = stage.document.as_ref().map_or_else(String::new, |text| format!(" <<{}", text.len()));
    format!("{words}{body}{file}{inner}{document}")
}

#[test]
fn lines_make_trees() {
    for (line, expected) in [
        ("cd x && make test; ls | wc -l\ndate", "cd x && make test; ls|wc -l; date"),
        ("echo 'a && b' \"c; d\" e\\;f", "echo a_&&_b c;_d e;f"),
        ("make 2>&1 | tail -1", "make|tail -1"),
        ("make |& tail -1 # make | x", "make|tail -1"),
        ("make &> log & ls", "make >log & ls"),
        ("make >>log 2>err </dev/null || true", "make >log || true"),
        ("make > >(tee log) 2>&1", "make"),
        ("make >&2", "make"),
        ("(cd x; make) | tail", "(cd x; make)|tail"),
        ("{ make; ls; } 2>&1", "(make; ls)"),
        ("! make", "!make"),
        ("if make; then ls; else date; fi && x", "<make ls date> && x"),
        ("for d in a b; do make -C $d; done | tail -3", "<d in a b make -C $d>|tail -3"),
        ("make |\n tail &&\n ls", "make|tail && ls"),
        ("a \\\n b ''", "a b "),
        ("x=(a b) make", "x=a b make"),
        ("out=$(make test 2>&1); echo \"$out\"", "out= $make test 2>&1; echo $out"),
        ("bash <<'EOF'\nmake\nEOF\nls", "bash <<5; ls"),
        (
            "git commit -m \"$(cat <<'EOF'\ndon't (yet)\nEOF\n)\" && ls",
            "git commit -m  $cat <<'EOF'\ndon't (yet)\nEOF\n && ls",
        ),
    ] {
        let list = parse(line);
        assert_eq!(shown(&list), expected.replace("x=a b make", "x=a_b make"), "{line}");
    }
}

fn check_commands(line: &str, expected: &[&[&str]]) {
    assert_eq!(commands(line), expected, "{line}");
}

#[test]
fn lines_fall_into_commands_outside_quotes() {
    check_commands(
        "cd x && git push; ls | wc -l\ndate",
        &[&["cd", "x"], &["git", "push"], &["ls"], &["wc", "-l"], &["date"]],
    );
    check_commands("echo 'a && b' \"c; d\" e\\;f", &[&["echo", "a && b", "c; d", "e;f"]]);
    check_commands("git push 2>&1 | tail -1", &[&["git", "push"], &["tail", "-1"]]);
    check_commands("make &> log & git push", &[&["make"], &["git", "push"]]);
    check_commands("(cd x; git push) # git commit", &[&["cd", "x"], &["git", "push"]]);
    check_commands("a \\\n b ''", &[&["a", "b", ""]]);
}

#[test]
fn messages_are_words_not_commands() {
    check_commands(
        "git commit -m \"$(cat <<'EOF'\nfix: don't \"git push\" (yet)\n\ngit push\nEOF\n)\" && ls",
        &[&["git", "commit", "-m", "fix: don't \"git push\" (yet)\n\ngit push\n"], &["ls"]],
    );
    check_commands("git commit -F - <<EOF\ngit push; x\nEOF\nls", &[&["git", "commit", "-F", "-"], &["ls"]]);
    check_commands("echo `git push` $(git push) \"`x`\"", &[&["echo", "", "", ""]]);
}

/// Why this reader is not the splitter of `nudge-core`: that one loses no byte, this one reads
/// what is run.
#[test]
fn where_commands_and_tokens_differ() {
    let split = |line: &str| -> Vec<String> {
        let places = tokens(line.as_bytes(), 0, Reading::Shell).filter_map(ShellToken::word);
        places.map(|place| line[place].to_owned()).collect()
    };
    for (line, found, words) in [
        ("a $'b\\'c d", &[&["a", "$b\\c", "d"][..]][..], &["a", "$'b\\'c d"][..]),
        ("a=${b c} d", &[&["a=${b", "c}", "d"]], &["a=${b c}", "d"]),
        ("a=(b c) d", &[&["a=b c", "d"]], &["a=(b c)", "d"]),
        ("`a \\` b` c", &[&["", "b"]], &["`a \\` b`", "c"]),
        ("a # b", &[&["a"]], &["a", "#", "b"]),
        ("a 2>&1", &[&["a"]], &["a", "2>", "1"]),
        ("{ a; }", &[&["{", "a"], &["}"]], &["a"]),
    ] {
        assert_eq!(commands(line), found, "{line}");
        assert_eq!(split(line), words, "{line}");
    }
}

#[test]
fn open_ends_end_somewhere() {
    let deep = ["$(", "\"$(", "(", "{ ", "if ", "`", "! "].map(|mark| mark.repeat(3000));
    let short =
        ["'", "\"", "\\", "<<", "cat <<EOF\nx", "\"$(cat <<A\nb", ")", "| |", "&& ;; }", "a=(", ">", ">&"];
    for line in deep.iter().map(String::as_str).chain(short) {
        parse(line);
        commands(line);
    }
}

/// What is stored of these lines does not change. `shell/lines.jsonl` has what older versions
/// stored: the commands of a line, and of each part its text, whether it decides, and its marks.
#[test]
fn what_is_stored_of_a_line_stays() {
    for row in include_str!("lines.jsonl").lines() {
        let row: Value = serde_json::from_str(row).unwrap();
        let line = row["line"].as_str().unwrap();
        let parts: Vec<Value> = part::parts(line)
            .iter()
            .map(|part| {
                let names: Vec<i64> = marks::of_names(part).into_iter().map(|(mark, _)| mark).collect();
                json!([part.folded_text(), part.decides, marks::of_run(part), names])
            })
            .collect();
        let found = json!({
            "line": line, "commands": commands(line), "read_only": is_read_only(line), "parts": parts,
        });
        assert_eq!(found, row, "{line}");
    }
}
