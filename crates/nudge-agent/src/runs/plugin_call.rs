//! A call of a plugin's tool, from its acceptance to its end.
//!
//! It goes the way of a command: its record says how far it is, it is marked as started before it
//! is sent, and one that was under way when the server died is not repeated. What the plugin
//! answers is data, under a path of its own: `mcp://turn_N/<tool>_1`. The record has only our
//! words.

use std::time::Duration;

use nudge_core::entry_state::{EntryState, Visibility};
use nudge_core::path::channel_path;
use nudge_core::text::{first_bytes, is_hidden};
use nudge_core::{Entry, EntryPath, Fault, Provenance, Timestamp};
use nudge_grammar::Tool;
use nudge_memory::memory::Memory;
use nudge_memory::operation::OpContext;
use nudge_store::{Durability, EntryDraft, RunRow, SecretPolicy, ViewChange};
use serde_json::{Map, Value, json};

use super::command::{PHASE, Phase, phase, set_phase};
use super::log;
use super::records::rewrite;
use super::work::LoopWork;

/// An accepted call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginTurn {
    /// The path of its record.
    pub path: EntryPath,
    /// The tool: `PLUGIN.TOOL`.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginEnd {
    /// Why there is no answer, in our words.
    pub reason: Option<String>,
    /// Whether the user stopped it.
    pub is_cancelled: bool,
    /// Whether the plugin says that it failed.
    pub is_error: bool,
    /// What the plugin answered, cleaned and cut.
    pub text: String,
    /// How many bytes of it were left out.
    pub left_out: usize,
    /// Texts that came with the answer, each under an address of the web.
    pub pages: Vec<Page>,
    /// How long it took.
    pub took: Duration,
}

/// A text of the web that came with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its address: `http` or `https`.
    pub address: EntryPath,
    /// The text, cleaned and cut.
    pub text: String,
    /// How many bytes of it were left out.
    pub left_out: usize,
}

/// A part of what a plugin answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A text with the address that it is from.
    Resource {
        /// The address.
        address: String,
        /// The text.
        text: String,
    },
    /// Anything else, in a few words.
    Other(String),
}

/// How many bytes of an answer, and of each page, are stored.
const MAX_STORED_BYTES: usize = 64 << 10;

/// How many pages of an answer are stored.
const MAX_PAGES: usize = 5;

/// A text of a plugin without control and hidden characters and without credentials, cut. Also how
/// many bytes were left out.
fn stored(text: &str) -> (String, usize) {
    let is_shown = |c: &char| matches!(c, '\n' | '\t') || !(c.is_control() || is_hidden(*c));
    let shown: String = text.chars().filter(is_shown).collect();
    // Before it is cut: half of a credential looks like none.
    let clean = nudge_secrets::redact(&shown);
    let kept = first_bytes(&clean, MAX_STORED_BYTES);
    (kept.to_owned(), clean.len() - kept.len())
}

/// The address of a page of the web.
fn page_address(address: &str) -> Option<EntryPath> {
    let path = EntryPath::parse(address).ok()?;
    let is_plain = !address.contains(|c: char| c.is_whitespace() || is_hidden(c));
    (is_plain && matches!(path.scheme(), "http" | "https")).then_some(path)
}

impl PluginEnd {
    /// The end of a call that the plugin answered: its texts are joined, a page of the web is an
    /// entry of its own, and what is no text is named.
    pub fn answered(parts: Vec<Part>, is_error: bool) -> Self {
        let (mut texts, mut pages) = (Vec::new(), Vec::new());
        for part in parts {
            match part {
                Part::Text(text) => texts.push(text),
                Part::Other(what) => texts.push(format!("[{what}; not stored]")),
                Part::Resource { address, text } => match page_address(&address) {
                    Some(address) if pages.len() < MAX_PAGES => {
                        let (text, left_out) = stored(&text);
                        pages.push(Page { address, text, left_out });
                    }
                    _ => texts.push(format!("[{address}]\n{text}")),
                },
            }
        }
        let (text, left_out) = stored(&texts.join("\n"));
        Self { is_error, text, left_out, pages, ..Self::default() }
    }

    /// An end without an answer.
    pub fn without(reason: impl Into<String>) -> Self {
        Self { reason: Some(reason.into()), ..Self::default() }
    }

    /// The end of a call that the user stopped.
    pub fn cancelled() -> Self {
        Self { is_cancelled: true, ..Self::without(super::CANCELLED) }
    }

