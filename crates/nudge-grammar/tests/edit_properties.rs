//! Edits and patches hold their promises on random texts.

use nudge_grammar::edit::{Edit, EditStep, apply_patch, unified_diff};
use proptest::prelude::*;

/// Lines that look like code, each with a number that makes it unique.
fn code() -> impl Strategy<Value = Vec<String>> {
    let line = prop_oneof![
        3 => "[ ]{0,8}(let|if|return|fn) [a-z]{1,6}[(){};=.]{0,3}",
        1 => "\t{0,3}[a-z]{1,8}: [a-zA-Z<>&]{0,6},",
        1 => "[ -~]{0,20}",
        1 => "[é漢🙂 a]{0,6}",
    ];
    prop::collection::vec(line, 1..30)
        .prop_map(|lines| lines.iter().enumerate().map(|(n, line)| format!("{line} #{n}")).collect())
}

fn pair(search: &str, replace: &str, tag: &str) -> String {
    format!("<<SEARCH{tag}\n{search}\nSEARCH{tag}\n<<REPLACE{tag}\n{replace}\nREPLACE{tag}\n")
}

fn apply(body: &str, current: &str) -> String {
    Edit::parse(body).expect("the markers are right").apply(Some(current)).expect("the text is there").body
}

/// Texts whose lines end in all ways, and that share lines.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
        Just("same\n".to_owned()),
        Just("same\r\n".to_owned()),
        Just("-- x\n".to_owned()),
        Just("++ x\n".to_owned()),
        Just("--- a\n+++ b\n".to_owned()),
        Just("@@ -1 +1 @@\n".to_owned()),
        Just("\\ No newline at end of file\n".to_owned()),
        Just("lone\rend".to_owned()),
        "[ -~]{0,6}\n",
        "[ -~]{0,6}",
    ];
    prop::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// @edit_pairs: replacing lines by others and back gives the same bytes.
    #[test]
    fn there_and_back_is_the_identity(
        lines in code(),
        other in prop::collection::vec("[ ]{0,6}[a-z]{1,8} new [0-9]{4}", 1..5),
        from in any::<prop::sample::Index>(),
        count in 1usize..6,
        is_windows in any::<bool>(),
        has_end in any::<bool>(),
    ) {
        let ending = if is_windows { "\r\n" } else { "\n" };
        let mut file = lines.join(ending);
        if has_end { file.push_str(ending); }
        let from = from.index(lines.len());
        let region = lines[from..(from + count).min(lines.len())].join("\n");
        let other = other.join("\n");
        prop_assume!(file.matches(&region.replace('\n', ending)).count() == 1);
        let there = apply(&pair(&region, &other, "_t"), &file);
        prop_assume!(there.matches(&other.replace('\n', ending)).count() == 1);
        prop_assert_ne!(&there, &file);
        // The bytes of the file: what is left of it may have no line end to go by.
        let region = region.replace('\n', ending);
        prop_assert_eq!(apply(&pair(&other, &region, "_t"), &there), file);
    }

    /// @edit_pairs: several pairs in one body equal the same pairs one at a time.
    #[test]
    fn several_pairs_equal_one_at_a_time(
        lines in code(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), "[a-z]{1,6}"), 1..6),
    ) {
        let file = lines.join("\n");
        let (mut together, mut single) = (String::new(), file.clone());
        for (number, (pick, word)) in picks.iter().enumerate() {
            let line = pick.index(lines.len());
            let now = single.lines().nth(line).expect("lines stay").to_owned();
            let body = pair(&now, &format!("{word} !{number} #{line}"), &number.to_string());
            single = apply(&body, &single);
            together.push_str(&body);
        }
        prop_assert_eq!(apply(&together, &file), single);
    }

    /// @edit_patch: a diff applied to the old text gives the new one, byte by byte.
    #[test]
    fn a_diff_applies(old in text(), new in text()) {
        let diff = unified_diff("x", &old, &new);
        prop_assert_eq!(diff.is_empty(), old == new);
        prop_assert_eq!(apply_patch(&old, &diff), Ok(new.clone()), "{}", diff);
        let back = unified_diff("x", &new, &old);
        prop_assert_eq!(apply_patch(&new, &back), Ok(old));
    }

    /// @edit_patch: a small change of a large text applies too.
    #[test]
    fn a_small_change_applies(lines in code(), at in any::<prop::sample::Index>(), word in "[a-z]{0,9}") {
        let old = lines.join("\n");
        let mut changed = lines.clone();
        changed[at.index(lines.len())] = word;
        let new = changed.join("\n");
        prop_assert_eq!(apply_patch(&old, &unified_diff("x", &old, &new)), Ok(new));
    }

    /// @edit_markers: no text makes the reader or an edit panic.
    #[test]
    fn reading_never_panics(
        pieces in prop::collection::vec(
            prop_oneof![
                Just("<<SEARCH"), Just("SEARCH"), Just("<<REPLACE"), Just("REPLACE"), Just("<<NEW"), Just("NEW"),
                Just("<<EOF1"), Just("EOF1"), Just("<<:::a"), Just(":::a"), Just(" "), Just("\n"), Just("\r\n"),
                Just("é"), Just("<<<<<<< SEARCH\n"), Just("=======\n"), Just(">>>>>>> REPLACE\n"), Just("@@ -1 +1 @@\n"),
                Just("@@\n"), Just("-a\n"), Just("+b\n"), Just("s/a/b/"), Just(";"), Just("<<DELETE"), Just("DELETE"),
                Just("{\"search\":\"a\",\"replace\":\"b\"}"), Just("<<"), Just(">"), Just("text"), Just("\\"),
            ],
            0..24,
        ),
        current in prop::option::of(text()),
    ) {
        if let Ok(edit) = Edit::parse(&pieces.concat()) {
            prop_assert!(!edit.steps.is_empty());
            if let Ok(edited) = edit.apply(current.as_deref()) {
                prop_assert!(edited.matched.sureness() > 0.0);
            }
        }
    }

    /// @edit_markers: content comes back from its markers, byte by byte.
    #[test]
    fn content_is_kept(content in "[ -~\n\té]{1,60}") {
        prop_assume!(!content.contains("END_x"));
        let edit = Edit::parse(&format!("<<END_x\n{content}\nEND_x")).expect("it closes");
        let [EditStep::Replace(text)] = edit.steps.as_slice() else { panic!("one step") };
        prop_assert_eq!(text, &content);
    }
}
