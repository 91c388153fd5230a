//! The waiting times of users and agents, compared with a minimal program.
//!
//! Prints one Markdown table, ready for `docs/performance.md`. Both sides of a row are measured in
//! the same run, in turns, so that other load on the machine affects both alike. A missed aim is
//! only reported, because a busy machine can miss any of them; a median five times beyond its aim
//! fails the run.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};

use crate::args::Size;
use crate::bench::table::{Aim, Figures, Table, grouped};
use crate::stage::{Home, Programs, bench_cache, free_port};
use crate::tokenizer::Tokenizer;

/// Measures everything and prints the table.
pub(super) fn run(size: Size) -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let mut table = Table::default();
    measure_processes(&programs, size, &mut table)?;
    measure_mcp(&programs, size, &mut table)?;
    measure_large_store(&programs, size, &mut table)?;
    measure_kernel(&programs, size, &mut table)?;
    measure_tokens(&programs, &mut table)?;
    measure_footprint(&programs, &mut table)?;
    Ok(table.print())
}

// How much is measured: for `docs/performance.md`, and to see that everything runs.

/// Entries in the large store.
const LARGE_STORE: (u64, u64) = (1_000_000, 50_000);

/// Whole processes timed for each side.
const PROCESSES: (usize, usize) = (500, 40);

/// Rounds of calls for each side, and calls in a round.
const CALLS: ((usize, usize), (usize, usize)) = ((40, 100), (4, 50));

/// Reads of the kernel timed for each store.
const SAMPLES: (u64, u64) = (20_000, 2_000);

// Homes with generated stores, kept between runs because a large store takes minutes to make.

/// A home with this many entries, including hints; made if no earlier run has made it.
fn generated(programs: &Programs, entries: u64, hints: u64) -> anyhow::Result<Home> {
    let dir = bench_cache()?.join(format!("store-{entries}-{hints}"));
    let home = Home::at(dir.clone(), programs.nudge())?;
    let finished = dir.join("finished");
    if finished.exists() && home.run(&["ls"]).is_ok() {
        return Ok(home);
    }
    eprintln!("making a store of {entries} entries with {hints} hints");
    std::fs::remove_dir_all(&dir)?;
    std::fs::create_dir_all(home.memory())?;
    let db = home.database();
    let status = programs
        .command(&home, "kernel")
        .arg("make")
        .arg(&db)
        .args([entries.to_string(), hints.to_string()])
        .status()
        .context("the generator cannot be started")?;
    anyhow::ensure!(status.success(), "the store was not made");
    std::fs::write(&finished, "")?;
    Ok(home)
}

// `nudge get` as a whole process, compared with a program that only opens the database and reads
// the row.

/// Runs before the first one that counts.
const WARM_UP: usize = 5;

fn measure_processes(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let home = Home::of(programs.nudge())?;
    home.run(&["set", "api", "build", "docker compose build router", "--ttl", "forever"])?;
    home.make_repository();
    let runs = size.pick(PROCESSES);

    let bare = || bare_get(programs, &home, "hint://api/build");
    let get = || home.nudge(&["get", "api", "build"]);
    let [ours, theirs] = alternate([&get, &bare], runs)?;
    table.compare("`nudge get`, whole process", ours, ("bare read", theirs), Aim::Median(2.0));

    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let [ours, theirs] = alternate([&get, &bare], runs)?;
    home.run(&["stop"])?;
    table.compare("the same beside a running server", ours, ("bare read", theirs), Aim::Median(2.0));
    Ok(())
}

/// The minimal program that reads one entry.
fn bare_get(programs: &Programs, home: &Home, path: &str) -> Command {
    let mut command = programs.process(home, "get");
    command.arg(home.database()).arg(path);
    command
}

/// Times two commands in turn, from start to exit.
fn alternate(commands: [&dyn Fn() -> Command; 2], runs: usize) -> anyhow::Result<[Figures; 2]> {
    let mut times = [Vec::with_capacity(runs), Vec::with_capacity(runs)];
    for run in 0..runs + WARM_UP {
        for (command, times) in commands.iter().zip(&mut times) {
            let mut command = command();
            command.stdout(Stdio::null()).stderr(Stdio::null());
            let start = Instant::now();
            let status = command.status().context("a command cannot be started")?;
            let took = start.elapsed();
            anyhow::ensure!(status.success(), "{command:?} ended with {status}");
            if run >= WARM_UP {
                times.push(took);
            }
        }
    }
    Ok(times.map(Figures::of))
}

// The token cost of the tools and the instructions for an agent that reads all of them.

/// The maximum cost of the default list and its instructions, in tokens.
const MAX_LIST_TOKENS: u64 = 1_000;

