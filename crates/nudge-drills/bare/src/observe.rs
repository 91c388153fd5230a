//! Writes the same history into Nudge and into bare tables, batch by batch in turn, and prints how
//! long each took.
//!
//! `observe SPEC` with `{"rows", "batch"}` and, each optional, `"nudge"`, `"plain"`, `"fts"`
//! (databases to create; the last two are bare) and `"commands"` (a file of real commands, one per
//! line). Prints the seconds for every tenth of the rows.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use nudge_core::{ObservationKind, Outcome, Speaker};
use nudge_memory::Memory;
use nudge_memory::capture::{Action, CapturedEvent, EventBody, StoreOutcome};
use nudge_testkit::EventBuilder;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::bare_table::{BareRow, BareTable};
use crate::figures::Random;
use crate::product;

#[derive(Deserialize)]
struct Spec {
    nudge: Option<PathBuf>,
    plain: Option<PathBuf>,
    fts: Option<PathBuf>,
    commands: Option<PathBuf>,
    rows: u64,
    batch: u64,
}

/// The time for a tenth of the rows, in seconds.
#[derive(Copy, Clone, Debug, Default, Serialize)]
struct Tenth {
    rows: u64,
    nudge: f64,
    plain: f64,
    fts: f64,
}

#[derive(Serialize)]
struct Report {
    tenths: Vec<Tenth>,
    /// Bytes of the text alone.
    text_bytes: u64,
}

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: observe SPEC")?)?;
    let history = History::new(spec.rows, spec.commands.as_deref())?;
    let memory = spec.nudge.as_deref().map(product::memory).transpose()?;
    let bare =
        |path: &Option<PathBuf>, fts| path.as_deref().map(|path| BareTable::create(path, fts)).transpose();
    let (plain, fts) = (bare(&spec.plain, false)?, bare(&spec.fts, true)?);
    let mut report = Report { tenths: Vec::new(), text_bytes: 0 };
    let tenth = (spec.rows / 10).max(spec.batch);
    let mut number = 0;
    while number < spec.rows {
        let mut took = Tenth::default();
        while took.rows < tenth && number < spec.rows {
            let rows: Vec<Row> =
                (number..spec.rows.min(number + spec.batch)).map(|number| history.row(number)).collect();
            if let Some(memory) = &memory {
                let captured_events: Vec<CapturedEvent> =
                    rows.iter().map(|row| row.captured.clone()).collect();
                took.nudge += timed(|| keep(memory, &captured_events))?;
            }
            if let Some(plain) = &plain {
                took.plain += timed(|| plain.insert_all(rows.iter().map(bare_row)))?;
            }
            if let Some(fts) = &fts {
                took.fts += timed(|| fts.insert_all(rows.iter().map(bare_row)))?;
            }
            report.text_bytes += rows.iter().map(|row| row.text.len() as u64).sum::<u64>();
            took.rows += rows.len() as u64;
            number += rows.len() as u64;
        }
        report.tenths.push(took);
    }
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

fn keep(memory: &Memory, captured_events: &[CapturedEvent]) -> anyhow::Result<()> {
    let kept = memory.receive_all(captured_events).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let stored = kept.iter().filter(|kept| matches!(kept, StoreOutcome::Stored(_))).count();
    // Repeated reads are few and add nothing; any other loss would make the comparison worthless.
    anyhow::ensure!(
        stored * 100 >= captured_events.len() * 98,
        "only {stored} of {} were stored",
        captured_events.len()
    );
    Ok(())
}

fn bare_row(row: &Row) -> BareRow<'_> {
    let kind = match &row.captured.what {
        EventBody::Action(action) => action.kind.name(),
        _ => "user_prompt",
    };
    BareRow { at: row.captured.at, session: &row.captured.session, kind, text: &row.text }
}

