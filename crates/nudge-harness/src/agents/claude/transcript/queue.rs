//! Messages that the user types while the agent works.
//!
//! Such a message waits in a queue. It goes to the agent in the middle of its turn, becomes a
//! separate prompt when the turn ends, or the user withdraws it. Newer versions also write a
//! separate line in the first case.

use nudge_core::Timestamp;
use serde_json::Value;

use super::prompt;
use crate::payload::Fields;
use crate::transcript::line::text_of;

/// Reasons for which a message left the queue before the agent saw it.
const DROPPED: [&str; 3] = ["cancel", "clear", "dropped"];

/// A message, and when it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    pub(super) words: String,
    pub(super) at: Option<Timestamp>,
}

impl Message {
    fn is(&self, words: &str) -> bool {
        self.words.trim() == words.trim()
    }
}

/// The waiting and the sent messages.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Vec<Message>,
    /// Messages that one line has reported as sent; the entry is removed when a second line reports
    /// it.
    sent: Vec<String>,
    /// How many of the next prompts come from the queue.
    dequeued: usize,
}

impl Queue {
    /// Applies a queue line; returns the message that it sends to the agent.
    pub(super) fn apply_operation(&mut self, line: &Fields) -> Option<Message> {
        let words = line.get("content").and_then(text_of).unwrap_or_default();
        match line.text(&["operation"]).as_deref() {
            Some("enqueue") => {
                if prompt::read(&words).is_from_user() {
                    self.waiting.push(Message { words, at: line.point("timestamp") });
                }
                None
            }
            // The program's own messages leave the queue in the same way, and not in the order they
            // came. If the line does not say which message left, we assume the first one that the
            // user typed.
            Some("remove") => {
                let named = self.waiting.iter().position(|message| message.is(&words));
                let at = if words.is_empty() { Some(0).filter(|_| !self.waiting.is_empty()) } else { named };
                let message = self.waiting.remove(at?);
                let reason = line.text(&["reason"]).unwrap_or_default();
                let is_dropped = DROPPED.iter().any(|word| reason.contains(word));
                if is_dropped {
                    return None;
                }
                self.sent.push(message.words.clone());
                Some(message)
            }
            Some("dequeue") => {
                self.dequeued += 1;
                None
            }
            Some("popAll") => {
                self.waiting.retain(|message| !words.is_empty() && !message.is(&words));
                None
            }
            _ => None,
        }
    }

    /// Reads a line that shows the agent what the user typed meanwhile.
    pub(super) fn read_attachment(&mut self, attachment: &Value, at: Option<Timestamp>) -> Option<Message> {
        let words = attachment.get("prompt").and_then(text_of)?;
        let by_program = attachment["commandMode"] == "task-notification"
            || attachment["isMeta"].as_bool() == Some(true)
            || prompt::is_sent_by_program(attachment.get("origin"))
            || !prompt::read(&words).is_from_user();
        if by_program {
            return None;
        }
        // Two lines report the same message; the first counts.
        if let Some(at) = self.sent.iter().position(|sent| sent.trim() == words.trim()) {
            self.sent.remove(at);
            return None;
        }
        self.waiting.retain(|message| !message.is(&words));
        Some(Message { words, at })
    }

    /// Handles a separate prompt, which may have waited in the queue. Returns whether it was
    /// reported already, if its line says that it comes from the queue.
    pub(super) fn take_prompt(&mut self, text: &str, from_queue: bool) -> bool {
        if self.dequeued > 0 || from_queue {
            self.dequeued = self.dequeued.saturating_sub(1);
            self.waiting.retain(|message| !message.is(text));
        }
        let out = self.sent.iter().position(|sent| from_queue && sent.trim() == text.trim());
        if let Some(at) = out {
            self.sent.remove(at);
        }
        out.is_some()
    }
}
