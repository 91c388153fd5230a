//! A history as agents leave it, made up: commands, reads, edits, calls and prompts of many sessions.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::{Action, By, Moment, What};
use nudge_testkit::EventBuilder;
use serde_json::{Map, Value, json};

use crate::dice::Dice;

/// Rows of one session, and how many sessions take turns: what a person and their agents do in a day.
const SESSION_ROWS: u64 = 200;
const SESSIONS_AT_ONCE: u64 = 4;

/// Projects of one person.
const PROJECTS: u64 = 50;

/// Files of one project.
const FILES: u64 = 2_000;

/// The time from one row to the next, in milliseconds. A million of them are three weeks, which nothing is too old for.
const STEP: i64 = 2_000;

/// One moment, and the words of it that Nudge stores, for a table that stores nothing else.
#[derive(Clone, Debug)]
pub struct Row {
    /// As Nudge takes it.
    pub moment: Moment,
    /// As a bare table takes it.
    pub text: String,
}

/// Makes rows by number; the same number gives the same row.
#[derive(Debug)]
pub struct History {
    commands: Vec<String>,
    begins: i64,
}

impl History {
    /// So many rows up to now, with the commands of this file, or with made-up ones.
    pub fn new(rows: u64, commands: Option<&Path>) -> anyhow::Result<Self> {
        let commands = commands.map(std::fs::read_to_string).transpose()?.unwrap_or_default();
        let commands = commands.lines().filter(|line| !line.is_empty()).map(Into::into).collect();
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let begins = i64::try_from(now.as_millis())? - rows.cast_signed() * STEP;
        Ok(Self { commands, begins })
    }

    /// That row.
    pub fn row(&self, number: u64) -> Row {
        let mut dice = Dice(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let block = number / (SESSION_ROWS * SESSIONS_AT_ONCE);
        let session = block * SESSIONS_AT_ONCE + number % SESSIONS_AT_ONCE;
        let project = session % PROJECTS;
        let root = format!("/home/ada/src/project-{project}");
        let what = self.what(number, &root, &mut dice);
        let text = match &what {
            What::Prompt { text, .. } => text.clone(),
            What::Action(action) => words(action),
            _ => String::new(),
        };
        let is_prompt = matches!(what, What::Prompt { .. });
        let event = EventBuilder::new(what)
            .harness_version("2.1.325")
            .named(if is_prompt { "UserPromptSubmit" } else { "PostToolUse" })
            .session(&format!("5e551011-0000-4000-8000-{session:012}"))
            .directory(&root)
            .at(self.begins + number.cast_signed() * STEP)
            .number(dice.next().cast_signed())
            .turn(&format!("turn-{session}-{}", number / (20 * SESSIONS_AT_ONCE)))
            .headless(false);
        Row { moment: event.build(), text }
    }

    fn what(&self, number: u64, root: &str, dice: &mut Dice) -> What {
        let roll = dice.below(100);
        let file = format!("{root}/src/part_{}/file_{}.rs", dice.below(40), dice.below(FILES));
        match roll {
            0..45 => What::Action(self.command(dice)),
            45..65 => action(ObservationKind::FileRead, "Read", &file, vec![file.clone()], Map::new()),
            65..85 => edit(&file, number),
            85..92 => {
                let body = format!("tracker.search_issues {{\"query\":\"who changed part {number}\"}}");
                action(ObservationKind::McpCall, "mcp__tracker__search_issues", &body, vec![], Map::new())
            }
            _ => What::Prompt { text: prompt(&self.any(dice), number), by: By::User },
        }
    }

    fn command(&self, dice: &mut Dice) -> Action {
        let body = self.any(dice);
        let failed = dice.below(12) == 0;
        let mut metadata = named(&[
            ("description", json!("Look at what is there")),
            ("duration_ms", json!(dice.below(9_000))),
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

    /// One of the commands, or a made-up one.
    fn any(&self, dice: &mut Dice) -> String {
        if self.commands.is_empty() {
            return made_up(dice);
        }
        self.commands[dice.below(self.commands.len() as u64) as usize].clone()
    }
}

fn action(
    kind: ObservationKind,
    tool: &str,
    body: &str,
    files: Vec<String>,
    metadata: Map<String, Value>,
) -> What {
    What::Action(Action {
        kind,
        tool: Some(tool.to_owned()),
        call: None,
        body: body.to_owned(),
        files,
        outcome: Outcome::Success,
        metadata,
    })
}

fn edit(file: &str, number: u64) -> What {
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

fn made_up(dice: &mut Dice) -> String {
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
    let mut command = TOOLS[dice.below(8) as usize].to_owned();
    for _ in 0..2 + dice.below(5) {
        command.push_str(&format!(" {}_{}", PARTS[dice.below(10) as usize], dice.below(4_000)));
    }
    command
}

/// Everything of an action that Nudge stores as text.
fn words(action: &Action) -> String {
    if action.metadata.is_empty() {
        return action.body.clone();
    }
    format!("{} {}", action.body, Value::Object(action.metadata.clone()))
}

fn named(pairs: &[(&str, Value)]) -> Map<String, Value> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}
