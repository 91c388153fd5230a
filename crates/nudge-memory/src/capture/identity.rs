//! Computes the identity of a captured event.
//!
//! It is the agent program's own id if there is one; otherwise the whole payload, if that contains
//! a time; otherwise the whole payload within two seconds. No agent does exactly the same thing
//! twice in that time.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use blake3::{Hash, Hasher};
use nudge_core::event::Speech;
use nudge_core::text::first_bytes;
use nudge_core::{EventKind, HookEvent, Timestamp};
use nudge_outcomes::fingerprint;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::json;

use crate::capture::captured_event::Identity;

/// Equal payloads without id and time within this period are the same event, reported twice.
const REPEAT_WINDOW_MS: i64 = 2_000;

/// The identity of an event and its payload.
pub(super) fn of(event: &HookEvent, session: &str, payload: &str) -> Identity {
    let call = call_id(event).filter(|_| is_call(&event.kind));
    if let Some(call) = call {
        return of_call(&event.harness, session, call);
    }
    if let (Some(Speech { call: Some(call), about, .. }), Some(prompt)) = (&event.speech, &event.prompt) {
        // One call may ask several questions and get the same answer to each.
        let about = about.as_deref().unwrap_or_default();
        return of_user_reply(&event.harness, session, call, about, &prompt.text);
    }
    if let (EventKind::Prompt, Some(turn), Some(prompt)) = (&event.kind, &event.prompt_id, &event.prompt) {
        return of_prompt(&event.harness, session, turn, &prompt.text);
    }
    if let (EventKind::Stop, Some(turn), Some(said)) = (&event.kind, &event.prompt_id, &event.message) {
        return of_conclusion(&event.harness, session, turn, said);
    }
    let reported = hash_canonical(payload);
    let hash = fingerprint(&[&event.harness, session, &event.name, &reported.to_hex()]);
    Identity { hash, within_ms: event.at.is_none().then_some(REPEAT_WINDOW_MS) }
}

/// The identity of a tool call: the same before it, after it and in the transcript.
pub fn of_call(harness: &str, session: &str, id: &str) -> Identity {
    Identity { hash: fingerprint(&[harness, session, "tool", id]), within_ms: None }
}

/// The identity of a prompt. One turn may contain several, so the text is part of it.
pub fn of_prompt(harness: &str, session: &str, turn: &str, text: &str) -> Identity {
    // Credentials are removed first: anyone could confirm a guess at one against the hash.
    let text = nudge_secrets::redact(text.trim());
    Identity { hash: fingerprint(&[harness, session, "prompt", turn, &text]), within_ms: None }
}

/// The identity of a turn's conclusion: the same from its hook and in the transcript. A turn may
/// continue after one.
fn of_conclusion(harness: &str, session: &str, turn: &str, text: &str) -> Identity {
    let text = nudge_secrets::redact(text.trim());
    Identity { hash: fingerprint(&[harness, session, "concluded", turn, &text]), within_ms: None }
}

/// The identity of what a user said in response to a call, whenever and from whichever file it is
/// read.
fn of_user_reply(harness: &str, session: &str, call: &str, about: &str, text: &str) -> Identity {
    let text = nudge_secrets::redact(text.trim());
    let hash = fingerprint(&[harness, session, "said", call, about, &text]);
    Identity { hash, within_ms: None }
}

/// The identity of an agent's thought: the same text in one session is one thought.
pub fn of_thought(harness: &str, session: &str, text: &str) -> Identity {
    let text = nudge_secrets::redact(text.trim());
    Identity { hash: fingerprint(&[harness, session, "thought", &text]), within_ms: None }
}

/// The key of a transcript event without an id, the same each time it is read.
pub(crate) fn transcript_event_key(event: &HookEvent) -> String {
    let tool = event.tool.as_ref();
    let mut reported = json!({
        "at": event.at.map(Timestamp::as_millis),
        "prompt": event.prompt.as_ref().map(|prompt| &prompt.text),
        "tool": tool.map(|tool| &tool.name),
        "input": tool.map(|tool| &tool.input),
    });
    if let Some(message) = &event.message {
        reported["message"] = json!(message);
    }
    reported.to_string()
}

/// The id of a call. If an agent program sends two, the one that its transcript contains.
pub(super) fn call_id(event: &HookEvent) -> Option<&str> {
    let tool = event.tool.as_ref()?;
    tool.provider_id.as_deref().or(tool.id.as_deref())
}

const fn is_call(kind: &EventKind) -> bool {
    matches!(kind, EventKind::PreTool | EventKind::PostTool | EventKind::ToolFailure)
}

// A hash of JSON that is independent of whitespace and key order.
//
// The text is read once and no tree is built, because payloads can be very large.

/// The hash of a text: of its value if it is JSON, otherwise of its bytes.
fn hash_canonical(text: &str) -> Hash {
    let text = text.trim_start_matches('\u{feff}').trim();
    serde_json::from_str(text).map_or_else(|_| blake3::hash(clean(text).as_bytes()), |ValueHash(hash)| hash)
}

