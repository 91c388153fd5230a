//! The overhead of a turn: a whole `ask` over `/ws` with a scripted model, compared with the bare
//! request to the same model in the same run. And that of streaming: the time from the first line
//! of an accepted command to its arrival on `/ws`, compared with the same command behind a pipe.
//!
//! Prints one Markdown table, ready for `docs/performance.md`. Both sides are measured in turns.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use nudge_testkit::scripted_model::{Say, ScriptedModel};
use serde_json::{Value, json};

use super::table::{Aim, Figures, Table, grouped, short};
use crate::args::Target;
use crate::stage::{Daemon, Home, Socket};

/// The entries in memory for the two rows of each figure.
const SIZES: [u64; 2] = [100, 10_000];

/// The rounds of each comparison.
const FULL_ROUNDS: u32 = 60;
const SHORT_ROUNDS: u32 = 10;

const ANSWER: &str = "<update status=\"200\">The port is 8080, as the settings say.</update>";

/// Times of one side.
#[derive(Default)]
struct Times {
    first: Vec<Duration>,
    whole: Vec<Duration>,
}

/// Measures everything and prints the table.
pub(super) fn run(target: &Target) -> anyhow::Result<bool> {
    let (nudge, rounds) = (target.product.path()?, target.size.pick((FULL_ROUNDS, SHORT_ROUNDS)));
    let mut table = Table::default();
    for entries in SIZES {
        let (ours, bare) = measure(&nudge, entries, rounds)?;
        let of = |what: &str| format!("{what}, {} entries in memory", grouped(entries));
        let sides = |ours: Vec<Duration>, bare: Vec<Duration>| (Figures::of(ours), Figures::of(bare));
        let (first, first_bare) = sides(ours.first, bare.first);
        let (whole, whole_bare) = sides(ours.whole, bare.whole);
        table.compare(&of("first text of an answer"), first, ("bare request", first_bare), Aim::None);
        table.compare(&of("a loop of one turn"), whole, ("bare request", whole_bare), Aim::None);
    }
    let (ours, bare) = stream(&nudge, rounds)?;
    let added = |percent| short(at(&ours, percent).saturating_sub(at(&bare, percent)));
    let aim = format!("below {} ms", STREAM_AIM.as_millis());
    table.count(
        "added to the first line of a command, p50 / p95",
        format!("{} / {}", added(50), added(95)),
        &aim,
    );
    let what = "first line of a command's output";
    table.compare(what, Figures::of(ours), ("through a pipe", Figures::of(bare)), Aim::Near(1.0, STREAM_AIM));
    Ok(table.print())
}

/// The most that streaming may add to the first line.
const STREAM_AIM: Duration = Duration::from_millis(20);

/// Prints the time of its first write, and goes on for a moment.
const STAMP: &str = "date +%s%N; sleep 0.1";

fn at(times: &[Duration], percent: usize) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get((times.len() * percent).div_ceil(100).saturating_sub(1)).copied().unwrap_or_default()
}

/// The time from the write of a line to its arrival: on `/ws`, from a command in the sandbox; and
/// from a pipe.
fn stream(nudge: &Path, rounds: u32) -> anyhow::Result<(Vec<Duration>, Vec<Duration>)> {
    let home = Home::of(nudge.to_owned())?;
    let dir = home.path().join("shop");
    nudge_testkit::git::repository(&dir, None, "main");
    let model = ScriptedModel::start(Vec::new());
    configure(&home, &model)?;
    let daemon = Daemon::start(&home)?;
    let mut socket = of_user(&home, &daemon, &dir)?;
    let (mut ours, mut bare) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        model.push(
            Say::new(&format!("<sh command=\"{STAMP}\"/><update status=\"102\">next</update>")).chunk(64),
        );
        model.push(Say::new(ANSWER));
        let run = format!("s{round}");
        socket.send("act", &json!({"prompt": "go", "model": "scripted", "run": run, "yolo": true}))?;
        let mut is_over = false;
        while !is_over {
            let message = socket.next_message()?;
            anyhow::ensure!(message.get("error").is_none(), "cannot act: {message}");
            let params = &message["params"];
            let line = params["chunk"].as_str().filter(|_| message["method"] == "run/output");
            ours.extend(line.map(since).transpose()?);
            is_over =
                message["method"] == "run/state" && params["run"] == run.as_str() && params["status"] == 200;
            anyhow::ensure!(params["status"].as_u64().is_none_or(|status| status < 400), "failed: {params}");
        }
        let mut child = Command::new("sh").args(["-c", STAMP]).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("piped")?).read_line(&mut line)?;
        bare.push(since(&line)?);
        child.wait()?;
    }
    socket.close()?;
    anyhow::ensure!(ours.len() == bare.len(), "{} lines came of {}", ours.len(), bare.len());
    Ok((ours, bare))
}

