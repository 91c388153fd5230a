//! What `git commit` and `git push` print.

use nudge_core::repo;
use serde_json::{Map, Value};

use super::text;

/// How many new files of a commit are listed.
const NEW_FILES_MOST: usize = 20;

/// Longer names of branches and files are not kept.
const NAME_MOST: usize = 300;

/// How much of an output is read, from its end. After the output of long hooks, git's own lines are
/// there.
const LOOK_AT_MOST: usize = 256 * 1024;

/// Reads the output of a commit; returns whether it says that the commit was made.
pub(super) fn commit(output: &str, facts: &mut Map<String, Value>) -> bool {
    let lines = last(output).lines();
    let Some((branch, hash, subject)) = lines.clone().find_map(header) else { return false };
    facts.insert("branch".into(), branch.into());
    facts.insert("commit_hash".into(), hash.into());
    if let Some(subject) = super::subject(subject) {
        facts.insert(super::MESSAGE.into(), subject.into());
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
        .filter(|file| file.len() <= NAME_MOST)
        .take(NEW_FILES_MOST)
        .map(Value::from)
        .collect();
    if !made.is_empty() {
        facts.insert("new_files".into(), made.into());
    }
    true
}

/// `[main abc1234] subject`, `[main (root-commit) abc1234] subject`, `[detached HEAD abc1234]
/// subject`.
fn header(line: &str) -> Option<(&str, &str, &str)> {
    let line = line.trim().strip_prefix('[')?;
    let (inside, subject) = line.split_once("] ").or_else(|| Some((line.strip_suffix(']')?, "")))?;
    let (branch, hash) = inside.rsplit_once(' ')?;
    let branch = branch.strip_suffix(" (root-commit)").unwrap_or(branch);
    (is_hash(hash) && branch.len() <= NAME_MOST).then_some((branch, hash, subject))
}

fn is_hash(text: &str) -> bool {
    (4..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Whether an output without such a header says that no commit was made. The command may still have
/// succeeded, behind a pipe or another command.
pub(super) fn says_none_made(output: &str) -> bool {
    const SAID: [&str; 6] = [
        "nothing to commit",
        "nothing added to commit",
        "no changes added to commit",
        "Aborting commit",
        "hook exited with code",
        "Please tell me who you are",
    ];
    let lines = last(output).lines();
    SAID.iter().any(|said| output.contains(said))
        || lines.map(str::trim_start).any(|line| line.starts_with("fatal: ") || line.starts_with("error: "))
}

/// Reads the output of a push; returns whether it says that something was pushed.
pub(super) fn push(output: &str, facts: &mut Map<String, Value>) -> bool {
    let mut lines = last(output).lines().skip_while(|line| !line.starts_with("To "));
    let Some(remote) = lines.next().and_then(|line| line.strip_prefix("To ")) else { return false };
    facts.insert("remote_url".into(), text::head(&repo::canonical(remote), NAME_MOST).text.into());
    let Some(update) = lines.filter_map(update).max_by_key(|update| !update.is_tag) else { return false };
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
fn update(line: &str) -> Option<Update<'_>> {
    let (left, right) = line.split_once(" -> ")?;
    let name = right.split_whitespace().next().filter(|name| name.len() <= NAME_MOST)?;
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
fn last(output: &str) -> &str {
    let from = output.ceil_char_boundary(output.len().saturating_sub(LOOK_AT_MOST));
    if from == 0 { output } else { output[from..].split_once('\n').map_or("", |(_, rest)| rest) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts(read: fn(&str, &mut Map<String, Value>) -> bool, output: &str) -> Value {
        let mut facts = Map::new();
        read(output, &mut facts);
        Value::Object(facts)
    }

    #[test]
    fn a_commit_tells_branch_hash_subject_and_counts() {
        let said = "hook: ok\n[main 1a2b3c4] Fix the [parser] again\n 3 files changed, 10 insertions(+), 1 deletion(-)\n create mode 100644 src/a b.rs\n create mode 100755 run\n";
        assert_eq!(
            facts(commit, said),
            json!({"branch": "main", "commit_hash": "1a2b3c4", "commit_message": "Fix the [parser] again",
                "files_changed": 3, "insertions": 10, "deletions": 1, "new_files": ["src/a b.rs", "run"]})
        );
        let first = facts(commit, "[main (root-commit) 1a2b3c4] x\n 1 file changed, 1 insertion(+)");
        assert_eq!((&first["branch"], &first["files_changed"]), (&json!("main"), &json!(1)));
        assert_eq!(facts(commit, "[detached HEAD 1a2b3c4] x")["branch"], "detached HEAD");
        for other in ["[INFO] hello", "[a] b", "[main zzz] x", ""] {
            assert_eq!(facts(commit, other), json!({}), "{other}");
        }
    }

    #[test]
    fn a_push_tells_remote_branch_and_range_without_credentials() {
        let said = "To https://me:s3cret@example.org/org/app.git\n   1a2b3c4..5d6e7f8  main -> main\n";
        assert_eq!(
            facts(push, said),
            json!({"remote_url": "https://example.org/org/app", "branch": "main", "hash_range": "1a2b3c4..5d6e7f8"})
        );
        let new = "remote: hello\nTo example.org:org/app.git\n * [new tag]  v1 -> v1\n * [new branch]      fix -> fix\nbranch 'fix' set up to track 'origin/fix'.";
        assert_eq!(facts(push, new), json!({"remote_url": "https://example.org/org/app", "branch": "fix"}));
        let forced = "To /srv/app.git\n + 1a2b3c4...5d6e7f8 main -> main (forced update)\n";
        assert_eq!(facts(push, forced)["hash_range"], "1a2b3c4...5d6e7f8");
        let refused = "To /srv/app.git\n ! [rejected]        main -> main (fetch first)\n";
        assert_eq!(facts(push, refused).get("branch"), None);
    }
}
