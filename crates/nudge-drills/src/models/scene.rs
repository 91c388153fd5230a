//! A user's home with a small memory, a project, one model and a server of Nudge.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::stage::{Home, free_port, health};

/// The alias of the model.
pub(super) const MODEL: &str = "small";

/// The most turns of one loop. The default of the product is for models that need no such limit.
pub(super) const MAX_TURNS: u32 = 6;

/// Where a model is served, and its name there.
#[derive(Clone, Copy)]
pub(super) struct Served<'s> {
    pub(super) url: &'s str,
    pub(super) name: &'s str,
    pub(super) constrained: bool,
}

/// The home, with its server running.
pub(super) struct Scene {
    pub(super) home: Home,
    project: PathBuf,
    port: u16,
}

impl Scene {
    /// Fills a new home and starts its server.
    pub(super) fn set(nudge: &Path, served: Served<'_>) -> anyhow::Result<Self> {
        let Served { url, name, constrained } = served;
        let home = Home::of(nudge.to_owned())?;
        let settings = home.path().join(".config/nudge");
        std::fs::create_dir_all(&settings)?;
        let config = format!(
            "[models.{MODEL}]\nmodel = \"openai/{name}\"\nbase_url = \"{url}/v1\"\nconstrained = {constrained}\n\n\
             [runs]\nmax_turns = {MAX_TURNS}\n"
        );
        std::fs::write(settings.join("config.toml"), config)?;
        let project = home.path().join("src/parcel");
        let port = free_port()?;
        let scene = Self { home, project, port };
        scene.write_project(FILES)?;
        scene.nudge_here(&["serve", "--daemon", "--port", &port.to_string()])?;
        scene.fill_memory()?;
        Ok(scene)
    }

    /// Makes a new repository with these files. From now on everything happens there.
    pub(super) fn enter(&mut self, name: &str, files: &[(&str, &str)]) -> anyhow::Result<()> {
        self.project = self.home.path().join("src").join(name);
        self.write_project(files)
    }

    /// Whether a line for `sh` succeeds in the project.
    pub(super) fn shell(&self, line: &str) -> anyhow::Result<bool> {
        let mut shell = self.home.program(Path::new("sh"));
        let output = shell.args(["-c", line]).current_dir(&self.project).output();
        Ok(output.context("sh cannot be started")?.status.success())
    }

    fn write_project(&self, files: &[(&str, &str)]) -> anyhow::Result<()> {
        for (file, text) in files {
            let file = self.project.join(file);
            std::fs::create_dir_all(file.parent().context("a file lies in a directory")?)?;
            std::fs::write(file, text)?;
        }
        self.git(&["init", "--quiet", "--initial-branch=main"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "-m", "Begin"])
    }

