//! Attempts to get out, as accepted commands: a model proposes each, the user accepts it, and the
//! server runs it, as root and as an ordinary user. None gets out, and the record that the model
//! reads says what was denied. Without the sandbox the same scripts do get out, but for those that
//! must not be tried.
//!
//! Shows @run_sandbox and @run_commands.
//!
//! The attempts are those of the sandbox's own tests.

#[path = "../../../nudge-sandbox/tests/attempts.rs"]
#[expect(clippy::module_inception, reason = "both have the name of what they are about")]
#[expect(dead_code, reason = "the sandbox's own tests need more of it")]
mod attempts;

#[path = "../../../nudge-sandbox/tests/scene.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "the sandbox's own tests need more of it")]
mod scene;

#[path = "../../../nudge-sandbox/tests/watch.rs"]
#[expect(clippy::unwrap_used, reason = "the place says what went wrong")]
mod watch;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_sandbox::{Limits, Stop};
use nudge_testkit::scripted_model::{Say, ScriptedModel};
use serde_json::Value;

use self::attempts::{ATTEMPTS, Attempt, Out, Says};
use self::scene::{Scene, Seen, User, users};
use self::watch::{Watch, has_words};
use crate::args::Target;
use crate::stage::{Violations, free_port};

/// In the short form, every so many attempts.
const SHORT_NTH: usize = 10;

/// Nudge's directory in the scene. It is in the project, where an attempt looks for it.
const STORE: &str = "nudge-home";

/// The script of the attempt: a command is one line, and a script may have several.
const COMMAND: &str = ". ./attempt.sh";

/// How long a command may take, with all that is around it.
const ENDS_WITHIN: Duration = Duration::from_secs(90);

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(target: &Target) -> anyhow::Result<bool> {
    // Anybody may execute it there.
    let shared = tempfile::Builder::new().prefix("nudge-attempts-").tempdir()?;
    let nudge = shared.path().join("nudge");
    let built = target.product.path()?;
    std::fs::hard_link(&built, &nudge).or_else(|_| std::fs::copy(&built, &nudge).map(drop))?;
    allow_all(shared.path())?;
    let began = Instant::now();
    let mut violations = Violations::default();
    let mut table = Vec::new();
    for attempt in ATTEMPTS.iter().step_by(target.size.pick((1, SHORT_NTH))) {
        for user in users() {
            let tried = held(&nudge, attempt, user).with_context(|| attempt.name.to_owned())?;
            let name = format!("{} ({})", attempt.name, word(user));
            violations.unless(!tried.got_out, format!("{name}: got out: {:?}", tried.said));
            violations
                .unless(tried.is_named, format!("{name}: the record does not say it: {:?}", tried.said));
            // A server has no terminal, so nothing would show what is typed into one.
            let gets_out = attempt.gets_out(user) && !matches!(attempt.out, Out::Typed);
            let unheld = gets_out.then(|| unheld(attempt, user));
            violations.unless(unheld != Some(false), format!("{name}: does not get out without the sandbox"));
            table.push((name, tried, unheld));
        }
    }
    print(&table);
    println!("{:.0} s", began.elapsed().as_secs_f64());
    Ok(violations.close("no accepted command gets out, and each says what it was denied"))
}

/// What came of an attempt.
struct Tried {
    got_out: bool,
    /// Whether the record, or the output that it names, says what was denied.
    is_named: bool,
    /// The line that says it.
    said: String,
}

fn print(table: &[(String, Tried, Option<bool>)]) {
    println!("| attempt | got out | without the sandbox | what was denied |\n|---|---|---|---|");
    for (name, tried, unheld) in table {
        let got_out = if tried.got_out { "YES" } else { "no" };
        let without = match unheld {
            Some(true) => "gets out",
            Some(false) => "NO",
            None => "not tried",
        };
        println!("| {name} | {got_out} | {without} | {} |", tried.said.replace('|', "/"));
    }
    let out = table.iter().filter(|(_, tried, _)| tried.got_out).count();
    let (without, shown) = (
        table.iter().filter(|(_, _, unheld)| unheld.is_some()).count(),
        table.iter().filter(|(_, _, unheld)| *unheld == Some(true)).count(),
    );
    println!(
        "{} attempts, {out} got out; without the sandbox {shown} of {without} that were tried",
        table.len()
    );
}

