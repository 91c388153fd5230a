//! Eight processes write the same hundred keys at once. Shows @server_contention.
//!
//! Half of them go through the server, each over its own stdio server (one is PRIMARY, the others
//! PROXY), and half open the store themselves. Every set is acknowledged with a version and every
//! bump with a count. Across all workers each number of a key must have been given out once,
//! without gaps, and the store must end at the highest. No worker may see an error, least of all
//! "locked".

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::stage::Violations;
use crate::stage::{self, Home, Programs, Worker};

const COMPONENT: &str = "drill";
const WORKERS: u64 = 8;
const KEYS: u64 = 100;

/// Far longer than the slowest disk needs; the drill must end by itself.
const DONE_WITHIN: Duration = Duration::from_secs(600);

/// The numbers given out for each key.
type NumbersByKey = BTreeMap<String, Vec<i64>>;

/// Makes this many writes in all.
pub(super) fn run(operations: u64) -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let home = Home::of(programs.nudge())?;
    for key in 0..KEYS {
        set_up(&home, &format!("key-{key}"))?;
    }
    let mut workers = start(&programs, &home, operations / WORKERS)?;
    let began = Instant::now();
    for worker in &mut workers {
        worker.signal()?;
    }
    let mut violations = Violations::default();
    let (mut versions, mut counts) = (NumbersByKey::new(), NumbersByKey::new());
    let mut slowest: f64 = 0.0;
    for (number, worker) in workers.into_iter().enumerate() {
        let ledger = worker.line_within(DONE_WITHIN)?;
        worker.wait()?;
        enter(&mut versions, &ledger["versions"])?;
        enter(&mut counts, &ledger["counts"])?;
        let errors = ledger["errors"].as_array().cloned().unwrap_or_default();
        violations.unless(
            errors.is_empty(),
            format!("worker {number} saw {} errors: {:?}", errors.len(), errors.first()),
        );
        println!("{}", line(number, &ledger));
        slowest = slowest.max(ledger["figures"]["max_us"].as_f64().unwrap_or_default());
    }
    let took = began.elapsed().as_secs_f64();
    compare(&home, &versions, &counts, operations, &mut violations)?;
    let left = home.wait_until_empty(Duration::from_secs(10));
    violations.unless(left.is_empty(), format!("processes left behind: {left:?}"));
    println!(
        "{operations} writes in {took:.1} s: {:.0} a second; slowest {:.0} ms",
        operations as f64 / took,
        slowest / 1e3
    );
    Ok(violations.close("every version and every count was given out once; nobody was turned away"))
}

/// Sets the key as an agent: if the user had set it, the workers could only propose changes.
fn set_up(home: &Home, key: &str) -> anyhow::Result<()> {
    let output = home.nudge(&["set", COMPONENT, key, "first"]).env("CLAUDECODE", "1").output()?;
    anyhow::ensure!(
        output.status.success(),
        "set failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(())
}

/// Starts all workers and waits until each is ready; the first server is PRIMARY.
fn start(programs: &Programs, home: &Home, operations: u64) -> anyhow::Result<Vec<Worker>> {
    let port = stage::free_port()?.to_string();
    let mut workers = Vec::new();
    for number in 0..WORKERS {
        let mut spec =
            json!({"component": COMPONENT, "keys": KEYS, "operations": operations, "seed": number + 1});
        if number.is_multiple_of(2) {
            let first = ["serve", "--port", &port];
            spec["server"] = home.server_spec(if number == 0 { &first } else { &["serve"] });
        }
        let worker = Worker::start(programs.command(home, "contend"), &spec)?;
        worker.line()?;
        workers.push(worker);
    }
    Ok(workers)
}

fn enter(book: &mut NumbersByKey, said: &Value) -> anyhow::Result<()> {
    let said: NumbersByKey = said.as_object().map_or_else(
        || anyhow::bail!("a ledger without its numbers"),
        |keys| {
            let numbers =
                |value: &Value| value.as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
            Ok(keys.iter().map(|(key, value)| (key.clone(), numbers(value))).collect())
        },
    )?;
    for (key, numbers) in said {
        book.entry(key).or_default().extend(numbers);
    }
    Ok(())
}

/// Checks that the numbers given out for every key are consecutive, and that the store has the last
/// one.
fn compare(
    home: &Home,
    versions: &NumbersByKey,
    counts: &NumbersByKey,
    operations: u64,
    violations: &mut Violations,
) -> anyhow::Result<()> {
    let given = |book: &NumbersByKey| book.values().map(Vec::len).sum::<usize>() as u64;
    let all = given(versions) + given(counts);
    violations.unless(all == operations, format!("{operations} writes were sent, {all} acknowledged"));
    for number in 0..KEYS {
        let key = format!("key-{number}");
        let hint = home.run_json(&["get", COMPONENT, &key])?;
        // Version 1 is the set-up; a hint that was never bumped has the count 0.
        for (what, book, before) in [("version", versions, 1), ("use_count", counts, 0)] {
            let mut given = book.get(&key).cloned().unwrap_or_default();
            given.sort_unstable();
            let stored = hint["hint"][what].as_i64().unwrap_or(-1);
            let exact = given.iter().copied().eq(before + 1..=stored);
            violations.unless(exact, format!("{key}: {what} is {stored}, given out were {given:?}"));
        }
    }
    Ok(())
}

fn line(number: usize, ledger: &Value) -> String {
    let way = if number.is_multiple_of(2) { "through the server" } else { "own store" };
    let millis = |name: &str| ledger["figures"][name].as_f64().unwrap_or_default() / 1e3;
    format!(
        "worker {number} ({way}): p50 {:.1} ms, p99 {:.1} ms, slowest {:.1} ms",
        millis("p50_us"),
        millis("p99_us"),
        millis("max_us")
    )
}
