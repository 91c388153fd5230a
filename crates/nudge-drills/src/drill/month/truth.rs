//! What happened in the month, and which injected lines say something else.

use std::collections::{BTreeMap, BTreeSet};

use nudge_core::tokens;
use regex::Regex;

use super::starts::{STOPPED_HEADING, section};
use crate::stage::Violations;

// What can be wrong with a line or a block.

const IS_COMMITTED: &str = "committed files shown as uncommitted";
const HAS_PASSED: &str = "commands that passed shown as failing";
const IS_CLOSED: &str = "closed sessions shown as running";
const HAS_ENDED_TURN: &str = "ended turns shown as broken off";
const HAS_RESULT: &str = "results shown as not recorded";
const NOT_ITS_COMMIT: &str = "commits of another session";
const NOT_A_FIX: &str = "fixes that were not seen";
const NOT_SEEN: &str = "errors that were not seen before";
const NO_RULE: &str = "words shown as a rule of the user that are none";
const RULE_MISSING: &str = "rules missing";
const WRONG_PAIR: &str = "requests with another one's conclusion";
const NO_RESULT: &str = "requests without a result";

/// The kinds.
const KINDS: [&str; 12] = [
    IS_COMMITTED,
    HAS_PASSED,
    IS_CLOSED,
    HAS_ENDED_TURN,
    HAS_RESULT,
    NOT_ITS_COMMIT,
    NOT_A_FIX,
    NOT_SEEN,
    NO_RULE,
    RULE_MISSING,
    WRONG_PAIR,
    NO_RESULT,
];

/// How many wrong lines of each kind are printed.
const SHOWN: usize = 5;

/// How much of a rule must be in a start, in characters.
const RULE_CHARS: usize = 60;

/// A session that did nothing for this long is over, in milliseconds.
const OVER_AFTER_MS: i64 = 12 * 60 * 60 * 1000;

/// A session that did nothing for this long may have broken off, in milliseconds.
const PAUSE_MS: i64 = 60 * 60 * 1000;

/// The label of words that may be no rule.
const SAID_ONCE: &str = "(said once, ";

/// How many starts may have no room for earlier work, because the rules fill them.
const WITHOUT_WORK: usize = 6;

const STATED_HEADING: &str = "## Stated by the person";

/// What happened so far, and what was wrong in the texts so far.
#[derive(Debug, Default)]
pub(super) struct Truth {
    repositories: BTreeMap<&'static str, Repository>,
    sessions: Vec<Session>,
    wrong: BTreeMap<&'static str, Vec<String>>,
    /// The tokens of each start, and how many starts lack the work before them.
    start_tokens: Vec<u32>,
    without_work: usize,
    /// How many texts and lines were checked.
    texts: usize,
    lines: usize,
}

#[derive(Debug, Default)]
struct Repository {
    /// What the user stated and did not correct.
    stated: Vec<&'static str>,
    /// The commands that failed when they last ran, in any session.
    failing: BTreeSet<&'static str>,
    /// The commands after which another one passed.
    fixes: BTreeSet<&'static str>,
    /// What failed commands printed.
    errors: Vec<&'static str>,
}

#[derive(Debug, Default)]
pub(super) struct Session {
    pub(super) repository: &'static str,
    /// When it last did something, in milliseconds since the epoch.
    pub(super) last_at: i64,
    turns: Vec<Turn>,
    commits: Vec<&'static str>,
    is_in_turn: bool,
    has_ended: bool,
    /// The commands that failed in it, and those that passed after each.
    failed: BTreeMap<&'static str, Vec<&'static str>>,
}

#[derive(Debug)]
struct Turn {
    asked: &'static str,
    /// Whether it only says that the agent should go on.
    goes_on: bool,
    concluded: Vec<&'static str>,
}

impl Session {
    pub(super) fn asks(&mut self, asked: &'static str, goes_on: bool) {
        self.is_in_turn = true;
        self.turns.push(Turn { asked, goes_on, concluded: Vec::new() });
    }