    /// The status of its record.
    const fn status(&self) -> u16 {
        match (self.is_cancelled, self.is_error || self.reason.is_some()) {
            (true, _) => 499,
            (false, true) => 500,
            (false, false) => 200,
        }
    }

    fn state(&self) -> (EntryState, Option<String>) {
        match self.status() {
            200 => (EntryState::Resolved, None),
            499 => (EntryState::Cancelled, Some("aborted".to_owned())),
            status => (EntryState::Failed, Some(format!("plugin:{status}"))),
        }
    }

    /// How it ended, in a few words.
    fn words(&self) -> String {
        let how = match (&self.reason, self.is_error) {
            (Some(reason), _) => return reason.clone(),
            (None, true) => "the plugin says that it failed",
            (None, false) => "answered",
        };
        format!("{how} after {:.1} s; {}", self.took.as_secs_f64(), size(&self.text, self.left_out))
    }
}

/// How long a text is, and how much of it is stored.
fn size(text: &str, left_out: usize) -> String {
    match left_out {
        0 if text.is_empty() => "no text".to_owned(),
        0 => format!("{} bytes", text.len()),
        left_out => format!(
            "{} bytes, of which the first {} are stored and {left_out} were dropped",
            text.len() + left_out,
            text.len()
        ),
    }
}

/// The reason of a call whose server died.
const INTERRUPTED: &str = "interrupted: the server ended while the plugin worked; it is not called again";

/// Whether a record is of a call of a plugin.
pub(super) fn is_plugin_call(entry: &Entry) -> bool {
    entry.attributes.get("tool").and_then(Value::as_str) == Some(Tool::Mcp.name())
}

/// The facts of a record whose call may begin.
pub(super) fn accepted_facts(arguments: &str) -> Map<String, Value> {
    Map::from_iter([
        (PHASE.to_owned(), json!(Phase::Accepted.name())),
        ("command".to_owned(), json!(arguments)),
    ])
}

/// The call of a record.
pub(super) fn turn_of(entry: &Entry) -> PluginTurn {
    let text = |name: &str| entry.attributes.get(name).and_then(Value::as_str).unwrap_or_default();
    let arguments = serde_json::from_str(text("command")).unwrap_or_default();
    PluginTurn { path: entry.path.clone(), tool: text("target").to_owned(), arguments }
}

/// Lets an accepted call wait to be started.
pub(super) fn accept(ctx: &OpContext<'_>, run: &RunRow, entry: &Entry) -> Result<PluginTurn, Fault> {
    set_phase(ctx, run, &entry.path, Phase::Accepted)?;
    let entry = ctx.store().entry(&run.scope, &entry.path)?;
    Ok(turn_of(&entry.ok_or_else(|| Fault::invalid("path", "the record of the call is gone"))?))
}

impl LoopWork {
    /// Marks a call as started, before it is sent. False if somebody else did.
    pub fn start_plugin_call(
        &self,
        memory: &Memory,
        turn: &PluginTurn,
        now: Timestamp,
    ) -> Result<bool, Fault> {
        self.write(
            memory,
            Durability::Stated,
            |ctx| {
                let entry = ctx.store().entry(&self.run.scope, &turn.path)?;
                let is_ready = entry.is_some_and(|entry| phase(&entry) == Some(Phase::Accepted));
                if is_ready {
                    set_phase(ctx, &self.run, &turn.path, Phase::Started)?;
                }
                Ok(is_ready)
            },
            now,
        )
    }

    /// Whether nobody ended a call that is under way.
    pub fn waits_for_plugin(&self, memory: &Memory, turn: &PluginTurn) -> Result<bool, Fault> {
        memory.store().read(|reader| {
            self.check_open(reader)?;
            let entry = reader.entry(&self.run.scope, &turn.path)?;
            Ok(entry.is_some_and(|entry| phase(&entry) == Some(Phase::Started)))
        })
    }

    /// Ends a call: its answer is stored, and its record says how it went. Returns the status.
    pub fn end_plugin_call(
        &self,
        memory: &Memory,
        turn: &PluginTurn,
        end: &PluginEnd,
        now: Timestamp,
    ) -> Result<u16, Fault> {
        self.write(memory, Durability::Stated, |ctx| finish(ctx, &self.run, &turn.path, end), now)
    }
}

/// Ends a call that was under way when the server died.
pub(super) fn interrupt(ctx: &OpContext<'_>, run: &RunRow, entry: &Entry) -> Result<u16, Fault> {
    finish(ctx, run, &entry.path, &PluginEnd::without(INTERRUPTED))
}

