//! Shares, cuts, repeats, and that no budget is exceeded.

use proptest::prelude::*;

use super::*;

fn item(entry: i64, text: &str) -> Item {
    Item {
        entry: EntryId(entry),
        label: "[3d ago] asked".to_owned(),
        text: text.to_owned(),
        file: None,
        is_stated: false,
    }
}

fn source(name: &'static str, weight: u32, items: Vec<Item>) -> Source {
    Source { name, heading: name, weight, is_the_persons: false, items }
}

fn delimiter() -> Delimiter {
    Delimiter::new([7; 6])
}

/// Ten texts that share no word.
fn long(of: &str, words: usize) -> Vec<Item> {
    let text = |item: usize| (0..words).map(|word| format!("{of}{item}x{word} ")).collect::<String>();
    (0..10).map(|number| item(number as i64 + 100 * of.len() as i64, text(number).trim_end())).collect()
}

#[test]
fn nothing_found_is_no_text() {
    assert_eq!(pack(vec![source("code", 2, vec![])], Tokens(500), &delimiter()).text, "");
}

#[test]
fn what_fits_is_shown_whole_in_its_order() {
    let sources = vec![
        source("code", 2, vec![item(1, "one"), item(2, "two")]),
        source("commits", 2, vec![item(3, "three")]),
    ];
    let packed = pack(sources, Tokens(500), &delimiter());
    assert!(packed.text.contains(
        "## code\n- [3d ago] asked: \"one\" #1\n- [3d ago] asked: \"two\" #2\n## commits\n- [3d ago] asked: \"three\" #3\n"
    ));
    assert!(packed.left_out.is_empty());
    assert!(packed.shown.iter().all(|shown| !shown.is_cut));
}

#[test]
fn sources_that_want_more_than_there_is_share_by_weight() {
    let sources = vec![source("code", 1, long("a", 30)), source("commits", 3, long("bb", 30))];
    let packed = pack(sources, Tokens(800), &delimiter());
    let [few, many] = packed.spent[..] else { panic!("{packed:?}") };
    assert!(many.used.0 > 2 * few.used.0 && few.used.0 > 0, "{:?}", packed.spent);
    assert!(packed.left_out.iter().all(|left| left.why == LeftOut::Budget));
    assert_eq!(packed.left_out.len() + packed.shown.len(), 20);
}

#[test]
fn what_a_source_does_not_need_goes_to_the_others() {
    let alone = pack(vec![source("commits", 3, long("bb", 30))], Tokens(800), &delimiter());
    let sources = vec![source("code", 9, vec![item(1, "one")]), source("commits", 3, long("bb", 30))];
    let both = pack(sources, Tokens(800), &delimiter());
    assert!(both.shown.len() >= alone.shown.len(), "{:?} {:?}", both.spent, alone.spent);
    assert!(both.tokens.0 > 700, "{}", both.tokens.0);
}

#[test]
fn a_long_item_is_cut_and_says_so() {
    let packed =
        pack(vec![source("code", 1, vec![item(1, &"word ".repeat(900))])], Tokens(200), &delimiter());
    assert!(packed.shown[0].is_cut);
    assert!(packed.text.contains("\" (cut) #1"), "{}", packed.text);
    assert!((120..=200).contains(&packed.tokens.0), "{}", packed.tokens.0);
}

#[test]
fn what_says_the_same_is_shown_once() {
    let twin = Item { file: Some("src/a.rs".to_owned()), ..item(1, "first words") };
    let sources = vec![
        source("code", 1, vec![twin.clone(), Item { entry: EntryId(2), text: "others".to_owned(), ..twin }]),
        source("commits", 1, vec![item(3, "Load images lazily, but the first."), item(1, "first words")]),
        source("experiences", 1, vec![item(4, "load images lazily but the first")]),
    ];
    let packed = pack(sources, Tokens(500), &delimiter());
    let shown: Vec<i64> = packed.shown.iter().map(|shown| shown.entry.0).collect();
    assert_eq!(shown, [1, 3]);
    let why: Vec<LeftOut> = packed.left_out.iter().map(|left| left.why).collect();
    assert_eq!(why, [LeftOut::SameFile, LeftOut::Same, LeftOut::Same]);
}

#[test]
fn what_is_stated_is_repeated_only_by_the_same_words() {
    let rule = |entry, first: &str| {
        let text =
            format!("{first} run the whole suite of the gearbox {}", "on staging and then again ".repeat(8));
        Item { is_stated: true, ..item(entry, &text) }
    };
    let sources = vec![source("memories", 1, vec![rule(1, "Always"), rule(2, "Never"), rule(3, "never")])];
    let packed = pack(sources, Tokens(900), &delimiter());
    let shown: Vec<i64> = packed.shown.iter().map(|shown| shown.entry.0).collect();
    assert_eq!(shown, [1, 2]);
}

#[test]
fn the_persons_own_words_are_announced() {
    let mut stated = source("memories", 1, vec![item(1, "prices are cents")]);
    stated.is_the_persons = true;
    assert!(pack(vec![stated], Tokens(500), &delimiter()).text.contains("Stated by the person"));
}

proptest! {
    #[test]
    fn no_budget_is_ever_exceeded_and_every_item_is_accounted_for(
        texts in prop::collection::vec(prop::collection::vec("\\PC{0,300}", 0..8), 1..5),
        budget in 0_u32..2_000,
    ) {
        let names = ["memories", "experiences", "code", "commits"];
        let mut entry = 0;
        let mut all = 0;
        let sources: Vec<Source> = names.into_iter().zip(&texts).enumerate().map(|(weight, (name, texts))| {
            let items = texts.iter().map(|text| { entry += 1; item(entry, text) }).collect::<Vec<_>>();
            all += items.len();
            source(name, weight as u32 + 1, items)
        }).collect();
        let packed = pack(sources, Tokens(budget), &delimiter());
        prop_assert!(packed.text.is_empty() || tokens::at_most(&packed.text).0 <= budget);
        prop_assert_eq!(packed.shown.len() + packed.left_out.len(), all);
        prop_assert_eq!(packed.text.is_empty(), packed.shown.is_empty());
    }
}