    /// The agent ends its turn. That is the answer to the request that was gone on with, too.
    pub(super) fn concludes(&mut self, words: &'static str) {
        self.is_in_turn = false;
        for turn in self.turns.iter_mut().rev() {
            turn.concluded.push(words);
            if !turn.goes_on {
                break;
            }
        }
    }

    pub(super) fn commits(&mut self, message: &'static str) {
        self.commits.push(message);
    }

    pub(super) const fn ends(&mut self) {
        self.has_ended = true;
    }

    fn asked(&self, shown: &str) -> impl Iterator<Item = &Turn> {
        self.turns.iter().filter(move |turn| is_text(shown, turn.asked))
    }
}

// What happens.

impl Truth {
    pub(super) fn states(&mut self, repository: &'static str, text: &'static str) {
        self.repositories.entry(repository).or_default().stated.push(text);
    }

    pub(super) fn corrects(&mut self, repository: &'static str, wrong: &str, right: &'static str) {
        let stated = &mut self.repositories.entry(repository).or_default().stated;
        stated.retain(|text| *text != wrong);
        stated.push(right);
    }

    pub(super) fn begins(&mut self, repository: &'static str, now: i64) {
        self.sessions.push(Session { repository, last_at: now, ..Session::default() });
    }

    pub(super) fn session(&mut self, number: usize) -> &mut Session {
        &mut self.sessions[number]
    }

    pub(super) fn fails(&mut self, number: usize, command: &'static str, error: &'static str) {
        let session = &mut self.sessions[number];
        session.failed.insert(command, Vec::new());
        let repository = self.repositories.entry(session.repository).or_default();
        repository.failing.insert(command);
        repository.errors.push(error);
    }

    pub(super) fn passes(&mut self, number: usize, command: &'static str) {
        let session = &mut self.sessions[number];
        let repository = self.repositories.entry(session.repository).or_default();
        repository.failing.remove(command);
        repository.fixes.extend(session.failed.remove(command).into_iter().flatten());
        session.failed.values_mut().for_each(|passed| passed.push(command));
    }
}

// What an injected text says.

/// A request or a result in a text.
enum Said {
    Asked(String),
    Concluded(String),
    Committed,
    NoResult,
}

impl Truth {
    /// Checks what a session of the month got at its start, against the files that git calls
    /// changed.
    pub(super) fn check_start(
        &mut self,
        repository: &'static str,
        text: &str,
        dirty: &[String],
        now: i64,
    ) -> anyhow::Result<()> {
        self.start_tokens.push(tokens::estimate(text).0);
        let has_work = self.sessions.iter().any(|one| one.repository == repository && !one.turns.is_empty());
        self.without_work += usize::from(has_work && section(text, STOPPED_HEADING).is_empty());
        self.check_stated(repository, text);
        self.check(repository, text, dirty, now)
    }

    /// Checks that the user's statements are in a start, and nothing else looks like one.
    pub(super) fn check_stated(&mut self, repository: &'static str, text: &str) {
        let lines = section(text, STATED_HEADING);
        let whole = letters(&lines.join("\n"));
        let stated = self.repositories.get(repository).map_or(&[][..], |known| &known.stated);
        let begin = |rule: &str| letters(&rule.chars().take(RULE_CHARS).collect::<String>());
        let missing: Vec<&str> =
            stated.iter().copied().filter(|rule| !whole.contains(&begin(rule))).collect();
        let here = self.sessions.iter().filter(|session| session.repository == repository);
        let asked: Vec<&str> = here.flat_map(|session| session.turns.iter().map(|turn| turn.asked)).collect();
        let is_users = |line: &&&str| {
            let Some(shown) = line.split('"').nth(1) else { return true };
            stated.iter().any(|text| is_text(shown, text))
                || line.contains(SAID_ONCE) && asked.iter().any(|text| is_text(shown, text))
        };
        let others: Vec<String> =
            lines.iter().filter(|line| !is_users(line)).map(|line| (*line).to_owned()).collect();
        for rule in missing {
            self.wrong(RULE_MISSING, repository, rule);
        }
        for line in others {
            self.wrong(NO_RULE, repository, &line);
        }
    }

