//! What is reported as a present fact is checked when it is injected, and a request comes with what
//! came of it.

use std::path::Path;
use std::process::Command;

use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::CapturedVia;
use nudge_testkit::EventBuilder;
use tempfile::TempDir;

use crate::inject::setup::{
    DAY, HOUR, Inject, MINUTE, NOW, asked, concluded, ends, failed, fresh, ran, starts, touched,
};

/// A repository of git's own.
struct Repository(TempDir);

impl Repository {
    fn new() -> Self {
        let made = Self(TempDir::new().expect("a temporary directory"));
        made.git(&["init", "--quiet", "--initial-branch=main"]);
        made
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn git(&self, args: &[&str]) {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
        let mut git = Command::new("git");
        git.args(identity).args(args).current_dir(self.root());
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        let done = git.output().expect("git runs");
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn write(&self, path: &str, text: &str) {
        std::fs::write(self.root().join(path), text).expect("written");
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "by hand"]);
    }

    /// The event in this repository instead.
    fn here(&self, event: EventBuilder) -> EventBuilder {
        event.repository(self.root().to_str().expect("text"))
    }
}

/// @injection_stopped: a file that was committed since, by hand or by a later session, is not
/// reported as changed; where git cannot tell, the line says that it was so when the session ended.
#[test]
fn what_was_committed_since_is_not_reported_as_changed() {
    let tree = Repository::new();
    tree.write("lexer.rs", "one");
    tree.commit();
    let bench = fresh();
    bench.keep(tree.here(asked("one", "p", NOW - HOUR, "mend the lexer of the parser")));
    for file in ["lexer.rs", "parser.rs"] {
        let path = tree.root().join(file);
        let path = path.to_str().expect("text");
        bench.keep(tree.here(touched("one", "p", NOW - HOUR + 1, ObservationKind::FileEdit, path)));
        tree.write(file, "two");
    }
    bench.keep(tree.here(ends("one", "p", NOW - HOUR + 2, "exit")));
    let mut number = 0;
    let mut injected = || {
        number += 1;
        bench.injected(tree.here(starts(&format!("next-{number}"), "p", NOW + number, "startup")))
    };
    let open = injected();
    assert!(open.contains("  changed and not committed: parser.rs, lexer.rs\n"), "{open}");
    tree.git(&["add", "parser.rs"]);
    tree.git(&["commit", "--quiet", "--message", "parser"]);
    let rest = injected();
    assert!(rest.contains("  changed and not committed: lexer.rs\n"), "{rest}");
    tree.commit();
    let done = injected();
    assert!(done.contains("mend the lexer") && !done.contains("not committed"), "{done}");
    std::fs::remove_dir_all(tree.root().join(".git")).expect("removed");
    let unknown = injected();
    assert!(
        unknown.contains("  changed and not committed when it ended: parser.rs, lexer.rs\n"),
        "{unknown}"
    );
}

/// @injection_stopped: a command that failed is not reported once another session ran it with
/// success, even where it failed through a pipe; that another command of its line passed is no
/// reason.
#[test]
fn what_passed_since_is_not_reported_as_failing() {
    let bench = fresh();
    let works = |session: &str, at: i64| {
        bench.keep(asked(session, "p", at, &format!("mend the lexer of {session}")));
        let file = format!("/w/p/src/{session}.rs");
        bench.keep(touched(session, "p", at + 1, ObservationKind::FileEdit, &file));
    };
    works("one", NOW - DAY);
    bench.keep(failed(
        "one",
        "p",
        NOW - DAY + 2,
        "make image && ./lint.sh 2>&1 | tail -5",
        "lint.sh: no config",
    ));
    bench.keep(ends("one", "p", NOW - DAY + 3, "exit"));
    let open = bench.injected(starts("two", "p", NOW - HOUR, "startup"));
    let line = "  failed, and was not seen to pass since: `make image && ./lint.sh 2>&1 | tail -5`, exit 1: \"lint.sh: no config\" #";
    assert!(open.contains(line), "{open}");
    bench.keep(ran("two", "p", NOW - HOUR + 1, "make image", Outcome::Success));
    bench.keep(ends("two", "p", NOW - HOUR + 2, "exit"));
    let open = bench.injected(starts("three", "p", NOW - MINUTE, "startup"));
    assert!(open.contains(line), "{open}");
    bench.keep(ran("three", "p", NOW - MINUTE + 1, "./lint.sh", Outcome::Success));
    bench.keep(ends("three", "p", NOW - MINUTE + 2, "exit"));
    let passed = bench.injected(starts("four", "p", NOW, "startup"));
    assert!(passed.contains("src/one.rs") && !passed.contains("lint.sh"), "{passed}");
}

/// @injection_stopped: a commit with nothing to commit is not reported as failing.
#[test]
fn nothing_to_commit_is_not_reported_as_failing() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    let clean = "On branch main\nnothing to commit, working tree clean";
    bench.keep(failed("one", "p", NOW - HOUR + 9_000, "git commit -m lexer", clean));
    bench.keep(ends("one", "p", NOW - HOUR + 10_000, "exit"));
    let injected = bench.injected(starts("two", "p", NOW, "startup"));
    assert!(injected.contains("mend lexer") && !injected.contains("failed"), "{injected}");
    let lost = bench.injected(starts("one", "p", NOW, "compact"));
    assert!(lost.contains("mend lexer") && !lost.contains("failed:"), "{lost}");
}

const KEPT: &str = "`parse_line` in parse.rs now keeps the last token.";
const COPIES: &str = "The parser is slow because lexer.rs copies each line twice.";

