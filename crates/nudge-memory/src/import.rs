//! Import: what agents recorded before Nudge was installed becomes memory.
//!
//! A transcript is read from its first line, and each event in it is handled like a hook's payload,
//! so anything hooks already reported is recognised. Batches are small, so that nothing waits long
//! for the write lock. The position in a file is stored in the same transaction as the events read,
//! so an import that was stopped resumes there.

mod batch;
mod file;
mod find;
pub mod memories;
mod place;
mod request;
mod writer;

pub use find::default_place;
pub use request::{Progress, Report, Request};

use std::thread;

use nudge_core::Fault;
use nudge_harness::Harness;
use nudge_home::Home;

/// Imports transcripts and reports the result. `watch` receives the progress.
pub fn transcripts(home: &Home, request: &Request, watch: &mut dyn FnMut(Progress)) -> Result<Report, Fault> {
    some_transcripts(home, request, watch, &mut || false).map(|(report, _)| report)
}

/// Imports transcripts until `is_over` returns true between two of them; returns whether that was
/// all. A later import resumes where this one stopped.
pub fn some_transcripts(
    home: &Home,
    request: &Request,
    watch: &mut dyn FnMut(Progress),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<(Report, bool), Fault> {
    let store = request::open(home, request.dry_run, request.now)?;
    thread::scope(|scope| {
        let mut run = batch::Run::new(scope, &store, home, request);
        let whole = read(&mut run, watch, is_over)?;
        Ok((run.finish()?, whole))
    })
}

fn read(
    run: &mut batch::Run<'_>,
    watch: &mut dyn FnMut(Progress),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<bool, Fault> {
    let request = run.request;
    if request.harness == Harness::Opencode {
        return file::import_rows(run, watch, is_over);
    }
    let files = find::transcripts(request.harness, &request.path)?;
    let total = files.iter().map(|file| file.bytes).sum();
    let mut done = 0;
    for found in files {
        if is_over() {
            return Ok(false);
        }
        watch(Progress { done, total });
        file::import(run, &found.path, &mut |read| watch(Progress { done: done + read, total }))?;
        done += found.bytes;
    }
    watch(Progress { done: total, total });
    Ok(true)
}
