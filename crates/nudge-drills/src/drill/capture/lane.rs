//! One lane: sessions one after the other, a hook process for each event, some events twice.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Context;

use super::firing::{Fired, ProcessSlot};
use super::plan::{Again, Event, Lane};
use crate::stage::Home;

/// A process that does nothing is started with every fifth event, which gives enough samples to
/// know the slowest.
const TRUE_EVERY: usize = 5;

/// The results of a lane.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Each process, with the position of its event in the plan.
    pub(super) fired: Vec<(usize, Fired)>,
    /// How long the processes that do nothing took.
    pub(super) trues: Vec<Duration>,
}

/// Plays a lane to its end, with two slots because some events are sent twice at once.
pub(super) fn play(
    home: &Home,
    lane: &Lane,
    posts: &[ProcessSlot; 2],
    sent: &AtomicUsize,
) -> anyhow::Result<Log> {
    let mut log = Log::default();
    let nothing = program_that_does_nothing()?;
    let mut later: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let one = |post: &ProcessSlot, event: &Event| {
        let fired = post.fire(home.nudge(&["hook", "claude"]), &event.payload);
        sent.fetch_add(1, Ordering::Relaxed);
        fired
    };
    for (place, event) in lane.events.iter().enumerate() {
        if let Some(Again::Beside) = event.again {
            let (first, second) = std::thread::scope(|scope| {
                let second = scope.spawn(|| one(&posts[1], event));
                (one(&posts[0], event), second.join())
            });
            log.fired.push((place, first?));
            log.fired.push((place, second.map_err(|_| anyhow::anyhow!("a lane broke"))??));
        } else {
            log.fired.push((place, one(&posts[0], event)?));
        }
        match event.again {
            Some(Again::AtOnce) => log.fired.push((place, one(&posts[0], event)?)),
            // Sent before the lane ends, whatever the plan says.
            Some(Again::Later(events)) => {
                later.entry((place + events).min(lane.events.len() - 1)).or_default().push(place);
            }
            Some(Again::Beside) | None => {}
        }
        for due in later.remove(&place).unwrap_or_default() {
            log.fired.push((due, one(&posts[0], &lane.events[due])?));
        }
        if place % TRUE_EVERY == 0 {
            let fired = posts[0].fire(home.program(&nothing), "")?;
            log.trues.push(fired.took);
        }
    }
    Ok(log)
}

/// `true` by its full path, as hooks have one: a program that is searched on the path is started in
/// a slower way, which copies this process.
fn program_that_does_nothing() -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).map(|dir| dir.join("true"));
    places.find(|place| place.is_file()).context("there is no `true`")
}
