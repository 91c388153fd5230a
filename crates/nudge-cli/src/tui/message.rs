//! The browser's input messages and its effects.

use std::time::Duration;

use super::call::{Answer, Problem, Request, Ticket};

/// A key, with only the modifiers that matter here.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Char(char),
    Ctrl(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Up,
    Down,
    Left,
    PageUp,
    PageDown,
    Home,
    End,
    F1,
}

/// An input to the state machine.
#[derive(Clone, Debug)]
pub(super) enum Message {
    /// The browser was opened.
    Opened,
    Key(Key),
    /// Text was pasted. It must not act as keys: an `a` in it would accept a proposal.
    Paste(String),
    Resize(u16, u16),
    Answered(Ticket, Result<Answer, Problem>),
    /// The user stopped typing for a while after this edit of the query.
    TypingPaused(u64),
    /// The terminal is gone, or the process was asked to end.
    Stop,
}

/// Something to do outside the state machine.
#[derive(Clone, Debug)]
pub(super) enum Effect {
    Call(Ticket, Request),
    /// Send the message after a delay.
    After(Duration, Message),
    Suspend,
    Quit,
}
