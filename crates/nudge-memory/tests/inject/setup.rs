//! An in-memory store, and agents that work in it.

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_memory::capture::{Action, EventBody, Identity, Phase, StoreOutcome};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_testkit::{EventBuilder, MemoryBench, event};
use serde_json::json;

pub(crate) const NOW: i64 = 1_794_723_027_000;
pub(crate) const MINUTE: i64 = 60_000;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// An empty memory.
pub(crate) fn fresh() -> MemoryBench {
    MemoryBench::in_memory(Timestamp::from_millis(NOW))
}

/// Agents that work, and what is injected.
pub(crate) trait Inject {
    /// Stores an event with a new identity; returns the entry.
    fn keep(&self, event: EventBuilder) -> i64;

    /// Ends a session, with everything that follows.
    fn end(&self, event: EventBuilder);

    /// Starts a session, or refills its context; returns what is injected.
    fn begin(&self, event: EventBuilder) -> Option<Injected>;

    fn begin_with(&self, event: EventBuilder, limits: InjectionLimits) -> Option<Injected>;

    /// The injected text; empty if there is none.
    fn injected(&self, event: EventBuilder) -> String;

    /// Whether a new session gets an entry.
    fn tells(&self, event: EventBuilder, entry: i64) -> bool;

    /// A session with work worth injecting: asked, edited a file, ran a command.
    fn work(&self, session: &str, project: &str, at: i64, about: &str) -> [i64; 3];
}

impl Inject for MemoryBench {
    fn keep(&self, event: EventBuilder) -> i64 {
        let event = event.identity(Identity { hash: self.number(), within_ms: None });
        match self.memory.receive(&event).expect("stored").outcome {
            StoreOutcome::Stored(id) | StoreOutcome::Settled(id) => id.0,
            StoreOutcome::Duplicate | StoreOutcome::Nothing => 0,
        }
    }

    fn end(&self, event: EventBuilder) {
        let event = event.identity(Identity { hash: self.number(), within_ms: None });
        self.memory.receive(&event).expect("kept").react().expect("settled");
    }

    fn begin(&self, event: EventBuilder) -> Option<Injected> {
        self.begin_with(
            event,
            InjectionLimits {
                start_tokens: 500,
                recovery_tokens: 1_500,
                prompt_tokens: 800,
                tool_tokens: 200,
                ask_agent: false,
            },
        )
    }

    fn begin_with(&self, event: EventBuilder, limits: InjectionLimits) -> Option<Injected> {
        let now = Timestamp::from_millis(event.at);
        self.keep(event.clone());
        self.memory.inject(&event, limits, now).expect("no fault")
    }

    fn injected(&self, event: EventBuilder) -> String {
        self.begin(event).map(|injected| injected.context).unwrap_or_default()
    }

    fn tells(&self, event: EventBuilder, entry: i64) -> bool {
        let session = event.session.clone();
        if self.begin(event).is_none() {
            return false;
        }
        let lines = self.ledger(&session).swap_remove(0).1;
        lines.iter().any(|line| line.is_injected() && line.entry.0 == entry)
    }

    fn work(&self, session: &str, project: &str, at: i64, about: &str) -> [i64; 3] {
        let file = format!("/w/{project}/src/{about}.rs");
        [
            self.keep(asked(session, project, at, &format!("mend {about}"))),
            self.keep(touched(session, project, at + 1_000, ObservationKind::FileEdit, &file)),
            self.keep(ran(session, project, at + 2_000, &format!("make {about}"), Outcome::Success)),
        ]
    }
}

pub(crate) fn happened(session: &str, project: &str, at: i64, what: EventBody) -> EventBuilder {
    EventBuilder::new(what).session(session).repository(&format!("/w/{project}")).at(at)
}

pub(crate) fn starts(session: &str, project: &str, at: i64, source: &str) -> EventBuilder {
    happened(session, project, at, event::start(source))
}

/// Starts a session as `nudge record` does, which also gets the tables of old rows and requests.
pub(crate) fn seeded(session: &str, project: &str, at: i64, source: &str) -> EventBuilder {
    starts(session, project, at, source).harness("record")
}

/// The agent ends its turn with a conclusion.
pub(crate) fn concluded(session: &str, project: &str, at: i64, text: &str) -> EventBuilder {
    let mut said =
        happened(session, project, at, EventBody::Concluded { text: text.to_owned(), anchors: Vec::new() });
    said.phase = Phase::TurnEnded;
    said
}

pub(crate) fn ends(session: &str, project: &str, at: i64, reason: &str) -> EventBuilder {
    happened(session, project, at, event::end(reason))
}

pub(crate) fn asked(session: &str, project: &str, at: i64, text: &str) -> EventBuilder {
    happened(session, project, at, event::prompt(text))
}

pub(crate) fn did(session: &str, project: &str, at: i64, action: Action) -> EventBuilder {
    happened(session, project, at, EventBody::Action(action))
}

pub(crate) fn action(kind: ObservationKind, body: &str, outcome: Outcome) -> Action {
    Action { tool: Some("Tool".into()), ..event::action(kind, body, outcome) }
}

pub(crate) fn ran(session: &str, project: &str, at: i64, command: &str, outcome: Outcome) -> EventBuilder {
    let failed = matches!(outcome, Outcome::Failed { .. });
    let kind = if failed { ObservationKind::CommandError } else { ObservationKind::Command };
    did(session, project, at, action(kind, command, outcome))
}

pub(crate) fn touched(
    session: &str,
    project: &str,
    at: i64,
    kind: ObservationKind,
    file: &str,
) -> EventBuilder {
    let files = vec![file.to_owned()];
    did(session, project, at, Action { files, ..action(kind, file, Outcome::Success) })
}

/// A change of several files at once.
pub(crate) fn patched(session: &str, project: &str, at: i64, files: &[&str]) -> EventBuilder {
    let files: Vec<String> = files.iter().map(|file| format!("/w/{project}/{file}")).collect();
    let patch = action(ObservationKind::FileEdit, &files[0], Outcome::Success);
    did(session, project, at, Action { files, ..patch })
}

/// The command with its output when it failed.
pub(crate) fn failed(session: &str, project: &str, at: i64, command: &str, said: &str) -> EventBuilder {
    let event = ran(session, project, at, command, Outcome::Failed { exit: Some(1) });
    event.action(|action| {
        action.metadata.insert("response".into(), json!(said));
    })
}

/// The lines of a block without the frame's random id.
pub(crate) fn plain(text: &str) -> String {
    let Some(id) = text.split('"').nth(1) else { return text.to_owned() };
    text.replace(id, "ID")
}
