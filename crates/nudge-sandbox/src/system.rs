//! The one place that knows which system this is.

#[cfg(target_os = "linux")]
pub(crate) use crate::linux::{companion, level, run, stage};

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::{companion, level, run, stage};

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use std::ffi::OsString;
    use std::process::{Command, ExitCode};
    use std::sync::atomic::AtomicBool;

    use crate::{Channel, Ended, Failed, Level, Plan, Program, Support};

    const REASON: &str = "commands are run on Linux only: nothing here can hold them or end them for certain";

    pub(crate) fn level(_program: &Program, _at_most: Level) -> Support {
        Support::none(REASON)
    }

    pub(crate) fn run(
        _plan: &Plan,
        _program: &Program,
        _cancel: &AtomicBool,
        _on_output: impl FnMut(Channel, &[u8]),
    ) -> Result<Ended, Failed> {
        Err(Failed::Unsupported(REASON.to_owned()))
    }

    pub(crate) fn companion(_program: &Program, words: &[OsString]) -> Command {
        let mut command = Command::new(words.first().map_or("", |word| word.as_os_str()));
        command.args(words.iter().skip(1));
        command
    }

    pub(crate) fn stage(_args: &[OsString]) -> Option<ExitCode> {
        None
    }
}
