//! A question about a fact that one agent remembered is answered at the prompt in the other; another question is not.
//!
//! The other agent's session is open in a terminal before the fact is remembered, so that only the prompt can bring it. Shows
//! @prompt_found and @prompt_decision with what the model really received.

use std::path::Path;
use std::time::{Duration, Instant};

use super::agent::{Agent, Desk, Step};
use super::attended::{Attended, READY, leave};
use super::claude::Claude;
use super::codex::Codex;
use super::installed::QUIET_WITHIN;
use super::requests::Request;
use super::terminal::Terminal;
use super::told::{Told, told};

/// What one agent remembers. The animals are in no other text.
const FACT: &str =
    "The quokka parser reads an umlaut as two bytes, so the wombat dialect loses its trailing vowel";

/// What the person asks the other agent of it, and what of something else. A question mark would be a key of its own in Codex.
const ABOUT_IT: &str =
    "tell me why the wombat dialect loses its trailing vowel when the quokka parser reads an umlaut";
const OTHER: &str = "add a dark theme to the settings page and let people choose it from the menu";

/// Other matters of the project: what is rare is told by what is not.
const OTHERS: usize = 40;

/// How long an agent may take to ask its model.
const ASKED_WITHIN: Duration = Duration::from_secs(30);

/// Walks both ways; what went wrong.
pub(super) fn walk(nudge: &Path, claude: &Claude, codex: &Codex) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let mut desk = Desk::new(nudge, "greeter")?;
    claude.take_up(&desk)?;
    codex.take_up(&desk)?;
    let mut wrong = pass_on(&desk, nudge, claude, codex)?;
    desk.turn_to("singer")?;
    wrong.extend(pass_on(&desk, nudge, codex, claude)?);
    let left = desk.home.wait_until_empty(QUIET_WITHIN);
    if !left.is_empty() {
        wrong.push(format!("processes left behind: {left:?}"));
    }
    println!("claude and codex, a fact: {} violations, {:.1} s", wrong.len(), began.elapsed().as_secs_f64());
    Ok(wrong.into_iter().map(|violation| format!("a fact: {violation}")).collect())
}

/// One agent remembers, and the person asks the other.
fn pass_on(
    desk: &Desk,
    nudge: &Path,
    remembers: &dyn Attended,
    asked: &dyn Attended,
) -> anyhow::Result<Vec<String>> {
    for number in 0..OTHERS {
        desk.nudge_json(&[
            "mark",
            &format!("matter {number} of the garden was seen to in bed {}", number % 7),
        ])?;
    }
    remembers.settle(desk)?;
    asked.settle(desk)?;
    let terminal = Terminal::start(&asked.in_terminal(desk))?;
    terminal.wait_for(READY)?;
    let remember = format!("{} remember '{FACT}'", nudge.display());
    remembers.once(desk, &desk.prompt(remembers, "Keep in mind what you found.", &[Step::Run(&remember)]))?;
    let mut wrong = Vec::new();
    let answered = ask(desk, &terminal, ABOUT_IT)?;
    if !answered
        .iter()
        .any(|block| block.inside.contains("## Earlier work on this") && block.inside.contains(FACT))
    {
        wrong.push(format!("{} asked of the fact was given {answered:?}", asked.name()));
    }
    // What was given before is still in its context.
    let after = ask(desk, &terminal, OTHER)?;
    if after.len() != answered.len() {
        wrong.push(format!("{} asked of something else was given {:?}", asked.name(), after.last()));
    }
    leave(&terminal)?;
    Ok(wrong)
}

/// What the model has of ours when it is asked this.
fn ask(desk: &Desk, terminal: &Terminal, words: &str) -> anyhow::Result<Vec<Told>> {
    let before = desk.model.requests().count()?;
    terminal.enter(words)?;
    let began = Instant::now();
    loop {
        let requests = desk.model.requests().since(before)?;
        let is_asked = |request: &&Request| request.texts().iter().any(|text| text.contains(words));
        if let Some(request) = requests.iter().find(is_asked) {
            let blocks = told(request).map_err(|why| anyhow::anyhow!(why))?;
            // A moment for the answer and the hooks of the turn.
            std::thread::sleep(Duration::from_secs(2));
            return Ok(blocks);
        }
        anyhow::ensure!(began.elapsed() < ASKED_WITHIN, "the model was not asked: {words}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
