//! SEARCH and REPLACE: how a text is found, and what is said when it is not.

use std::time::{Duration, Instant};

use nudge_grammar::edit::{ConflictReason, Edit, EditConflict, EditWarning, Edited, MatchQuality};

fn apply(search: &str, replace: &str, current: &str) -> Result<Edited, EditConflict> {
    let body = format!("<<SEARCH\n{search}\nSEARCH\n<<REPLACE\n{replace}\nREPLACE");
    Edit::parse(&body).expect("the markers are right").apply(Some(current))
}

fn check(search: &str, replace: &str, current: &str, after: &str, quality: MatchQuality) -> Vec<EditWarning> {
    let edited = apply(search, replace, current).unwrap_or_else(|conflict| panic!("{search:?}: {conflict}"));
    assert_eq!(edited.body, after, "{search:?} in {current:?}");
    assert_eq!(edited.matched, quality, "{search:?} in {current:?}");
    edited.warnings
}

/// @edit_pairs: one exact place is replaced without a warning.
#[test]
fn an_exact_place_is_replaced() {
    let exact = MatchQuality::Exact;
    assert!(check("b", "x", "a\nb\nc\n", "a\nx\nc\n", exact).is_empty());
    assert!(check("b\nc", "x\ny\nz", "a\nb\nc", "a\nx\ny\nz", exact).is_empty());
    assert!(check("lo wo", "-", "hello world", "hel-rld", exact).is_empty());
    assert!(check("b", "", "a\nb\nc\n", "a\nc\n", exact).is_empty());
    assert!(check("b", "", "abc\n", "ac\n", exact).is_empty());
    assert!(check("", "x", "a\n", "a\nx\n", exact).is_empty());
    assert!(check("é", "ü", "caf\u{e9}", "cafü", exact).is_empty());
}

/// @edit_pairs: pairs apply in order, each to the result of the one before.
#[test]
fn pairs_apply_in_order() {
    let body =
        "<<SEARCH a SEARCH <<REPLACE b REPLACE\n<<SEARCH b SEARCH <<REPLACE c REPLACE\n<<APPEND d APPEND";
    assert_eq!(Edit::parse(body).unwrap().apply(Some("a\n")).unwrap().body, "c\nd\n");
    let body = "<<SEARCH a SEARCH\n\n<<REPLACE b REPLACE <<DELETE z DELETE";
    let conflict = Edit::parse(body).unwrap().apply(Some("a\n")).unwrap_err();
    assert_eq!((conflict.step, conflict.name), (1, "delete"));
}

/// @edit_tolerance: of several places, one at the start of a line wins, then the last.
#[test]
fn several_places_are_mentioned() {
    let line_start = MatchQuality::LineStart;
    let several = |count, line| vec![EditWarning::Ambiguous { step: 0, count, line }];
    assert_eq!(check("b", "x", "ab\nb\ncb\n", "ab\nx\ncb\n", line_start), several(3, 2));
    assert_eq!(check("b", "x", "ab\n  b\ncb\n", "ab\n  x\ncb\n", line_start), several(3, 2));
    assert_eq!(check("b", "x", "b\na\nb\n", "b\na\nx\n", line_start), several(2, 3));
    assert_eq!(check("b", "x", "ab ab", "ab ax", line_start), several(2, 1));
    assert_eq!(
        check("b ", "x", "a\nb\nc\nb\n", "a\nb\nc\nx\n", MatchQuality::Whitespace)[0],
        several(2, 4)[0]
    );
}

/// @edit_tolerance: escapes, white space and blank lines may differ.
#[test]
fn white_space_may_differ() {
    let quality = MatchQuality::Whitespace;
    assert_eq!(
        check(r"a\.b\(\)", "c()", "x\na.b()\n", "x\nc()\n", quality),
        [EditWarning::Unescaped { step: 0 }]
    );
    let other = [EditWarning::Whitespace { step: 0 }];
    assert_eq!(check("a \nb", "c", "x\na\nb\t\ny\n", "x\nc\ny\n", quality), other);
    assert_eq!(check("a\n\n\nb", "c", "x\na\nb\n", "x\nc\n", quality), other);
    assert_eq!(check("a\nb", "c", "x\na\n\nb\n", "x\nc\n", quality), other);
    assert_eq!(check("b\n", "c\n", "a\nb", "a\nc", quality), other);
    assert_eq!(check("a b", "c", "x\na   b\ny\n", "x\nc\ny\n", quality), other);
    assert_eq!(check("a b\nc  d", "e", "x\na   b\nc d\n", "x\ne\n", quality), other);
    assert_eq!(check("a  b", "c", "x (a \t b) y\n", "x (c) y\n", quality), other);
    assert_eq!(check("é ü", "c", "ö  é  ü  ä", "ö  c  ä", quality), other);
    assert!(apply("a b", "c", "ab\n").is_err(), "white space does not vanish");
}

