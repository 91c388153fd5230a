//! Tasks that change something: a real model works on them with `nudge act`, in a fresh repository
//! each, and a check that it never sees says whether it is done.
//!
//! Everything that it proposes is accepted, one after the other.

use std::collections::BTreeSet;
use std::fmt;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_agent::runs::{RunView, Telemetry};
use serde_json::{Value, json};

use super::scene::{MODEL, Scene};

/// A task, and how it is checked.
#[derive(Debug)]
pub(super) struct Task {
    name: &'static str,
    prompt: &'static str,
    /// The files of the repository.
    files: &'static [(&'static str, &'static str)],
    /// A line for `sh` that succeeds in the repository if the task is done.
    check: &'static str,
    /// The words that the answer must have, if it must have any.
    answer: &'static [&'static str],
}

/// What came of one task.
pub(super) struct Acted {
    task: &'static Task,
    pub(super) is_done: bool,
    /// Whether the loop ended by itself before the deadline.
    has_ended: bool,
    status: u16,
    outcome: String,
    answer: String,
    /// How many changes and commands it proposed.
    proposals: usize,
    used: Telemetry,
    took: Duration,
    /// The run turn by turn, if the task is not done.
    dump: Option<String>,
}

impl Acted {
    /// Works on a task until its loop has ended or its time is up.
    pub(super) fn on(scene: &mut Scene, task: &'static Task, within: Duration) -> anyhow::Result<Self> {
        scene.enter(task.name, task.files)?;
        let began = Instant::now();
        scene.nudge_here(&[
            "act",
            "--detach",
            "--model",
            MODEL,
            "--run",
            task.name,
            "--no-interaction",
            task.prompt,
        ])?;
        let mut accepted = BTreeSet::new();
        let (view, has_ended) = loop {
            let view = seen(scene, task.name)?;
            if !matches!(view.state.as_str(), "queued" | "running" | "proposed") {
                break (view, true);
            }
            if began.elapsed() >= within {
                scene.nudge_here(&["run", "abort", task.name])?;
                break (seen(scene, task.name)?, false);
            }
            if view.state == "proposed" {
                accept_all(scene, &mut accepted)?;
            }
            std::thread::sleep(Duration::from_millis(200));
        };
        let took = began.elapsed();
        let answer = view.summary.to_lowercase();
        let is_said = task.answer.iter().all(|word| answer.contains(word));
        let is_done = view.status == 200 && is_said && scene.shell(task.check)?;
        let dump = match is_done {
            true => None,
            false => Some(scene.nudge_here(&["run", "show", task.name, "--turns"])?),
        };
        Ok(Self {
            task,
            is_done,
            has_ended,
            status: view.status,
            outcome: view.outcome.clone().unwrap_or_default(),
            answer: view.summary.clone(),
            proposals: accepted.len(),
            used: view.telemetry.clone().unwrap_or_default(),
            took,
            dump,
        })
    }

    /// What is wrong with Nudge, not with the model.
    pub(super) fn violation(&self) -> Option<String> {
        let is_bad = !self.has_ended || self.status >= 500 || self.status < 200;
        is_bad.then(|| format!("no verdict on {:?}: {self}", self.task.name))
    }

    /// The failure in full.
    pub(super) fn failure(&self) -> Option<String> {
        self.dump.as_ref().map(|dump| format!("{}: {self}\n{}", self.task.name, dump.trim_end()))
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "task": self.task.name,
            "done": self.is_done,
            "status": self.status,
            "outcome": self.outcome,
            "answer": self.answer,
            "turns": self.used.turns,
            "proposals": self.proposals,
            "healed": self.used.healed,
            "errors": self.used.errors,
            "prompt_tokens": self.used.prompt_tokens,
            "completion_tokens": self.used.completion_tokens,
            "seconds": self.took.as_secs_f64().round(),
            "dump": self.dump,
        })
    }
}

impl fmt::Display for Acted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let done = if self.is_done { "done" } else { "not done" };
        let answer: String = self.answer.chars().take(60).collect();
        let Telemetry { turns, healed, .. } = self.used;
        let (proposals, seconds) = (self.proposals, self.took.as_secs_f64());
        write!(
            f,
            "{done}, {} {}, {turns} turns, {proposals} proposals, {healed} healed, {seconds:.0} s: {answer:?}",
            self.status, self.outcome
        )
    }
}

/// The row of a model in one mode: how many are done, and means of a task.
pub(super) fn row(whose: &str, all: &[Acted]) -> String {
    let done = all.iter().filter(|one| one.is_done).count();
    let mean = |of: fn(&Acted) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
    let cells = [
        whose.to_owned(),
        format!("{done} of {}", all.len()),
        format!("{:.1}", mean(|one| one.used.turns as f64)),
        format!("{:.1}", mean(|one| one.proposals as f64)),
        format!("{:.1}", mean(|one| one.used.healed as f64)),
        format!(
            "{:.0} + {:.0}",
            mean(|one| one.used.prompt_tokens as f64),
            mean(|one| one.used.completion_tokens as f64)
        ),
        format!("{:.0}", mean(|one| one.took.as_secs_f64())),
    ];
    format!("| {} |", cells.join(" | "))
}