/// A string without its credentials, so that they cannot be guessed from the hash. Only the
/// beginning of a very long string counts.
fn clean(text: &str) -> Cow<'_, str> {
    const MAX_SCANNED_BYTES: usize = 64 * 1024;
    nudge_secrets::redact(first_bytes(text, MAX_SCANNED_BYTES))
}

/// The hash of one value.
struct ValueHash(Hash);

fn tagged(tag: u8, bytes: &[u8]) -> ValueHash {
    let mut hasher = Hasher::new();
    hasher.update(&[tag]);
    hasher.update(bytes);
    ValueHash(hasher.finalize())
}

impl<'de> Deserialize<'de> for ValueHash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = ValueHash;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<ValueHash, E> {
        Ok(tagged(b'n', &[]))
    }

    fn visit_bool<E>(self, value: bool) -> Result<ValueHash, E> {
        Ok(tagged(b'b', &[value.into()]))
    }

    fn visit_i64<E>(self, value: i64) -> Result<ValueHash, E> {
        Ok(tagged(b'i', &i128::from(value).to_le_bytes()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<ValueHash, E> {
        Ok(tagged(b'i', &i128::from(value).to_le_bytes()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<ValueHash, E> {
        Ok(tagged(b'f', &value.to_bits().to_le_bytes()))
    }

    fn visit_str<E>(self, value: &str) -> Result<ValueHash, E> {
        Ok(tagged(b's', clean(value).as_bytes()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ValueHash, A::Error> {
        let mut hasher = Hasher::new();
        hasher.update(b"a");
        while let Some(ValueHash(item)) = items.next_element()? {
            hasher.update(item.as_bytes());
        }
        Ok(ValueHash(hasher.finalize()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<ValueHash, A::Error> {
        let mut sorted = BTreeMap::new();
        while let Some((key, ValueHash(value))) = fields.next_entry::<String, ValueHash>()? {
            sorted.insert(key, value);
        }
        let mut hasher = Hasher::new();
        hasher.update(b"o");
        for (key, value) in sorted {
            hasher.update(blake3::hash(key.as_bytes()).as_bytes());
            hasher.update(value.as_bytes());
        }
        Ok(ValueHash(hasher.finalize()))
    }
}

#[cfg(test)]
mod tests {
    use nudge_core::event::ToolCall;

    use super::*;

    fn tool_event(kind: EventKind, id: Option<&str>) -> HookEvent {
        let mut tool = ToolCall::new("Bash");
        tool.id = id.map(Into::into);
        HookEvent { tool: Some(tool), ..HookEvent::new("x", "Event", kind) }
    }

    #[test]
    fn a_call_is_the_same_before_and_after_it() {
        let before = of(&tool_event(EventKind::PreTool, Some("c1")), "s", "{}");
        let after = of(&tool_event(EventKind::PostTool, Some("c1")), "s", "{\"more\":1}");
        assert_eq!(before, after);
        assert_eq!(before, of_call("x", "s", "c1"));
        assert_ne!(before, of(&tool_event(EventKind::PostTool, Some("c1")), "t", "{}"));
        assert_ne!(before, of(&tool_event(EventKind::PostTool, Some("c2")), "s", "{}"));
    }

    #[test]
    fn the_id_that_transcripts_have_wins() {
        let mut event = tool_event(EventKind::PostTool, Some("own"));
        event.tool.as_mut().expect("a tool").provider_id = Some("provider".into());
        assert_eq!(of(&event, "s", "{}"), of_call("x", "s", "provider"));
    }

    #[test]
    fn without_ids_the_payload_counts_whatever_the_order_of_its_keys() {
        let mut event = tool_event(EventKind::PostTool, None);
        let loose = of(&event, "s", r#"{"a":1,"b":[2,3]}"#);
        assert_eq!(loose.within_ms, Some(2_000));
        assert_eq!(loose, of(&event, "s", r#" {"b": [2, 3], "a": 1}"#));
        assert_ne!(loose.hash, of(&event, "s", r#"{"a":1,"b":[3,2]}"#).hash);
        event.at = Some(Timestamp::from_millis(1));
        assert_eq!(of(&event, "s", r#"{"a":1,"b":[2,3]}"#).within_ms, None);
    }

    #[test]
    fn parts_never_run_together() {
        assert_ne!(of_call("x", "ab", "c"), of_call("x", "a", "bc"));
        assert_ne!(of_prompt("x", "s", "t", "one"), of_prompt("x", "s", "t", "two"));
    }

    #[test]
    fn the_same_said_otherwise_is_the_same() {
        let said = hash_canonical(r#"{"a": "\u0041", "b": {"c": [1, null, true, 1.5]}}"#);
        assert_eq!(said, hash_canonical(r#"{"b":{"c":[1,null,true,1.5]},"a":"A"}"#));
        assert_ne!(said, hash_canonical(r#"{"b":{"c":[1,null,true,1.5]},"a":"B"}"#));
        assert_ne!(hash_canonical("[]"), hash_canonical("{}"));
        assert_ne!(hash_canonical(r#"["ab"]"#), hash_canonical(r#"["a","b"]"#));
    }

    #[test]
    fn what_is_no_json_is_its_bytes() {
        assert_eq!(hash_canonical("{ no"), blake3::hash(b"{ no"));
    }
}
