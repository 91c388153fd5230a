//! The server's log: `server.log` in the log directory of the home.
//!
//! It records what the server did, never the memory's content: no values, prompts, tokens or
//! environment. So only our own messages are logged. The MCP library logs whole requests, so its
//! messages are switched off at every level.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use nudge_client::Failed;
use nudge_core::Fault;
use nudge_home::settings::LogLevel;
use nudge_home::{Home, Settings};
use nudge_store::{FileId, FileState};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Starts logging. If no log can be written, there is none: a read-only home must not stop a
/// server.
pub(crate) fn start(home: &Home, settings: &Settings) {
    let Ok(file) = LogFile::open(&home.log_dir()) else { return };
    let lines = tracing_subscriber::fmt::layer()
        .with_writer(Mutex::new(file))
        .with_ansi(false)
        .with_target(false)
        .with_timer(TimeAndProcess);
    let level = level(settings.log_level);
    let ours = Targets::new().with_target("nudge_server", level).with_target("nudge_client", level);
    // A second server in one process (a test) keeps the first one's log.
    if tracing_subscriber::registry().with(lines).with(ours).try_init().is_ok() {
        std::panic::set_hook(Box::new(note_panic));
    }
}

/// Logs a failure, its causes and its duration: once, where the failure leaves the server.
pub(crate) fn failed(what: &str, by: &str, began: Instant, fault: &Fault) {
    tracing::error!("{}", Failed::new(what, by, began.elapsed(), fault));
}

/// Opens the log file of that directory, for output that does not go through the logger. Creates a
/// missing directory.
pub(crate) fn appended(dir: &Path) -> io::Result<File> {
    nudge_home::home::private_dir::create(dir)?;
    append_to(dir)
}

/// Logs where a panic happened, not its message, which may quote the data being processed.
fn note_panic(panic: &std::panic::PanicHookInfo<'_>) {
    let at = panic.location().map(|at| format!("{}:{}", at.file(), at.line()));
    tracing::error!(at, "a thread panicked");
}

const fn level(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    }
}

/// Several servers share one log: each line begins with the time and the process.
struct TimeAndProcess;

impl FormatTime for TimeAndProcess {
    fn format_time(&self, w: &mut Writer<'_>) -> fmt::Result {
        write!(w, "{} [{}]", nudge_client::now(), std::process::id())
    }
}

// The log file, with rotation.

/// A log larger than this is rotated; one older file is kept.
const ROTATE_AT: u64 = 1024 * 1024;

/// `server.log`, which several servers may share.
struct LogFile {
    dir: PathBuf,
    file: File,
}

impl LogFile {
    /// Opens the log in that directory. Creates a missing directory.
    fn open(dir: &Path) -> io::Result<Self> {
        nudge_home::home::private_dir::create(dir)?;
        let mut log = Self { file: append_to(dir)?, dir: dir.to_owned() };
        log.rotate_if_grown()?;
        Ok(log)
    }

    fn rotate_if_grown(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() <= ROTATE_AT {
            return Ok(());
        }
        // Another server that shares the log may have rotated it already.
        let path = self.dir.join("server.log");
        if FileId::of(&self.file)?.state_at(&path) == FileState::There {
            std::fs::rename(&path, self.dir.join("server.log.1"))?;
        }
        self.file = append_to(&self.dir)?;
        Ok(())
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        // If the log cannot be rotated, keep writing to it.
        let _ = self.rotate_if_grown();
        self.file.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Opens the log for appending.
fn append_to(dir: &Path) -> io::Result<File> {
    nudge_home::home::private_file::append(&dir.join("server.log"))
}

// Keeps a flood of requests from becoming a flood of log lines.

/// The shortest time between two lines of the same kind.
const QUIET_FOR: Duration = Duration::from_secs(1);

/// Lets one line a second through for each reason, and counts the others.
#[derive(Default)]
pub(crate) struct Limiter {
    last_lines: Mutex<BTreeMap<&'static str, LastLine>>,
}

struct LastLine {
    at: Instant,
    suppressed: u64,
}

impl Limiter {
    /// Whether to write a line for this reason now; if so, how many were dropped since the last
    /// one.
    pub(crate) fn admit(&self, reason: &'static str, now: Instant) -> Option<u64> {
        let mut last_lines = self.last_lines.lock().unwrap_or_else(PoisonError::into_inner);
        match last_lines.get_mut(reason) {
            Some(last) if now.saturating_duration_since(last.at) < QUIET_FOR => {
                last.suppressed += 1;
                None
            }
            _ => last_lines
                .insert(reason, LastLine { at: now, suppressed: 0 })
                .map_or(Some(0), |last| Some(last.suppressed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_grown_log_is_put_aside_at_the_start_and_while_it_is_written() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let dir = dir.path().join("logs");
        let mut one = LogFile::open(&dir).expect("a log");
        let mut other = LogFile::open(&dir).expect("the same log");
        let (path, aside) = (dir.join("server.log"), dir.join("server.log.1"));
        let size = |path: &Path| std::fs::metadata(path).expect("metadata").len();
        assert_eq!(std::fs::metadata(&path).expect("metadata").permissions().mode() & 0o777, 0o600);
        one.file.set_len(ROTATE_AT + 1).expect("grown");
        one.write_all(b"one\n").expect("written");
        other.write_all(b"other\n").expect("written");
        assert_eq!((size(&path), size(&aside)), (10, ROTATE_AT + 1));
        one.file.set_len(ROTATE_AT + 2).expect("grown");
        drop(LogFile::open(&dir).expect("a log"));
        assert_eq!((size(&path), size(&aside)), (0, ROTATE_AT + 2));
    }

    #[test]
    fn one_line_a_second_for_each_reason_and_the_others_are_counted() {
        let limiter = Limiter::default();
        let began = Instant::now();
        let after = |millis| began + Duration::from_millis(millis);
        assert_eq!(limiter.admit("wrong_token", after(0)), Some(0));
        assert_eq!(limiter.admit("wrong_token", after(1)), None);
        assert_eq!(limiter.admit("foreign_host", after(2)), Some(0));
        assert_eq!(limiter.admit("wrong_token", after(999)), None);
        assert_eq!(limiter.admit("wrong_token", after(1000)), Some(2));
        assert_eq!(limiter.admit("wrong_token", after(1001)), None);
        assert_eq!(limiter.admit("wrong_token", after(5000)), Some(1));
    }
}
