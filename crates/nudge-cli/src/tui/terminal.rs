//! The terminal while the browser uses it, and its restoration whatever happens.

use std::io::{self, Stdout, Write};
use std::sync::Once;

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, Event, KeyCode, KeyEvent};
use ratatui::crossterm::event::{KeyEventKind, KeyModifiers};
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};
use ratatui::crossterm::{cursor, execute};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use rustix::process::{Signal, kill_current_process_group};

use super::message::{Key, Message};

/// The assumed size of a terminal that reports 0.
const DEFAULT_SIZE: Rect = Rect { x: 0, y: 0, width: 80, height: 24 };

/// The screen. Dropping it restores the terminal.
pub(super) struct Screen {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal over.
    pub(super) fn enter() -> io::Result<Self> {
        restore_on_panic();
        take()?;
        // Without a screen there is no drop, so the terminal is restored here.
        let terminal = open().inspect_err(|_| give_back())?;
        Ok(Self { terminal })
    }

    /// Its columns and rows.
    pub(super) fn size(&mut self) -> (u16, u16) {
        let area = self.terminal.get_frame().area();
        (area.width, area.height)
    }

    /// Restores the terminal, stops as Ctrl-Z does, and takes over again when the shell continues
    /// the job.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        kill_current_process_group(Signal::TSTP)?;
        take()?;
        // A new terminal draws everything. Clearing the old one would ask for the position of the
        // cursor, and the thread that reads keys would take the answer.
        self.terminal = open()?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn open() -> io::Result<Terminal<CrosstermBackend<Stdout>>> {
    let backend = CrosstermBackend::new(io::stdout());
    let viewport = match size()? {
        (0, _) | (_, 0) => Viewport::Fixed(DEFAULT_SIZE),
        _ => Viewport::Fullscreen,
    };
    Terminal::with_options(backend, TerminalOptions { viewport })
}

fn take() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste).inspect_err(|_| give_back())
}

/// Restores the terminal. A second call does no harm.
fn give_back() {
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
    let _ = io::stdout().flush();
    let _ = disable_raw_mode();
}

/// Restores the terminal before a panic message, so that the message is readable and the shell
/// usable.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            give_back();
            before(panic);
        }));
    });
}

/// The message for a terminal event; `None` if the event means nothing here.
pub(super) fn message(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => self::key(key).map(Message::Key),
        Event::Paste(text) => Some(Message::Paste(text)),
        Event::Resize(columns, rows) => Some(Message::Resize(columns, rows)),
        _ => None,
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    let is_ctrl = event.modifiers.contains(KeyModifiers::CONTROL);
    if event.modifiers.contains(KeyModifiers::ALT) {
        return None;
    }
    Some(match event.code {
        KeyCode::Char(c) if is_ctrl => Key::Ctrl(c.to_ascii_lowercase()),
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => Key::BackTab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::F(1) => Key::F1,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_with_the_modifiers_that_matter() {
        let pressed = |code, modifiers| key(KeyEvent::new(code, modifiers));
        assert_eq!(pressed(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Key::Ctrl('c')));
        assert_eq!(pressed(KeyCode::Char('G'), KeyModifiers::SHIFT), Some(Key::Char('G')));
        assert_eq!(pressed(KeyCode::Char('a'), KeyModifiers::ALT), None);
        assert_eq!(pressed(KeyCode::F(1), KeyModifiers::NONE), Some(Key::F1));
    }
}
