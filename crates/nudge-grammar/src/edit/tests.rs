//! Tests of the parts of edits.

use super::patch::{PatchError, apply_patch};
use super::unified_diff;

fn check(text: &str, patch: &str, after: &str) {
    assert_eq!(apply_patch(text, patch).as_deref(), Ok(after), "{patch}");
}

#[test]
fn a_diff_has_three_lines_of_context() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    let diff = unified_diff("a/b", old, &old.replace('5', "five"));
    assert_eq!(diff, "--- a/a/b\n+++ b/a/b\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
    assert_eq!(unified_diff("x", old, old), "");
    assert_eq!(
        unified_diff("x", "", "a"),
        "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"
    );
}

#[test]
fn numbers_only_say_where_to_look_first() {
    check("x\na\nb\n", "@@ -9,2 +9,2 @@\n a\n-b\n+c\n", "x\na\nc\n");
    check("b\nx\nb\n", "@@ -3 +3 @@\n-b\n+c\n", "b\nx\nc\n");
    check("a\nb\n", "@@ -1,7 +1,9 @@\n a\n-b\n+c\n", "a\nc\n");
    check("a\nb\nd\n", "@@ -1,1 +1,1 @@\n a\n-b\n+c\n d\n", "a\nc\nd\n");
    check("a\n\nb\n", "@@ -1,3 +1,3 @@\n a\n\n-b\n+c", "a\n\nc\n");
}

#[test]
fn line_ends_of_the_text_win() {
    check("a\r\nb\r\n", "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n", "a\r\nc\r\nd\r\n");
    check("a\nb\n", "@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n", "a\nc\n");
    check("a", "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n", "a\nb\n");
}

#[test]
fn what_does_not_fit_is_an_error() {
    assert_eq!(apply_patch("a\n", "no hunk"), Err(PatchError::NoHunk));
    assert_eq!(apply_patch("a\n", "@@ -1 +1 @@\n-b\n+c\n"), Err(PatchError::Unfit { hunk: 1 }));
    assert_eq!(apply_patch("", "@@ -1 +1 @@\n-b\n+c\n"), Err(PatchError::Unfit { hunk: 1 }));
    let twice = "@@ -1 +1 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n";
    assert_eq!(apply_patch("a\n", twice), Err(PatchError::Unfit { hunk: 2 }));
    check("a\n", " \n", "a\n");
}
