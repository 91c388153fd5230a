//! Commits and pushes: which command made them, and what git reported.

mod output;

use nudge_core::ObservationKind;
use nudge_outcomes::shell;
use serde_json::{Map, Value};

use super::text;

/// Commands that run another command.
const BEFORE: &[&str] = &[
    "sudo", "env", "time", "command", "nohup", "exec", "then", "do", "else", "if", "while", "until", "!", "{",
];

/// Git's global options that take a value as the next word.
const WITH_WORD: &[&str] =
    &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path"];

/// Subjects are cut at this length; git itself recommends 50 characters.
const SUBJECT_MOST: usize = 300;

/// The fact that contains a commit's subject, which is never empty.
const MESSAGE: &str = "commit_message";

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
    let committed = commit.is_some() && output::commit(output, &mut facts);
    let pushed = push.is_some() && output::push(output, &mut facts);
    let given = commit.filter(|_| !committed && !output::says_none_made(output)).and_then(message);
    if let Some(subject) = given.and_then(subject) {
        facts.insert(MESSAGE.into(), subject.into());
    }
    let kind = if push.is_some() && (pushed || !output.contains("Everything up-to-date")) {
        ObservationKind::GitPush
    } else if committed || facts.contains_key(MESSAGE) {
        ObservationKind::GitCommit
    } else {
        return None;
    };
    Some(GitAction { kind, facts })
}

/// The first line of a message, as stored. `None` if it is empty.
fn subject(message: &str) -> Option<String> {
    let kept = text::head(message, usize::MAX).text;
    let subject = text::head(kept.trim().lines().next()?, SUBJECT_MOST).text;
    (!subject.trim().is_empty()).then_some(subject)
}

/// The arguments of a git subcommand, if the words run it and do not only ask for help about it.
fn arguments<'a>(words: &'a [String], name: &str) -> Option<&'a [String]> {
    let skipped =
        words.iter().take_while(|word| BEFORE.contains(&word.as_str()) || shell::is_assignment(word)).count();
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

#[cfg(test)]
mod tests {
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
        let said = "On branch main\nnothing to commit, working tree clean\n";
        assert!(act("git commit -m x; true", Some(said)).is_none());
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
        for said in ["[main 1a2b3c4] \n 1 file changed, 1 insertion(+)\n", "[main 1a2b3c4]\n"] {
            let act = act("git commit -q --allow-empty-message -m ''", Some(said)).expect("a commit");
            assert_eq!((act.kind, act.facts.get(MESSAGE)), (ObservationKind::GitCommit, None));
            assert_eq!(act.facts["commit_hash"], "1a2b3c4");
        }
        let said = "[main 1a2b3c4] <private>the merger</private>\n";
        assert_eq!(
            act("git commit --amend --no-edit", Some(said)).expect("a commit").facts.get(MESSAGE),
            None
        );
    }

    #[test]
    fn a_commit_that_was_not_made_is_a_command() {
        for said in [
            "On branch main\nnothing to commit, working tree clean\n",
            "no changes added to commit (use \"git add\")\n",
            "Aborting commit due to empty commit message.\n",
            "fatal: not a git repository (or any of the parent directories): .git\n",
            "error: pathspec 'x' did not match any file(s) known to git\n",
            "eslint: 3 problems\nhusky - pre-commit hook exited with code 1 (error)\n",
            "*** Please tell me who you are.\n",
        ] {
            assert!(act("git commit -m x | tail -5", Some(said)).is_none(), "{said}");
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
}
