//! The functions that everything over entries is made of.

use nudge_core::text::{MAX_SLUG_CHARS, slug};
use nudge_core::{EntryPath, tokens};
use nudge_grammar::{Edit, Pattern};

/// @entry_functions
#[test]
fn each_function_exists_once() {
    let scheme = |path: &str| EntryPath::parse(path).expect("a path").scheme().to_owned();
    assert_eq!((scheme("known://a"), scheme("src/main.rs")), ("known".to_owned(), "file".to_owned()));
    let pattern = |text: &str| Pattern::parse(text).expect("a pattern");
    assert!(pattern("known://*").matches("known://plan").expect("bounded"));
    assert!(!pattern("known://*").matches("see known://plan").expect("bounded"));
    assert!(pattern("plan").found_in("see the plan").expect("bounded"));
    let replaced = pattern("s/plan/map/").substitute("the plan").expect("a sed pattern").expect("bounded");
    assert_eq!(replaced, "the map");
    let edited = Edit::parse("<<SEARCH\n  plan\nSEARCH\n<<REPLACE\n  map\nREPLACE").expect("an edit");
    assert_eq!(edited.apply(Some("the\n    plan\n")).expect("found").body, "the\n    map\n");
    assert_eq!(slug("Fix: the router/long requests"), "Fix%3A_the_router_long_requests");
    assert!(slug(&"long ".repeat(60)).len() <= MAX_SLUG_CHARS);
    assert_eq!(tokens::estimate("").0, 0);
    assert!((2..=4).contains(&tokens::estimate("three plain words").0));
}
