//! Files edited, moved, restored and deleted in a real repository.

use std::fs;
use std::path::Path;
use std::process::Command;

use nudge_core::Timestamp;
use tempfile::TempDir;

use super::*;

const SOURCE: &str = "use std::fs;\n\n/// Reads a line.\npub fn parse_line(text: &str) -> Token {\n    let end = text.len();\n    Token::new(end)\n}\n\npub struct ParseError;\n";

struct Checkout {
    dir: TempDir,
}

impl Checkout {
    fn new() -> Self {
        let dir = TempDir::new().expect("a directory");
        let checkout = Self { dir };
        checkout.git(&["init", "-q", "-b", "main"]);
        checkout.write("src/a.rs", SOURCE);
        checkout.write("docs/b.md", "# Title\n\nUse pnpm.\nNever npm.\nAsk first.\n");
        checkout.git(&["add", "."]);
        checkout.git(&["commit", "-q", "-m", "first"]);
        checkout
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    fn git(&self, args: &[&str]) {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let done = Command::new("git").args(who).args(args).current_dir(self.root()).status();
        assert!(done.expect("git runs").success(), "{args:?}");
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().expect("a parent")).expect("made");
        fs::write(file, text).expect("written");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).expect("read")
    }

    fn anchors(&self, text: &str) -> Vec<Anchor> {
        // As soon as possible after the file was written, so that its modification time proves
        // nothing.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time");
        make_anchors(text, self.root(), Timestamp::from_millis(now.as_millis() as i64))
    }

    fn worst(&self, anchors: &[Anchor]) -> Freshness {
        anchors.iter().map(|anchor| check_anchor(anchor, self.root())).max().expect("an anchor")
    }
}

/// A text that mentions a file: the text, the file, a word on the anchored lines, and a word on
/// other lines.
struct Mention {
    words: &'static str,
    file: &'static str,
    inside: Option<&'static str>,
    outside: &'static str,
}

const MENTIONS: [Mention; 5] = [
    Mention {
        words: "keep src/a.rs:4 as it is",
        file: "src/a.rs",
        inside: Some("parse_line"),
        outside: "ParseError",
    },
    Mention {
        words: "src/a.rs:3-7 is the reader",
        file: "src/a.rs",
        inside: Some("text.len"),
        outside: "ParseError",
    },
    Mention {
        words: "`parse_line` in src/a.rs never fails",
        file: "src/a.rs",
        inside: Some("Token {"),
        outside: "ParseError",
    },
    Mention { words: "see docs/b.md#L3-L4.", file: "docs/b.md", inside: Some("Never"), outside: "Ask first" },
    Mention {
        words: "read docs/b.md before you start",
        file: "docs/b.md",
        inside: None,
        outside: "Ask first",
    },
];

