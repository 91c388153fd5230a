//! Words and breaks, in both readings. The tables pin the results of the parsers that this one
//! replaced.

use proptest::prelude::*;

use super::*;

/// The pieces of a text, `␞` for a break.
fn pieces(text: &str, reading: Reading) -> Vec<&str> {
    tokens(text.as_bytes(), 0, reading).map(|token| token.word().map_or("␞", |place| &text[place])).collect()
}

/// The words that the shell reads, without breaks.
fn shell(line: &str) -> Vec<&str> {
    pieces(line, Reading::Shell).into_iter().filter(|piece| *piece != "␞").collect()
}

#[test]
fn the_shell_keeps_quotes_and_what_is_expanded_together() {
    for (line, words) in [
        ("MSG=\"merger with Acme\" make", &["MSG=\"merger with Acme\"", "make"][..]),
        ("MSG=\"the \\\"merger\\\" of\" make", &["MSG=\"the \\\"merger\\\" of\"", "make"]),
        ("MSG=\"$(echo \"a merger b\")\" make", &["MSG=\"$(echo \"a merger b\")\"", "make"]),
        ("MSG=$(cat the merger) make", &["MSG=$(cat the merger)", "make"]),
        ("MSG=`cat the merger` make", &["MSG=`cat the merger`", "make"]),
        ("MSG=$'it\\'s a merger' make", &["MSG=$'it\\'s a merger'", "make"]),
        ("MSG=${x:-a b} make", &["MSG=${x:-a b}", "make"]),
        ("MSG=the\\ merger make", &["MSG=the\\ merger", "make"]),
        ("LIST=(a merger) PATH+=:/x make", &["LIST=(a merger)", "PATH+=:/x", "make"]),
        ("(cd /x && make); { !ls; }", &["cd", "/x", "make", "ls"]),
        ("a\u{a0}b\u{3000}c\u{85}d\u{b}e \u{1680}f", &["a", "b", "c", "d", "e", "f"]),
        ("a\\\u{3000}b c", &["a\\\u{3000}b", "c"]),
        ("'never closed; ls", &["'never closed; ls"]),
        ("größe=日本 é", &["größe=日本", "é"]),
        ("a\\", &["a\\"]),
        (" ;| ", &[]),
    ] {
        assert_eq!(shell(line), words, "{line}");
    }
}

#[test]
fn in_a_text_only_quotes_hold_words_together() {
    for (text, words) in [
        ("-u root:pw -p 'a b' | x", &["-u", "root:pw", "-p", "'a b'", "␞", "x"][..]),
        ("a \\\n b\nc", &["a", "b", "␞", "c"]),
        ("a\\\nb", &["a\\", "␞", "b"]),
        ("don't\nls", &["don't", "␞", "ls"]),
        ("\"a\\\" b\" c", &["\"a\\\"", "b\" c"]),
        ("$(cat x) `y z` (a)", &["$(cat", "x)", "`y", "z`", "(a)"]),
        ("a;b&c\rd", &["a", "␞", "b", "␞", "c", "␞", "d"]),
        ("a\u{a0}b\u{b}c", &["a\u{a0}b\u{b}c"]),
        ("a\"b;c\"d'e f'", &["a\"b;c\"d'e f'"]),
    ] {
        assert_eq!(pieces(text, Reading::Text), words, "{text}");
    }
    let long = format!("'{}' x", "a ".repeat(600));
    let lengths: Vec<usize> = pieces(&long, Reading::Text).iter().take(2).map(|word| word.len()).collect();
    assert_eq!(lengths, [1024, 1]);
}

#[test]
fn quotes_are_taken_off_in_pairs_or_from_an_open_end() {
    for (word, inside) in
        [("'a b'", "a b"), ("\"a\"", "a"), ("'a", "a"), ("'a\"", "a\""), ("'", ""), ("''", ""), ("a'", "a'")]
    {
        assert_eq!(&word[unquoted(word.as_bytes(), 0..word.len())], inside, "{word}");
    }
    assert_eq!(unquoted(b"-p'x'", 2..5), 3..4);
    assert_eq!(unquoted(b"x", 1..1), 1..1);
}

proptest! {
    #[test]
    fn words_are_whole_and_in_order(text in "\\PC{0,60}|[ a-z\\\\'\"`$(){};|&!\\n\u{a0}\u{3000}é]{0,60}") {
        for reading in [Reading::Shell, Reading::Text] {
            let mut last = 0;
            for place in tokens(text.as_bytes(), 0, reading).filter_map(Token::word) {
                prop_assert!(last <= place.start && place.start < place.end && place.end <= text.len());
                prop_assert!(text.get(place.clone()).is_some());
                last = place.end;
            }
        }
    }
}
