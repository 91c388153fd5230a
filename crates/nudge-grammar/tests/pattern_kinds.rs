//! The shape of each kind of pattern, and what it matches.

use nudge_grammar::pattern::{Pattern, PatternError, PatternKind};

fn pattern(text: &str) -> Pattern {
    Pattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn check_kinds(kind: PatternKind, texts: &[&str]) {
    for text in texts {
        assert_eq!(pattern(text).kind(), kind, "{text}");
        assert_eq!(pattern(text).text(), *text);
    }
}

/// Which of `paths` fit.
fn fitting<'a>(text: &str, paths: &[&'a str]) -> Vec<&'a str> {
    let pattern = pattern(text);
    paths.iter().copied().filter(|path| pattern.matches(path).expect("it runs")).collect()
}

/// @pattern_kinds: the shape of a text gives its kind.
#[test]
fn shapes_give_kinds() {
    check_kinds(PatternKind::Sed, &["s/a/b/", "s|a|b|", "s/a/b/gi", "s#a/b#c#g", r"s/a\/b/c/", "s,a,b,ms"]);
    check_kinds(PatternKind::Regex, &["/a/", "/a/i", r"/a\/b/gi", "/[/]x/", r"/^known:\/\//m"]);
    check_kinds(PatternKind::JsonPath, &["$", "$.a", "$.a[0].b", "$[0]", "$..a", "$['a b']"]);
    check_kinds(
        PatternKind::XPath,
        &["//x", "//*", "//@id", "/a/b[1]", "/a[@b='c']", "child::a", "/a/descendant::b", "//a[b]"],
    );
    check_kinds(
        PatternKind::Glob,
        &[
            "*",
            "**",
            "known://*",
            "known://**",
            "src/**/*.rs",
            "a?c",
            "[ab]c",
            "{a,b}",
            "!(a|b)",
            "src/!(test)/*.rs",
            "/src/[ab].rs",
            "/src/f[0-9].rs",
            "https://a.b/c?",
            "https://a.b/*?d=e",
        ],
    );
    check_kinds(
        PatternKind::Literal,
        &[
            "",
            "a",
            "known://plan",
            "src/main.rs",
            "https://a.b/c?d=e",
            "http://a.b/c?d=e&f=g",
            "hint://api/build?if=ab12",
            "/usr/lib/",
            "/usr/lib/x.so",
            "// a comment",
            "s-a-b-",
            "s/a/b/c",
            "{a}",
            "[",
            "$HOME",
            "std::fmt",
            r"a\*b",
        ],
    );
}

/// @pattern_kinds: each kind has the name that the wire uses.
#[test]
fn kinds_have_names() {
    let names = ["s/a/b/", "/a/", "$", "//a", "*", "a"].map(|text| pattern(text).kind().name());
    assert_eq!(names, ["sed", "regex", "jsonpath", "xpath", "glob", "literal"]);
}

/// @pattern_kinds: `*` and `?` stay in a segment, `**` crosses.
#[test]
fn globs_match_whole_paths() {
    let paths = ["known://a", "known://a/b", "known://", "src/a.rs", "src/x/a.rs", "src/x/y/a.rs", "a.rs"];
    assert_eq!(fitting("known://*", &paths), ["known://a", "known://"]);
    assert_eq!(fitting("known://**", &paths), ["known://a", "known://a/b", "known://"]);
    assert_eq!(fitting("src/**/*.rs", &paths), ["src/a.rs", "src/x/a.rs", "src/x/y/a.rs"]);
    assert_eq!(fitting("**/*.rs", &paths), ["src/a.rs", "src/x/a.rs", "src/x/y/a.rs", "a.rs"]);
    assert_eq!(fitting("src/?/a.rs", &paths), ["src/x/a.rs"]);
    assert_eq!(fitting("src/[w-y]/a.rs", &paths), ["src/x/a.rs"]);
    assert_eq!(fitting("{known://a,src/a.*}", &paths), ["known://a", "src/a.rs"]);
    assert_eq!(fitting("known://[!b]", &paths), ["known://a"]);
    assert_eq!(fitting("**", &paths), paths);
    assert_eq!(fitting("src/{id}/*", &["src/{id}/a", "src/id/a"]), ["src/{id}/a"]);
    assert_eq!(fitting(r"a\**", &["a*b", "ab"]), ["a*b"]);
    assert_eq!(fitting("a[/]b*", &["a/b"]), Vec::<&str>::new());
}

/// @pattern_kinds: `!(…)` is anything else within its segment, or at all when it is the whole.
#[test]
fn globs_negate() {
    let paths = ["src/test/a.rs", "src/lib/a.rs", "src/lib/x/a.rs", "docs/a.md"];
    assert_eq!(fitting("src/!(test)/*.rs", &paths), ["src/lib/a.rs"]);
    assert_eq!(fitting("src/!(test|lib)/*.rs", &paths), Vec::<&str>::new());
    assert_eq!(fitting("src/!(t*)/**", &paths), ["src/lib/a.rs", "src/lib/x/a.rs"]);
    assert_eq!(fitting("!(src/**)", &paths), ["docs/a.md"]);
    assert_eq!(fitting("!(docs/a.md)", &paths), ["src/test/a.rs", "src/lib/a.rs", "src/lib/x/a.rs"]);
    assert_eq!(fitting("!(known://*)", &["known://a", "hint://a/b"]), ["hint://a/b"]);
    assert_eq!(fitting("*.!(md|txt)", &["a.rs", "a.md", "a.txt", "b.x.md"]), ["a.rs", "b.x.md"]);
    assert_eq!(fitting("{a,!(b)}", &["a", "b", "c"]), ["a", "c"]);
    assert_eq!(fitting("!(!(a))", &["a", "b"]), ["a"]);
}

