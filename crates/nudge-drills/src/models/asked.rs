//! One question: asked with `nudge ask`, and what is left of it in the store.

use std::fmt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_core::EntryPath;
use nudge_memory::runs::RunView;
use nudge_store::Store;

use super::questions::Question;
use super::reading::{Reading, read};
use super::scene::{MODEL, Scene};

/// What came of one question.
pub(super) struct Asked {
    pub(super) question: &'static Question,
    pub(super) is_graded: bool,
    /// Whether the loop ended by itself before the deadline.
    pub(super) has_ended: bool,
    pub(super) status: u16,
    pub(super) outcome: String,
    pub(super) answer: String,
    /// What each turn's output is good for.
    pub(super) readings: Vec<Reading>,
    pub(super) prompt_tokens: u64,
    pub(super) completion_tokens: u64,
    pub(super) took: Duration,
    /// The run turn by turn, if the question was not answered rightly.
    pub(super) dump: Option<String>,
}

impl Asked {
    /// Asks, and waits until the loop has ended or its time is up.
    pub(super) fn ask(
        scene: &Scene,
        run: &str,
        question: &'static Question,
        is_graded: bool,
        within: Duration,
    ) -> anyhow::Result<Self> {
        let began = Instant::now();
        let has_ended = follow(scene, run, question.text, began + within)?;
        let took = began.elapsed();
        let shown = scene.nudge_here(&["run", "show", run, "--json"])?;
        let view: RunView = serde_json::from_str(&shown).context("`nudge run show` prints no run")?;
        let telemetry = view.telemetry.clone().unwrap_or_default();
        let outputs = outputs(scene, run)?;
        let mut asked = Self {
            question,
            is_graded,
            has_ended,
            status: view.status,
            outcome: view.outcome.clone().unwrap_or_default(),
            answer: view.summary.clone(),
            readings: outputs.iter().map(|output| read(output)).collect(),
            prompt_tokens: telemetry.prompt_tokens,
            completion_tokens: telemetry.completion_tokens,
            took,
            dump: None,
        };
        if is_graded && !asked.is_right() {
            asked.dump = Some(scene.nudge_here(&["run", "show", run, "--turns"])?);
        }
        Ok(asked)
    }

    /// Whether the answer has the words. A loop that gave up has no answer.
    pub(super) fn is_right(&self) -> bool {
        self.status == 200 && self.question.is_answered_by(&self.answer)
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let answer: String = self.answer.chars().take(80).collect();
        let right = match (self.is_graded, self.is_right()) {
            (false, _) => "",
            (true, true) => "right, ",
            (true, false) => "wrong, ",
        };
        let (turns, seconds) = (self.readings.len(), self.took.as_secs_f64());
        write!(f, "{right}{} {}, {turns} turns, {seconds:.0} s: {answer:?}", self.status, self.outcome)
    }
}

/// Runs `nudge ask` to its end; past the deadline, stops the run and returns false.
fn follow(scene: &Scene, run: &str, question: &str, deadline: Instant) -> anyhow::Result<bool> {
    let mut command =
        scene.nudge(&["ask", "--model", MODEL, "--run", run, "--no-interaction", "--json", question]);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    loop {
        if child.try_wait()?.is_some() {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            scene.nudge_here(&["run", "abort", run])?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// What the model wrote, turn by turn, as it is stored.
fn outputs(scene: &Scene, run: &str) -> anyhow::Result<Vec<String>> {
    let store = Store::open(&scene.home.read_options())?;
    let outputs = store.read(|reader| {
        let mut outputs = Vec::new();
        for row in reader.runs(None, 1000, 0)?.into_iter().filter(|row| row.alias == run) {
            for turn in reader.turns(row.id)? {
                let path = format!("assistant://{}", turn.seq);
                let Ok(path) = EntryPath::parse(&path) else { continue };
                let Some(entry) = reader.entry(&row.scope, &path)? else { continue };
                outputs.push(entry.body + &reader.appended(entry.id)?);
            }
        }
        Ok::<_, nudge_store::StoreError>(outputs)
    })?;
    Ok(outputs)
}
