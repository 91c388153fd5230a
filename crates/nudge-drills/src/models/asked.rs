//! One question: asked with `nudge ask`, and what is left of it in the store.

use std::fmt;
use std::process::Stdio;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_agent::runs::RunView;
use nudge_agent::{Flags, Limits, Policy, tools_for};
use nudge_core::EntryPath;
use nudge_core::run::Mode;
use nudge_grammar::{Parsed, TagLimits, Tool, parse_tags};
use nudge_store::Store;
use regex::Regex;

use super::scene::Question;
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

// What a stored output is good for: read with healing as the product reads it, and without.
//
// Without healing, a call counts only if its tag is exactly as documented: a known name, quoted
// attributes, closed, and not in a fence. Such a tag is read by the same parser, which must have
// nothing to heal.

/// The flags of the loops that the drill starts.
const FLAGS: Flags = Flags { no_interaction: true, no_search: false, no_proposals: false, plugins: false };

/// What one output is good for.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Reading {
    /// A call that is carried out, as the product reads it.
    pub(super) healed: bool,
    /// A call that is carried out, if nothing is healed.
    pub(super) strict: bool,
    /// An update, as the product reads it.
    pub(super) has_update: bool,
    /// The parser lost something.
    pub(super) has_losses: bool,
}

/// Reads an output both ways.
pub(super) fn read(output: &str) -> Reading {
    let parsed = parse(output);
    Reading {
        healed: is_usable(&parsed),
        strict: strict_tags(output).any(|tag| {
            let alone = parse(tag);
            alone.warnings.is_empty() && is_usable(&alone)
        }),
        has_update: parsed.calls.iter().any(|call| call.tool == Tool::Update),
        has_losses: parsed.warnings.iter().any(|warning| warning.kind.is_loss()),
    }
}

fn parse(output: &str) -> Parsed {
    parse_tags(output, TagLimits { max_calls: Limits::default().max_commands })
}

/// Whether the policy lets a call pass.
fn is_usable(parsed: &Parsed) -> bool {
    let policy = Policy::new(Mode::Ask, FLAGS, Limits::default());
    policy.record(1, parsed, false).iter().any(|call| call.rejection.is_none())
}

/// The tags that are exactly as documented, outside of fences.
fn strict_tags(output: &str) -> impl Iterator<Item = &str> {
    let is_outside = |at: usize| output[..at].matches("```").count().is_multiple_of(2);
    TAGS.iter()
        .flat_map(move |tag| tag.find_iter(output))
        .filter(move |found| is_outside(found.start()))
        .map(|found| found.as_str())
}

static TAGS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let tools = tools_for(Mode::Ask, FLAGS);
    let tag = |tool: &Tool| {
        let name = tool.name();
        let attribute = r#"(?: [a-z_]+="[^"<>\n]*"| preview)*"#;
        Regex::new(&format!("<{name}{attribute} ?(?:/>|>(?:[^<>]|<<[A-Z])*</{name}>)")).expect("a pattern")
    };
    tools.iter().map(tag).collect()
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clean_reply_is_usable_both_ways() {
        let reading = read("<get path=\"src/a.rs\" preview/>\n<update status=\"102\">Next.</update>");
        assert_eq!(reading, Reading { healed: true, strict: true, has_update: true, has_losses: false });
    }

    #[test]
    fn what_needs_healing_is_not_strict() {
        for output in [
            "<get path='src/a.rs'/>",
            "<get path=\"src/a.rs\">",
            "```xml\n<get path=\"src/a.rs\"/>\n```",
            "<update status=200>Port 8087</update>",
            "{\"name\": \"get\", \"arguments\": {\"path\": \"src/a.rs\"}}",
        ] {
            let reading = read(output);
            assert!(reading.healed && !reading.strict, "{output}: {reading:?}");
        }
    }

    #[test]
    fn prose_and_forbidden_calls_are_not_usable() {
        for output in ["The port is 8087.", "<sh command=\"ls\"/>", "<set path=\"src/a.rs\">x</set>"] {
            let reading = read(output);
            assert!(!reading.healed && !reading.strict, "{output}: {reading:?}");
        }
    }
}
