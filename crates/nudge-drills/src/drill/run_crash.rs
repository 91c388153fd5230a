//! Kills PRIMARY at random points of runs. No turn is sent twice, no call is carried out twice, and
//! every run ends or can be resumed.
//!
//! Shows @run_resume.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
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
const FULL_POINTS: u32 = 100;
const SHORT_POINTS: u32 = 8;

/// A run of three turns takes about this long.
const RUN_TAKES_MS: u64 = 900;

/// How long a run may take to end or to be marked after its server was killed.
const ENDS_WITHIN: Duration = Duration::from_secs(60);

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// The number of kills.
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
}

/// Runs the drill with the product, or with a binary that is already built.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let seed = options.seed;
    let points = options.points.unwrap_or(options.size.pick((FULL_POINTS, SHORT_POINTS)));
    let home = Home::of(options.product.path()?)?;
    home.make_repository();
    let model = ScriptedModel::start(Vec::new());
    configure(&home, &model)?;
    let mut random = Random::new(seed);
    let (mut violations, mut count) = (Violations::default(), Count::default());
    let began = Instant::now();
    for point in 0..points {
        let name = format!("p{point}");
        one(&home, &model, &name, &mut random, &mut violations, &mut count)
            .with_context(|| format!("point {point} of seed {seed}"))?;
    }
    check_requests(&home, &model, &mut violations)?;
    let has_both = count.lost > 0 && count.ended > 0;
    violations
        .unless(has_both || points < FULL_POINTS, "no kill hit an answer, or each did: the times are wrong");
    let _ = home.run(&["stop"]);
    println!(
        "{points} points from seed {seed}: {} runs ended by themselves, {} lost their answer and {} of those \
         were resumed; {} requests; {:.0} s",
        count.ended,
        count.lost,
        count.resumed,
        model.requests().len(),
        began.elapsed().as_secs_f64()
    );
    Ok(violations.close("every run ends or resumes, and no turn or call happens twice"))
}

/// One run, and one kill at a random moment of it.
fn one(
    home: &Home,
    model: &ScriptedModel,
    name: &str,
    random: &mut Random,
    violations: &mut Violations,
    count: &mut Count,
) -> anyhow::Result<()> {
    for turn in ["one", "two"] {
        let calls = format!(
            "<search>word {turn}</search><set path=\"known://{name}/{turn}\" append=\"true\">x</set>\
             <update status=\"102\">{turn}</update>"
        );
        model.push(Say::new(&calls).delay(Duration::from_millis(4)));
    }
    model.push(Say::new("<update status=\"200\">done</update>").delay(Duration::from_millis(8)));
    start(home)?;
    home.run(&["ask", "--detach", "--model", "scripted", "--run", name, "What is the word?"])?;
    std::thread::sleep(Duration::from_millis(random.below(RUN_TAKES_MS)));
    kill(home)?;
    start(home)?;
    let mut view = wait(home, name)?;
    let states = turn_states(home, name)?;
    if view["outcome"] == "lost" {
        count.lost += 1;
        let is_last =
            states.iter().position(|state| *state == TurnState::Lost) == states.len().checked_sub(1);
        violations.unless(is_last, format!("{name}: after the lost turn came another: {states:?}"));
        violations.unless(view["status"] == 499, format!("{name}: a lost run has status {}", view["status"]));
        let _ = home.run(&["run", "resume", name]);
        view = wait(home, name)?;
        count.resumed += u32::from(view["status"] == 200);
    } else {
        count.ended += 1;
        let has_lost = states.contains(&TurnState::Lost);
        violations.unless(!has_lost, format!("{name}: a lost answer was asked for again: {states:?}"));
    }
    violations.unless(view["status"] == 200, format!("{name} ended with {view}"));
    check_effects(home, name, &view, violations)
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
fn check_effects(home: &Home, name: &str, view: &Value, violations: &mut Violations) -> anyhow::Result<()> {
    let mut recorded: BTreeMap<String, usize> = BTreeMap::new();
    for row in view["history"].as_array().into_iter().flatten() {
        if row["tool"] == "set" && row["status"] == 200 {
            *recorded.entry(row["target"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
        }
    }
    for (path, times) in recorded {
        let entry = home.run_json(&["entry", "get", &path, "--run", name])?;
        let body = entry["entries"][0]["body"].as_str().unwrap_or_default().to_owned();
        let done = body.matches('x').count();
        violations
            .unless(done == times, format!("{name}: {path} was set {done} times, {times} are recorded"));
    }
    Ok(())
}

/// Every request had its own key, and a stored turn.
fn check_requests(home: &Home, model: &ScriptedModel, violations: &mut Violations) -> anyhow::Result<()> {
    let requests = model.requests();
    let keys: Vec<String> = requests.iter().filter_map(|request| request.idempotency_key.clone()).collect();
    let distinct: BTreeSet<&String> = keys.iter().collect();
    violations.unless(keys.len() == requests.len(), "a request had no key");
    violations
        .unless(distinct.len() == keys.len(), format!("{} keys for {} requests", distinct.len(), keys.len()));
    let store = Store::open(&home.read_options())?;
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
fn wait(home: &Home, name: &str) -> anyhow::Result<Value> {
    let until = Instant::now() + ENDS_WITHIN;
    loop {
        let view = home.run_json(&["run", "show", name])?;
        if matches!(view["state"].as_str(), Some("completed" | "failed" | "aborted")) {
            return Ok(view);
        }
        anyhow::ensure!(Instant::now() < until, "{name} does not end: {view}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn start(home: &Home) -> anyhow::Result<()> {
    home.run(&["serve", "--daemon"]).map(drop)
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
