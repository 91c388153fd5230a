//! Kills PRIMARY at random points of runs. No turn is sent twice, no call is carried out twice, no
//! command runs twice, what the user accepted is done whole, nothing of a command is left, and
//! every run ends or can be resumed.
//!
//! Shows @run_resume, @run_proposals, @run_commands, @run_streams and @run_sandbox_limits.

mod act;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_core::run::TurnState;
use nudge_store::Store;
use nudge_testkit::scripted_model::{Say, ScriptedModel};
use serde_json::Value;

use super::capture::Random;
use crate::args::{Product, Size};
use crate::stage::Home;
use crate::stage::Violations;

/// The points in the full form and in CI.
const FULL_POINTS: u32 = 200;
const SHORT_POINTS: u32 = 4;

/// After so many points in runs that act comes one in a run that asks.
const ASKS_EVERY: u32 = 2;

/// The directory of the project, in the home.
const PROJECT: &str = "shop";

/// A run of three turns takes about this long.
const RUN_TAKES_MS: u64 = 900;

/// How long a run may take to end or to be marked after its server was killed.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// The number of kills in runs that act. Half as many come in runs that ask.
    #[arg(long, value_name = "N", conflicts_with = "short")]
    points: Option<u32>,
    /// The number that the moments are made from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    product: Product,
}

/// What became of the runs.
#[derive(Default)]
struct Count {
    ended: u32,
    lost: u32,
    resumed: u32,
    /// Kills that came while a command ran.
    at_work: u32,
    commands: u32,
    interrupted: u32,
    edits: u32,
}

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let seed = options.seed;
    let points = options.points.unwrap_or(options.size.pick((FULL_POINTS, SHORT_POINTS)));
    let scene = Scene::new(options.product.path()?)?;
    let mut random = Random::new(seed);
    let (mut violations, mut asks, mut acts) = (Violations::default(), Count::default(), Count::default());
    let began = Instant::now();
    for point in 0..points {
        let at = || format!("point {point} of seed {seed}");
        act::one(&scene, &format!("a{point}"), &mut random, &mut violations, &mut acts).with_context(at)?;
        if point % ASKS_EVERY == 0 {
            one(&scene, &format!("p{point}"), &mut random, &mut violations, &mut asks).with_context(at)?;
        }
    }
    check_requests(&scene, &mut violations)?;
    let has_both = asks.lost > 0 && asks.ended > 0 && acts.at_work > 0 && acts.interrupted > 0;
    violations.unless(
        has_both || points < FULL_POINTS,
        "no kill hit an answer or a command, or each did: the times are wrong",
    );
    let _ = scene.home.run(&["stop"]);
    for (kind, count) in [("act", &acts), ("ask", &asks)] {
        println!(
            "runs that {kind}: {} ended by themselves, {} lost their answer and {} of those were resumed",
            count.ended, count.lost, count.resumed
        );
    }
    println!(
        "{} edits are made, {} commands ran, {} were interrupted; {} kills came while one ran",
        acts.edits, acts.commands, acts.interrupted, acts.at_work
    );
    println!("{points} points from seed {seed}; {:.0} s", began.elapsed().as_secs_f64());
    Ok(violations.close("every run ends or resumes, and no turn, call or command happens twice"))
}

/// A home with a project, a model, and a program of the user.
struct Scene {
    home: Home,
    dir: PathBuf,
    model: ScriptedModel,
    /// What the program of the user shows.
    token: String,
    /// A path that no other process runs: the product under a name of its own.
    program: String,
    /// In the command line of all that commands leave behind.
    mark: String,
    /// The parts of outputs that were acknowledged, with their runs.
    parts: Mutex<BTreeSet<(String, u32)>>,
}

impl Scene {
    fn new(nudge: PathBuf) -> anyhow::Result<Self> {
        let home = Home::of(nudge)?;
        let program = home.path().join("nudge-under-drill");
        std::fs::hard_link(home.binary(), &program)
            .or_else(|_| std::fs::copy(home.binary(), &program).map(drop))?;
        let home = home.running(program.clone());
        let dir = home.path().join(PROJECT);
        nudge_testkit::git::repository(&dir, Some("git@example.com:org/shop.git"), "main");
        let mark = format!("left-by-drill-{}", std::process::id());
        let (in_model, counts) = (mark.clone(), Mutex::default());
        let model = ScriptedModel::answering(move |asked| act::answer(asked, &counts, &in_model));
        configure(&home, &model)?;
        home.run(&["serve", "--daemon"])?;
        let made = home.run_json(&["token", "client", "drill"])?;
        let token = made["token"].as_str().context("a client token")?.to_owned();
        let program = program.to_string_lossy().into_owned();
        Ok(Self { home, dir, model, token, program, mark, parts: Mutex::default() })
    }

    /// Starts a server if none runs.
    fn start(&self) -> anyhow::Result<()> {
        self.home.run(&["serve", "--daemon"]).map(drop)
    }

    /// Runs the product in the project.
    fn run(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.home.nudge(args).current_dir(&self.dir).output()?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "nudge {} failed: {}", args.join(" "), stderr.trim());
        Ok(String::from_utf8(output.stdout)?)
    }

    fn json(&self, args: &[&str]) -> anyhow::Result<Value> {
        let said = self.run(&[args, &["--json"]].concat())?;
        serde_json::from_str(&said).with_context(|| format!("nudge {} prints no JSON", args.join(" ")))
    }

    /// The body of an entry of a run.
    fn body(&self, path: &str, run: &str) -> anyhow::Result<String> {
        let entry = self.json(&["entry", "get", path, "--run", run])?;
        Ok(entry["entries"][0]["body"].as_str().unwrap_or_default().to_owned())
    }
}

