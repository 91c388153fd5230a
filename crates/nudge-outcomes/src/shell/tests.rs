//! Lines and their trees in short notation: `a b|c && (d)`.

use super::*;

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

#[test]
fn open_ends_end_somewhere() {
    let deep = ["$(", "\"$(", "(", "{ ", "if ", "`", "! "].map(|mark| mark.repeat(3000));
    let short =
        ["'", "\"", "\\", "<<", "cat <<EOF\nx", "\"$(cat <<A\nb", ")", "| |", "&& ;; }", "a=(", ">", ">&"];
    for line in deep.iter().map(String::as_str).chain(short) {
        parse(line);
    }
}
