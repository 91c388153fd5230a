//! Writers that die, and entries that come while there is none.

use std::time::{Duration, Instant};

use nudge_index::{IndexWriter, State};
use rustix::process::{Pid, Signal, kill_process};

use super::bench::Bench;

/// How long the process that is started for it may take: tens of thousands of entries on a busy machine.
const BROUGHT_UP_WITHIN: Duration = Duration::from_secs(180);

/// How many entries come between two writers.
const BETWEEN: usize = 60;

/// Many entries and no server: answers are right before an index exists, while it is built by a process that somebody
/// started, and afterwards.
pub(super) fn nobody(bench: &mut Bench<'_>, entries: usize) -> anyhow::Result<String> {
    bench.add(entries)?;
    let (began, mut looks, mut states) = (Instant::now(), 0, Vec::new());
    loop {
        let standing = bench.standing();
        if !states.contains(&standing.state) {
            states.push(standing.state);
        }
        let is_over = standing.state == State::Ready && standing.documents == entries as u64;
        bench.agree_on(2, "while nobody serves")?;
        looks += 1;
        if is_over {
            break;
        }
        if began.elapsed() > BROUGHT_UP_WITHIN {
            bench.verdict.demand(false, format!("no process brought the index up: {standing:?}"));
            bench.bring_up("by hand")?;
            break;
        }
    }
    bench.agree_on_all("brought up by a process of its own")?;
    Ok(format!("{entries} entries, {looks} looks in {:.1} s, {states:?}", began.elapsed().as_secs_f64()))
}

/// A writer is killed at any moment, stopped before that at times, and holds its lock until then.
pub(super) fn killed(bench: &mut Bench<'_>, rounds: u32) -> anyhow::Result<String> {
    let (mut hit, mut held) = (0, 0);
    let whole = timed_build(bench)?;
    for round in 0..rounds {
        bench.add(BETWEEN)?;
        if round % 2 == 0 {
            std::fs::remove_dir_all(bench.directory())?;
        }
        let mut writer = bench.writer()?;
        std::thread::sleep(whole * (round % 16) / 14);
        let pid = Pid::from_child(&writer);
        if round % 3 == 0 && writer.try_wait()?.is_none() {
            kill_process(pid, Signal::STOP)?;
            if bench.directory().exists() {
                held += usize::from(IndexWriter::acquire(&bench.directory())?.is_none());
            }
            bench.agree_on(3, "its writer stopped")?;
        }
        hit += usize::from(writer.try_wait()?.is_none());
        writer.kill()?;
        writer.wait()?;
        bench.agree_on(4, "its writer killed")?;
        if round % 4 == 3 {
            bench.bring_up("after a writer was killed")?;
            bench.agree_on(3, "brought up after a kill")?;
        }
    }
    bench.bring_up("after all kills")?;
    bench.agree_on_all("after all kills")?;
    bench.verdict.demand(hit > 0, "no writer was killed at work");
    bench.verdict.demand(held > 0, "no writer held its lock when it was stopped");
    Ok(format!("{hit} of {rounds} killed at work, {held} stopped with the lock held"))
}

/// How long building takes, so that kills fall into it.
fn timed_build(bench: &mut Bench<'_>) -> anyhow::Result<Duration> {
    std::fs::remove_dir_all(bench.directory())?;
    let began = Instant::now();
    bench.bring_up("timed")?;
    Ok(began.elapsed())
}
