//! Commits and pushes: which command made them, and what git reported.

use nudge_core::{ObservationKind, repo};
use nudge_outcomes::shell;
use serde_json::{Map, Value};

use super::text;

/// Commands that run another command.
const WRAPPERS: &[&str] = &[
    "sudo", "env", "time", "command", "nohup", "exec", "then", "do", "else", "if", "while", "until", "!", "{",
];

/// Git's global options that take a value as the next word.
const WITH_WORD: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path"];

/// Subjects are cut at this length; git itself recommends 50 characters.
const MAX_SUBJECT_CHARS: usize = 300;

/// The fact that contains a commit's subject, which is never empty.
const MESSAGE_FACT: &str = "commit_message";

/// What a command line did with git.
pub(super) struct GitAction {
    pub(super) kind: ObservationKind,
    pub(super) facts: Map<String, Value>,
}

/// The commit or push of a command line, with details from its output. `None` if there was none, if
/// git reports that it made none, or if neither the hash nor the message of a commit is known. The
/// command alone then says as much.
pub(super) fn act(command: &str, output: Option<&str>) -> Option<GitAction> {
    let commands = shell::commands(command);
    let find = |name| commands.iter().find_map(|words| arguments(words, name));
    let (commit, push) = (find("commit"), find("push"));
    let mut facts = Map::new();
    let output = output.unwrap_or_default();
    let committed = commit.is_some() && read_commit(output, &mut facts);
    let pushed = push.is_some() && read_push(output, &mut facts);
    let given = commit.filter(|_| !committed && !says_none_made(output)).and_then(message);
    if let Some(subject) = given.and_then(subject) {
        facts.insert(MESSAGE_FACT.into(), subject.into());
    }
    let kind = if push.is_some() && (pushed || !output.contains("Everything up-to-date")) {
        ObservationKind::GitPush
    } else if committed || facts.contains_key(MESSAGE_FACT) {
        ObservationKind::GitCommit
    } else {
        return None;
    };
    Some(GitAction { kind, facts })
}

/// The first line of a message, as stored. `None` if it is empty.
fn subject(message: &str) -> Option<String> {
    let kept = text::head(message, usize::MAX).text;
    let subject = text::head(kept.trim().lines().next()?, MAX_SUBJECT_CHARS).text;
    (!subject.trim().is_empty()).then_some(subject)
}

/// The arguments of a git subcommand, if the words run it and do not only ask for help about it.
fn arguments<'a>(words: &'a [String], name: &str) -> Option<&'a [String]> {
    let skipped = words
        .iter()
        .take_while(|word| WRAPPERS.contains(&word.as_str()) || shell::is_assignment(word))
        .count();
    let (program, mut rest) = words[skipped..].split_first()?;
    if program.rsplit('/').next() != Some("git") {
        return None;
    }
    while let Some((option, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        rest = if WITH_WORD.contains(&option.as_str()) { after.get(1..)? } else { after };
    }
    let (subcommand, arguments) = rest.split_first().filter(|(word, _)| *word == name)?;
    let only_asks = |word: &String| {
        matches!(word.as_str(), "--dry-run" | "--help" | "-h") || (subcommand == "push" && word == "-n")
    };
    (!arguments.iter().any(only_asks)).then_some(arguments)
}

/// The message given on the command line.
fn message(arguments: &[String]) -> Option<&str> {
    arguments.iter().enumerate().find_map(|(at, word)| {
        let joined =
            word.strip_prefix("--message=").or_else(|| word.strip_prefix("-m").filter(|m| !m.is_empty()));
        let is_flag =
            word == "--message" || (word.starts_with('-') && !word.starts_with("--") && word.ends_with('m'));
        joined
            .filter(|_| !is_flag)
            .or_else(|| is_flag.then(|| arguments.get(at + 1).map(String::as_str)).flatten())
    })
}

// What `git commit` and `git push` print.