/// An action on the file, and the expected freshness of a place in it.
type Act = (&'static str, fn(&Checkout, &Mention), Freshness);

const ACTS: [Act; 14] = [
    ("nothing", |_, _| {}, Freshness::Fresh),
    ("written again", |at, about| at.write(about.file, &at.read(about.file)), Freshness::Fresh),
    ("changed elsewhere", |at, about| edit(at, about.file, about.outside, "Other"), Freshness::Fresh),
    (
        "lines put above",
        |at, about| at.write(about.file, &format!("\n\n{}", at.read(about.file))),
        Freshness::Fresh,
    ),
    (
        "indented",
        |at, about| at.write(about.file, &at.read(about.file).replace('\n', "\n  ")),
        Freshness::Fresh,
    ),
    (
        "changed",
        |at, about| edit(at, about.file, about.inside.unwrap_or(about.outside), "zzz"),
        Freshness::Drifted,
    ),
    ("emptied", |at, about| at.write(about.file, ""), Freshness::Drifted),
    (
        "changed to the same length",
        |at, about| {
            let word = about.inside.unwrap_or(about.outside);
            edit(at, about.file, word, &"z".repeat(word.len()));
        },
        Freshness::Drifted,
    ),
    (
        "changed and put back by git",
        |at, about| {
            at.write(about.file, "");
            at.git(&["checkout", "-q", "--", about.file]);
        },
        Freshness::Fresh,
    ),
    (
        "changed and committed",
        |at, about| {
            edit(at, about.file, about.inside.unwrap_or(about.outside), "zzz");
            at.git(&["commit", "-qam", "second"]);
        },
        Freshness::Drifted,
    ),
    (
        "changed, committed and reverted",
        |at, about| {
            edit(at, about.file, about.inside.unwrap_or(about.outside), "zzz");
            at.git(&["commit", "-qam", "second"]);
            at.git(&["revert", "--no-edit", "HEAD"]);
        },
        Freshness::Fresh,
    ),
    ("deleted", |at, about| at.git(&["rm", "-q", about.file]), Freshness::Gone),
    ("moved", |at, about| at.git(&["mv", about.file, "moved"]), Freshness::Gone),
    (
        "moved there and back",
        |at, about| {
            at.git(&["mv", about.file, "moved"]);
            fs::create_dir_all(at.root().join(about.file).parent().expect("a parent")).expect("made");
            at.git(&["mv", "moved", about.file]);
        },
        Freshness::Fresh,
    ),
];

fn edit(at: &Checkout, file: &str, from: &str, to: &str) {
    let before = at.read(file);
    assert!(before.contains(from), "{from} is in {file}");
    at.write(file, &before.replacen(from, to, 1));
}

#[test]
fn every_place_is_reported_by_what_became_of_it() {
    let mut cases = 0;
    for about in &MENTIONS {
        for (name, act, expected) in &ACTS {
            let checkout = Checkout::new();
            let found = checkout.anchors(about.words);
            assert_eq!(found.len(), 1, "{}", about.words);
            assert!(found[0].commit.as_ref().is_some_and(|commit| commit.len() == 40));
            act(&checkout, about);
            // When only the file itself is anchored, its content does not matter.
            let expected = match (*expected, about.inside) {
                (Freshness::Drifted, None) => Freshness::Fresh,
                (expected, _) => expected,
            };
            assert_eq!(checkout.worst(&found), expected, "{}: {name}", about.words);
            cases += 1;
        }
    }
    assert_eq!(cases, 70);
}

#[test]
fn nothing_outside_the_checkout_is_an_anchor() {
    let checkout = Checkout::new();
    std::os::unix::fs::symlink("/etc/passwd", checkout.root().join("link.txt")).expect("a link");
    fs::create_dir(checkout.root().join("dir.d")).expect("a directory");
    assert_eq!(checkout.anchors("../x.rs /etc/passwd link.txt dir.d gone.rs src/../src/a.rs"), []);
}

#[test]
fn a_line_with_a_credential_is_not_hashed() {
    let checkout = Checkout::new();
    checkout.write("conf.toml", "token = \"ghp_0123456789abcdefghijklmnopqrstuvwxyzAB\"\n");
    let found = checkout.anchors("see conf.toml:1");
    assert_eq!(found.iter().map(|anchor| anchor.span.is_some()).collect::<Vec<_>>(), [false]);
}

#[test]
fn what_changed_is_said_of_the_worst_place() {
    let checkout = Checkout::new();
    let found = serde_json::json!({"anchors": checkout.anchors("src/a.rs:4 and docs/b.md:3")});
    let attributes = found.as_object().expect("an object");
    assert_eq!(super::drift_of(attributes, checkout.root()), None);
    edit(&checkout, "src/a.rs", "parse_line", "read_line");
    assert_eq!(super::drift_of(attributes, checkout.root()).as_deref(), Some("src/a.rs changed since"));
    fs::remove_file(checkout.root().join("docs/b.md")).expect("removed");
    assert_eq!(super::drift_of(attributes, checkout.root()).as_deref(), Some("docs/b.md is gone"));
}

/// The shortest of several runs, to exclude other load on the machine.
fn shortest(mut run: impl FnMut()) -> std::time::Duration {
    let timed = |_| {
        let began = std::time::Instant::now();
        run();
        began.elapsed()
    };
    (0..9).map(timed).min().unwrap_or_default()
}

#[test]
fn five_hundred_anchors_cost_less_than_looking_at_and_reading_what_they_are_about() {
    let checkout = Checkout::new();
    let mut found = Vec::new();
    for number in 0..500 {
        let file = format!("src/f{number}.rs");
        checkout.write(&file, &SOURCE.repeat(20));
        found.extend(checkout.anchors(&format!("{file}:4")));
    }
    assert_eq!(found.len(), 500);
    // As if they had been made long after their files were written.
    for anchor in &mut found {
        anchor.made += 60_000;
    }
    let root = checkout.root();
    let bare = shortest(|| {
        for anchor in &found {
            let file = root.join(&anchor.path);
            let facts = fs::symlink_metadata(&file).expect("it is there");
            let text = fs::read_to_string(&file).expect("it can be read");
            let span = anchor.span.as_ref().expect("lines");
            let those: Vec<&str> = text.lines().skip(span.line - 1).take(span.lines).collect();
            assert!(facts.len() > 0 && !those.is_empty());
        }
    });
    let ours =
        shortest(|| assert!(found.iter().all(|anchor| check_anchor(anchor, root) == Freshness::Fresh)));
    println!("500 anchors: {ours:?}; 500 looks and reads of the lines: {bare:?}");
    assert!(ours <= bare, "{ours:?} > {bare:?}");
}

#[test]
fn files_and_lines_are_found_in_sentences() {
    let text =
        "Keep src/a.rs:12-20 and (`lib/b.py`), see web/c.ts#L7. Not e.g. this, nor /etc/passwd or ../x.rs.";
    let found: Vec<_> = mentioned_files(text).map(|file| (file.path, file.lines)).collect();
    assert_eq!(
        found,
        [("src/a.rs", Some((12, 20))), ("lib/b.py", None), ("web/c.ts", Some((7, 7))), ("e.g", None)]
    );
}

#[test]
fn names_are_distinguished_from_words() {
    let found: Vec<_> =
        mentioned_names("`parse_line` and ParseError call run() when Done, never foo").collect();
    assert_eq!(found, ["parse_line", "ParseError", "run"]);
}