/// The time since a stamp in nanoseconds.
fn since(stamp: &str) -> anyhow::Result<Duration> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(now.saturating_sub(Duration::from_nanos(stamp.trim().parse()?)))
}

/// A connection with the user's rights, in this directory.
fn of_user(home: &Home, daemon: &Daemon, dir: &Path) -> anyhow::Result<Socket> {
    let made = home.run_json(&["token", "client", "bench"])?;
    Socket::of_user(daemon.port, made["token"].as_str().context("a client token")?, dir)
}

fn configure(home: &Home, model: &ScriptedModel) -> anyhow::Result<()> {
    let dir = home.path().join(".config/nudge");
    std::fs::create_dir_all(&dir)?;
    let settings = format!(
        "[models.scripted]\nmodel = \"openai/scripted\"\nbase_url = \"{}\"\ncontext = 32768\n",
        model.base_url("openai")
    );
    Ok(std::fs::write(dir.join("config.toml"), settings)?)
}

fn measure(nudge: &Path, entries: u64, rounds: u32) -> anyhow::Result<(Times, Times)> {
    let home = Home::of(nudge.to_owned())?;
    home.make_repository();
    let model = ScriptedModel::start(Vec::new());
    configure(&home, &model)?;
    let daemon = Daemon::start(&home)?;
    let mut socket = of_user(&home, &daemon, home.path())?;
    fill(&mut socket, entries)?;
    let (mut ours, mut bare) = (Times::default(), Times::default());
    for round in 0..rounds {
        model.push(Say::new(ANSWER));
        let (first, whole) = ask(&mut socket, round)?;
        ours.first.push(first);
        ours.whole.push(whole);
        let seen = model.requests().pop().context("the model was not asked")?;
        model.push(Say::new(ANSWER));
        let (first, whole) = request(&model.base_url("openai"), &seen.body)?;
        bare.first.push(first);
        bare.whole.push(whole);
    }
    socket.close()?;
    Ok((ours, bare))
}

/// Puts entries into memory, in the project of the connection, many in one call.
fn fill(socket: &mut Socket, entries: u64) -> anyhow::Result<()> {
    let numbers: Vec<u64> = (0..entries).collect();
    for some in numbers.chunks(50) {
        let tags: String = some.iter().map(|number| fact(*number)).collect();
        let answer = socket.call("apply_tags", &json!({"text": tags, "run": "seed"}))?;
        anyhow::ensure!(answer.get("error").is_none(), "cannot fill the memory: {answer}");
    }
    Ok(())
}

fn fact(number: u64) -> String {
    let (service, port) = (number % 97, 8000 + number % 997);
    format!("<set path=\"known://facts/{number}\">Fact {number}: service {service} has port {port}.</set>\n")
}

/// One question, until its first text and until its run has ended.
fn ask(socket: &mut Socket, round: u32) -> anyhow::Result<(Duration, Duration)> {
    let run = format!("r{round}");
    let began = Instant::now();
    let question = format!("Which port does service {} use?", round % 97);
    socket.send("ask", &json!({"prompt": question, "model": "scripted", "run": run, "noRepo": true}))?;
    let mut first = None;
    loop {
        let message: Value = socket.next_message()?;
        anyhow::ensure!(message.get("error").is_none(), "cannot ask: {message}");
        let params = &message["params"];
        if params["run"] != run.as_str() {
            continue;
        }
        match message["method"].as_str() {
            Some("ui/render") => {
                first.get_or_insert_with(|| began.elapsed());
            }
            Some("run/state") if params["status"] == 200 => {
                return Ok((first.context("no text came")?, began.elapsed()));
            }
            Some("run/state") if params["status"].as_u64() >= Some(400) => anyhow::bail!("failed: {params}"),
            _ => {}
        }
    }
}

/// The same request without Nudge.
fn request(base: &str, body: &Value) -> anyhow::Result<(Duration, Duration)> {
    let address =
        base.strip_prefix("http://").and_then(|rest| rest.split('/').next()).context("no address")?;
    let body = body.to_string();
    let began = Instant::now();
    let mut stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    write!(
        stream,
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         connection: close\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut first = None;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        if line.contains("\"content\"") {
            first.get_or_insert_with(|| began.elapsed());
        }
        if line.contains("[DONE]") {
            break;
        }
    }
    Ok((first.context("no text came")?, began.elapsed()))
}