const fn word(user: User) -> &'static str {
    match user {
        User::Own => "own user",
        User::Ordinary => "ordinary user",
    }
}

/// The same script with nothing to hold it. Whether it got out.
fn unheld(attempt: &Attempt, user: User) -> bool {
    let scene = Scene::new(user);
    let watch = Watch::start(&scene, attempt);
    let seen = scene.unheld(attempt.script, attempt.time_unheld());
    watch.got_out(&scene, attempt, &seen, "")
}

/// The attempt as an accepted command of a run.
fn held(nudge: &Path, attempt: &Attempt, user: User) -> anyhow::Result<Tried> {
    let scene = Scene::new(user);
    let model = ScriptedModel::start(vec![
        Say::new(&format!("<sh command=\"{COMMAND}\"/><update status=\"102\">It is tried.</update>"))
            .chunk(64)
            .into(),
        Say::new("<update status=\"200\">Done.</update>").chunk(64).into(),
    ]);
    let machine = Machine { nudge, scene: &scene };
    machine.set_up(attempt, &model)?;
    let watch = Watch::start(&scene, attempt);
    machine.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let record = machine.accepted();
    let _ = machine.run(&["stop"]);
    let record = record?;
    let body = record.body.lines().skip(1).collect::<Vec<_>>().join(" ");
    let text = record.output;
    let is_named = match attempt.says {
        Says::Words => has_words(&text),
        Says::Stopped(stop) => body.contains(words_of(stop)),
        Says::WordsOr(stop) => has_words(&text) || body.contains(words_of(stop)),
        Says::Refused => body.contains("Denied:"),
        Says::Cut => body.contains("of which the first"),
        Says::Silent(why) => !why.is_empty(),
    };
    let is_read = model.requests().last().is_some_and(|request| request.user.contains(first_words(&body)));
    let denial = text.lines().rev().find(|line| has_words(line)).unwrap_or_default();
    let said = match attempt.says {
        Says::Silent(why) => why.to_owned(),
        Says::Words | Says::WordsOr(_) if !denial.is_empty() => denial.chars().take(100).collect(),
        _ => body.chars().take(120).collect(),
    };
    let seen = Seen { text, ended: None, failed: None, took: record.took };
    let got_out = watch.got_out(&scene, attempt, &seen, "");
    Ok(Tried { got_out, is_named: is_named && is_read, said })
}

/// The beginning of a record's second line, which says how the command ended.
fn first_words(body: &str) -> &str {
    body.split(" after ").next().unwrap_or(body)
}

/// What a record says of a command that was stopped.
const fn words_of(stop: Stop) -> &'static str {
    match stop {
        Stop::Cancelled => "stopped by the user",
        Stop::Time => "longer than it may",
        Stop::Memory => "more memory than it may",
        Stop::Processes => "more processes than it may",
        Stop::Growth => "grew by more than it may",
    }
}

/// What the model reads of a command.
struct Record {
    body: String,
    output: String,
    took: Duration,
}

/// The product in a scene, as its user.
struct Machine<'s> {
    nudge: &'s Path,
    scene: &'s Scene,
}

