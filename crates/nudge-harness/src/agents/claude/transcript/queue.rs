//! Messages that the person types while the agent works.
//!
//! One waits in a queue. It goes to the agent in the middle of its turn, or becomes a prompt of its own when the turn ends, or
//! the person takes it back. Newer versions tell of the first case in a line of its own as well.

use nudge_core::Timestamp;
use serde_json::Value;

use super::prompt;
use crate::payload::Fields;
use crate::transcript::line::text_of;

/// Why a message left the queue without the agent having seen it.
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

/// What waits, and what went.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Vec<Message>,
    /// What one line has told of as gone to the agent, until another does.
    sent: Vec<String>,
    /// How many prompts come out of the queue next.
    due: usize,
}

impl Queue {
    /// A line on the queue; the message that goes to the agent with it.
    pub(super) fn operation(&mut self, line: &Fields) -> Option<Message> {
        let words = line.get("content").and_then(text_of).unwrap_or_default();
        match line.text(&["operation"]).as_deref() {
            Some("enqueue") => {
                if prompt::read(&words).is_of_person() {
                    self.waiting.push(Message { words, at: line.moment("timestamp") });
                }
                None
            }
            // Messages of the program leave the queue in the same way, and not in the order in which they came; where the line
            // does not say which one left, what the person typed is taken to be meant.
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
                self.due += 1;
                None
            }
            Some("popAll") => {
                self.waiting.retain(|message| !words.is_empty() && !message.is(&words));
                None
            }
            _ => None,
        }
    }

    /// A line that shows the agent what the person typed meanwhile.
    pub(super) fn shown(&mut self, attachment: &Value, at: Option<Timestamp>) -> Option<Message> {
        let words = attachment.get("prompt").and_then(text_of)?;
        let by_program = attachment["commandMode"] == "task-notification"
            || attachment["isMeta"].as_bool() == Some(true)
            || prompt::is_sent(attachment.get("origin"))
            || !prompt::read(&words).is_of_person();
        if by_program {
            return None;
        }
        // Two lines tell of the same message; the first counts.
        if let Some(at) = self.sent.iter().position(|sent| sent.trim() == words.trim()) {
            self.sent.remove(at);
            return None;
        }
        self.waiting.retain(|message| !message.is(&words));
        Some(Message { words, at })
    }

    /// A prompt of its own, which may be one that waited. Whether it was told already, when its line says that it comes from the
    /// queue.
    pub(super) fn prompted(&mut self, text: &str, from_queue: bool) -> bool {
        if self.due > 0 || from_queue {
            self.due = self.due.saturating_sub(1);
            self.waiting.retain(|message| !message.is(text));
        }
        let told = self.sent.iter().position(|sent| from_queue && sent.trim() == text.trim());
        if let Some(at) = told {
            self.sent.remove(at);
        }
        told.is_some()
    }
}
