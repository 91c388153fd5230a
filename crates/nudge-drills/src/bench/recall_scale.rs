//! The cost of recall in large stores, compared with bare engines that have the same rows.
//!
//! Rows of prose go into a Nudge store through the normal capture path, into a bare Tantivy index
//! and into a bare FTS5 table; then all are asked the same questions in turn. The stores are kept
//! for the next run. Prints one Markdown table, ready for `docs/performance.md`. A missed aim is
//! only reported, because a busy machine can miss any of them; a median five times beyond its aim
//! fails the run.

pub(super) mod stores;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::json;

use super::recall_scale::stores::{Stores, Turn, project_root, race};
use super::table::{Table, grouped};
use crate::bench::table::{Aim, Figures};
use crate::stage::{Home, Programs, Worker, free_port};

/// The default file of words with their counts, relative to the repository; used if it exists and
/// no other is given.
const WORDS_FILE: &str = "../shared/bench/engine/bare-sqlite/vocab.tsv";

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The rows in each store.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(10_000..))]
    rows: u64,
    /// A file of words with their counts.
    #[arg(long, value_name = "FILE")]
    words: Option<PathBuf>,
    /// Makes the stores again.
    #[arg(long)]
    fresh: bool,
    /// Leaves FTS5 out, which takes long to fill.
    #[arg(long)]
    without_fts: bool,
    /// Measures only the hooks of starts and prompts.
    #[arg(long)]
    hooks: bool,
}

/// Measures everything and prints the table.
pub(super) fn run(options: Options) -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let default = crate::repository::root().join(WORDS_FILE);
    let words = match options.words {
        Some(file) => Some(std::path::absolute(file)?),
        None => default.is_file().then(|| default.canonicalize()).transpose()?,
    };
    let said = words.as_ref().map_or("made-up words".to_owned(), |file| file.display().to_string());
    eprintln!("{} rows, words: {said}", grouped(options.rows));
    let wanted = stores::Wanted {
        rows: options.rows,
        words: words.clone(),
        is_fresh: options.fresh,
        with_fts: !options.without_fts,
        filled_by: None,
    };
    let (home, stores) = stores::make(&programs, &wanted)?;
    let scene = Scene { programs, home, rows: options.rows, words, stores };
    let mut table = Table::default();
    stores::measure(&scene, &mut table)?;
    if !options.hooks {
        measure(&scene, &mut table)?;
        measure_processes(&scene, &mut table)?;
    }
    measure_starts(&scene, &mut table)?;
    Ok(table.print())
}

// The setting of the large-store recall bench.

/// The programs, the home and the stores of the bench.
pub(in crate::bench) struct Scene {
    pub(in crate::bench) programs: Programs,
    pub(in crate::bench) home: Home,
    pub(in crate::bench) rows: u64,
    pub(in crate::bench) words: Option<PathBuf>,
    pub(in crate::bench) stores: Stores,
}

// The `search` operation, including resolved hits and the built answer, compared with the bare
// engines.

/// The allowed time of Nudge relative to the engine below it.
const NEAR_ENGINE: Aim = Aim::Near(1.5, Duration::from_micros(300));

/// How much faster than FTS5 a prompt should be.
const PROMPT_AIM: Aim = Aim::Faster(20.0);

/// The kinds of questions, and whether the aim against FTS5 applies.
const QUESTION_KINDS: [(&str, &str, bool); 5] = [
    ("rare", "one rare word", false),
    ("three", "three words", false),
    ("prompt", "a prompt of eight words", true),
    ("large_project", "the same within the largest project (18 % of the rows)", false),
    ("small_project", "the same within a small one (0.6 %)", false),
];

fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { programs, home, stores, rows, words } = scene;
    let (runs, fts_runs) = match rows {
        0..=200_000 => (2_000, 200),
        200_001..=2_000_000 => (2_000, 60),
        _ => (500, 10),
    };
    let spec = json!({
        "nudge": home.database(),
        "tantivy": stores.tantivy,
        "fts": stores.fts,
        "words": words,
        "runs": runs,
        "fts_runs": if stores.fts.is_some() { fts_runs } else { 0 },
    });
    let report = stores::report(programs.command(home, "search-beside").arg(spec.to_string()))?;
    for (name, what, is_prompt) in QUESTION_KINDS {
        let of = |engine: &str| Figures::from_json(&report[name][engine]);
        table.compare(what, of("nudge"), ("bare Tantivy, same fields", of("fields")), NEAR_ENGINE);
        table.compare("the same", of("nudge"), ("bare Tantivy, one field", of("text")), NEAR_ENGINE);
        if stores.fts.is_some() {
            let aim = if is_prompt { PROMPT_AIM } else { Aim::None };
            table.compare("the same", of("nudge"), ("bare FTS5", of("fts")), aim);
        }
    }
    let peak = report["peak_bytes"].as_f64().context("a report without its peak")?;
    table.count("peak memory of all engines while searching", format!("{:.0} MB", peak / 1e6), "–");
    Ok(())
}