pub(super) const HEAD: &str = "| model, mode | done | turns | proposals | healed | tokens in + out | seconds |\n|---|---|---|---|---|---|---|";

fn seen(scene: &Scene, run: &str) -> anyhow::Result<RunView> {
    let shown = scene.nudge_here(&["run", "show", run, "--json"])?;
    serde_json::from_str(&shown).context("`nudge run show` prints no run")
}

/// Accepts what waits. What is out of date is proposed again under another id.
fn accept_all(scene: &Scene, accepted: &mut BTreeSet<i64>) -> anyhow::Result<()> {
    let listed: Value = serde_json::from_str(&scene.nudge_here(&["review", "--list", "--json"])?)?;
    let waiting = listed["proposals"].as_array().context("`nudge review` prints no list")?;
    for id in waiting.iter().filter_map(|one| one["id"].as_i64()) {
        // Another proposal of the same call may have ended it.
        if scene.nudge(&["review", "accept", &id.to_string()]).output()?.status.success() {
            accepted.insert(id);
        }
    }
    Ok(())
}

/// The tasks. Prompts and checks were written before any model worked on them.
pub(super) const TASKS: &[Task] = &[
    Task {
        name: "fix-test",
        prompt: "The test in test_price.py fails. Fix price.py, do not change the test, and run `python3 -m unittest` to check.",
        files: &[
            (
                "price.py",
                "def total(prices):\n    \"\"\"The sum of all prices.\"\"\"\n    result = 0\n    for price in prices[1:]:\n        result += price\n    return result\n",
            ),
            (
                "test_price.py",
                "import unittest\n\nfrom price import total\n\n\nclass TestTotal(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total([1, 2, 3]), 6)\n",
            ),
        ],
        check: "python3 -m unittest -q && git diff --quiet test_price.py",
        answer: &[],
    },
    Task {
        name: "rename",
        prompt: "Rename the function `total_price` to `price_total` in shop.py and in main.py.",
        files: &[
            ("shop.py", "def total_price(items):\n    return sum(items)\n"),
            ("main.py", "from shop import total_price\n\nprint(total_price([1, 2]))\n"),
        ],
        check: "! grep -rq total_price --include='*.py' . && test \"$(python3 main.py)\" = 3",
        answer: &[],
    },
    Task {
        name: "add-key",
        prompt: "Add the key `timeout = 30` to the table [server] in settings.toml. Keep everything else.",
        files: &[("settings.toml", "[server]\nport = 8087\n\n[log]\nlevel = \"info\"\n")],
        check: "python3 -c \"import tomllib; s = tomllib.load(open('settings.toml', 'rb')); assert s == {'server': {'port': 8087, 'timeout': 30}, 'log': {'level': 'info'}}\"",
        answer: &[],
    },
    Task {
        name: "count-lines",
        prompt: "How many lines has data.csv? Run `wc -l data.csv` and answer with the number.",
        files: &[("data.csv", "a,1\nb,2\nc,3\nd,4\ne,5\nf,6\ng,7\nh,8\ni,9\nj,10\nk,11\nl,12\nm,13\n")],
        check: "git diff --quiet",
        answer: &["13"],
    },
    Task {
        name: "new-file",
        prompt: "Create the file CHANGELOG.md. Its first line is `# Changelog`, and it has a heading `## Unreleased`.",
        files: &[("README.md", "# Parcel\n")],
        check: "head -n 1 CHANGELOG.md | grep -qx '# Changelog' && grep -qx '## Unreleased' CHANGELOG.md",
        answer: &[],
    },
    Task {
        name: "remove-file",
        prompt: "Remove the file old.py. Nothing uses it.",
        files: &[("old.py", "x = 1\n"), ("new.py", "x = 2\n")],
        check: "test ! -e old.py && test -e new.py",
        answer: &[],
    },
    Task {
        name: "move-file",
        prompt: "Move guide.md to docs/guide.md.",
        files: &[("guide.md", "# Guide\n\nRead this first.\n")],
        check: "test ! -e guide.md && grep -q 'Read this first' docs/guide.md",
        answer: &[],
    },
    Task {
        name: "change-port",
        prompt: "Change the port in config.py from 8080 to 9090.",
        files: &[("config.py", "HOST = \"127.0.0.1\"\nPORT = 8080\nTHREADS = 4\n")],
        check: "python3 -c \"import config; assert (config.HOST, config.PORT, config.THREADS) == ('127.0.0.1', 9090, 4)\"",
        answer: &[],
    },
    Task {
        name: "fix-syntax",
        prompt: "hello.py has a syntax error. Find it with `python3 hello.py`, and fix it.",
        files: &[("hello.py", "def greet(name)\n    print(f\"hello {name}\")\n\n\ngreet(\"world\")\n")],
        check: "test \"$(python3 hello.py)\" = 'hello world'",
        answer: &[],
    },
    Task {
        name: "run-script",
        prompt: "What does `python3 version.py` print? Run it, and answer with what it prints.",
        files: &[("version.py", "print(f\"parcel {2 * 3}.{10 + 4}\")\n")],
        check: "git diff --quiet",
        answer: &["6.14"],
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_runs_and_directories() {
        let names: BTreeSet<&str> = TASKS.iter().map(|task| task.name).collect();
        assert_eq!(names.len(), TASKS.len());
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-')));
    }
}
