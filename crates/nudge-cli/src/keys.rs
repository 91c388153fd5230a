//! Keys and lines that the user types in answer to a question.

use std::io::{self, Read, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcsetattr,
};

/// How often to look whether the question still stands.
const LOOK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 300_000_000 };

/// Forgets what was typed before a question is there: it is no answer to it.
pub(crate) fn forget_typed() {
    let _ = tcflush(io::stdin(), QueueSelector::IFlush);
}

/// Waits for the next key that is an answer, without Enter, and ignores other keys. `None` at the
/// end of the input.
pub(crate) fn read<T>(answer: impl Fn(u8) -> Option<T>) -> io::Result<Option<T>> {
    read_while(answer, || true)
}

/// The same as long as the question stands; `None` also once it does not.
pub(crate) fn read_while<T>(
    answer: impl Fn(u8) -> Option<T>,
    stands: impl FnMut() -> bool,
) -> io::Result<Option<T>> {
    let _raw = Raw::enter();
    read_in(&mut Keys { stands }, answer)
}

/// The keys of the terminal, one by one: what is typed after an answer is none of ours.
struct Keys<F> {
    stands: F,
}

impl<F: FnMut() -> bool> Read for Keys<F> {
    fn read(&mut self, key: &mut [u8]) -> io::Result<usize> {
        let stdin = io::stdin();
        loop {
            let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
            if poll(&mut ready, Some(&LOOK_INTERVAL))? > 0 {
                return Ok(rustix::io::read(&stdin, key)?);
            }
            if !(self.stands)() {
                return Ok(0);
            }
        }
    }
}

/// The same from any input.
pub(crate) fn read_in<T>(keys: &mut impl Read, answer: impl Fn(u8) -> Option<T>) -> io::Result<Option<T>> {
    let mut key = [0];
    loop {
        match keys.read(&mut key) {
            Ok(0) => return Ok(None),
            Ok(_) => {
                if let Some(answer) = answer(key[0]) {
                    return Ok(Some(answer));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Reads a whole line; `None` if it is empty.
pub(crate) fn line(prompt: &str) -> io::Result<Option<String>> {
    let mut out = io::stderr();
    out.write_all(prompt.as_bytes())?;
    out.flush()?;
    let mut typed = String::new();
    io::stdin().read_line(&mut typed)?;
    let typed = typed.trim();
    Ok((!typed.is_empty()).then(|| typed.to_owned()))
}

/// The terminal in raw mode, which delivers single keys. Dropping this restores the earlier mode.
struct Raw {
    before: Option<Termios>,
}

impl Raw {
    fn enter() -> Self {
        let stdin = io::stdin();
        let Ok(before) = tcgetattr(&stdin) else { return Self { before: None } };
        let mut single = before.clone();
        single.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        single.special_codes[SpecialCodeIndex::VMIN] = 1;
        single.special_codes[SpecialCodeIndex::VTIME] = 0;
        let is_set = tcsetattr(&stdin, OptionalActions::Now, &single).is_ok();
        Self { before: is_set.then_some(before) }
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}