/// How many new files of a commit are listed.
const MAX_NEW_FILES: usize = 20;

/// Longer names of branches and files are not kept.
const MAX_NAME_LENGTH: usize = 300;

/// How much of an output is read, from its end. After the output of long hooks, git's own lines are
/// there.
const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// Reads the output of a commit; returns whether it says that the commit was made.
fn read_commit(output: &str, facts: &mut Map<String, Value>) -> bool {
    let lines = last_part(output).lines();
    let Some((branch, hash, title)) = lines.clone().find_map(read_header) else { return false };
    facts.insert("branch".into(), branch.into());
    facts.insert("commit_hash".into(), hash.into());
    if let Some(subject) = subject(title) {
        facts.insert(MESSAGE_FACT.into(), subject.into());
    }
    if let Some(counts) = lines.clone().find(|line| line.contains(" changed")) {
        for part in counts.trim().split(", ") {
            let Some((number, what)) = part.split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            let key = ["file", "insertion", "deletion"].iter().position(|word| what.starts_with(word));
            if let Some(key) = key.map(|at| ["files_changed", "insertions", "deletions"][at]) {
                facts.insert(key.into(), number.into());
            }
        }
    }
    let made = lines.filter_map(|line| line.trim_start().strip_prefix("create mode ")?.split_once(' '));
    let made: Vec<Value> = made
        .map(|(_, file)| file)
        .filter(|file| file.len() <= MAX_NAME_LENGTH)
        .take(MAX_NEW_FILES)
        .map(Value::from)
        .collect();
    if !made.is_empty() {
        facts.insert("new_files".into(), made.into());
    }
    true
}

/// `[main abc1234] subject`, `[main (root-commit) abc1234] subject`, `[detached HEAD abc1234]
/// subject`.
fn read_header(line: &str) -> Option<(&str, &str, &str)> {
    let line = line.trim().strip_prefix('[')?;
    let (inside, subject) = line.split_once("] ").or_else(|| Some((line.strip_suffix(']')?, "")))?;
    let (branch, hash) = inside.rsplit_once(' ')?;
    let branch = branch.strip_suffix(" (root-commit)").unwrap_or(branch);
    (is_hash(hash) && branch.len() <= MAX_NAME_LENGTH).then_some((branch, hash, subject))
}

fn is_hash(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether an output without such a header says that no commit was made. The command may still have
/// succeeded, behind a pipe or another command.
fn says_none_made(output: &str) -> bool {
    const COMMIT_LINES: [&str; 6] = [
        "nothing to commit",
        "nothing added to commit",
        "no changes added to commit",
        "Aborting commit",
        "hook exited with code",
        "Please tell me who you are",
    ];
    let lines = last_part(output).lines();
    COMMIT_LINES.iter().any(|line| output.contains(line))
        || lines.map(str::trim_start).any(|line| line.starts_with("fatal: ") || line.starts_with("error: "))
}

/// Reads the output of a push; returns whether it says that something was pushed.
fn read_push(output: &str, facts: &mut Map<String, Value>) -> bool {
    let mut lines = last_part(output).lines().skip_while(|line| !line.starts_with("To "));
    let Some(remote) = lines.next().and_then(|line| line.strip_prefix("To ")) else { return false };
    facts.insert("remote_url".into(), text::head(&repo::canonical(remote), MAX_NAME_LENGTH).text.into());
    let Some(update) = lines.filter_map(read_update).max_by_key(|update| !update.is_tag) else {
        return false;
    };
    let key = if update.is_tag { "tag" } else { "branch" };
    facts.insert(key.into(), update.name.into());
    if let Some(range) = update.range {
        facts.insert("hash_range".into(), range.into());
    }
    true
}

struct Update<'a> {
    name: &'a str,
    range: Option<&'a str>,
    is_tag: bool,
}

