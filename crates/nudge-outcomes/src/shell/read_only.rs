//! Whether a command line only looks: at files, at a repository, at running processes.

use super::{commands, is_assignment};

/// Programs that only look, with any arguments.
const READ_ONLY_PROGRAMS: [&str; 46] = [
    "[", "cal", "cat", "cd", "command", "column", "cut", "date", "df", "diff", "dirname", "du", "echo",
    "egrep", "env", "false", "fd", "file", "find", "free", "grep", "head", "hostname", "id", "jq", "less",
    "ls", "nl", "nproc", "printenv", "printf", "ps", "pwd", "rg", "sleep", "sort", "stat", "tail", "test",
    "tree", "true", "type", "uname", "uniq", "wc", "which",
];

/// Programs that only look with these subcommands.
const READ_ONLY_SUBCOMMANDS: [(&str, &[&str]); 10] = [
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "branch",
            "fetch",
            "remote",
            "rev-parse",
            "rev-list",
            "reflog",
            "blame",
            "ls-files",
            "ls-tree",
            "describe",
            "config",
            "shortlog",
            "grep",
            "worktree",
            "stash",
            "cat-file",
            "merge-base",
            "tag",
            "add",
            "symbolic-ref",
            "for-each-ref",
            "name-rev",
            "check-ignore",
        ],
    ),
    ("gh", &["pr", "run", "issue", "repo", "api", "auth", "release", "workflow", "search", "label"]),
    ("docker", &["ps", "logs", "images", "inspect", "stats", "version", "info"]),
    ("kubectl", &["get", "describe", "logs", "config", "version", "top"]),
    ("npm", &["ls", "list", "view", "outdated", "whoami"]),
    ("cargo", &["tree", "metadata", "search", "version"]),
    ("alembic", &["branches", "check", "current", "heads", "history", "show"]),
    ("pip", &["check", "freeze", "list", "show"]),
    ("sed", &["-n"]),
    ("systemctl", &["status", "list-units", "show", "is-active"]),
];

/// Subcommands that only look, of any program that is not listed.
const READ_ONLY_VERBS: [&str; 12] = [
    "current", "heads", "help", "history", "info", "list", "ls", "outdated", "show", "status", "version",
    "whoami",
];

/// Second words of `gh` that change something.
const GH_ACTIONS: [&str; 10] =
    ["create", "merge", "close", "edit", "comment", "review", "delete", "reopen", "rerun", "upload"];

/// Whether every command of a line only looks. Such a line does not say what was done.
pub fn is_read_only(line: &str) -> bool {
    let found = commands(line);
    !found.is_empty() && found.iter().all(|words| is_read_only_command(words))
}

/// Whether a simple command, given by its words, only looks.
pub fn is_read_only_command(words: &[String]) -> bool {
    let mut words = words.iter().map(String::as_str).skip_while(|word| is_assignment(word)).peekable();
    let Some(program) = words.next() else { return true };
    let program = program.rsplit('/').next().unwrap_or(program);
    if READ_ONLY_PROGRAMS.contains(&program) {
        return true;
    }
    let Some((name, with)) = READ_ONLY_SUBCOMMANDS.iter().find(|(name, _)| *name == program) else {
        return words.next().is_some_and(|verb| READ_ONLY_VERBS.contains(&verb));
    };
    while words.next_if(|word| matches!(*word, "-C" | "-c")).is_some() {
        words.next();
    }
    let Some(verb) = words.find(|word| *name == "sed" || !word.starts_with('-')) else { return false };
    let acts = *name == "gh" && words.next().is_some_and(|act| GH_ACTIONS.contains(&act));
    with.contains(&verb) && !acts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looking_is_distinguished_from_doing() {
        let looks = [
            "git status",
            "git -C sub status --short",
            "cd web && ls -la | head",
            "LANG=C git log --oneline -5",
            "grep -rn foo src | wc -l",
            "sed -n '1,20p' a.rs",
            "gh pr view 12",
            "cat a.txt; echo done",
            "alembic heads",
            "flyway info -url=x",
        ];
        let does = [
            "git commit -m x",
            "git push",
            "cargo test",
            "npm run build",
            "alembic upgrade heads",
            "make test",
            "gh pr create --fill",
            "git status && make",
            "sed -i s/a/b/ x",
            "",
        ];
        for line in looks {
            assert!(is_read_only(line), "{line}");
        }
        for line in does {
            assert!(!is_read_only(line), "{line}");
        }
    }
}
