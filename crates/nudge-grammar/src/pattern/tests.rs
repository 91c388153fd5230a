//! The two matchers of globs agree with each other and with a third.

use globset::GlobBuilder;
use proptest::prelude::*;

use super::glob::Glob;
use super::{Pattern, glob};

/// Globs without negation, in the syntax that all matchers share.
fn globs() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[ab]",
        2 => Just("/".to_owned()),
        2 => Just("*".to_owned()),
        1 => Just("?".to_owned()),
        1 => Just("[ab]".to_owned()),
        1 => Just("[!a]".to_owned()),
        1 => Just("{a,b/a}".to_owned()),
        1 => Just("{ab,*}".to_owned()),
        1 => Just("/**/".to_owned()),
        1 => Just("\\*".to_owned()),
    ];
    prop::collection::vec(piece, 1..7)
        .prop_map(|pieces| pieces.concat())
        .prop_filter("`**` stands alone", |glob| !glob.replace("/**/", "").contains("**"))
        .prop_filter("one slash at a time", |glob| !glob.contains("//") && !glob.starts_with('/'))
        .prop_filter("`/**/**/` is written once", |glob| !glob.contains("**/**"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matchers_agree(glob in globs(), path in "[ab*]{0,3}(/[ab]{0,2}){0,3}") {
        let ours = Glob::parse(&glob).expect("it compiles").fits(&path).expect("it runs");
        let parts = glob::parse(&glob).expect("it parses");
        prop_assert_eq!(glob::fits(&parts, &path, &mut glob::Budget::full()), Ok(ours), "by positions");
        let not = Pattern::parse(&format!("!({glob})")).expect("it compiles");
        prop_assert_eq!(not.matches(&path), Ok(!ours), "negated");
        // There, a negated set accepts `/`, which no shell does.
        prop_assume!(!glob.contains("[!"));
        let theirs = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build();
        prop_assert_eq!(theirs.expect("it compiles").compile_matcher().is_match(&path), ours, "by globset");
    }

    #[test]
    fn every_match_begins_with_the_prefix(
        text in prop_oneof![globs(), "/[ab.?*|^]{1,6}/", "/a[ab]\\{0,2\\}.*/", "[ab!(|)*]{1,8}"],
        path in "[ab]{0,4}",
    ) {
        if let Ok(pattern) = Pattern::parse(&text)
            && pattern.matches(&path) == Ok(true)
        {
            prop_assert!(path.starts_with(pattern.prefix()), "{} {}", path, pattern.prefix());
        }
    }

    #[test]
    fn parsing_never_panics(text in "[sab/$.@*?\\[\\]{}!()|,:='\\\\é0-9 -]{0,40}", body in "[ -~\n]{0,40}") {
        if let Ok(pattern) = Pattern::parse(&text) {
            let _ = (pattern.matches(&body), pattern.found_in(&body), pattern.substitute(&body));
        }
    }
}

#[test]
fn a_text_before_two_stars_is_decided_by_its_prefix() {
    for text in ["known://**", "known://plan/**", "known://pl**"] {
        let pattern = Pattern::parse(text).expect("a glob");
        assert!(pattern.is_prefix(), "{text}");
        assert!(pattern.matches(&format!("{}a/b\nc", pattern.prefix())).expect("short"), "{text}");
    }
    for text in ["known://*", "known://**/a", "*://**", "known://plan", "/known:.*/", "known://{a,b}**"] {
        assert!(!Pattern::parse(text).expect("a pattern").is_prefix(), "{text}");
    }
}