/// @pattern_kinds: a regex fits the whole of a path, and is found anywhere in content.
#[test]
fn regexes_fit_and_find() {
    assert_eq!(fitting("/src/", &["src", "src/a"]), ["src"]);
    assert_eq!(fitting(r"/.*\.rs$/", &["a.rs", "a.rs/b"]), ["a.rs"]);
    assert_eq!(fitting("/a|ab/", &["a", "ab", "abc"]), ["a", "ab"]);
    assert!(pattern("/HELLO/i").found_in("say hello").unwrap());
    assert!(!pattern("/HELLO/").found_in("say hello").unwrap());
    assert!(pattern("/^b$/m").found_in("a\nb\nc").unwrap());
    assert!(pattern("/a.b/s").found_in("a\nb").unwrap());
}

/// @pattern_kinds: content is filtered by substring, line, JSON node or XML node.
#[test]
fn content_is_filtered() {
    assert!(pattern("needle").found_in("hay needle hay").unwrap());
    assert!(!pattern("Needle").found_in("hay needle hay").unwrap());
    assert!(pattern("a\\*b").found_in("x a*b y").unwrap());
    assert!(pattern("fn *").found_in("use x;\nfn main() {}\n").unwrap());
    assert!(!pattern("fn").matches("fn main").unwrap());
    let json = r#"{"a":{"b":[1,2,{"c":null}]}}"#;
    for (query, is_found) in
        [("$.a.b[1]", true), ("$..c", true), ("$.a.x", false), ("$", true), ("$.a.b[?@.c==null]", true)]
    {
        assert_eq!(pattern(query).found_in(json).unwrap(), is_found, "{query}");
        assert!(!pattern(query).found_in("not json").unwrap());
        assert!(!pattern(query).matches(json).unwrap());
    }
    let xml = "<?xml version='1.0'?><r xmlns='urn:x'><a id='1'>one</a><b><c/></b></r>";
    for (query, is_found) in [
        ("//a", true),
        ("//a[@id='1']", true),
        ("//a[@id='2']", false),
        ("/r[b]", true),
        ("//a[contains(., 'on')]", true),
        ("child::r", true),
        ("//c/ancestor::r", true),
        ("//x", false),
    ] {
        assert_eq!(pattern(query).found_in(xml).unwrap(), is_found, "{query}");
        assert!(!pattern(query).found_in("not xml").unwrap());
    }
}

/// @pattern_kinds: a prefix begins every path that fits.
#[test]
fn prefixes_are_known() {
    for (text, prefix) in [
        ("known://*", "known://"),
        ("known://plan_*", "known://plan_"),
        ("src/**/*.rs", "src/"),
        ("{a,b}c", ""),
        ("**", ""),
        ("!(a)", ""),
        ("a!(b)", "a"),
        ("known://plan", "known://plan"),
        (r"a\*b", "a*b"),
        (r"/known:\/\/a.*/", "known://a"),
        (r"/^known:\/\/ab?/", "known://a"),
        ("/a|b/", ""),
        ("/abc/i", ""),
        ("/ab{0}/", "a"),
        ("$.a", ""),
        ("//a", ""),
    ] {
        assert_eq!(pattern(text).prefix(), prefix, "{text}");
    }
    assert!(pattern("known://plan").is_single());
    assert!(!pattern("known://*").is_single());
    assert!(Pattern::literal("known://*").is_single());
    assert!(Pattern::literal("known://*").matches("known://*").unwrap());
}

/// @pattern_kinds: a sed expression substitutes; other kinds do not.
#[test]
fn sed_substitutes() {
    let done = |text: &str, on: &str| pattern(text).substitute(on).unwrap().unwrap();
    assert_eq!(done("s/a/b/", "aa"), "ba");
    assert_eq!(done("s/a/b/g", "aa"), "bb");
    assert_eq!(done("s/A/b/gi", "aa"), "bb");
    assert_eq!(done("s|a/b|c|", "a/b"), "c");
    assert_eq!(done(r"s/(\w+) (\w+)/\2 \1/", "one two"), "two one");
    assert_eq!(done(r"s/b/[&]\&\n/", "abc"), "a[b]&\nc");
    assert_eq!(done(r"s|a\|b|x|g", "a|b a"), "x a");
    assert_eq!(done("s/^/- /gm", "a\nb"), "- a\n- b");
    assert!(pattern("/a/").substitute("a").is_none());
    assert!(pattern("a").substitute("a").is_none());
}

/// @pattern_kinds: what a linear matcher cannot do is named.
#[test]
fn unsupported_constructs_are_named() {
    for (text, what) in [
        ("/a(?=b)/", "lookaround"),
        ("/(?<!a)b/", "lookaround"),
        (r"/(a)\1/", "backreference"),
        (r"s/(a)\1/b/", "backreference"),
    ] {
        let error = Pattern::parse(text).unwrap_err();
        assert!(
            matches!(&error, PatternError::Unsupported { what: named } if named.contains(what)),
            "{error}"
        );
    }
    for text in ["/(a/", "$.a[", "//a[", "$..[?match(@, 'a')]"] {
        assert!(Pattern::parse(text).is_err(), "{text}");
    }
}
