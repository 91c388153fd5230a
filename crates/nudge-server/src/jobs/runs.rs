//! Drives the runs for as long as this process is PRIMARY.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::context::JobContext;
use crate::runs;

pub(super) async fn drive(context: Arc<JobContext>, stop: CancellationToken) {
    runs::drive_all(context.home.clone(), context.local.clone(), context.by_agent, stop).await;
}
