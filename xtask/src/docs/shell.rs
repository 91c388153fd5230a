//! Runs the console blocks of a page in an otherwise empty home.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use tempfile::TempDir;

use crate::finding::Finding;
use crate::tree::TextFile;

/// A command in a document answers at once; one that waits for input should be marked `no-run`.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(30);

/// Runs every block of a page and returns how many ran and what differed.
pub(super) fn run_page(page: &TextFile, binary: &Path) -> anyhow::Result<(usize, Vec<Finding>)> {
    let blocks = blocks(&page.text);
    let mut findings = Vec::new();
    let mut home: Option<Home> = None;
    for block in &blocks {
        let here = match home.take().filter(|_| block.continued) {
            Some(same) => same,
            None => Home::new(binary)?,
        };
        findings.extend(run_block(page, block, &here)?);
        home = Some(here);
    }
    Ok((blocks.len(), findings))
}

fn run_block(page: &TextFile, block: &Block, home: &Home) -> anyhow::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for step in &block.steps {
        let ended = home.run(&step.command)?;
        if let Some(problem) = judge(step, &ended) {
            let way_out =
                "correct the page or the program; `…` and [..] stand for what varies, `no-run` skips a block";
            findings.push(Finding::new(&page.path, step.line, problem, way_out));
        }
    }
    Ok(findings)
}

/// What is wrong with the end of a step; an error that the page shows is fine.
fn judge(step: &Step, ended: &Ended) -> Option<String> {
    let real: Vec<&str> = ended.output.trim_end().lines().collect();
    if ended.timed_out {
        return Some(format!("`{}` did not end within {} s", step.command, COMMAND_TIMEOUT.as_secs()));
    }
    if !matches(&step.output, &real) {
        let real = real.iter().map(|line| format!("\n      | {line}")).collect::<String>();
        return Some(format!("`{}` prints something else:{real}", step.command));
    }
    (!ended.success && step.output.is_empty()).then(|| format!("`{}` fails", step.command))
}

/// How a command ended.
struct Ended {
    success: bool,
    timed_out: bool,
    output: String,
}

/// An empty home with the binary on its path. Dropping it stops any server that a block left
/// running.
struct Home {
    dir: TempDir,
    path: String,
}

impl Home {
    fn new(binary: &Path) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        fs::create_dir(dir.path().join("project"))?;
        let folder = binary.parent().context("the binary lies in no folder")?;
        Ok(Self { path: format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display()), dir })
    }

    /// Output goes to a file: a daemon that keeps the stream open must not block the check.
    fn run(&self, command: &str) -> anyhow::Result<Ended> {
        let out = self.dir.path().join("output");
        let file = File::create(&out)?;
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(self.dir.path().join("project"))
            .env_clear()
            .envs([("PATH", self.path.as_str()), ("LANG", "C.UTF-8"), ("TZ", "UTC"), ("COLUMNS", "80")])
            .env("HOME", self.dir.path())
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .context("cannot start sh")?;
        let deadline = Instant::now() + COMMAND_TIMEOUT;
        let (status, timed_out) = loop {
            match child.try_wait()? {
                Some(status) => break (status, false),
                None if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
                None => {
                    child.kill()?;
                    break (child.wait()?, true);
                }
            }
        };
        let output = String::from_utf8_lossy(&fs::read(&out)?).into_owned();
        Ok(Ended { success: status.success(), timed_out, output })
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if self.dir.path().join(".local/share/nudge/run").exists() {
            let _ = self.run("nudge stop");
        }
    }
}

// Compares shown output with real output.
//
// A line with only `…` matches any number of lines; inside a line `…` and `[..]` match any text.

/// Whether the real lines match the page. Spaces at the end of a line are ignored.
pub(super) fn matches(shown: &[String], real: &[&str]) -> bool {
    match shown.split_first() {
        None => real.is_empty(),
        Some((line, rest)) if is_gap(line) => (0..=real.len()).any(|skipped| matches(rest, &real[skipped..])),
        Some((line, rest)) => real
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && matches(rest, others)),
    }
}

fn is_gap(line: &str) -> bool {
    matches!(line.trim(), "…" | "...")
}

fn line_matches(shown: &str, real: &str) -> bool {
    let shown = shown.trim_end().replace("[..]", "…");
    let real = real.trim_end();
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, middle @ .., last] = parts.as_slice() else { return shown == real };
    let Some(mut rest) = real.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

// Finds the console blocks of a page: commands and their output.