// `nudge search` as a whole process, compared with a bare program over the same rows and with one
// that does nothing.

/// Counted runs.
const RUNS: usize = 300;

fn measure_processes(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let questions = questions(scene)?;
    let words = |run: usize| questions[run % questions.len()].split(' ');
    let turn = |command, speaks| Ok(Turn { command, input: String::new(), speaks });
    let ours = |run| {
        let mut command = scene.home.nudge(&["search", "--all", "--json"]);
        command.args(words(run));
        turn(command, true)
    };
    let bare = |run| {
        let mut command = scene.programs.command(&scene.home, "bare-search");
        command.arg(&scene.stores.tantivy).args(words(run));
        turn(command, true)
    };
    let nothing = |_| turn(scene.home.program(Path::new("/bin/true")), false);
    let [ours, bare, nothing] = race([&ours, &bare, &nothing], RUNS)?;
    table.compare(
        "`nudge search`, three words, whole process",
        ours,
        ("bare Tantivy, whole process", bare),
        Aim::None,
    );
    table.compare("the same", ours, ("`true`", nothing), Aim::None);
    Ok(())
}

/// Questions of three words each.
fn questions(scene: &Scene) -> anyhow::Result<Vec<String>> {
    let mut command = scene.programs.command(&scene.home, "ask-words");
    command.arg("three").arg(RUNS.to_string()).args(&scene.words);
    let output = command.output().context("no questions can be made")?;
    anyhow::ensure!(output.status.success(), "making questions ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

// The start of a session and a prompt, as the agent sees them: the hook's whole process, until its
// answer arrives.

/// The prefix of the sessions' names.
const PREFIX: &str = "bench-";

/// The largest store that the first of two aims applies to.
const LARGE_STORE: u64 = 1_000_000;

/// The time limit for the hook of a prompt, and how much longer than a start it may take.
const PROMPT_WITHIN: Aim = Aim::Below(Duration::from_millis(200));

const LIKE_A_START: Aim = Aim::Tail(2.0);

/// How many words a prompt has.
const PROMPT_WORDS: usize = 12;

fn measure_starts(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { home, rows, .. } = scene;
    let words = vocabulary(scene.words.as_deref())?;
    stores::work_in_git(home, &project_root(home, 0))?;
    let alone = sides(scene, "alone", &words)?;
    let held = hold(scene)?;
    let open = sides(scene, "open", &words);
    held.wait()?;
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let served = sides(scene, "served", &words);
    home.run(&["stop"])?;

    let most = Aim::Below(Duration::from_millis(if *rows <= LARGE_STORE { 30 } else { 60 }));
    let what = format!("SessionStart among {} rows, whole process, with a server", grouped(*rows));
    let [ours, prompt_served, _, nothing] = served?;
    let start_served = ours;
    table.compare(&what, ours, ("`true`", nothing), most);
    let [ours, prompt_open, bare, nothing] = open?;
    let start_open = ours;
    table.compare(
        "the same, no server, another session has the database open",
        ours,
        ("`true`", nothing),
        most,
    );
    table.compare("the same", ours, ("bare insert, whole process", bare), Aim::None);
    let [ours, prompt_alone, bare, nothing] = alone;
    table.compare("the same, no server, nobody else there", ours, ("`true`", nothing), most);
    table.compare("the same", ours, ("bare insert, whole process", bare), Aim::None);
    for (setting, prompt, start) in [
        ("with a server", prompt_served, start_served),
        ("no server, another session has the database open", prompt_open, start_open),
        ("no server, nobody else there", prompt_alone, ours),
    ] {
        let what = format!("a prompt of {PROMPT_WORDS} words among {} rows, {setting}", grouped(*rows));
        table.compare(&what, prompt, ("SessionStart", start), LIKE_A_START);
        table.compare("the same", prompt, ("SessionStart", start), PROMPT_WITHIN);
    }
    Ok(())
}

/// Words of the rows, without the frequent ones.
pub(in crate::bench) fn vocabulary(file: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let Some(file) = file else { return Ok((0..1_000).map(|word| format!("word{word}")).collect()) };
    let text = std::fs::read_to_string(file)?;
    let words = text.lines().skip(200).take(4_000).filter_map(|line| line.split('\t').next());
    Ok(words.map(str::to_owned).collect())
}

/// The hook of a start and of a prompt, a bare program that inserts a row for such a payload, and
/// one that does nothing.
fn sides(scene: &Scene, name: &str, words: &[String]) -> anyhow::Result<[Figures; 4]> {
    let Scene { home, programs, .. } = scene;
    // Rows that are not indexed yet are scanned; if there are many of them, a prompt gets no answer
    // at all.
    home.run(&["maintain"])?;
    let root = project_root(home, 0);
    let session = |run| format!("{PREFIX}{:08x}-{name}-{run}", std::process::id());
    let turn =
        |command, run, speaks| Turn { command, input: start_payload(home, &root, &session(run)), speaks };
    let ours = |run| {
        forget(scene)?;
        Ok(turn(attended_hook(home), run, true))
    };
    let prompt = |run| {
        // Deleted together with the starts: sessions in which nothing happened displace others.
        let session = format!("{PREFIX}asked-{:08x}-{name}-{run}", std::process::id());
        let input = prompt_payload(home, &root, &session, &some_words(words, run, name));
        Ok(Turn { command: attended_hook(home), input, speaks: false })
    };
    let bare = |run| {
        let mut command = programs.process(home, "record");
        command.arg(&scene.stores.plain);
        Ok(turn(command, run, false))
    };
    let nothing = |run| Ok(turn(home.program(Path::new("/bin/true")), run, false));
    race([&ours, &prompt, &bare, &nothing], RUNS)
}

/// The hook of an attended agent: headless agents get nothing unless the user asks for it.
pub(in crate::bench) fn attended_hook(home: &Home) -> Command {
    let mut command = home.nudge(&["hook", "claude"]);
    command.env("CLAUDE_CODE_ENTRYPOINT", "cli").env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    command
}

/// Resets the store before every start: entries that were injected at the last starts and not used
/// would be paused.
fn forget(scene: &Scene) -> anyhow::Result<()> {
    let mut command = scene.programs.command(&scene.home, "forget-starts");
    let status =
        command.arg(scene.home.database()).arg(PREFIX).status().context("the starts cannot be removed")?;
    anyhow::ensure!(status.success(), "removing the starts ended with {status}");
    Ok(())
}

/// Another process that has both databases open.
fn hold(scene: &Scene) -> anyhow::Result<Worker> {
    let spec = json!({"databases": [scene.home.database(), scene.stores.plain]});
    let worker = Worker::start(scene.programs.command(&scene.home, "hold-store"), &spec)?;
    worker.line()?;
    Ok(worker)
}

/// The words of a prompt, others each time.
pub(in crate::bench) fn some_words(words: &[String], run: usize, name: &str) -> String {
    let chosen: Vec<&str> = (0..PROMPT_WORDS)
        .map(|word| words[(run * 7_919 + word * 104_729 + name.len() * 31) % words.len()].as_str())
        .collect();
    chosen.join(" ")
}

/// The payload of a prompt in a session.
pub(in crate::bench) fn prompt_payload(home: &Home, root: &Path, session: &str, prompt: &str) -> String {
    json!({
        "session_id": session,
        "transcript_path": transcript(home, session),
        "cwd": root,
        "prompt_id": session,
        "hook_event_name": "UserPromptSubmit",
        "prompt": prompt,
    })
    .to_string()
}

/// The payload of the start of a session.
pub(in crate::bench) fn start_payload(home: &Home, root: &Path, session: &str) -> String {
    json!({
        "session_id": session,
        "transcript_path": transcript(home, session),
        "cwd": root,
        "hook_event_name": "SessionStart",
        "source": "startup",
    })
    .to_string()
}

fn transcript(home: &Home, session: &str) -> PathBuf {
    home.path().join(format!(".claude/projects/project-0/{session}.jsonl"))
}
