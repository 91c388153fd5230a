//! One agent remembers a fact; a question about it in the other agent is answered at the prompt. A
//! different question is not.
//!
//! The other agent's session is open in a terminal before the fact is remembered, so only the
//! prompt can bring it. Shows @prompt_found and @prompt_decision with the requests that the model
//! received.

use std::path::Path;
use std::time::{Duration, Instant};

use super::agent::{Agent, Step, Workspace};
use super::attended::{Attended, READY, leave};
use super::claude::Claude;
use super::codex::Codex;
use super::injected::{InjectedEntry, injected};
use super::installed::QUIET_WITHIN;
use super::requests::Request;
use super::terminal::Terminal;

/// The fact that one agent remembers. The animals occur in no other text.
const FACT: &str =
    "The quokka parser reads an umlaut as two bytes, so the wombat dialect loses its trailing vowel";

/// The user's question about the fact, and one about something else. A question mark would be a
/// separate key in Codex.
const ABOUT_IT: &str =
    "tell me why the wombat dialect loses its trailing vowel when the quokka parser reads an umlaut";
const OTHER: &str = "add a dark theme to the settings page and let people choose it from the menu";

/// The number of other facts in the project: a word is only rare among others that are not.
const OTHERS: usize = 40;

/// How long an agent may take to ask its model.
const ASKED_WITHIN: Duration = Duration::from_secs(30);

/// Tests both directions; returns what went wrong.
pub(super) fn walk(nudge: &Path, claude: &Claude, codex: &Codex) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let mut workspace = Workspace::new(nudge, "greeter")?;
    claude.take_up(&workspace)?;
    codex.take_up(&workspace)?;
    let mut wrong = pass_on(&workspace, nudge, claude, codex)?;
    workspace.switch_project("singer")?;
    wrong.extend(pass_on(&workspace, nudge, codex, claude)?);
    let left = workspace.home.wait_until_empty(QUIET_WITHIN);
    if !left.is_empty() {
        wrong.push(format!("processes left behind: {left:?}"));
    }
    println!("claude and codex, a fact: {} violations, {:.1} s", wrong.len(), began.elapsed().as_secs_f64());
    Ok(wrong.into_iter().map(|violation| format!("a fact: {violation}")).collect())
}

/// One agent remembers the fact, and the user asks the other.
fn pass_on(
    workspace: &Workspace,
    nudge: &Path,
    remembers: &dyn Attended,
    asked: &dyn Attended,
) -> anyhow::Result<Vec<String>> {
    for number in 0..OTHERS {
        workspace.nudge_json(&[
            "mark",
            &format!("matter {number} of the garden was seen to in bed {}", number % 7),
        ])?;
    }
    remembers.settle(workspace)?;
    asked.settle(workspace)?;
    let terminal = Terminal::start(&asked.in_terminal(workspace))?;
    terminal.wait_for(READY)?;
    let remember = format!("{} remember '{FACT}'", nudge.display());
    remembers.once(
        workspace,
        &workspace.prompt(remembers, "Keep in mind what you found.", &[Step::Run(&remember)]),
    )?;
    let mut wrong = Vec::new();
    let answered = ask(workspace, &terminal, ABOUT_IT)?;
    if !answered
        .iter()
        .any(|block| block.inside.contains("## Earlier work on this") && block.inside.contains(FACT))
    {
        wrong.push(format!("{} asked of the fact was given {answered:?}", asked.name()));
    }
    // The text injected earlier is still in its context.
    let after = ask(workspace, &terminal, OTHER)?;
    if after.len() != answered.len() {
        wrong.push(format!("{} asked of something else was given {:?}", asked.name(), after.last()));
    }
    leave(&terminal)?;
    Ok(wrong)
}

/// The blocks that the model gets from Nudge with this prompt.
fn ask(workspace: &Workspace, terminal: &Terminal, words: &str) -> anyhow::Result<Vec<InjectedEntry>> {
    let before = workspace.model.requests().count()?;
    terminal.enter(words)?;
    let began = Instant::now();
    loop {
        let requests = workspace.model.requests().since(before)?;
        let is_asked = |request: &&Request| request.texts().iter().any(|text| text.contains(words));
        if let Some(request) = requests.iter().find(is_asked) {
            let blocks = injected(request).map_err(|why| anyhow::anyhow!(why))?;
            // Time for the answer and for the hooks of the turn.
            std::thread::sleep(Duration::from_secs(2));
            return Ok(blocks);
        }
        anyhow::ensure!(began.elapsed() < ASKED_WITHIN, "the model was not asked: {words}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