/// `   abc..def  main -> main`, ` * [new branch]      fix -> fix`, ` + abc...def main -> main
/// (forced update)`.
fn read_update(line: &str) -> Option<Update<'_>> {
    let (left, right) = line.split_once(" -> ")?;
    let name = right.split_whitespace().next().filter(|name| name.len() <= MAX_NAME_LENGTH)?;
    let left = left.trim_start();
    if left.starts_with('!') || left.starts_with('=') {
        return None;
    }
    let range = left.trim_start_matches(['+', '*', '-', ' ']).split_whitespace().next()?;
    let is_range =
        range.split_once("..").is_some_and(|(old, new)| is_hash(old) && is_hash(new.trim_start_matches('.')));
    let is_new = left.starts_with('*') || left.starts_with('-');
    (is_range || is_new).then_some(Update {
        name,
        range: is_range.then_some(range),
        is_tag: left.contains("[new tag]"),
    })
}

/// The end of a long output, starting at a line.
fn last_part(output: &str) -> &str {
    let from = output.ceil_char_boundary(output.len().saturating_sub(MAX_OUTPUT_BYTES));
    if from == 0 { output } else { output[from..].split_once('\n').map_or("", |(_, rest)| rest) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(command: &str) -> Option<ObservationKind> {
        act(command, None).map(|act| act.kind)
    }

    #[test]
    fn commits_and_pushes_are_known_however_they_are_called() {
        for command in [
            "git commit -m x",
            "git -C /tmp/x commit -am 'y'",
            "cd a && GIT_AUTHOR_NAME=me git -c user.name=x --no-pager commit --amend -m y",
            "if true; then git commit -m x; fi",
            "/usr/bin/git commit --message x",
            "git add . ; git commit -m 'git push'",
        ] {
            assert_eq!(kind(command), Some(ObservationKind::GitCommit), "{command}");
        }
        for command in
            ["git push", "git commit -m x && git push origin main", "sudo git --git-dir=/x push 2>&1 | tail"]
        {
            assert_eq!(kind(command), Some(ObservationKind::GitPush), "{command}");
        }
        for command in [
            "git status",
            "git log --grep commit",
            "echo git commit",
            "git commit --dry-run",
            "git push -n",
            "git stash push",
            "cat <<E\ngit push\nE",
            "git",
            "git -C",
            "legit commit",
            "echo 'x; git push'",
        ] {
            assert_eq!(kind(command), None, "{command}");
        }
    }

    #[test]
    fn what_git_did_not_do_is_no_commit_and_no_push() {
        let output = "On branch main\nnothing to commit, working tree clean\n";
        assert!(act("git commit -m x; true", Some(output)).is_none());
        assert!(act("git push", Some("Everything up-to-date\n")).is_none());
        let both = "[main abc1234] x\n 1 file changed, 1 insertion(+)\nEverything up-to-date\n";
        assert_eq!(
            act("git commit -m x; git push", Some(both)).map(|act| act.kind),
            Some(ObservationKind::GitCommit)
        );
    }

    #[test]
    fn a_commit_of_which_nothing_is_known_is_a_command() {
        for command in [
            "git commit",
            "git commit --amend --no-edit",
            "git commit -q -F message.txt",
            "git commit -q -m ''",
            "git commit -q -m \"$(cat message.txt)\"",
            "git commit -qm \"`cat message.txt`\"",
            "git commit -q -m \"$(cat <<'EOF'\nEOF\n)\"",
            "git commit -q -m '<private>the merger</private>'",
            "git commit -q --allow-empty-message -m ' '",
            "git commit -m",
        ] {
            for output in [None, Some(""), Some("ok\n")] {
                assert!(act(command, output).is_none(), "{command}: {output:?}");
            }
        }
        // Git's output says enough, even without a subject.
        for output in ["[main 1a2b3c4] \n 1 file changed, 1 insertion(+)\n", "[main 1a2b3c4]\n"] {
            let act = act("git commit -q --allow-empty-message -m ''", Some(output)).expect("a commit");
            assert_eq!((act.kind, act.facts.get(MESSAGE_FACT)), (ObservationKind::GitCommit, None));
            assert_eq!(act.facts["commit_hash"], "1a2b3c4");
        }
        let output = "[main 1a2b3c4] <private>the merger</private>\n";
        assert_eq!(
            act("git commit --amend --no-edit", Some(output)).expect("a commit").facts.get(MESSAGE_FACT),
            None
        );
    }

    #[test]
    fn a_commit_that_was_not_made_is_a_command() {
        for output in [
            "On branch main\nnothing to commit, working tree clean\n",
            "no changes added to commit (use \"git add\")\n",
            "Aborting commit due to empty commit message.\n",
            "fatal: not a git repository (or any of the parent directories): .git\n",
            "error: pathspec 'x' did not match any file(s) known to git\n",
            "eslint: 3 problems\nhusky - pre-commit hook exited with code 1 (error)\n",
            "*** Please tell me who you are.\n",
        ] {
            assert!(act("git commit -m x | tail -5", Some(output)).is_none(), "{output}");
        }
    }

    #[test]
    fn a_quiet_commit_keeps_the_message_it_was_given() {
        for command in [
            "git commit -qm 'one line'",
            "git commit -q -m \"one line\n\nmore\"",
            "git commit --message='one line'",
        ] {
            let facts = act(command, Some("")).expect("a commit").facts;
            assert_eq!(facts["commit_message"], "one line", "{command}");
        }
    }

    fn facts(read: fn(&str, &mut Map<String, Value>) -> bool, output: &str) -> Value {
        let mut facts = Map::new();
        read(output, &mut facts);
        Value::Object(facts)
    }

    #[test]
    fn a_commit_tells_branch_hash_subject_and_counts() {
        let output = "hook: ok\n[main 1a2b3c4] Fix the [parser] again\n 3 files changed, 10 insertions(+), 1 deletion(-)\n create mode 100644 src/a b.rs\n create mode 100755 run\n";
        assert_eq!(
            facts(read_commit, output),
            json!({"branch": "main", "commit_hash": "1a2b3c4", "commit_message": "Fix the [parser] again",
            "files_changed": 3, "insertions": 10, "deletions": 1, "new_files": ["src/a b.rs", "run"]})
        );
        let first = facts(read_commit, "[main (root-commit) 1a2b3c4] x\n 1 file changed, 1 insertion(+)");
        assert_eq!((&first["branch"], &first["files_changed"]), (&json!("main"), &json!(1)));
        assert_eq!(facts(read_commit, "[detached HEAD 1a2b3c4] x")["branch"], "detached HEAD");
        for other in ["[INFO] hello", "[a] b", "[main zzz] x", ""] {
            assert_eq!(facts(read_commit, other), json!({}), "{other}");
        }
    }

    #[test]
    fn a_push_tells_remote_branch_and_range_without_credentials() {
        let output = "To https://me:s3cret@example.org/org/app.git\n   1a2b3c4..5d6e7f8  main -> main\n";
        assert_eq!(
            facts(read_push, output),
            json!({"remote_url": "https://example.org/org/app", "branch": "main", "hash_range": "1a2b3c4..5d6e7f8"})
        );
        let new = "remote: hello\nTo example.org:org/app.git\n * [new tag]  v1 -> v1\n * [new branch]      fix -> fix\nbranch 'fix' set up to track 'origin/fix'.";
        assert_eq!(
            facts(read_push, new),
            json!({"remote_url": "https://example.org/org/app", "branch": "fix"})
        );
        let forced = "To /srv/app.git\n + 1a2b3c4...5d6e7f8 main -> main (forced update)\n";
        assert_eq!(facts(read_push, forced)["hash_range"], "1a2b3c4...5d6e7f8");
        let refused = "To /srv/app.git\n ! [rejected]        main -> main (fetch first)\n";
        assert_eq!(facts(read_push, refused).get("branch"), None);
    }
}