    /// Checks every line of a text.
    pub(super) fn check(
        &mut self,
        repository: &'static str,
        text: &str,
        dirty: &[String],
        now: i64,
    ) -> anyhow::Result<()> {
        self.texts += 1;
        for group in groups(text) {
            self.lines += group.lines().count();
            let mut wrong = self.false_facts(repository, &group, dirty)?;
            let said = said(&group)?;
            wrong.extend(self.false_labels(repository, &group, &said, now)?);
            wrong.extend(self.wrong_results(repository, &said));
            for kind in wrong {
                self.wrong(kind, repository, &group);
            }
        }
        Ok(())
    }

    /// What is said of files and commands as a present fact.
    fn false_facts(
        &self,
        repository: &str,
        group: &str,
        dirty: &[String],
    ) -> anyhow::Result<Vec<&'static str>> {
        let empty = Repository::default();
        let known = self.repositories.get(repository).unwrap_or(&empty);
        let mut wrong = Vec::new();
        let changed = Regex::new("changed and not committed: ([^;\n]*?)(?: and [0-9]+ more)?(?:[;\n]|$)")?;
        for found in changed.captures_iter(group) {
            let is_dirty = |file: &str| dirty.iter().any(|path| path.trim_matches('"').ends_with(file));
            wrong.extend((!found[1].split(", ").all(is_dirty)).then_some(IS_COMMITTED));
        }
        let failing = Regex::new("(?:still failed|not seen to pass since): `([^`]*)`")?;
        for found in failing.captures_iter(group) {
            let is_failing = known.failing.iter().any(|command| is_text(&found[1], command));
            wrong.extend((!is_failing).then_some(HAS_PASSED));
        }
        for found in Regex::new("passed after \"([^\"]*)\" ran")?.captures_iter(group) {
            let is_fix = known.fixes.iter().any(|command| is_text(&found[1], command));
            wrong.extend((!is_fix).then_some(NOT_A_FIX));
        }
        let seen = Regex::new("\"([^\"]*)\" was seen here|failed here [^:]*: \"([^\"]*)\"")?;
        for found in seen.captures_iter(group) {
            let shown = found.get(1).or_else(|| found.get(2)).map_or("", |shown| shown.as_str());
            let is_seen = known.errors.iter().any(|error| is_text(shown, error));
            wrong.extend((!is_seen).then_some(NOT_SEEN));
        }
        Ok(wrong)
    }

    /// What is said of a session: that it runs, that it broke off, what it committed.
    fn false_labels(
        &self,
        repository: &str,
        group: &str,
        said: &[Said],
        now: i64,
    ) -> anyhow::Result<Vec<&'static str>> {
        let asked = said.iter().find_map(|said| match said {
            Said::Asked(asked) => Some(asked.as_str()),
            _ => None,
        });
        let Some(asked) = asked else { return Ok(Vec::new()) };
        let here = self.sessions.iter().filter(|session| session.repository == repository);
        let sessions: Vec<&Session> = here.filter(|session| session.asked(asked).next().is_some()).collect();
        let any = |holds: &dyn Fn(&Session) -> bool| sessions.iter().any(|session| holds(session));
        let mut wrong = Vec::new();
        let is_running = |session: &Session| !session.has_ended && now - session.last_at < OVER_AFTER_MS;
        wrong.extend((group.contains("(running session)") && !any(&is_running)).then_some(IS_CLOSED));
        let broke_off = |session: &Session| session.is_in_turn && now - session.last_at > PAUSE_MS;
        wrong.extend((group.contains(", broke off]") && !any(&broke_off)).then_some(HAS_ENDED_TURN));
        for found in Regex::new("committed \"([^\"]*)\"")?.captures_iter(group) {
            let is_its =
                |session: &Session| session.commits.iter().any(|message| is_text(&found[1], message));
            wrong.extend((!any(&is_its)).then_some(NOT_ITS_COMMIT));
        }
        Ok(wrong)
    }

    /// What is said to have come of requests.
    fn wrong_results(&self, repository: &str, said: &[Said]) -> Vec<&'static str> {
        let mut wrong = Vec::new();
        for (at, one) in said.iter().enumerate() {
            let Said::Asked(asked) = one else { continue };
            let here = self.sessions.iter().filter(|session| session.repository == repository);
            let turns: Vec<&Turn> = here.flat_map(|session| session.asked(asked)).collect();
            // With a prompt, the result stands before its request.
            let result = said.get(at + 1).or_else(|| said.get(at.checked_sub(1)?));
            match result {
                Some(Said::Concluded(shown)) => {
                    let is_its = |turn: &&Turn| {
                        let mut parts = shown.split('…').map(letters);
                        parts.all(|part| turn.concluded.iter().any(|words| letters(words).contains(&part)))
                    };
                    wrong.extend((!turns.iter().any(is_its)).then_some(WRONG_PAIR));
                }
                Some(Said::NoResult) => {
                    let has_result = turns.iter().all(|turn| !turn.concluded.is_empty());
                    wrong.extend(has_result.then_some(HAS_RESULT));
                }
                Some(Said::Committed) => {}
                Some(Said::Asked(_)) | None => wrong.push(NO_RESULT),
            }
        }
        wrong
    }

    fn wrong(&mut self, kind: &'static str, repository: &str, line: &str) {
        let session = self.sessions.len();
        let found = format!("session {session} in {repository}: {line}");
        let known = self.wrong.entry(kind).or_default();
        // Empty sessions get the same again and again.
        if !known.contains(&found) {
            known.push(found);
        }
    }

    /// Prints the counts.
    pub(super) fn print(&mut self, violations: &mut Violations) {
        for kind in KINDS {
            let found = self.wrong.get(kind).map_or(&[][..], Vec::as_slice);
            println!("{:>4}  {kind}", found.len());
            let some = found.iter().take(SHOWN).map(|line| format!("\n  {line}")).collect::<String>();
            violations.unless(found.is_empty(), format!("{kind}: {}{some}", found.len()));
        }
        self.start_tokens.sort_unstable();
        let (starts, most) = (self.start_tokens.len(), self.start_tokens.last().copied().unwrap_or_default());
        let median = self.start_tokens.get(starts / 2).copied().unwrap_or_default();
        println!("{} lines in {starts} starts and {} other texts", self.lines, self.texts - starts);
        let without_work = self.without_work;
        println!("{without_work} starts without the work before them");
        violations.unless(
            without_work <= WITHOUT_WORK,
            format!("{without_work} starts lack the work before them; {WITHOUT_WORK} may"),
        );
        println!("tokens of a start: {median} in the median, at most {most}");
    }
}