fn measure_tokens(programs: &Programs, table: &mut Table) -> anyhow::Result<()> {
    let tokenizer = Tokenizer::installed()?;
    for (profile, aim) in [("default", Some(MAX_LIST_TOKENS)), ("work", None), ("full", None)] {
        let (tools, instructions) = listing(programs, profile)?;
        let tokens = tokenizer.counts(&[&tools.to_string(), &instructions.to_string()])?.iter().sum();
        let number = tools.as_array().map_or(0, Vec::len);
        let said = match aim {
            Some(most) => {
                format!("≤ {}, {}", grouped(most), if tokens <= most { "met" } else { "**missed**" })
            }
            None => "–".to_owned(),
        };
        let what = format!("tokens of the {profile} list and instructions ({number} tools, o200k_base)");
        table.count(&what, grouped(tokens), &said);
    }
    Ok(())
}

/// The `tools` array and the instructions exactly as a client receives them.
fn listing(programs: &Programs, profile: &str) -> anyhow::Result<(Value, Value)> {
    let home = Home::of(programs.nudge())?;
    let port = free_port()?.to_string();
    let mut command = home.nudge(&["serve", "--port", &port, "--profile", profile]);
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = server.stdin.take().context("standard input is piped")?;
    let mut lines = BufReader::new(server.stdout.take().context("standard output is piped")?).lines();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}});
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))?;
    let mut greeting: Value = serde_json::from_str(&lines.next().context("no answer to initialize")??)?;
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))?;
    let mut answer: Value = serde_json::from_str(&lines.next().context("no answer to tools/list")??)?;
    drop(stdin);
    server.wait()?;
    Ok((answer["result"]["tools"].take(), greeting["result"]["instructions"].take()))
}

// `get_hint` over MCP, compared with servers on the same library that only echo.

/// The component and key of the measured hint.
const HINT_COMPONENT: &str = "api";

const HINT_KEY: &str = "build";

fn measure_mcp(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let home = Home::of(programs.nudge())?;
    home.run(&["set", HINT_COMPONENT, HINT_KEY, "docker compose build router", "--ttl", "forever"])?;
    let reply = home.run_json(&["get", HINT_COMPONENT, HINT_KEY])?.to_string();
    let port = free_port()?.to_string();

    let primary = get_hint(&home, &["serve", "--port", &port], HINT_COMPONENT, HINT_KEY);
    let sides = [primary, echo(programs, &home, &["stdio"]), echo(programs, &home, &["stdio", &reply])];
    let [ours, small, same] = time_mcp(programs, &home, size, sides)?;
    table.compare("`get_hint`, stdio PRIMARY", ours, ("bare echo", small), Aim::Median(1.5));
    table.compare("the same", ours, ("bare echo of a reply as long", same), Aim::None);

    home.run(&["serve", "--daemon", "--port", &port])?;
    let echo_server = HttpEcho::start(programs, &home, &[])?;
    let long_server = HttpEcho::start(programs, &home, &[&reply])?;
    let sides = [
        get_hint(&home, &["serve"], HINT_COMPONENT, HINT_KEY),
        echo(programs, &home, &["proxy", &echo_server.url]),
        echo(programs, &home, &["proxy", &long_server.url]),
    ];
    let [ours, small, same] = time_mcp(programs, &home, size, sides)?;
    home.run(&["stop"])?;
    table.compare("`get_hint`, PROXY to PRIMARY", ours, ("bare stdio→HTTP proxy", small), Aim::Median(1.5));
    table.compare("the same", ours, ("bare proxy of a reply as long", same), Aim::None);
    Ok(())
}

/// A side that calls `get_hint` of Nudge.
pub(in crate::bench) fn get_hint(home: &Home, args: &[&str], component: &str, key: &str) -> Value {
    let arguments = json!({"component": component, "key": key});
    json!({"server": home.server_spec(args), "tool": "get_hint", "arguments": arguments})
}

/// Times calls on all sides, in turn.
pub(in crate::bench) fn time_mcp<const N: usize>(
    programs: &Programs,
    home: &Home,
    size: Size,
    sides: [Value; N],
) -> anyhow::Result<[Figures; N]> {
    let (rounds, calls) = size.pick(CALLS);
    let spec = json!({"rounds": rounds, "calls": calls, "sides": sides.to_vec()});
    let output = programs
        .command(home, "time-mcp")
        .arg(spec.to_string())
        .stderr(Stdio::inherit())
        .output()
        .context("the timing client cannot be started")?;
    anyhow::ensure!(output.status.success(), "the timing client ended with {}", output.status);
    let figures: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let figures: Vec<Figures> = figures.iter().map(Figures::from_json).collect();
    figures.try_into().map_err(|_| anyhow::anyhow!("figures of {N} sides were expected"))
}

fn echo(programs: &Programs, home: &Home, args: &[&str]) -> Value {
    let mut server = home.server_spec(&[&["bare-mcp"], args].concat());
    server["program"] = programs.bare().to_string_lossy().into();
    json!({"server": server, "tool": "echo", "arguments": {"text": "docker compose build router"}})
}

