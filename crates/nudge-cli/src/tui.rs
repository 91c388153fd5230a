//! `nudge tui`: a browser over the same operations as the other commands.
//!
//! The browser is a state machine. [`update`] changes the [`state`] for one [`message`] and returns
//! effects; [`draw`] turns the state into a screen. Neither reads a clock, a terminal or the
//! memory, so tests need none. This file carries out the effects: a worker thread calls the memory,
//! so a slow answer never blocks the keyboard.

mod clock;
mod document;
mod draw;
#[cfg(test)]
mod fixture;
mod keys;
mod message;
#[cfg(test)]
mod screens;
mod state;
#[cfg(test)]
mod steps;
mod styled;
mod terminal;
mod update;
mod worker;

use std::io::{self, IsTerminal};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use clap::Args;
use nudge_core::{Fault, FaultKind};
use nudge_memory::projects;
use ratatui::crossterm::{event, style};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use crate::agent_above::{UserOnly, refuse_agents};
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::globals::Globals;
use crate::invocation::Invocation;
use crate::pages::time;
use clock::Clock;
use draw::Palette;
use message::{Effect, Message, Request, Ticket};
use state::State;
use terminal::Screen;

/// How often to check for a signal to end while nothing happens.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Opens the browser and stays until the user leaves it.
fn browse(invocation: &Invocation, all: bool) -> Result<(), Fault> {
    // Warnings about the settings must be on the terminal before the browser takes over the screen.
    invocation.settings()?;
    let palette = palette();
    let (messages, inbox) = channel();
    let (requests, work) = channel();
    let failed = start_worker(invocation.globals.clone(), work, messages.clone());
    let ended = end_signals().map_err(no_terminal)?;
    let mut screen = Screen::enter().map_err(no_terminal)?;
    let size = screen.size();
    let clock = Clock::new(time::zone(), jiff::Timestamp::now());
    let state = State::new(project_name(), all, clock, size);
    std::thread::spawn(move || read_keys(&messages));
    Browser { screen: &mut screen, palette, state, inbox, requests, timers: Vec::new(), ended }
        .stay()
        .map_err(no_terminal)?;
    drop(screen);
    if failed.load(Ordering::Relaxed) { Err(worker_failed()) } else { Ok(()) }
}

/// Starts the thread that calls the memory. If it panics, the browser ends, and the flag says why.
fn start_worker(
    globals: Globals,
    work: Receiver<(Ticket, Request)>,
    answers: Sender<Message>,
) -> Arc<AtomicBool> {
    let failed = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&failed);
    std::thread::spawn(move || {
        let worked = std::panic::catch_unwind(AssertUnwindSafe(|| worker::work(globals, &work, &answers)));
        flag.store(worked.is_err(), Ordering::Relaxed);
        let _ = answers.send(Message::Stop);
    });
    failed
}

fn worker_failed() -> Fault {
    Fault::new(FaultKind::Internal, "worker", "reading the memory failed unexpectedly")
        .next("run `nudge doctor`, then try again")
}

/// Colours as `--color` and `NO_COLOR` say, as in every command.
fn palette() -> Palette {
    let is_coloured = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    style::force_color_output(is_coloured);
    if is_coloured { Palette::Colour } else { Palette::Plain }
}

fn project_name() -> String {
    projects::of_directory(&working_directory()).name
}

fn end_signals() -> io::Result<Arc<AtomicBool>> {
    let ended = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&ended))?;
    }
    Ok(ended)
}

/// Sends the user's keys until the terminal is gone.
fn read_keys(messages: &Sender<Message>) {
    while let Ok(event) = event::read() {
        if let Some(message) = terminal::message(event)
            && messages.send(message).is_err()
        {
            return;
        }
    }
    let _ = messages.send(Message::Stop);
}

fn no_terminal(error: io::Error) -> Fault {
    Fault::new(FaultKind::Unavailable, "terminal", format!("the terminal cannot be used: {error}"))
        .next("use `nudge sessions`, `nudge search`, `nudge review` and `nudge why` instead")
}

/// The browser and everything it acts on.
struct Browser<'s> {
    screen: &'s mut Screen,
    palette: Palette,
    state: State,
    inbox: Receiver<Message>,
    requests: Sender<(Ticket, Request)>,
    timers: Vec<(Instant, Message)>,
    ended: Arc<AtomicBool>,
}

impl Browser<'_> {
    fn stay(mut self) -> io::Result<()> {
        let mut message = Some(Message::Opened);
        loop {
            if let Some(message) = message
                && !self.handle(message)?
            {
                return Ok(());
            }
            // Handle all pending messages before drawing the screen once.
            while let Ok(message) = self.inbox.try_recv() {
                if !self.handle(message)? {
                    return Ok(());
                }
            }
            self.screen.terminal.draw(|frame| draw::draw(&self.state, self.palette, frame))?;
            message = self.next();
        }
    }

    /// Waits for the next message; `None` if there was none for a while.
    fn next(&mut self) -> Option<Message> {
        if self.ended.load(Ordering::Relaxed) {
            return Some(Message::Stop);
        }
        let now = Instant::now();
        if let Some(due) = self.timers.iter().position(|(at, _)| *at <= now) {
            return Some(self.timers.swap_remove(due).1);
        }
        let until = self.timers.iter().map(|(at, _)| at.saturating_duration_since(now)).min();
        match self.inbox.recv_timeout(until.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL)) {
            Ok(message) => Some(message),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Message::Stop),
        }
    }

    /// Handles one message. Returns whether the browser stays open.
    fn handle(&mut self, message: Message) -> io::Result<bool> {
        for effect in update::update(&mut self.state, message) {
            match effect {
                Effect::Call(ticket, request) => {
                    // If the worker is gone, it has sent the message that ends the browser.
                    let _ = self.requests.send((ticket, request));
                }
                Effect::After(delay, message) => self.timers.push((Instant::now() + delay, message)),
                Effect::Suspend => self.screen.suspend()?,
                Effect::Quit => return Ok(false),
            }
        }
        Ok(true)
    }
}

// `nudge tui`: browse the memory in the terminal.

const NO_TERMINAL: &str = "`nudge tui` needs a terminal; in a script, use `nudge sessions`, `nudge search`, \
`nudge review --list` or `nudge why` with --json";

const NO_JSON: &str = "`nudge tui` has no JSON form; use `nudge sessions`, `nudge search`, \
`nudge review --list` or `nudge why` with --json";

#[derive(Debug, Args)]
#[command(after_help = "\
Four views: Sessions, Search, Review and Why. The keys are at the bottom of the
screen; `?` lists all of them. Agents cannot run it.")]
pub(crate) struct TuiArgs {
    /// Start with all projects instead of the current one
    #[arg(long)]
    all: bool,
}

impl TuiArgs {
    /// Opens the browser and stays until the user leaves it.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        // It accepts proposals, so it follows the same rule as `nudge review`.
        refuse_agents(UserOnly::Tui)?;
        if invocation.output.is_json() {
            return Err(Failure::Usage(NO_JSON.to_owned()));
        }
        if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
            return Err(Failure::Usage(NO_TERMINAL.to_owned()));
        }
        browse(invocation, self.all)?;
        Ok(Exit::Ok)
    }
}