/// A fenced ```` ```console ```` block that runs `nudge`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Runs in the home of the block before it: ```` ```console continued ````.
    pub(super) continued: bool,
    pub(super) steps: Vec<Step>,
}

/// One command and the output shown under it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) command: String,
    pub(super) output: Vec<String>,
}

/// The blocks of a page, in order. Blocks without a `$ nudge` line, and those marked `no-run`, are
/// not run.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let inside: Vec<(usize, &str)> =
            lines.by_ref().take_while(|(_, line)| !line.trim_start().starts_with("```")).collect();
        let mut words = info.split_whitespace();
        if words.next() != Some("console") || info.contains("no-run") {
            continue;
        }
        let steps = steps(&inside);
        if steps.iter().any(|step| step.command.split_whitespace().any(|word| word == "nudge")) {
            found.push(Block { continued: words.any(|word| word == "continued"), steps });
        }
    }
    found
}

fn steps(lines: &[(usize, &str)]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, line) in lines {
        let unfinished =
            steps.last_mut().filter(|step| step.command.ends_with('\\') && step.output.is_empty());
        if let Some(step) = unfinished {
            step.command.pop();
            step.command.push_str(line.trim_start().trim_start_matches("> "));
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { line: index + 1, command: command.trim_end().to_owned(), output: Vec::new() });
        } else if let Some(step) = steps.last_mut() {
            step.output.push((*line).to_owned());
        }
    }
    for step in &mut steps {
        let shown = step.output.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
        step.output.truncate(shown);
    }
    steps
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// The findings for a page, with a stand-in for the program that stores its arguments in HOME
    /// and prints them.
    fn problems(text: &str) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let binary = dir.path().join("nudge");
        fs::write(&binary, "#!/bin/sh\necho \"$*\" >> $HOME/seen\ncat $HOME/seen\ntest \"$1\" != fail\n")
            .expect("written");
        fs::set_permissions(&binary, fs::Permissions::from_mode(0o755)).expect("executable");
        let page = TextFile { path: "README.md".into(), text: text.into() };
        let (_, findings) = run_page(&page, &binary).expect("sh is there");
        findings.into_iter().map(|finding| format!("{}: {}", finding.line, finding.problem)).collect()
    }

    #[test]
    fn output_that_is_shown_and_printed_passes_in_a_home_of_its_own() {
        let page = "```console\n$ nudge one\none\n```\n```console\n$ nudge two\ntwo\n```\n```console continued\n$ nudge three\ntwo\n…\n```\n";
        assert_eq!(problems(page), [""; 0]);
    }

    #[test]
    fn other_output_and_unshown_failures_are_refused() {
        assert_eq!(
            problems("```console\n$ nudge one\n1\n```\n"),
            ["2: `nudge one` prints something else:\n      | one"]
        );
        assert_eq!(
            problems("```console\n$ nudge fail >/dev/null\n```\n"),
            ["2: `nudge fail >/dev/null` fails"]
        );
        assert_eq!(problems("```console\n$ nudge fail\nfail\n```\n"), [""; 0]);
    }

    fn check(shown: &str, real: &str) -> bool {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        matches(&shown, &real.lines().collect::<Vec<_>>())
    }

    #[test]
    fn the_same_text_matches_and_another_does_not() {
        assert!(check("a\nb", "a\nb  "));
        assert!(!check("a\nb", "a\nc"));
        assert!(!check("a", "a\nb"));
        assert!(!check("a\nb", "a"));
    }

    #[test]
    fn gaps_stand_for_lines_and_for_text_within_one() {
        assert!(check("a\n…\nd", "a\nb\nc\nd"));
        assert!(check("a\n…", "a"));
        assert!(!check("…\nd", "a\nb"));
        assert!(check("score: [..] of …", "score: 0.92 of 1"));
        assert!(!check("score: … of 2", "score: 0.92 of 1"));
        assert!(!check("a…a", "a"));
    }

    #[test]
    fn commands_continuations_and_output_are_distinguished() {
        let page = "# X\n```console\n$ nudge set a b \\\n    --tags c\n✔ done\n\n$ nudge ls\na\n```\n```sh\n$ nudge no\n```\n\
                ```console continued\n$ nudge ls\n```\n```console no-run\n$ nudge serve\n```\n```console\n$ ls\n```\n";
        let found = blocks(page);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0].steps,
            [
                Step { line: 3, command: "nudge set a b --tags c".into(), output: vec!["✔ done".into()] },
                Step { line: 7, command: "nudge ls".into(), output: vec!["a".into()] },
            ]
        );
        assert_eq!((found[0].continued, found[1].continued), (false, true));
    }
}
