//! Properties of every text.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;

use super::{Finding, REDACTED, redact, scan, scan_keyed};

/// Pieces that make hostile texts: beginnings for every detector, cut off anywhere.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("password".to_owned()),
        Just("api_key".to_owned()),
        Just("token is ".to_owned()),
        Just("://u:".to_owned()),
        Just("@".to_owned()),
        Just("-----BEGIN RSA PRIVATE KEY-----\n".to_owned()),
        Just("-----END ".to_owned()),
        Just("Cookie: a=".to_owned()),
        Just("Bearer ".to_owned()),
        Just("curl -u x:".to_owned()),
        Just("mysql -p".to_owned()),
        Just("ghp_".to_owned()),
        Just("eyJ".to_owned()),
        Just(".".to_owned()),
        Just("sk-".to_owned()),
        Just("name\": \"TOKEN\", \"value".to_owned()),
        Just("PIN is ".to_owned()),
        Just("backup codes: ".to_owned()),
        Just("seed phrase ".to_owned()),
        Just("Authorization: Digest response=".to_owned()),
        Just("$6$".to_owned()),
        Just("{SSHA}".to_owned()),
        Just("log in as admin / ".to_owned()),
        Just("h:5432:d:u:".to_owned()),
        Just("pwgen\n".to_owned()),
        Just("echo x | sudo -S".to_owned()),
        Just("/reset/".to_owned()),
        Just("passphrase: copper lantern north".to_owned()),
        Just(REDACTED.to_owned()),
        "[=:\"'`\\\\ \n\t;,&<>(){}\\[\\]]{1,3}",
        "[A-Za-z0-9+/_-]{8,48}",
        "[0-9a-f]{32,66}",
        "[a-zäß漢€🦀]{1,6}",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn is_sound(text: &str, findings: &[Finding]) -> bool {
    let whole =
        findings.iter().all(|f| f.start < f.end && text.get(f.start..f.end).is_some() && !f.rule.is_empty());
    whole && findings.windows(2).all(|pair| pair[0].end <= pair[1].start)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn findings_are_ordered_ranges_of_whole_characters(text in pieces(), key in ".{0,20}") {
        prop_assert!(is_sound(&text, &scan(&text)));
        prop_assert!(is_sound(&text, &scan_keyed(&key, &text)));
        prop_assert!(is_sound(&text, &scan_keyed("db_password", &text)));
    }

    #[test]
    fn any_text_can_be_scanned(text in any::<String>()) {
        prop_assert!(is_sound(&text, &scan(&text)));
    }

    #[test]
    fn redacting_twice_is_redacting_once(text in pieces()) {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
        prop_assert!(scan(&once).is_empty());
    }

    // Words without a k: a text that happens to contain `psk` and some words may reveal a key, and
    // so may thirty random letters.
    #[test]
    fn clean_text_is_borrowed(text in "([a-jl-z]{0,9} ){0,20}") {
        prop_assert!(matches!(redact(&text), Cow::Borrowed(_)));
    }
}

/// Pieces that, when repeated, made some detector read the same text again and again, or could.
const HOSTILE: [&str; 56] = [
    "password:",
    "password=",
    "password:\"",
    "password is ",
    "password ",
    "token is ",
    "token ",
    "key ",
    "login ",
    "secret\n",
    "aws_secret_access_key",
    "name\": \"token\", \"value",
    "name: password\nvalue: ",
    "{\"name\":\"token\",\"value\":",
    "<key>password</key>",
    "user,password\n",
    "+password\n",
    "12:token\n",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c} ",
    "\u{5bc6}\u{7801}",
    "sk-",
    "ghp_-",
    "eyJa",
    "eyJa.",
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----BEGIN ",
    "Cookie: a=",
    "authorization: ",
    "curl \"",
    "curl ",
    "mysql -p",
    " -u -p ",
    "echo a | ",
    "<<< ",
    " secrets set a=",
    "net use \\\\a ",
    "send ",
    "&p=",
    "://a:",
    "a:b1@c.d ",
    "$6$a",
    "abcd ",
    "ab1d-",
    "backup code ",
    "pwgen\n",
    "/token/",
    "a:1:b:c:d\n",
    "Ab1! ",
    "a.",
    "A1b2",
    "AAAA",
    "cGFzc3dvcmQ6",
    "\\",
    "\\\"password\\\":\\\"",
    ":\"a\\n",
    "%41",
];

/// The shortest of several runs, in seconds: other work of the machine makes a run longer, never
/// shorter.
///
/// Each run ends in a number of its own, because texts found clean are not scanned again.
fn best(text: &str) -> f64 {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let run = || {
        let text = format!("{text} {}", RUNS.fetch_add(1, Ordering::Relaxed));
        let start = std::time::Instant::now();
        std::hint::black_box(redact(&text));
        start.elapsed().as_secs_f64()
    };
    (0..3).map(|_| run()).fold(f64::MAX, f64::min)
}

fn filled(piece: &str, length: usize) -> String {
    piece.repeat(length / piece.len() + 1)
}

/// The work grows with the length of the text and with nothing else, whatever its content.
#[test]
fn hostile_texts_take_linear_time() {
    const PROSE: &str = "the build fails since Monday, see src/main.rs:42; let value = compute(input, 3);\n";
    let innocent = best(&filled(PROSE, LONG)) / LONG as f64;
    for piece in HOSTILE {
        let (short, long) = (filled(piece, LONG / 8), filled(piece, LONG));
        // Tried again in case the machine stalled.
        let fits = |_: usize| {
            let (of_short, of_long) = (best(&short) / short.len() as f64, best(&long) / long.len() as f64);
            of_long <= 3.0 * of_short.max(innocent) && of_long <= MAX_OF_INNOCENT * innocent
        };
        assert!(
            (0..4).any(fits),
            "{piece:?}: {:.1} times an innocent text",
            best(&long) / long.len() as f64 / innocent
        );
    }
}

/// Long enough to show anything but linear time; unoptimised, every piece of it is slow.
const LONG: usize = 32 * 1024;

/// How many times longer a hostile text may take than an innocent one of its length, unoptimised.
const MAX_OF_INNOCENT: f64 = 12.0;
