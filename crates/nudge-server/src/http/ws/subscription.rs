//! Notifications of changes, from the feed that `/events` reads and with the same view of it.

use std::sync::Arc;

use nudge_core::Fault;
use nudge_memory::events::{LiveEvent, Wanted};
use nudge_store::ChangeKind;
use serde::Deserialize;
use serde_json::{Value, json};

use super::link::Goodbye;
use super::outbox::{Ended, Notes};
use super::peer::Credential;
use crate::backend::Local;
use crate::http::feed::{FeedReader, Listening, Step};
use crate::http::{jsonrpc, methods};

/// The kinds of change that a client can ask for.
const KINDS: [ChangeKind; 11] = [
    ChangeKind::Created,
    ChangeKind::Updated,
    ChangeKind::Deleted,
    ChangeKind::Used,
    ChangeKind::Renamed,
    ChangeKind::Busy,
    ChangeKind::Idle,
    ChangeKind::Ended,
    ChangeKind::Observed,
    ChangeKind::Resumed,
    ChangeKind::Other,
];

/// The parameters of `subscribe`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SubscribeParams {
    kinds: Vec<String>,
    schemes: Vec<String>,
    since: Option<i64>,
    sessions: bool,
}

impl SubscribeParams {
    pub(super) fn read(params: Value) -> Result<Self, Fault> {
        let asked: Self = serde_json::from_value(params)
            .map_err(|error| methods::misfit(methods::SUBSCRIBE, &error.to_string()))?;
        let names = KINDS.map(ChangeKind::name);
        if let Some(unknown) = asked.kinds.iter().find(|kind| !names.contains(&kind.as_str())) {
            let shown = nudge_core::text::without_controls(unknown, 80);
            let why = format!("there is no kind `{shown}`; the kinds are {}", names.join(", "));
            return Err(methods::misfit(methods::SUBSCRIBE, &why));
        }
        Ok(asked)
    }

    /// The subscription, at the position where it begins.
    pub(super) async fn open(self, local: Arc<Local>, listening: &Listening) -> Subscription {
        let wanted = Wanted { session: None, schemes: self.schemes };
        let feed = FeedReader::open(local, listening, wanted, self.since).await;
        Subscription { feed, kinds: self.kinds, sessions: self.sessions }
    }
}

/// A subscription that has not sent anything yet.
pub(super) struct Subscription {
    feed: FeedReader,
    kinds: Vec<String>,
    /// Whether the events of sessions are sent too, under their own names.
    sessions: bool,
}

impl Subscription {
    /// The position where it begins.
    pub(super) fn position(&self) -> i64 {
        self.feed.position()
    }

    /// Sends notifications until the client is gone, too slow, or no longer admitted.
    pub(super) async fn send(mut self, number: u64, notes: Notes, credential: Credential) {
        while let Some(step) = self.feed.next().await {
            if !credential.is_valid() {
                return notes.close(Goodbye::TokenReplaced);
            }
            if self.send_step(&notes, number, step).await.is_err() {
                return;
            }
        }
    }

    async fn send_step(&self, notes: &Notes, number: u64, step: Step) -> Result<(), Ended> {
        match step {
            Step::Gone { oldest, head } => {
                let params = json!({"oldest": oldest, "head": head});
                notes.send(number, jsonrpc::notification(methods::GONE, &params)).await
            }
            Step::Events { events, .. } => {
                for event in events.iter().filter(|event| self.wants(event)) {
                    if self.sessions && event.name != methods::PLAIN_CHANGE {
                        notes.send(number, jsonrpc::notification(event.name, &event.data)).await?;
                    }
                    let text = jsonrpc::notification(methods::CHANGED, &changed(event));
                    notes.send(number, text).await?;
                }
                Ok(())
            }
        }
    }

    fn wants(&self, event: &LiveEvent) -> bool {
        self.kinds.is_empty() || self.kinds.iter().any(|kind| event.data["kind"] == kind.as_str())
    }
}

/// A change without its content: who wants that reads the entry.
fn changed(LiveEvent { position, data, .. }: &LiveEvent) -> Value {
    let mut change = json!({
        "position": position,
        "id": data["entry"],
        "scheme": data["scheme"],
        "kind": data["kind"],
        "version": data["version"],
    });
    if let Some(scope) = data.get("scope") {
        change["scope"] = scope.clone();
    }
    change
}

#[cfg(test)]
mod tests {
    use super::*;

    /// @ws_notifications: a change carries its identity, never its content.
    #[test]
    fn a_change_has_no_content() {
        let data = json!({"entry": 7, "scheme": "context", "kind": "updated", "version": 2, "at": "x",
            "scope": {"kind": "session", "key": "s"}, "context": {"files": ["/w/a"]}, "position": 3});
        let event = LiveEvent { position: 3, name: "nudge.context", data };
        assert_eq!(
            changed(&event),
            json!({"position": 3, "id": 7, "scheme": "context", "kind": "updated", "version": 2,
                "scope": {"kind": "session", "key": "s"}})
        );
    }

    /// @ws_notifications: a misspelt kind is an error, not silence.
    #[test]
    fn unknown_kinds_and_fields_are_refused() {
        assert!(SubscribeParams::read(json!({"kinds": ["created", "used"], "since": 3})).is_ok());
        for wrong in [json!({"kinds": ["made"]}), json!({"kind": "created"}), json!({"since": "x"})] {
            assert_eq!(SubscribeParams::read(wrong).expect_err("refused").reason, "schema");
        }
    }
}
