//! Upgrades: a newer server asks an older PRIMARY to hand over.

use std::time::Duration;

use nudge_client::control::{HandoverReply, ask_to_hand_over, can_be_asked};
use nudge_client::frame::Greeting;
use nudge_home::Home;
use tokio::sync::watch;
use tokio_util::task::TaskTracker;

use crate::backend::Remote;
use crate::options::ServeOptions;
use crate::primary::Presence;

/// How often one process asks during its life. A PRIMARY that answered is not asked again; another
/// older one appears only when newer ones fail.
const ASKED_AT_MOST: usize = 3;

/// How long after an unanswered request it asks again.
const ASK_AGAIN: Duration = Duration::from_secs(1);

/// How often a process that handed over polls for its successor.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// How long the HTTP connections of a process that handed over may stay open. Idle ones are closed
/// after ten seconds.
const LEFT_WITHIN: Duration = Duration::from_secs(11);

/// Announces to older servers that one of this version is running. If that fails, they do not wait
/// for it.
pub(super) fn announce(options: &ServeOptions) -> Option<Presence> {
    // Nothing is written to a directory that others can access; the code that needs the directory
    // reports the problem.
    let run_dir = options.home.secure_run_dir().ok()?;
    let announced = Presence::announce(&run_dir, &options.version);
    announced.inspect_err(|error| tracing::warn!(%error, "older servers cannot know of this one")).ok()
}

/// Asks every older PRIMARY that this PROXY meets to hand over. The lock then arrives as it does
/// when PRIMARY ends.
pub(super) async fn ask_older(home: Home, version: String, mut greetings: watch::Receiver<Option<Greeting>>) {
    for _ in 0..ASKED_AT_MOST {
        let older = |greeting: &Option<Greeting>| {
            greeting.as_ref().is_some_and(|greeting| can_be_asked(greeting, &version))
        };
        let Ok(found) = greetings.wait_for(older).await.map(|greeting| greeting.clone()) else { return };
        let (place, own) = (home.clone(), version.clone());
        let asked = tokio::task::spawn_blocking(move || ask_to_hand_over(&place, &own)).await;
        match asked {
            Ok(HandoverReply::Agreed(old)) => {
                tracing::info!(from = old.version, pid = old.pid, "the older server hands over");
            }
            Ok(HandoverReply::Refused(fault)) => {
                tracing::info!(
                    reason = fault.reason,
                    "the older server does not hand over: this one stays PROXY"
                );
            }
            Ok(HandoverReply::NotAsked) | Err(_) => {
                // It did not answer in time, or it is already gone.
                tokio::time::sleep(ASK_AGAIN).await;
                continue;
            }
        }
        let another = |greeting: &Option<Greeting>| {
            greeting.as_ref().map(|greeting| &greeting.instance) != found.as_ref().map(|old| &old.instance)
        };
        if greetings.wait_for(another).await.is_err() {
            return;
        }
    }
}

/// Waits until a PRIMARY answers and all HTTP requests are answered. This process no longer
/// listens, so that PRIMARY is another one.
pub(super) async fn wait_for_successor(remote: &Remote, connections: &TaskTracker) {
    while remote.meet().await.is_err() {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    connections.close();
    let _ = tokio::time::timeout(LEFT_WITHIN, connections.wait()).await;
}
