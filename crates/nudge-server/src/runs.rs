//! Drives the runs: takes the runs that wait, calls the models, stores their answers, runs accepted
//! commands, calls plugins, and notifies clients.
//!
//! Only PRIMARY does this. Each step is stored before the next, so a successor goes on where this
//! process ends; a request that was under way is marked as lost, never sent again.

mod call;
mod command;
mod drive;
mod plugins;

pub use command::sandbox;
pub(crate) use drive::drive_all;

use std::sync::Arc;

use nudge_core::{Fault, FaultKind};

use crate::backend::{self, Local};

/// Runs work of a run on the pool.
async fn blocking<T: Send + 'static>(
    local: &Arc<Local>,
    work: impl FnOnce(&Local) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let local = local.clone();
    backend::run_write(move || work(&local))
        .await
        .unwrap_or_else(|_| Err(Fault::new(FaultKind::Internal, "panic", "the run failed inside the server")))
}