/// One run that asks, and one kill at a random moment of it.
fn one(
    scene: &Scene,
    name: &str,
    random: &mut Random,
    violations: &mut Violations,
    count: &mut Count,
) -> anyhow::Result<()> {
    let home = &scene.home;
    for turn in ["one", "two"] {
        let calls = format!(
            "<search>word {turn}</search><set path=\"known://{name}/{turn}\" append=\"true\">x</set>\
             <update status=\"102\">{turn}</update>"
        );
        scene.model.push(Say::new(&calls).delay(Duration::from_millis(4)));
    }
    scene.model.push(Say::new("<update status=\"200\">done</update>").delay(Duration::from_millis(8)));
    scene.start()?;
    scene.run(&["ask", "--detach", "--model", "scripted", "--run", name, "What is the word?"])?;
    std::thread::sleep(Duration::from_millis(random.below(RUN_TAKES_MS)));
    kill(home)?;
    scene.start()?;
    let mut view = wait(scene, name)?;
    let states = turn_states(home, name)?;
    if view["outcome"] == "lost" {
        count.lost += 1;
        let is_last =
            states.iter().position(|state| *state == TurnState::Lost) == states.len().checked_sub(1);
        violations.unless(is_last, format!("{name}: after the lost turn came another: {states:?}"));
        violations.unless(view["status"] == 499, format!("{name}: a lost run has status {}", view["status"]));
        let _ = scene.run(&["run", "resume", name]);
        view = wait(scene, name)?;
        count.resumed += u32::from(view["status"] == 200);
    } else {
        count.ended += 1;
        let has_lost = states.contains(&TurnState::Lost);
        violations.unless(!has_lost, format!("{name}: a lost answer was asked for again: {states:?}"));
    }
    violations.unless(view["status"] == 200, format!("{name} ended with {view}"));
    check_effects(scene, name, &view, violations)
}

/// The states of a run's turns.
fn turn_states(home: &Home, name: &str) -> anyhow::Result<Vec<TurnState>> {
    let store = Store::open(&home.read_options())?;
    let states = store.read(|reader| {
        let mut states = Vec::new();
        for run in reader.runs(None, u32::MAX, 0)?.into_iter().filter(|run| run.alias == name) {
            states.extend(reader.turns(run.id)?.into_iter().map(|turn| turn.state));
        }
        Ok::<_, nudge_store::StoreError>(states)
    })?;
    Ok(states)
}

/// Each `set` was carried out exactly as often as its records say.
fn check_effects(scene: &Scene, name: &str, view: &Value, violations: &mut Violations) -> anyhow::Result<()> {
    let mut recorded: BTreeMap<String, usize> = BTreeMap::new();
    for row in view["history"].as_array().into_iter().flatten() {
        if row["tool"] == "set" && row["status"] == 200 {
            *recorded.entry(row["target"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    for (path, times) in recorded {
        let body = scene.body(&path, name)?;
        let done = body.matches('x').count();
        violations
            .unless(done == times, format!("{name}: {path} was set {done} times, {times} are recorded"));
    }
    Ok(())
}

/// Every request had its own key, and a stored turn.
fn check_requests(scene: &Scene, violations: &mut Violations) -> anyhow::Result<()> {
    let requests = scene.model.requests();
    let keys: Vec<String> = requests.iter().filter_map(|request| request.idempotency_key.clone()).collect();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    violations.unless(keys.len() == requests.len(), "a request had no key");
    violations
        .unless(distinct.len() == keys.len(), format!("{} keys for {} requests", distinct.len(), keys.len()));
    let store = Store::open(&scene.home.read_options())?;
    let turns: usize = store.read(|reader| {
        let mut turns = 0;
        for run in reader.runs(None, u32::MAX, 0)? {
            turns += reader.turns(run.id)?.len();
        }
        Ok::<_, nudge_store::StoreError>(turns)
    })?;
    violations.unless(
        turns >= requests.len(),
        format!("{} requests, but only {turns} turns are stored", requests.len()),
    );
    println!("{turns} turns are stored, {} requests were sent, each once", requests.len());
    Ok(())
}

/// Waits until a run is over.
fn wait(scene: &Scene, name: &str) -> anyhow::Result<Value> {
    let until = Instant::now() + ENDS_WITHIN;
    loop {
        let view = scene.json(&["run", "show", name])?;
        if matches!(view["state"].as_str(), Some("completed" | "failed" | "aborted")) {
            return Ok(view);
        }
        anyhow::ensure!(Instant::now() < until, "{name} does not end: {view}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn kill(home: &Home) -> anyhow::Result<()> {
    let state = home.state().context("no server runs")?;
    Command::new("kill").args(["-KILL", &state.pid.to_string()]).status()?;
    let until = Instant::now() + Duration::from_secs(10);
    while home.processes().contains(&state.pid) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn configure(home: &Home, model: &ScriptedModel) -> anyhow::Result<()> {
    let dir = home.path().join(".config/nudge");
    std::fs::create_dir_all(&dir)?;
    let settings = format!(
        "[models.scripted]\nmodel = \"openai/scripted\"\nbase_url = \"{}\"\ncontext = 8192\n",
        model.base_url("openai")
    );
    Ok(std::fs::write(dir.join("config.toml"), settings)?)
}
