//! The server's log: `server.log` in the log directory of the home.
//!
//! It records what the server did, never the memory's content: no values, prompts, tokens or
//! environment. So only our own messages are logged. The MCP library logs whole requests, so its
//! messages are switched off at every level.

mod file;
mod limit;

use std::fs::File;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;
use std::{fmt, io};

use nudge_client::Failed;
use nudge_core::Fault;
use nudge_home::Home;
use nudge_home::Settings;
use nudge_home::settings::LogLevel;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use file::LogFile;
pub(crate) use limit::Limiter;

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
    file::append(dir)
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
        write!(w, "{} [{}]", nudge_client::clock::now(), std::process::id())
    }
}
