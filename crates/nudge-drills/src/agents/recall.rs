//! What one session did is found, and told to the next one and to one that has lost its context.
//!
//! Shows with what the model really received @injection_hook, @injection_recovery, @injection_causes and @injection_off, and
//! on what the agent did @recall_cli_search and @injection_own_text.

use std::path::Path;
use std::time::Instant;

use serde_json::Value;

use super::agent::{Agent, Desk, Step};
use super::installed::QUIET_WITHIN;
use super::requests::Request;
use super::told::{Told, told};

/// What the person wants first. The animals are in no other text.
const FIRST: &str = "Teach the greeter the wombat dialect.";
const FAILS: &str = "echo 'no quokka in the list' >&2; exit 3";

/// What the person wants in the next session, until its context is emptied.
const SECOND: &str = "Sing the greeting in the numbat key.";
const FAILS_AGAIN: &str = "cat bilby.txt";
const LAST_COMMAND: &str = "the last command: `cat bilby.txt`, exit 1";

/// What the person says when nothing is to be done.
const IDLE: &str = "And now?";

/// Lets Nudge speak where nobody watches.
const LEAVE: &str = "inject.headless = true";

const DOES_FIRST: [Step<'_>; 4] = [
    Step::Write("dialect.txt", "wombat: good day"),
    Step::Edit("greeting.txt", "hello", "good day"),
    Step::Run("cat dialect.txt"),
    Step::Run(FAILS),
];

const DOES_NEXT: [Step<'_>; 3] = [
    Step::Write("song.txt", "la la la"),
    Step::Edit("dialect.txt", "wombat: good day", "wombat: good night"),
    Step::Run(FAILS_AGAIN),
];

/// Tells the story with this agent; what went wrong.
pub(super) fn walk(nudge: &Path, agent: &dyn Agent) -> anyhow::Result<Vec<String>> {
    let began = Instant::now();
    let desk = Desk::new(nudge, "greeter")?;
    let wrong = Story { desk, agent, wrong: Vec::new() }.tell()?;
    println!("{}, recall: {} violations, {:.1} s", agent.name(), wrong.len(), began.elapsed().as_secs_f64());
    Ok(wrong.into_iter().map(|violation| format!("{}: {violation}", agent.name())).collect())
}

struct Story<'a> {
    desk: Desk,
    agent: &'a dyn Agent,
    wrong: Vec<String>,
}

