//! The work on one loop: each method is one short transaction that a successor can go on after.
//!
//! A loop that somebody ended meanwhile refuses every further step.

mod begin;
mod call;
mod end;
mod loop_work;
mod turn;

pub use call::{RunCall, WaitingCall};
pub use loop_work::LoopWork;
pub use turn::{Answer, SentTurn};

use nudge_core::Fault;
use nudge_store::RunId;

use nudge_memory::memory::Memory;

/// The runs that have a prompt to work on, oldest first.
pub fn runs_to_drive(memory: &Memory) -> Result<Vec<RunId>, Fault> {
    memory.store().read(|reader| {
        let mut found = Vec::new();
        for run in reader.open_runs()? {
            if reader.open_loop(run.id)?.is_some() {
                found.push(run.id);
            }
        }
        Ok(found)
    })
}