fn timed(work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

// A made-up history of agents' work: commands, reads, edits, calls and prompts of many sessions.

/// Rows in one session, and how many sessions take turns: a day's work of one user and their
/// agents.
const SESSION_ROWS: u64 = 200;

const SESSIONS_AT_ONCE: u64 = 4;

/// Projects of one user.
const PROJECTS: u64 = 50;

/// Files of one project.
const FILES_PER_PROJECT: u64 = 2_000;

/// The time from one row to the next, in milliseconds. A million rows span three weeks, so no row
/// is too old for anything.
const ROW_INTERVAL_MS: i64 = 2_000;

/// One captured event, and the text that Nudge stores for it, for a table that stores only text.
#[derive(Clone, Debug)]
pub struct Row {
    /// The event as Nudge gets it.
    pub captured: CapturedEvent,
    /// The row as a bare table gets it.
    pub text: String,
}

/// Makes rows by number; the same number gives the same row.
#[derive(Debug)]
pub struct History {
    commands: Vec<String>,
    begins: i64,
}

impl History {
    /// Makes this many rows up to now, with the commands of this file or with made-up ones.
    pub fn new(rows: u64, commands: Option<&Path>) -> anyhow::Result<Self> {
        let commands = commands.map(std::fs::read_to_string).transpose()?.unwrap_or_default();
        let commands = commands.lines().filter(|line| !line.is_empty()).map(Into::into).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let begins = i64::try_from(now.as_millis())? - rows.cast_signed() * ROW_INTERVAL_MS;
        Ok(Self { commands, begins })
    }

    /// The row with this number.
    pub fn row(&self, number: u64) -> Row {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let block = number / (SESSION_ROWS * SESSIONS_AT_ONCE);
        let session = block * SESSIONS_AT_ONCE + number % SESSIONS_AT_ONCE;
        let project = session % PROJECTS;
        let root = format!("/home/ada/src/project-{project}");
        let what = self.what(number, &root, &mut random);
        let text = match &what {
            EventBody::Prompt { text, .. } => text.clone(),
            EventBody::Action(action) => words(action),
            _ => String::new(),
        };
        let is_prompt = matches!(what, EventBody::Prompt { .. });
        let event = EventBuilder::new(what)
            .harness_version("2.1.325")
            .named(if is_prompt { "UserPromptSubmit" } else { "PostToolUse" })
            .session(&format!("5e551011-0000-4000-8000-{session:012}"))
            .directory(&root)
            .at(self.begins + number.cast_signed() * ROW_INTERVAL_MS)
            .number(random.next().cast_signed())
            .turn(&format!("turn-{session}-{}", number / (20 * SESSIONS_AT_ONCE)))
            .headless(false);
        Row { captured: event.build(), text }
    }

    fn what(&self, number: u64, root: &str, random: &mut Random) -> EventBody {
        let roll = random.below(100);
        let file =
            format!("{root}/src/part_{}/file_{}.rs", random.below(40), random.below(FILES_PER_PROJECT));
        match roll {
            0..45 => EventBody::Action(self.command(random)),
            45..65 => action(ObservationKind::FileRead, "Read", &file, vec![file.clone()], Map::new()),
            65..85 => edit(&file, number),
            85..92 => {
                let body = format!("tracker.search_issues {{\"query\":\"who changed part {number}\"}}");
                action(ObservationKind::McpCall, "mcp__tracker__search_issues", &body, vec![], Map::new())
            }
            _ => EventBody::Prompt { text: prompt(&self.any(random), number), by: Speaker::Person },
        }
    }

    fn command(&self, random: &mut Random) -> Action {
        let body = self.any(random);
        let failed = random.below(12) == 0;
        let mut metadata = named(&[
            ("description", json!("Look at what is there")),
            ("duration_ms", json!(random.below(9_000))),
        ]);
        if failed {
            metadata.insert("response".to_owned(), json!("Exit code 1\nerror: no such file or directory"));
        }
        Action {
            kind: if failed { ObservationKind::CommandError } else { ObservationKind::Command },
            tool: Some("Bash".to_owned()),
            call: None,
            body,
            files: Vec::new(),
            outcome: if failed { Outcome::Failed { exit: Some(1) } } else { Outcome::Success },
            metadata,
        }
    }

    /// One of the commands of the file, or a made-up one.
    fn any(&self, random: &mut Random) -> String {
        if self.commands.is_empty() {
            return made_up(random);
        }
        self.commands[random.below(self.commands.len() as u64) as usize].clone()
    }
}

fn action(
    kind: ObservationKind,
    tool: &str,
    body: &str,
    files: Vec<String>,
    metadata: Map<String, Value>,
) -> EventBody {
    EventBody::Action(Action {
        kind,
        tool: Some(tool.to_owned()),
        call: None,
        body: body.to_owned(),
        files,
        outcome: Outcome::Success,
        metadata,
    })
}

fn edit(file: &str, number: u64) -> EventBody {
    let changed = format!(
        "-    let limit = {};\n+    let limit = settings.limit.unwrap_or({number});\n+    tracing::debug!(limit, \"searching\");\n",
        number % 97
    );
    let metadata = named(&[
        ("lines_added", json!(2)),
        ("lines_removed", json!(1)),
        ("changed", json!(changed)),
        ("duration_ms", json!(41)),
    ]);
    action(ObservationKind::FileEdit, "Edit", file, vec![file.to_owned()], metadata)
}

fn prompt(about: &str, number: u64) -> String {
    format!(
        "Please have a look at why `{about}` no longer works since change {number}, and fix it so that the tests pass again. \
         Do not touch the public interface."
    )
}

fn made_up(random: &mut Random) -> String {
    const TOOLS: [&str; 8] = [
        "cargo test -p",
        "rg -n",
        "git diff --",
        "npm run",
        "docker compose logs",
        "sed -n '1,80p'",
        "ls -la",
        "python3 -m",
    ];
    const PARTS: [&str; 10] =
        ["engine", "router", "search", "index", "settings", "session", "adapter", "hook", "store", "feed"];
    let mut command = TOOLS[random.below(8) as usize].to_owned();
    for _ in 0..2 + random.below(5) {
        command.push_str(&format!(" {}_{}", PARTS[random.below(10) as usize], random.below(4_000)));
    }
    command
}

/// All text that Nudge stores for an action.
fn words(action: &Action) -> String {
    if action.metadata.is_empty() {
        return action.body.clone();
    }
    format!("{} {}", action.body, Value::Object(action.metadata.clone()))
}

fn named(pairs: &[(&str, Value)]) -> Map<String, Value> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}
