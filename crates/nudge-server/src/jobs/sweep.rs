//! Removes expired hints and old operation ids. They are invisible as soon as they expire; this
//! only frees the space.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::context::{JOB, JobContext};
use crate::backend::Local;
use crate::backend::pool;
use crate::log;

/// How often this runs.
const EVERY: Duration = Duration::from_secs(60);

pub(super) async fn sweep(context: Arc<JobContext>, stop: CancellationToken) {
    sweep_every(EVERY, context.local.clone(), stop).await;
}

async fn sweep_every(every: Duration, local: Arc<Local>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(every) => {}
        }
        let (local, began) = (local.clone(), Instant::now());
        match pool::run(move || local.memory().sweep(nudge_client::clock::now())).await {
            Ok(Ok(_)) => {}
            Ok(Err(fault)) => log::failed("sweep", JOB, began, &fault),
            Err(_) => tracing::error!("the sweep panicked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use nudge_home::Settings;
    use nudge_memory::{Caller, Memory, Surface};
    use nudge_store::{HostIdentity, Location, OpenOptions, Store};
    use serde_json::json;

    use super::*;

    fn local() -> Arc<Local> {
        let store = Store::open(&OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity::default(),
            now: nudge_client::clock::now(),
            busy: Duration::from_secs(1),
            backups: None,
        });
        Arc::new(Local::new(Memory::open(store.expect("opens"), Settings::default())))
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn hints_that_ended_are_removed_round_after_round() {
        let local = local();
        let stop = CancellationToken::new();
        let sweeping = tokio::spawn(sweep_every(Duration::from_millis(10), local.clone(), stop.clone()));
        let count = || local.memory().stats().expect("counted").hints;
        for round in 0..2 {
            let params = json!({"component": "c", "key": "k", "value": "v", "meta": {"ttl": "PT0.2S"}});
            let caller = Caller::new(Surface::Cli, nudge_client::clock::now());
            local.run(caller, "set_hint", params).expect("set");
            let mut caller = Caller::new(Surface::Cli, nudge_client::clock::now());
            caller.now = caller.now.plus(Duration::from_secs(1));
            let gone = local.run(caller, "get_hint", json!({"component": "c", "key": "k"}));
            assert!(gone.is_err(), "what has ended is ignored, swept or not: round {round}");
            for _ in 0..500 {
                if count() == 0 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            assert_eq!(count(), 0, "round {round}");
        }
        stop.cancel();
        sweeping.await.expect("it ends");
    }
}