/// @edit_tolerance: a part of a line is found by whole words with other white space between them,
/// in one place.
#[test]
fn a_part_of_a_line_is_whole_words() {
    let refused = |search: &str, current: &str| {
        let found = apply(search, "z", current).map(|edited| edited.body);
        assert!(found.is_err(), "{search:?} in {current:?}: {found:?}");
    };
    let body = "list.append(x)\nendpoint = 1\nreturn a-b\n";
    // White space that the body does not have is not left out, and one word is no search.
    for search in ["    int = 1", "  end", "\tb", "  a-b", "int  = 1", "endpoint  = 1\n2", "(x) "] {
        refused(search, body);
    }
    refused("a  b", "a b a b");
    refused("a  b", "xa b a by");
    refused("  a b", "x a b y");
    refused("a b  ", "x a b y");
    refused("a  b\n", "x a b y");
    let other = MatchQuality::Whitespace;
    check("endpoint  =", "start =", body, "list.append(x)\nstart = 1\nreturn a-b\n", other);
    check(" =  1", " = 2", "x  = 1 + y", "x = 2 + y", other);
    check("= a  b ", "= c ", "x = a b + y", "x = c + y", other);
    check("= a  b\n", "= c\n", "x = a b\ny\n", "x = c\ny\n", other);
    let sums = "\ttotal = 1\n\tsubtotal = 1\n";
    let after = "\tsum = 1\n\tsubtotal = 1\n";
    check("total  =", "sum =", sums, after, other);
    check("        total  =", "        sum =", sums, after, MatchQuality::Reindented);
}

/// @edit_tolerance: a replacement is indented like the body.
#[test]
fn indentation_is_healed() {
    let quality = MatchQuality::Reindented;
    let healed = [EditWarning::Reindented { step: 0 }];
    let rust = "fn a() {\n    if b {\n        c();\n    }\n}\n";
    let after = "fn a() {\n    if b {\n        d();\n        if e {\n            f();\n        }\n    }\n}\n";
    let replace = "if b {\n    d();\n    if e {\n        f();\n    }\n}";
    assert_eq!(check("if b {\n    c();\n}", replace, rust, after, quality), healed);
    let deeper = "        if b {\n            c();\n        }";
    let after = "fn a() {\n    if b {\n        d();\n    }\n}\n";
    let replace = "        if b {\n            d();\n        }";
    assert_eq!(check(deeper, replace, rust, after, quality), healed);
    let go = "func a() {\n\tif b {\n\t\tc()\n\t}\n}\n";
    let after = "func a() {\n\tif b {\n\t\tif d {\n\t\t\tc()\n\t\t}\n\t}\n}\n";
    let replace = "    if b {\n        if d {\n            c()\n        }\n    }";
    assert_eq!(check("    if b {\n        c()\n    }", replace, go, after, quality), healed);
    assert_eq!(check("    c();", "    c();\n}", "  c();\n", "  c();\n}\n", quality), healed);
}

/// @edit_tolerance: files with `\r\n` keep it.
#[test]
fn windows_line_ends_are_kept() {
    let exact = MatchQuality::Exact;
    assert!(check("b\nc", "x\ny\nz", "a\r\nb\r\nc\r\n", "a\r\nx\r\ny\r\nz\r\n", exact).is_empty());
    assert!(check("b", "x\ny", "a\r\nb\r\nc\r\n", "a\r\nx\r\ny\r\nc\r\n", exact).is_empty());
    assert!(check("b\r\nc", "x\r\ny", "a\r\nb\r\nc\r\n", "a\r\nx\r\ny\r\n", exact).is_empty());
    assert!(check("a\r\nb", "x", "a\nb\n", "x\n", exact).is_empty());
    let edited = apply("b \nc", "x\ny", "a\r\nb\r\nc\r\n").unwrap();
    assert_eq!(edited.body, "a\r\nx\r\ny\r\n");
}