/// The lines of a text with those that continue them.
fn groups(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.lines() {
        match found.last_mut() {
            Some(last) if line.starts_with("  ") => last.extend(["\n", line]),
            _ if line.starts_with("- ") => found.push(line.to_owned()),
            _ => {}
        }
    }
    found
}

/// The requests and the results in a group of lines.
fn said(group: &str) -> anyhow::Result<Vec<Said>> {
    let pattern = "(asked|the agent concluded|committed)(?: by [^:]+)?: \"([^\"]*)\"|no result recorded";
    let of = |found: regex::Captures<'_>| {
        let words = || found[2].to_owned();
        match found.get(1).map(|kind| kind.as_str()) {
            Some("asked") => Said::Asked(words()),
            Some("committed") => Said::Committed,
            Some(_) => Said::Concluded(words()),
            None => Said::NoResult,
        }
    };
    Ok(Regex::new(pattern)?.captures_iter(group).map(of).collect())
}

/// Whether a text is shown so: whole, or its begin with an ellipsis.
fn is_text(shown: &str, text: &str) -> bool {
    let (is_cut, shown, text) = (shown.trim_end().ends_with('…'), letters(shown), letters(text));
    if is_cut { text.starts_with(&shown) } else { text == shown }
}

/// The letters and digits of a text, since quotation changes the rest.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "# nudge context
## Where the work stopped
- [1d ago, broke off] asked: \"Sum the…\" #1
  the agent concluded: \"It is a sum. … Tests pass.\" #2
  on main; committed \"Sum it\"; changed and not committed: src/a.ts and 2 more
  failed, and was not seen to pass since: `make x`, exit 1 #3