    fn git(&self, args: &[&str]) -> anyhow::Result<()> {
        let mut git = self.home.program(Path::new("git"));
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(args);
        let output = git.current_dir(&self.project).output().context("git cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "git {} failed: {}", args.join(" "), stderr.trim());
        Ok(())
    }

    fn fill_memory(&self) -> anyhow::Result<()> {
        for text in STATEMENTS {
            self.nudge_here(&["remember", text])?;
        }
        for (component, key, value) in HINTS {
            self.nudge_here(&["set", component, key, value])?;
        }
        for (path, body) in KNOWN {
            self.nudge_here(&["entry", "set", path, body])?;
        }
        Ok(())
    }

    /// The product in the project.
    pub(super) fn nudge(&self, args: &[&str]) -> Command {
        let mut command = self.home.nudge(args);
        command.current_dir(&self.project);
        command
    }

    /// Runs the product in the project and requires success.
    pub(super) fn nudge_here(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.nudge(args).output().context("nudge cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "nudge {} failed: {}", args.join(" "), stderr.trim());
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Copies the memory to a new directory that `nudge --home` can open: `name`, or `name-2` and
    /// so on if earlier sittings are kept there.
    pub(super) fn keep(&self, dir: &Path, name: &str) -> anyhow::Result<()> {
        std::fs::create_dir_all(dir)?;
        let names = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}-{number}")));
        let mut free = names.map(|name| dir.join(name)).filter(|to| !to.exists());
        let to = free.next().unwrap_or_else(|| dir.join(name));
        std::fs::create_dir(&to)?;
        self.nudge_here(&["backup", &to.join("nudge.db").to_string_lossy()]).map(drop)
    }

    /// Whether the server of Nudge still answers.
    pub(super) fn is_alive(&self) -> bool {
        (0..20).any(|_| health(self.port).is_some())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // A server that is gone already has nothing to stop.
        let _ = self.home.run(&["stop"]);
    }
}

// What memory and the project have, what is asked, and which words a right answer has.
//
// The words were chosen before any model was asked.

/// What the user stated.
const STATEMENTS: &[&str] = &[
    "The API listens on port 8087, because 8080 belongs to the old gateway.",
    "We deploy on Tuesdays only; Friday deploys are forbidden since the outage.",
    "Use pnpm, never npm, for the web client.",
    "Invoices are rounded half to even, to the cent.",
    "Maria Lindqvist owns the billing service; ask her before you change its schema.",
];

/// Hints: component, key and value.
pub(super) const HINTS: &[(&str, &str, &str)] = &[
    ("tests", "command", "cargo nextest run --workspace"),
    ("database", "migrations", "Run migrations with `just migrate`, never by hand."),
];

/// Entries of knowledge.
const KNOWN: &[(&str, &str)] = &[
    ("known://auth/tokens", "Access tokens expire after 45 minutes; refresh tokens after 14 days."),
    ("known://queue/choice", "We chose NATS over Kafka for the job queue, because one binary is enough."),
    ("known://cache/flaky", "The test cache_evicts is flaky on slow disks: raise CACHE_WAIT_MS to 500."),
];

/// The files of the project.
pub(super) const FILES: &[(&str, &str)] = &[
    (
        "src/main.rs",
        "mod config;\nmod retry;\n\nfn main() {\n    let config = config::load();\n    retry::run(&config);\n}\n",
    ),
    (
        "src/retry.rs",
        "//! Retries failed jobs.\n\nuse crate::config::Config;\n\n/// How often a job is tried before it is given up.\nconst MAX_ATTEMPTS: u32 = 7;\n\npub fn run(config: &Config) {\n    for attempt in 0..MAX_ATTEMPTS {\n        if config.job.call(attempt) {\n            return;\n        }\n    }\n}\n",
    ),
    (
        "src/config.rs",
        "//! Reads parcel.toml.\n\npub struct Config {\n    pub job: Job,\n}\n\n/// Reads the file that PARCEL_CONFIG names, or parcel.toml.\npub fn load() -> Config {\n    todo!()\n}\n",
    ),
    ("parcel.toml", "[server]\nthreads = 4\n\n[log]\nlevel = \"info\"\n"),
    ("README.md", "# Parcel\n\nTracks parcels and writes invoices.\n"),
];

#[derive(Debug)]
pub(super) struct Question {
    pub(super) text: &'static str,
    /// A right answer has one word of each group, in any case. No groups: it is not graded.
    pub(super) wanted: &'static [&'static [&'static str]],
}

impl Question {
    /// Whether an answer has the words.
    pub(super) fn is_answered_by(&self, answer: &str) -> bool {
        let answer = answer.to_lowercase();
        self.wanted.iter().all(|group| group.iter().any(|word| answer.contains(word)))
    }

    /// The words, for people.
    pub(super) fn words(&self) -> String {
        let groups: Vec<String> = self.wanted.iter().map(|group| group.join("|")).collect();
        groups.join(" + ")
    }
}

/// Questions whose answer is in memory.
pub(super) const GRADED: &[Question] = &[
    Question { text: "Which port does the API listen on?", wanted: &[&["8087"]] },
    Question { text: "On which day do we deploy?", wanted: &[&["tuesday"]] },
    Question { text: "Which package manager do we use for the web client?", wanted: &[&["pnpm"]] },
    Question { text: "How are invoices rounded?", wanted: &[&["half to even", "half-to-even", "half-even"]] },
    Question { text: "Who owns the billing service?", wanted: &[&["maria", "lindqvist"]] },
    Question { text: "Which command runs the tests?", wanted: &[&["nextest"]] },
    Question { text: "How do I run the database migrations?", wanted: &[&["just migrate"]] },
    Question { text: "After how many minutes does an access token expire?", wanted: &[&["45"]] },
    Question {
        text: "Why did we choose NATS and not Kafka for the queue?",
        wanted: &[&["one binary", "single binary"]],
    },
    Question { text: "The test cache_evicts is flaky. What helps?", wanted: &[&["cache_wait_ms", "500"]] },
];

/// Questions of other kinds: about files, about nothing that is known, and odd ones.
pub(super) const VARIED: &[Question] = &[
    Question { text: "How often is a failed job tried before it is given up?", wanted: &[] },
    Question { text: "Which variable names the configuration file?", wanted: &[] },
    Question { text: "How many threads does the server have?", wanted: &[] },
    Question { text: "What does src/main.rs do? Answer in one sentence.", wanted: &[] },
    Question { text: "What is the phone number of the hosting company?", wanted: &[] },
    Question { text: "List everything you know about tests.", wanted: &[] },
    Question {
        text: "May I deploy on Friday if it is urgent, and whom do I ask about billing?",
        wanted: &[],
    },
    Question { text: "Welcher Port gehört zum alten Gateway?", wanted: &[] },
    Question { text: "Remember that the staging server is called heron.", wanted: &[] },
    Question { text: "hi", wanted: &[] },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_needs_one_of_its_words() {
        let question = Question { text: "?", wanted: &[&["port"], &["8087", "8088"]] };
        assert!(question.is_answered_by("Port 8087."));
        assert!(!question.is_answered_by("port 80") && !question.is_answered_by("8087"));
        assert_eq!(question.words(), "port + 8087|8088");
    }

    #[test]
    fn memory_has_the_answer_to_every_graded_question() {
        let hints = HINTS.iter().map(|(_, _, text)| *text);
        let known = KNOWN.iter().map(|(_, text)| *text);
        let memory: Vec<&str> = STATEMENTS.iter().copied().chain(hints).chain(known).collect();
        for question in GRADED {
            assert!(memory.iter().any(|text| question.is_answered_by(text)), "{}", question.text);
            assert!(!question.is_answered_by(question.text), "{}", question.text);
        }
    }
}