/// @edit_conflicts: what is not found is a conflict with the nearest place.
#[test]
fn conflicts_name_the_nearest_place() {
    let current = "use std::fmt;\n\nfn main() {\n    let total = sum(1, 2);\n    show(total);\n}\n";
    let conflict = apply("    let total = sum(1, 3);\n    show(total);", "x", current).unwrap_err();
    assert_eq!((conflict.step, conflict.name), (0, "search"));
    assert_eq!(conflict.reason, ConflictReason::NotFound);
    let nearest = conflict.nearest.clone().unwrap();
    assert_eq!(nearest.line, 4);
    assert!(nearest.similarity > 0.9, "{nearest:?}");
    assert_eq!(nearest.text, "    let total = sum(1, 2);\n    show(total);");
    assert!(conflict.to_string().contains("the nearest place is line 4"), "{conflict}");
    assert_eq!(apply("nothing like it", "x", current).unwrap_err().nearest, None);
    for body in ["<<DELETE zzz DELETE", "s/zzz/x/", "@@ -1 +1 @@\n-zzz\n+x\n"] {
        let conflict = Edit::parse(body).unwrap().apply(Some(current)).unwrap_err();
        assert_eq!(conflict.reason, ConflictReason::NotFound, "{body}");
    }
}

/// @edit_conflicts: an entry that is not there cannot be searched.
#[test]
fn a_missing_entry_is_a_conflict() {
    for body in
        ["<<DELETE a DELETE", "<<SEARCH a SEARCH <<REPLACE b REPLACE", "s/a/b/", "@@ -1 +1 @@\n-a\n+b\n"]
    {
        let conflict = Edit::parse(body).unwrap().apply(None).unwrap_err();
        assert_eq!(conflict.reason, ConflictReason::NoEntry, "{body}");
    }
}

/// @edit_tolerance: a search in a large body takes well under a second, found or not.
#[test]
fn large_bodies_are_searched_quickly() {
    // An unoptimised build is ten times slower, so it gets a fifth of the ten mebibytes.
    let (part, patience) = if cfg!(debug_assertions) { (5, 4) } else { (1, 1) };
    let code: String =
        (0..230_000 / part).map(|n| format!("    let value_{n} = compute(left, right, {n});\n")).collect();
    let same = "a \n".repeat(3_500_000 / part);
    let lines = |from: usize| {
        (from..from + 25).map(|n| format!("let value_{n} = compute(left, right, {n});\n")).collect::<String>()
    };
    let searches = [
        lines(229_000 / part),
        lines(300_000),
        "a\n".repeat(512),
        format!("{}b", "a\n".repeat(512)),
        "a".repeat(1024),
    ];
    for current in [&code, &same, &"a".repeat((10 << 20) / part)] {
        for search in &searches {
            // The fastest of three: once may be the machine.
            let took = (0..3).map(|_| {
                let start = Instant::now();
                let _ = apply(search, "x", current);
                start.elapsed()
            });
            let took = took.min().expect("three attempts");
            assert!(took < Duration::from_secs(patience), "{took:?} over {} bytes", current.len());
        }
    }
}

/// @edit_conflicts: an edit with too many steps for the size of the body is refused at once.
#[test]
fn the_steps_of_an_edit_are_bounded() {
    let body = "line\n".repeat(400_000);
    let pair = "<<SEARCH\nnot there\nSEARCH\n<<REPLACE\nx\nREPLACE\n";
    let append = "<<APPEND\nmore\nAPPEND\n";
    for edit in [append.repeat(5_000), format!("{}{pair}", append.repeat(5_000))] {
        let edit = nudge_grammar::Edit::parse(&edit).expect("an edit");
        let conflict = edit.apply(Some(&body)).expect_err("too costly");
        assert_eq!(conflict.reason, nudge_grammar::edit::ConflictReason::TooCostly);
    }
}
