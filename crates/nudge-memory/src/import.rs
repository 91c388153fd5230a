//! Starting full: what agents wrote down before Nudge was there becomes memory.
//!
//! A transcript is followed from its first line, and each event in it takes the way that a hook's payload takes, so that what
//! hooks told already is known again. Batches are small, so that nobody waits long for the write lock; how far a file was read
//! is kept in the same transaction as what was read, so that an import that is stopped goes on where it was.

mod batch;
mod file;
mod find;
mod known;
pub mod memories;
mod pace;
mod place;
mod position;
mod report;
mod request;
mod rows;
mod scribe;

pub use find::default_place;
pub use report::Report;
pub use request::{Progress, Request};

use std::thread;

use nudge_core::Fault;
use nudge_harness::Harness;
use nudge_home::Home;

/// Imports transcripts, and says what became of them. `watch` hears how far it is.
pub fn transcripts(home: &Home, request: &Request, watch: &mut dyn FnMut(Progress)) -> Result<Report, Fault> {
    some_transcripts(home, request, watch, &mut || false).map(|(report, _)| report)
}

/// Imports transcripts until `is_over` says so between two of them; and says whether that was all.
/// A further import goes on where this one stopped.
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
        return rows::import(run, watch, is_over);
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
