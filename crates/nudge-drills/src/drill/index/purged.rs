//! Purged text is in no file any more.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_index::Index;
use serde_json::{Value, json};

use super::bench::Bench;

/// Words that only purged entries have, one for each round. No stemmer changes them.
const SECRETS: [&str; 2] = ["qvzkwxjplox", "wjqxzvkpnox"];

/// Entries with a unique word are captured in every possible way, indexed, backed up, injected into
/// a session, and purged: once without a server and once with one. Then nothing of the word is
/// left.
pub(super) fn leaves_nothing(bench: &mut Bench<'_>) -> anyhow::Result<String> {
    bench.add(400)?;
    let mut seen = Vec::new();
    for (round, secret) in SECRETS.into_iter().enumerate() {
        let is_served = round == 1;
        if is_served {
            bench.home.run(&["serve", "--daemon"])?;
        }
        capture(bench, secret, round)?;
        bench.home.run(&["backup"])?;
        bring_up(bench, is_served)?;
        let before = holding(bench.home.path(), secret)?;
        bench
            .violations
            .unless(is_in_words(bench, secret)?, "the drill does not see the word in the dictionary");
        bench.violations.unless(before.len() >= 2, format!("the drill sees the word only in {before:?}"));
        let late = json!({"hook_event_name": "UserPromptSubmit", "prompt": format!("{secret} again")});
        send(bench, round, "late", &late)?;
        let answer = bench.home.run_json(&["purge", "--search", secret, "--confirm"])?;
        seen.push(removed(&answer));
        let whose = if is_served { "with a server" } else { "without a server" };
        bench.violations.unless(
            !is_in_words(bench, secret)?,
            format!("{whose}: the word is in a dictionary after the purge"),
        );
        let after = holding(bench.home.path(), secret)?;
        bench
            .violations
            .unless(after.is_empty(), format!("{whose}: after the purge the word is in {after:?}"));
        let found = bench.found(secret)?;
        bench.violations.unless(found == 0, format!("{whose}: {found} of what was purged are found"));
        bench.read()?;
        bench.agree_on(4, "after a purge")?;
        if is_served {
            bench.home.run(&["stop"])?;
        }
    }
    let stored = Index::open(&bench.directory()).stored_values();
    bench.violations.unless(stored == Ok(0), format!("the index stores what it indexes: {stored:?}"));
    bench.update_index("after the purges")?;
    bench.agree_on_all("after the purges")?;
    Ok(format!("{} entries purged without a server, {} with one", seen[0], seen[1]))
}

/// Captures the word in every way.
fn capture(bench: &Bench<'_>, secret: &str, round: usize) -> anyhow::Result<()> {
    let memory = json!({"id": format!("secret{round}"), "project": "drill", "text": format!("remember {secret} well")});
    bench.import(&memory.to_string())?;
    let command = format!("deploy --to {secret}");
    let file = bench.home.path().join(format!("src/{secret}.rs"));
    let tool = |event: &str, name: &str, id: &str, input: Value, more: Value| {
        let mut call =
            json!({"hook_event_name": event, "tool_name": name, "tool_use_id": id, "tool_input": input});
        add(&mut call, &more);
        call
    };
    let output = json!({"stdout": format!("done with {secret}Two"), "stderr": "", "interrupted": false});
    let events = [
        json!({"hook_event_name": "SessionStart", "source": "startup"}),
        json!({"hook_event_name": "UserPromptSubmit", "prompt": format!("why does {secret} fail")}),
        tool("PostToolUse", "Bash", "one", json!({"command": command}), json!({"tool_response": output})),
        tool(
            "PostToolUseFailure",
            "Bash",
            "two",
            json!({"command": format!("test {secret}")}),
            json!({"error": format!("Exit code 1\n{secret} is missing"), "is_interrupt": false}),
        ),
        tool(
            "PostToolUse",
            "Write",
            "three",
            json!({"file_path": file, "content": format!("// {secret}")}),
            json!({"tool_response": {"filePath": file, "success": true}}),
        ),
        json!({"hook_event_name": "Stop", "last_assistant_message": format!("{secret} works now")}),
        json!({"hook_event_name": "SessionEnd", "reason": "other"}),
    ];
    for particulars in events {
        send(bench, round, "first", &particulars)?;
    }
    // A second session gets a block about the first, and the ledger of injected text may have the
    // word too.
    for source in ["startup", "compact"] {
        send(bench, round, "second", &json!({"hook_event_name": "SessionStart", "source": source}))?;
    }
    Ok(())
}

fn send(bench: &Bench<'_>, round: usize, session: &str, particulars: &Value) -> anyhow::Result<()> {
    let session = format!("{session}-{round}");
    let mut event = json!({"session_id": session, "cwd": bench.home.path(), "permission_mode": "default"});
    add(&mut event, particulars);
    bench.record(&event)
}

fn add(event: &mut Value, particulars: &Value) {
    for (name, value) in particulars.as_object().into_iter().flatten() {
        event[name] = value.clone();
    }
}

/// Has everything indexed: by the server, or by the separate process.
fn bring_up(bench: &mut Bench<'_>, is_served: bool) -> anyhow::Result<()> {
    bench.read()?;
    if !is_served {
        return bench.update_index("before the purge");
    }
    let whole = bench.rows() as u64;
    for _ in 0..300 {
        if bench.index_status().documents == whole {
            return Ok(());
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    bench.violations.unless(
        false,
        format!("the server did not bring the index up to {whole}: {:?}", bench.index_status()),
    );
    Ok(())
}

fn removed(answer: &Value) -> u64 {
    let purged = &answer["purged"];
    let counts = ["observations", "prompts", "summaries", "memories"];
    counts.iter().filter_map(|name| purged[*name].as_u64()).sum()
}

/// Whether any word of the index begins like this one, including stems and longer names.
fn is_in_words(bench: &Bench<'_>, secret: &str) -> anyhow::Result<bool> {
    let words = Index::open(&bench.directory()).words();
    let words = words.map_err(|state| anyhow::anyhow!("the index cannot be read: {state:?}"))?;
    Ok(words.iter().any(|word| word.contains(&secret[..8])))
}

/// The files below a directory that contain these letters, in any case.
fn holding(directory: &Path, secret: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            found.extend(holding(&entry.path(), secret)?);
        } else if kind.is_file() {
            // A database log may disappear between the two calls.
            let Ok(bytes) = fs::read(entry.path()) else { continue };
            let lower = bytes.to_ascii_lowercase();
            if lower.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                found.push(entry.path());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::super::corpus;
    use super::*;

    #[test]
    fn secrets_are_no_words_of_the_corpus() {
        let corpus: Vec<String> = (0..40_000).map(corpus::word).collect();
        assert!(SECRETS.iter().all(|secret| !corpus.iter().any(|word| secret.contains(word.as_str()))));
    }
}
