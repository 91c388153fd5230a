//! `nudge tui`: a browser over the same operations as the other commands.
//!
//! The browser is a state machine. [`update`] changes the [`state`] for one [`message`] and returns
//! effects; [`draw`] turns the state into a screen. Neither reads a clock, a terminal or the
//! memory, so tests need none. [`run()`] carries out the effects: a worker thread calls the memory,
//! so a slow answer never blocks the keyboard.

mod call;
mod clock;
mod document;
mod draw;
mod keys;
mod message;
mod near;
mod palette;
mod run;
mod state;
mod styled;
mod terminal;
mod update;
mod worker;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod screens;
#[cfg(test)]
mod steps;

pub(crate) use run::run;