/// @injection_stopped: a conclusion stands with the request that it answers, never with another of
/// its session; a request without one reads "no result recorded".
#[test]
fn each_request_stands_with_its_own_conclusion() {
    let bench = fresh();
    // Older than any session lasts: a younger one is over only if the machine was started since.
    let at = NOW - 6 * HOUR;
    let first = bench.keep(asked("one", "p", at, "make the parser keep the last token"));
    bench.keep(touched("one", "p", at + 1, ObservationKind::FileEdit, "/w/p/src/parse.rs"));
    let kept = bench.keep(concluded("one", "p", at + 2, KEPT));
    let last = bench.keep(asked("one", "p", at + MINUTE, "why is the parser so slow?"));
    let open = bench.injected(starts("two", "p", NOW, "startup"));
    let request = "asked: \"why is the parser so slow?\"";
    let unanswered = format!("- [5h ago, broke off] {request} #{last}\n  no result recorded\n");
    assert!(open.contains(&unanswered), "{open}");
    let begins = format!("- [5h ago] {request}");
    let before = format!(
        "  before that, asked: \"make the parser keep the last token\" #{first}; the agent concluded: \"{KEPT}\" #{kept}\n"
    );
    assert!(open.contains(&before), "{open}");
    let copies = bench.keep(concluded("one", "p", at + MINUTE + 1, COPIES));
    let answered = bench.injected(starts("three", "p", NOW, "startup"));
    let line = format!("{begins} #{last}\n  the agent concluded: \"{COPIES}\" #{copies}\n");
    assert!(answered.contains(&line) && answered.contains(&before), "{answered}");
    // "yes" asks for nothing of its own: what is concluded then answers the request before it.
    bench.keep(asked("one", "p", at + 2 * MINUTE, "yes"));
    let mended = "lexer.rs now reads each line once.";
    let mended_id = bench.keep(concluded("one", "p", at + 2 * MINUTE + 1, mended));
    let agreed = bench.injected(starts("four", "p", NOW, "startup"));
    let line = format!("{begins} #{last}\n  the agent concluded: \"{mended}\" #{mended_id}\n");
    assert!(agreed.contains(&line) && agreed.contains(&before), "{agreed}");
    assert!(!agreed.contains(COPIES), "{agreed}");
}

/// @injection_stopped: each session is shown with what it concluded, and one that concluded nothing
/// says so.
#[test]
fn a_session_in_one_line_has_its_result() {
    let bench = fresh();
    for (session, at) in [("one", NOW - 3 * HOUR), ("two", NOW - 2 * HOUR)] {
        bench.work(session, "p", at, session);
    }
    bench.keep(concluded("one", "p", NOW - 3 * HOUR + MINUTE, KEPT));
    let [prompt, ..] = bench.work("three", "p", NOW - HOUR, "three");
    bench.keep(ends("three", "p", NOW - HOUR + MINUTE, "exit"));
    let injected = bench.injected(starts("next", "p", NOW, "startup"));
    let line = |asked: &str| injected.lines().find(|line| line.contains(asked)).expect("a line").to_owned();
    assert!(line("mend one").contains(&format!("; the agent concluded: \"{KEPT}\" #")), "{injected}");
    assert!(line("mend two").ends_with("; no result recorded"), "{injected}");
    assert!(injected.contains(&format!("\"mend three\" #{prompt}\n  no result recorded\n")), "{injected}");
}

/// @injection_places: a session whose agent waits for its user is not running, until the next
/// prompt.
#[test]
fn between_two_turns_no_agent_is_at_work() {
    let bench = fresh();
    bench.work("one", "p", NOW - 5 * MINUTE, "lexer");
    let running = bench.injected(starts("two", "p", NOW - 4 * MINUTE, "startup"));
    assert!(running.contains("(running session) asked: \"mend lexer\""), "{running}");
    bench.keep(concluded("one", "p", NOW - 3 * MINUTE, KEPT));
    let waits = bench.injected(starts("three", "p", NOW - 2 * MINUTE, "startup"));
    assert!(waits.contains("asked: \"mend lexer\"") && !waits.contains("running"), "{waits}");
    bench.keep(asked("one", "p", NOW - MINUTE, "now rename the token of the parser"));
    let again = bench.injected(starts("four", "p", NOW, "startup"));
    assert!(again.contains("(running session) asked: \"now rename the token"), "{again}");
}

/// @start_unfinished: only a session that fell silent in the middle of a turn broke off; one that
/// was imported, or whose agent had answered, did not.
#[test]
fn what_was_imported_or_answered_did_not_break_off() {
    let imported = |event: EventBuilder| event.via(CapturedVia::Import);
    for (is_imported, is_answered, broke_off) in
        [(false, false, true), (true, false, false), (false, true, false)]
    {
        let bench = fresh();
        let keep = |event: EventBuilder| {
            bench.keep(if is_imported { imported(event) } else { event });
        };
        let at = NOW - 9 * HOUR;
        keep(asked("one", "p", at, "make the parser keep the last token"));
        keep(touched("one", "p", at + 1, ObservationKind::FileEdit, "/w/p/src/parse.rs"));
        if is_answered {
            keep(concluded("one", "p", at + 2, KEPT));
        }
        let injected = bench.injected(starts("two", "p", NOW, "startup"));
        assert!(injected.contains("keep the last token"), "{injected}");
        assert_eq!(injected.contains("broke off"), broke_off, "{injected}");
    }
}