/// Ends a call, unless it has ended.
pub(super) fn finish(
    ctx: &OpContext<'_>,
    run: &RunRow,
    path: &EntryPath,
    end: &PluginEnd,
) -> Result<u16, Fault> {
    let writer = ctx.writer()?;
    let Some(entry) = writer.entry(&run.scope, path)? else { return Ok(500) };
    let row = writer.view(&run.scope, entry.id)?;
    if let (Some(Phase::Ended), Some(row)) = (phase(&entry), &row) {
        return Ok(nudge_core::entry_state::status_of(row.state, row.outcome.as_deref()));
    }
    let turn = row.map(|row| (row.turn, row.in_loop));
    let PluginTurn { tool, .. } = turn_of(&entry);
    let store = |path: &EntryPath, text: &str, visibility: Visibility| {
        let written = writer.put_entry(&EntryDraft {
            scope: run.scope.clone(),
            path: path.clone(),
            body: text.to_owned(),
            attributes: Map::from_iter([("tags".to_owned(), json!(tool))]),
            provenance: by_plugin(run, &tool),
            secrets: SecretPolicy::Redact,
            now: ctx.now(),
        })?;
        let change = ViewChange {
            state: Some(end.state()),
            visibility: Some(visibility),
            summary: None,
            turn,
            is_write: true,
        };
        writer.change_view(&run.scope, written.id, &change, ctx.now())?;
        Ok::<_, Fault>(())
    };
    let mut body = format!("called {tool}\n{}", end.words());
    if !end.text.is_empty()
        && let Some(path) = channel_path(path, 1)
    {
        store(&path, &end.text, Visibility::Visible)?;
        body.push_str(&format!("\n{path}"));
    }
    for page in &end.pages {
        // What the user put there stays.
        if writer.entry(&run.scope, &page.address)?.is_some_and(|known| known.writer.is_by_user()) {
            continue;
        }
        store(&page.address, &page.text, Visibility::Summarized)?;
        body.push_str(&format!("\n{} ({})", page.address, size(&page.text, page.left_out)));
    }
    let mut more = Map::from_iter([(PHASE.to_owned(), json!(Phase::Ended.name()))]);
    more.insert("took_ms".to_owned(), json!(u64::try_from(end.took.as_millis()).unwrap_or(u64::MAX)));
    rewrite(ctx, run, &entry, &body, end.state(), Some(more))?;
    writer.touch(run.entry, ctx.now())?;
    Ok(end.status())
}

/// Who writes what a plugin answered: neither the user nor the model.
fn by_plugin(run: &RunRow, tool: &str) -> Provenance {
    let plugin = tool.split('.').next().unwrap_or_default();
    Provenance { client: Some(format!("plugin:{plugin}")), ..log::by_nudge(run) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    #[test]
    fn texts_are_joined_and_the_rest_is_named() {
        let page = |address: &str| Part::Resource { address: address.to_owned(), text: "a page".to_owned() };
        let parts = vec![
            text("one"),
            Part::Other("an image".to_owned()),
            page("file:///etc/x"),
            page("https://a.example/b"),
        ];
        let end = PluginEnd::answered(parts, false);
        assert_eq!(end.text, "one\n[an image; not stored]\n[file:///etc/x]\na page");
        let pages: Vec<&str> = end.pages.iter().map(|page| page.address.as_str()).collect();
        assert_eq!(pages, ["https://a.example/b"]);
        let many = (0..9).map(|n| page(&format!("https://a.example/{n}"))).collect();
        assert_eq!(PluginEnd::answered(many, false).pages.len(), MAX_PAGES);
    }

    #[test]
    fn what_is_stored_is_clean_and_bounded() {
        let secret = ["AKIA", "QYLPMN5HHHFPZAM2"].concat();
        let end = PluginEnd::answered(vec![text(&format!("a\u{1b}[31m\u{200b}b\r\n{secret}"))], false);
        assert!(end.text.starts_with("a[31mb\n") && !end.text.contains(&secret), "{}", end.text);
        // A credential at the cut is gone, too.
        let begin = "x".repeat(MAX_STORED_BYTES - 11);
        let end = PluginEnd::answered(vec![text(&format!("{begin} {secret} y"))], false);
        assert!(!end.text.contains("AKIA") && end.text.len() <= MAX_STORED_BYTES, "{}", end.text.len());
        assert!(end.left_out > 0 && end.words().contains("were dropped"), "{}", end.words());
    }
}