impl Story<'_> {
    fn tell(mut self) -> anyhow::Result<Vec<String>> {
        self.agent.take_up(&self.desk)?;
        let session = self.agent.once(&self.desk, &self.prompt(FIRST, &DOES_FIRST))?;
        self.is_found(&session)?;
        if self.agent.tells_that_nobody_watches() {
            self.is_not_told_without_leave()?;
        }
        self.desk.configure(LEAVE)?;
        let (next, frames) = self.is_told_and_told_again()?;
        self.is_not_told_twice(&next, &frames)?;
        self.is_told_when_it_overflows(&session)?;
        self.is_not_captured_again()?;
        let left = self.desk.home.wait_until_empty(QUIET_WITHIN);
        self.expect(left.is_empty(), || format!("processes left behind: {left:?}"));
        Ok(self.wrong)
    }

    fn prompt(&self, words: &str, steps: &[Step<'_>]) -> String {
        self.desk.prompt(self.agent, words, steps)
    }

    fn expect(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(otherwise());
        }
    }

    /// The prompt, a file and a failed command are found, under the agent's own id of the session.
    fn is_found(&mut self, session: &str) -> anyhow::Result<()> {
        for (word, kind) in
            [("wombat", "user_prompt"), ("dialect", "file_write"), ("quokka", "command_error")]
        {
            let rows = self.desk.nudge_json(&["search", word])?;
            let is_it = |row: &Value| row["obs_type"] == kind && row["session_id"] == session;
            let found = rows.as_array().is_some_and(|rows| rows.iter().any(is_it));
            self.expect(found, || format!("no {kind} of {session} for {word}: {rows}"));
        }
        Ok(())
    }

    /// A session that nobody watches is given nothing, as long as the person did not ask for it.
    fn is_not_told_without_leave(&mut self) -> anyhow::Result<()> {
        let before = self.desk.model.requests().count()?;
        self.agent.once(&self.desk, &self.prompt(IDLE, &[]))?;
        for request in self.desk.model.requests().since(before)? {
            let blocks = told(&request);
            self.expect(blocks == Ok(vec![]), || format!("without leave the model was told {blocks:?}"));
        }
        Ok(())
    }

    /// The next session is told of the first one; after `/compact`, of itself.
    ///
    /// Its id, and the names of the frames it was given.
    fn is_told_and_told_again(&mut self) -> anyhow::Result<(String, [Option<String>; 2])> {
        let mut talk = self.agent.open(&self.desk)?;
        let mut before = self.desk.model.requests().count()?;
        talk.ask(&self.prompt(SECOND, &DOES_NEXT))?;
        let requests = self.desk.model.requests().since(before)?;
        let start = self.check(&requests, &[FIRST, "dialect.txt", "greeting.txt", FAILS]);
        talk.compact()?;
        before = self.desk.model.requests().count()?;
        talk.ask(&self.prompt(IDLE, &[]))?;
        let requests = self.desk.model.requests().since(before)?;
        let recovery = self
            .check(&requests, &[SECOND, "was changing song.txt", "was changing dialect.txt", LAST_COMMAND]);
        self.expect(start.is_none() || start != recovery, || "the first block is still there".to_owned());
        Ok((talk.close()?, [start, recovery]))
    }

    /// A session that is taken up again has in its context what it was told, and is told nothing more.
    fn is_not_told_twice(&mut self, session: &str, before: &[Option<String>]) -> anyhow::Result<()> {
        let count = self.desk.model.requests().count()?;
        self.agent.resume(&self.desk, session, &self.prompt(IDLE, &[]))?;
        for request in self.desk.model.requests().since(count)? {
            let blocks = told(&request);
            let known =
                |blocks: &Vec<Told>| blocks.iter().all(|block| before.contains(&Some(block.id.clone())));
            self.expect(blocks.as_ref().is_ok_and(known), || {
                format!("taken up again, it was told {blocks:?}")
            });
        }
        Ok(())
    }

    /// Where the agent empties a context that is too full by itself, it is the same. The first session is taken up again for
    /// that; what it is told as one that goes on stands before it.
    fn is_told_when_it_overflows(&mut self, session: &str) -> anyhow::Result<()> {
        self.agent.overflow(&self.desk, session, &self.prompt(IDLE, &[]))?;
        let requests = self.desk.model.requests();
        let last = requests.since(requests.count()?.saturating_sub(1))?;
        let blocks = last.first().map(told);
        let recovery = blocks.as_ref().and_then(|blocks| blocks.as_ref().ok()?.last());
        let wanted = [FIRST, "was changing greeting.txt", "was changing dialect.txt", FAILS, ", exit 3"];
        let holds = recovery.is_some_and(|block| wanted.iter().all(|text| block.inside.contains(text)));
        self.expect(holds, || format!("after an overflow the model was told {blocks:?}"));
        Ok(())
    }

    /// Each of these requests has the same block with the first of these texts, and the others are in it too; the name of its frame.
    fn check(&mut self, requests: &[Request], texts: &[&str]) -> Option<String> {
        self.expect(!requests.is_empty(), || "the model was not asked".to_owned());
        let mut name = None;
        for request in requests {
            // A prompt may have brought a block of its own.
            let wanted = texts.first().copied().unwrap_or_default();
            let has_it = |block: &Told| block.inside.contains(wanted);
            let block = match told(request).map(|blocks| blocks.into_iter().find(has_it)) {
                Ok(Some(block)) => block,
                Ok(None) => {
                    self.wrong.push(format!("{wanted:?} was not told"));
                    continue;
                }
                Err(why) => {
                    self.wrong.push(why);
                    continue;
                }
            };
            for text in texts {
                self.expect(block.inside.contains(text), || format!("{text:?} is not in: {}", block.inside));
            }
            let before = name.get_or_insert_with(|| block.id.clone());
            let same = *before == block.id;
            self.expect(same, || format!("another block in the same turn: {}", block.inside));
        }
        name
    }

    /// What Nudge said is nothing that happened.
    fn is_not_captured_again(&mut self) -> anyhow::Result<()> {
        let rows = self.desk.nudge_json(&["search", "\"records to look at\""])?;
        self.expect(rows.as_array().is_some_and(Vec::is_empty), || format!("captured again: {rows}"));
        Ok(())
    }
}