impl Machine<'_> {
    /// Writes the script and the settings, with the limits of the attempt.
    fn set_up(&self, attempt: &Attempt, model: &ScriptedModel) -> anyhow::Result<()> {
        let mut script = String::new();
        for (name, value) in self.scene.variables() {
            script.push_str(&format!("export {name}='{value}'\n"));
        }
        script.push_str(attempt.script);
        script.push('\n');
        std::fs::write(self.scene.project().join("attempt.sh"), script)?;
        let usual = Limits { time: Duration::from_mins(1), ..Limits::default() };
        let mut limits = usual.clone();
        (attempt.limits)(&mut limits);
        let mib = |bytes: u64| bytes >> 20;
        let disk = limits.growth_bytes.min(limits.temporary_bytes);
        let settings = format!(
            "[models.scripted]\nmodel = \"openai/scripted\"\nbase_url = \"{}\"\ncontext = 32768\n\n[runs]\n\
             command_time_s = {}\ncommand_processes = {}\ncommand_memory_mb = {}\ncommand_disk_mb = {}\n",
            model.base_url("openai"),
            limits.time.as_secs(),
            limits.processes,
            mib(limits.memory_bytes),
            mib(disk),
        );
        std::fs::write(self.store().join("config.toml"), settings).context("settings")
    }

    fn store(&self) -> PathBuf {
        self.scene.project().join(STORE)
    }

    /// Runs the product, which inherits an open file and a secret.
    fn run(&self, args: &[&str]) -> anyhow::Result<String> {
        let script = "exec 9>>../../outside/canary; exec \"$0\" \"$@\"";
        let nudge = self.nudge.to_str().context("a path")?;
        let mut command: Command = self.scene.as_user("sh", &[&["-c", script, nudge], args].concat());
        command.env("HOME", self.scene.path("home")).env("NUDGE_HOME", self.store());
        let output = command.output().context("nudge cannot be started")?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        anyhow::ensure!(output.status.success(), "nudge {}: {said}", args.join(" "));
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Prints JSON.
    fn json(&self, args: &[&str]) -> anyhow::Result<Value> {
        serde_json::from_str(&self.run(&[args, &["--json"]].concat())?).context("no JSON")
    }

    /// Lets the model propose the command, accepts it, and waits until the run has ended.
    fn accepted(&self) -> anyhow::Result<Record> {
        self.run(&["act", "--detach", "--model", "scripted", "--run", "a", "try"])?;
        let waits = self.wait(|view| view["status"] == 202)?;
        let question = waits["waits_for"]["body"].as_str().unwrap_or_default();
        anyhow::ensure!(question.contains(COMMAND), "no such question: {waits}");
        let id = self.json(&["review", "--list"])?["proposals"][0]["id"].to_string();
        self.run(&["review", "accept", &id])?;
        let view =
            self.wait(|view| matches!(view["state"].as_str(), Some("completed" | "failed" | "aborted")))?;
        let rows = view["history"].as_array().cloned().unwrap_or_default();
        let row = rows.iter().find(|row| row["tool"] == "sh").context("no record")?;
        let attributes: Value = serde_json::from_str(row["attributes"].as_str().unwrap_or("{}"))?;
        let record = row["record"].as_str().unwrap_or_default();
        let channels = record.replacen("log://", "sh://", 1).replacen("/sh/", "/", 1) + "_*";
        let entries = self.json(&["entry", "get", &channels, "--run", "a"])?;
        let bodies =
            entries["entries"].as_array().into_iter().flatten().filter_map(|one| one["body"].as_str());
        Ok(Record {
            body: row["body"].as_str().unwrap_or_default().to_owned(),
            output: bodies.collect::<Vec<_>>().join("\n"),
            took: Duration::from_millis(attributes["took_ms"].as_u64().unwrap_or_default()),
        })
    }

    /// Waits until the run is as wanted.
    fn wait(&self, is_wanted: impl Fn(&Value) -> bool) -> anyhow::Result<Value> {
        let until = Instant::now() + ENDS_WITHIN;
        loop {
            let view = self.json(&["run", "show", "a"])?;
            if is_wanted(&view) {
                return Ok(view);
            }
            anyhow::ensure!(Instant::now() < until, "the run does not go on: {view}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn allow_all(dir: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755))?)
}
