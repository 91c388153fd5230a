//! What the body of a `set` is read as, and what it does.

use nudge_grammar::edit::{Edit, EditError, EditStep, EditWarning, Edited, MatchQuality};

fn edit(body: &str) -> Edit {
    Edit::parse(body).unwrap_or_else(|error| panic!("{body}: {error}"))
}

/// The steps in a short form.
fn steps(body: &str) -> Vec<String> {
    let show = |step: &EditStep| match step {
        EditStep::SearchReplace { search, replace } => format!("search {search:?} {replace:?}"),
        EditStep::Replace(text)
        | EditStep::Prepend(text)
        | EditStep::Append(text)
        | EditStep::Delete(text)
        | EditStep::Patch(text) => format!("{} {text:?}", step.name()),
        EditStep::Substitute(pattern) => format!("substitute {:?}", pattern.text()),
    };
    edit(body).steps.iter().map(show).collect()
}

fn done(body: &str, current: &str) -> Edited {
    edit(body).apply(Some(current)).unwrap_or_else(|conflict| panic!("{body}: {conflict}"))
}

/// @edit_markers: the first letters of the word select the operation.
#[test]
fn words_select_operations() {
    for (body, step) in [
        ("<<NEW\na\nNEW", r#"replace "a""#),
        ("<<REPLACE\na\nREPLACE", r#"replace "a""#),
        ("<<PREPEND\na\nPREPEND", r#"prepend "a""#),
        ("<<APPEND\na\nAPPEND", r#"append "a""#),
        ("<<DELETE\na\nDELETE", r#"delete "a""#),
        ("<<EOF\na\nEOF", r#"replace "a""#),
        ("<<DOC1\na\nDOC1", r#"replace "a""#),
        ("<<APPEND_x1\na\nAPPEND_x1", r#"append "a""#),
        ("<<NEWS\na\nNEWS", r#"replace "a""#),
        ("<<DELETED\na\nDELETED", r#"delete "a""#),
        ("<<SEARCHING a SEARCHING <<REPLACED b REPLACED", r#"search "a" "b""#),
    ] {
        assert_eq!(steps(body), [step], "{body}");
    }
}

/// @edit_markers: one line and several read alike; only the white space at the markers goes.
#[test]
fn one_line_equals_several() {
    for body in [
        "<<NEW a b NEW",
        "<<NEW\na b\nNEW",
        "<<NEW\r\na b\r\nNEW\r\n",
        "\n  <<NEW  \na b\n  NEW\n",
        "<<NEW a b\nNEW",
    ] {
        assert_eq!(steps(body), [r#"replace "a b""#], "{body:?}");
    }
    assert_eq!(steps("<<NEW\n  a\n\nNEW"), [r#"replace "  a\n""#]);
    assert_eq!(steps("<<NEW\n\na\nNEW"), [r#"replace "\na""#]);
    for body in ["<<NEW\nNEW", "<<NEW NEW", "<<NEW\n\nNEW"] {
        assert_eq!(steps(body), [r#"replace """#], "{body:?}");
    }
}

/// @edit_markers: what is not an opener is content.
#[test]
fn other_bodies_are_content() {
    for body in [
        "plain",
        "",
        "vec<<SEARCH",
        "x<<NEW a NEW",
        "<<:::known://a\ntext\n:::known://a",
        "<<lower\na\nlower",
        "<< NEW a NEW",
        "1 <<3",
        "#!/bin/sh\ncat <<EOF\nhello\nEOF\n",
        "std::cout <<NAME << 1;",
        "The opener is <<SEARCH and the closer is SEARCH.",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> main\n",
        r#"{"search": "a", "replace": "b", "more": 1}"#,
        "s/a/b/ and more",
    ] {
        assert_eq!(steps(body), [format!("replace {body:?}")]);
        assert_eq!(done(body, "old\n").body, body);
    }
}

/// @edit_markers: a word in the content does not close a block when another stands alone.
#[test]
fn closers_alone_on_a_line_win() {
    assert_eq!(steps("<<NEW\na NEW b\nNEW"), [r#"replace "a NEW b""#]);
    assert_eq!(steps("<<DOC1\nUse <<SEARCH and SEARCH.\nDOC1"), [r#"replace "Use <<SEARCH and SEARCH.""#]);
    assert_eq!(
        steps("<<SEARCH\na SEARCH\n<<REPLACE\nb REPLACE\n<<SEARCH\nc\nSEARCH\n<<REPLACE\nd\nREPLACE"),
        [r#"search "a" "b""#, r#"search "c" "d""#]
    );
    assert_eq!(steps("<<NEW\nRENEW NEWER\nNEW"), [r#"replace "RENEW NEWER""#]);
}

/// @edit_markers: an edit after other text is still found, and the text is mentioned.
#[test]
fn text_around_blocks_is_mentioned() {
    let edited = done("Here it is:\n<<APPEND\nb\nAPPEND\nDone.", "a\n");
    assert_eq!(edited.body, "a\nb\n");
    assert_eq!(edited.warnings, [EditWarning::Outside]);
    assert_eq!(done("<set><<APPEND b APPEND", "a").body, "a\nb");
}

/// @edit_markers: wrong markers are errors that name the marker.
#[test]
fn wrong_markers_are_errors() {
    for body in
        ["<<SEARCH a SEARCH", "<<SEARCH a SEARCH <<NEW b NEW", "<<SEARCH a SEARCH x <<REPLACE b REPLACE"]
    {
        assert_eq!(
            Edit::parse(body).unwrap_err(),
            EditError::LoneSearch { ident: "SEARCH".into() },
            "{body}"
        );
    }
    for body in ["<<NEW a", "<<NEW", "<<NEW\na\nNEW2", "<<NEW\na\nxNEW", "<<SEARCH a SEARCH <<REPLACE b"] {
        assert!(matches!(Edit::parse(body), Err(EditError::Unclosed { .. })), "{body}");
    }
    assert!(matches!(Edit::parse("<<<<<<< SEARCH\na\n"), Err(EditError::Unclosed { .. })));
    assert!(matches!(Edit::parse("s/(a/b/"), Err(EditError::Pattern(_))));
}

/// @edit_markers: additions stand on lines of their own; line ends and the last one are kept.
#[test]
fn additions_keep_line_ends() {
    for (body, current, after) in [
        ("<<APPEND b APPEND", "a\n", "a\nb\n"),
        ("<<APPEND b APPEND", "a", "a\nb"),
        ("<<APPEND b APPEND", "", "b"),
        ("<<APPEND\nb\nc\nAPPEND", "a\r\nx\r\n", "a\r\nx\r\nb\r\nc\r\n"),
        ("<<PREPEND b PREPEND", "a\n", "b\na\n"),
        ("<<PREPEND\nb\nc\nPREPEND", "a\r\n", "b\r\nc\r\na\r\n"),
        ("<<NEW b NEW", "a\n", "b\n"),
        ("<<NEW b NEW", "a", "b"),
        ("<<NEW\nb\nc\nNEW", "a\r\n", "b\r\nc\r\n"),
        ("b", "a\n", "b"),
        ("<<DELETE b DELETE", "a\nb\nc\n", "a\nc\n"),
        ("<<DELETE b DELETE", "a\n  b\nc\n", "a\nc\n"),
        ("<<DELETE b DELETE", "a\r\nb\r\nc\r\n", "a\r\nc\r\n"),
        ("<<DELETE b DELETE", "a\nb", "a"),
        ("<<DELETE b DELETE", "abc", "ac"),
        ("<<DELETE\nb\nc\nDELETE", "a\nb\nc\nd\n", "a\nd\n"),
        ("<<DELETE\nb\n\nDELETE", "a\nb\n\nc\n", "a\n\nc\n"),
    ] {
        assert_eq!(done(body, current).body, after, "{body:?} on {current:?}");
    }
}

/// @edit_markers: an entry that is not there is created by what does not search.
#[test]
fn entries_are_created() {
    for (body, after) in [
        ("a", "a"),
        ("<<NEW a NEW", "a"),
        ("<<APPEND a APPEND", "a"),
        ("<<PREPEND a PREPEND", "a"),
        ("<<SEARCH SEARCH <<REPLACE a REPLACE", "a"),
        ("--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", "a\nb\n"),
    ] {
        assert_eq!(edit(body).apply(None).unwrap().body, after, "{body}");
    }
    assert!(!edit("a").needs_current());
    assert!(!edit("<<NEW a NEW").needs_current());
    for body in ["<<APPEND a APPEND", "<<DELETE a DELETE", "s/a/b/", "<<SEARCH a SEARCH <<REPLACE b REPLACE"]
    {
        assert!(edit(body).needs_current(), "{body}");
    }
}

/// @edit_tolerance: older forms of edits are read.
#[test]
fn older_forms_are_read() {
    let conflict = "<<<<<<< SEARCH\na\nb\n=======\nc\n>>>>>>> REPLACE\n";
    assert_eq!(steps(conflict), [r#"search "a\nb" "c""#]);
    assert_eq!(steps("<<< SEARCH\na\n===\n>>> REPLACE\n"), [r#"search "a" """#]);
    let signs =
        "<".repeat(12) + " SEARCH\r\na\r\n" + &"=".repeat(12) + "\r\nb\r\n" + &">".repeat(12) + " REPLACE";
    assert_eq!(steps(&signs), [r#"search "a" "b""#]);
    assert_eq!(steps(r#"{"search": "a", "replace": "b"}"#), [r#"search "a" "b""#]);
    assert_eq!(
        steps(r#"[{"search": "a", "replace": "b"}, {"replace": "d", "search": "c"}]"#),
        [r#"search "a" "b""#, r#"search "c" "d""#]
    );
    let tags = "<old_text>\na\n</old_text>\n<new_text>b</new_text>";
    assert_eq!(steps(tags), [r#"search "a" "b""#]);
    assert_eq!(steps("s/a/b/\ns|c|d|g\n"), [r#"substitute "s/a/b/""#, r#"substitute "s|c|d|g""#]);
    assert_eq!(steps("s/a/b/; s/c/d/g;"), [r#"substitute "s/a/b/""#, r#"substitute "s/c/d/g""#]);
    assert_eq!(done("s/a/b/; s/c/d/g;", "a c c\n").body, "b d d\n");
    assert_eq!(done("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nb\n").body, "a\nc\n");
    assert_eq!(done("@@\n a\n-b\n+c\n", "x\na\nb\n").body, "x\na\nc\n");
    let codex = "*** Begin Patch\n*** Update File: x\n@@ fn a\n-b\n+c\n*** End Patch\n";
    assert_eq!(done(codex, "b\nfn a\nb\n").body, "b\nfn a\nc\n");
}

/// @edit_markers: a quality has a name and a number.
#[test]
fn qualities_are_ordered() {
    use MatchQuality::{Exact, LineStart, Reindented, Whitespace};
    let all = [Exact, LineStart, Whitespace, Reindented];
    assert!(all.is_sorted());
    assert!(all.map(MatchQuality::sureness).is_sorted_by(|a, b| a > b));
    assert_eq!(all.map(MatchQuality::name), ["exact", "line_start", "whitespace", "reindented"]);
}