- [2d ago] (running session) asked: \"Add a flag.\" #4; no result recorded
";

    fn truth() -> Truth {
        let mut truth = Truth::default();
        truth.begins("shop", 0);
        let first = truth.session(0);
        first.asks("Sum the basket", false);
        first.commits("Sum it");
        truth.fails(0, "make x", "x is missing");
        truth.begins("shop", 0);
        truth.session(1).asks("Add a flag.", false);
        truth
    }

    #[test]
    fn what_is_true_is_not_counted() {
        let mut truth = truth();
        truth.session(0).concludes("It is a sum. I looked. Tests pass.");
        truth.session(0).asks("Go on", true);
        truth.check("shop", START, &["src/a.ts".to_owned()], 2 * PAUSE_MS).expect("checked");
        assert_eq!(truth.wrong, BTreeMap::new());
        assert_eq!(truth.lines, 5);
    }

    #[test]
    fn what_is_false_is_counted() {
        let mut truth = truth();
        truth.session(0).concludes("Another one.");
        truth.session(1).concludes("There is a flag.");
        truth.session(1).ends();
        truth.passes(1, "make x");
        truth.check("shop", START, &[], 2 * PAUSE_MS).expect("checked");
        let kinds: Vec<&str> = truth.wrong.keys().copied().collect();
        let mut expected = [IS_COMMITTED, HAS_PASSED, IS_CLOSED, HAS_ENDED_TURN, HAS_RESULT, WRONG_PAIR];
        expected.sort_unstable();
        assert_eq!(kinds, expected);
    }

    #[test]
    fn with_a_prompt_the_result_comes_first() {
        let mut truth = truth();
        let text = "- [1d ago] the agent concluded: \"A sum.\" #2; asked: \"Add a flag.\" (shares: a) #1\n";
        truth.check("shop", text, &[], 0).expect("checked");
        assert_eq!(truth.wrong.keys().collect::<Vec<_>>(), [&WRONG_PAIR]);
    }

    #[test]
    fn an_error_with_other_numbers_is_another_one() {
        let mut truth = truth();
        let text =
            |error: &str| format!("- [1d ago] \"{error}\" was seen here once; what helped is not known #1\n");
        truth.check("shop", &text("x is missing"), &[], 0).expect("checked");
        assert_eq!(truth.wrong, BTreeMap::new());
        truth.check("shop", &text("x2 is missing"), &[], 0).expect("checked");
        assert_eq!(truth.wrong.keys().collect::<Vec<_>>(), [&NOT_SEEN]);
    }

    #[test]
    fn a_rule_may_be_short_and_a_request_is_none() {
        let mut truth = truth();
        truth.states("shop", "Prices are integers in cents; never use floats for money.");
        let once = "- \"Sum the basket\" (said once, 2d ago) #2\n";
        let start = format!(
            "{STATED_HEADING}\n- \"Prices are integers in cents; never use floats for money. …\" #1\n{once}"
        );
        truth.check_stated("shop", &start);
        assert_eq!(truth.wrong, BTreeMap::new());
        truth.check_stated("shop", &format!("{STATED_HEADING}\n- \"Sum the basket\" #2\n"));
        let kinds: Vec<&str> = truth.wrong.keys().copied().collect();
        assert_eq!(kinds, [RULE_MISSING, NO_RULE]);
    }
}
