//! What callers see of runs.

use nudge_core::run::run_status;
use nudge_store::{LoopRow, RunRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The model in the settings of a loop.
pub(super) const MODEL_SETTING: &str = "model";

/// What a loop leaves out.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RunFlags {
    /// Leave out the project's files.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "noRepo")]
    pub no_repo: bool,
    /// Ask the user nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "noInteraction")]
    pub no_interaction: bool,
    /// Leave out `search`.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "noSearch")]
    pub no_search: bool,
    /// Leave out the plugin that searches the web.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "noWeb")]
    pub no_web: bool,
    /// Leave out everything that waits for the user.
    #[serde(skip_serializing_if = "std::ops::Not::not", alias = "noProposals")]
    pub no_proposals: bool,
    /// Accept everything that the sandbox keeps in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub yolo: bool,
}

impl RunFlags {
    /// The flags in the stored settings of a loop.
    pub(super) fn of(config: &Map<String, Value>) -> Self {
        serde_json::from_value(Value::Object(config.clone())).unwrap_or_default()
    }

    /// The flags as stored settings of a loop.
    pub(super) fn to_config(self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }
}

/// Answer of the operations that start or steer a run: how it stands now. The run itself goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunAccepted {
    /// Name of the run.
    pub run: String,
    /// Number of the loop, for a prompt.
    #[serde(default, rename = "loop", skip_serializing_if = "Option::is_none")]
    pub in_loop: Option<u32>,
    /// Status: 100 queued, 102 running, 202 waits for the user, 200, 204 and 422 done, 499 aborted,
    /// 500 failed.
    pub status: u16,
    /// State, as a word.
    pub state: String,
    /// What to know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl RunAccepted {
    /// How a run stands.
    pub(super) fn of(run: &RunRow) -> Self {
        Self {
            run: run.alias.clone(),
            in_loop: None,
            status: run_status(run.state, run.outcome.as_deref()),
            state: run.state.name().to_owned(),
            note: None,
        }
    }

    pub(super) fn in_loop(self, seq: u32) -> Self {
        Self { in_loop: Some(seq), ..self }
    }

    pub(super) fn noting(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// Parameters of operations on one run.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Name, id or directory of its project. Default: the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// A run, as `get_run` and the notification `run/state` show it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunView {
    /// Name of the run.
    pub run: String,
    /// Name of the project.
    pub project: String,
    /// Number of its last turn.
    pub turn: u32,
    /// Status: 100 queued, 102 running, 202 waits for the user, 200, 204 and 422 done, 499 aborted,
    /// 500 failed.
    pub status: u16,
    /// State, as a word.
    pub state: String,
    /// Why it ended, in a few words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// The answer to the last prompt; empty until there is one.
    pub summary: String,
    /// Alias of the model.
    pub model: String,
    /// The run that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When it began.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// The prompts, in the order in which they are answered.
    pub loops: Vec<RunAnswer>,
    /// What happened, oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<HistoryRow>,
    /// Open questions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknowns: Vec<UnknownView>,
    /// What the last answer is based on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<RunSource>,
    /// The question, change or command that waits for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<HistoryRow>,
    /// Output of the command under way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<OutputView>,
    /// What the model has said so far in the turn under way.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub partial: String,
    /// Usage; null while a turn is under way.
    pub telemetry: Option<Telemetry>,
}

/// A channel of a command under way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputView {
    /// Its path.
    pub path: String,
    /// How many bytes it has.
    pub bytes: u64,
    /// Its end.
    pub tail: String,
}

/// A prompt and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunAnswer {
    /// Its number in the run.
    pub number: u32,
    /// `ask` or `act`.
    pub mode: String,
    /// The prompt.
    pub prompt: String,
    /// Its status, in the numbers of a run; 413 if it did not fit the model.
    pub status: u16,
    /// Its state, as a word.
    pub state: String,
    /// The answer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl RunAnswer {
    pub(super) fn of(row: &LoopRow, prompt: String) -> Self {
        let text = |name: &str| row.result.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self {
            number: row.seq,
            mode: row.mode.name().to_owned(),
            prompt,
            status: run_status(row.state, row.outcome.as_deref()),
            state: row.state.name().to_owned(),
            answer: text("answer"),
            reason: text("reason"),
        }
    }
}

/// One thing that happened in a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HistoryRow {
    /// The tool, such as `get`; `prompt` or `error` for what was none.
    pub tool: String,
    /// The path of the entry that it was about; without one, that of its record.
    pub path: String,
    /// The path of its record.
    #[serde(default)]
    pub record: String,
    /// What it was about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub target: String,
    /// Status of the call.
    pub status: u16,
    /// Why it failed, in a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Its text.
    pub body: String,
    /// The turn.
    pub turn: u32,
    /// More facts, as a text of JSON.
    #[serde(default = "no_facts")]
    pub attributes: String,
}

/// The text for no facts.
fn no_facts() -> String {
    "{}".to_owned()
}

/// An open question of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnknownView {
    /// Its path.
    pub path: String,
    /// The question.
    pub body: String,
}

/// An entry that the model read in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunSource {
    /// Its path.
    pub path: String,
    /// Its id, for `nudge show`; absent for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// True if the answer names it.
    pub cited: bool,
    /// Its first words.
    pub preview: String,
}

/// What a run has used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Telemetry {
    /// Number of turns.
    pub turns: u64,
    /// Tokens of the last request.
    pub context_tokens: u64,
    /// True if tokens of a request are our estimate, because the model reported nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
    /// Tokens of all requests.
    pub prompt_tokens: u64,
    /// Those of them that the provider had cached.
    pub cached_tokens: u64,
    /// Tokens of all answers.
    pub completion_tokens: u64,
    /// Those of them that were reasoning.
    pub reasoning_tokens: u64,
    /// All tokens.
    pub total_tokens: u64,
    /// Cost in dollars; absent if no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Turns with errors.
    pub errors: u64,
    /// Faults in answers that were healed.
    pub healed: u64,
}