/// A bare HTTP server, killed when dropped.
struct HttpEcho {
    child: Child,
    url: String,
}

impl HttpEcho {
    fn start(programs: &Programs, home: &Home, args: &[&str]) -> anyhow::Result<Self> {
        let mut command = programs.command(home, "bare-mcp");
        command.args(["http", "127.0.0.1:0"]).args(args).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().context("standard output is piped")?;
        let mut echo = Self { child, url: String::new() };
        BufReader::new(stdout).read_line(&mut echo.url)?;
        echo.url.truncate(echo.url.trim_end().len());
        anyhow::ensure!(echo.url.starts_with("http://"), "the bare HTTP server did not start");
        Ok(echo)
    }
}

impl Drop for HttpEcho {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

// Reads of the kernel on a large store, compared with the same reads on a small one: does their
// time stay flat?

/// Entries in the small store.
const SMALL_STORE: u64 = 10_000;

/// Hints are as frequent in the small store as in the large one.
const SMALL_HINTS: u64 = 50;

fn measure_kernel(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let small = generated(programs, SMALL_STORE, SMALL_HINTS)?;
    let large = generated(programs, size.pick(LARGE_STORE), 5_000)?;
    for database in [small.database(), large.database()] {
        // Reads the file into the page cache, so that the disk does not affect the result.
        std::io::copy(&mut std::fs::File::open(database)?, &mut std::io::sink())?;
    }
    let output = programs
        .command(&small, "kernel")
        .arg("flat")
        .args([small.database(), large.database()])
        .arg(size.pick(SAMPLES).to_string())
        .stderr(Stdio::inherit())
        .output()
        .context("the kernel bench cannot be started")?;
    anyhow::ensure!(output.status.success(), "the kernel bench ended with {}", output.status);
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    for row in &rows {
        let what = format!(
            "{}, of {} entries",
            row["read"].as_str().unwrap_or_default(),
            grouped(size.pick(LARGE_STORE))
        );
        let [ours, theirs] = ["large", "small"].map(|side| Figures::from_json(&row[side]));
        table.compare(&what, ours, ("of 10,000", theirs), Aim::Tail(2.0));
    }
    Ok(())
}

// The disk and memory use of Nudge. No aim: for information.

fn measure_footprint(programs: &Programs, table: &mut Table) -> anyhow::Result<()> {
    let home = Home::of(programs.nudge())?;
    let stripped = home.path().join("stripped");
    let status = Command::new("strip").arg("-o").arg(&stripped).arg(programs.nudge()).status()?;
    anyhow::ensure!(status.success(), "strip failed");
    let bytes = std::fs::metadata(&stripped)?.len();
    table.count("size of the binary (ci profile, stripped)", format!("{:.1} MB", bytes as f64 / 1e6), "–");

    home.run(&["set", "api", "build", "docker compose build router"])?;
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let resident = resident(&home);
    home.run(&["stop"])?;
    table.count("resident memory of an idle PRIMARY", format!("{:.1} MB", resident? as f64 / 1e3), "–");
    Ok(())
}

/// The resident memory of the server, in kilobytes.
fn resident(home: &Home) -> anyhow::Result<u64> {
    let pid = home.state().context("no PRIMARY is noted")?.pid;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    line.trim().trim_end_matches(" kB").parse().context("an unreadable VmRSS")
}

// Reads a hint in a large store, compared with a store that has only the hints.

/// The maximum number of hints that the limits allow.
const MAX_HINTS: u64 = 5_000;

/// A component from the middle.
const LARGE_COMPONENT: &str = "component-12";

const LARGE_KEY: &str = "key-100";

fn measure_large_store(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let crowded = generated(programs, size.pick(LARGE_STORE), MAX_HINTS)?;
    let alone = generated(programs, MAX_HINTS, MAX_HINTS)?;
    let what = format!("among {} entries", grouped(size.pick(LARGE_STORE)));

    let get = |home: &crate::stage::Home| home.nudge(&["get", LARGE_COMPONENT, LARGE_KEY]);
    let [ours, theirs] = alternate([&|| get(&crowded), &|| get(&alone)], size.pick(PROCESSES))?;
    table.compare(
        &format!("`nudge get` of 5,000 hints {what}"),
        ours,
        ("the hints alone", theirs),
        Aim::Median(1.5),
    );

    let ports = [free_port()?.to_string(), free_port()?.to_string()];
    let sides = [(&crowded, &ports[0]), (&alone, &ports[1])]
        .map(|(home, port)| get_hint(home, &["serve", "--port", port], LARGE_COMPONENT, LARGE_KEY));
    let [ours, theirs] = time_mcp(programs, &alone, size, sides)?;
    table.compare(
        &format!("`get_hint` of 5,000 hints {what}"),
        ours,
        ("the hints alone", theirs),
        Aim::Median(1.5),
    );
    Ok(())
}
