//! Writers that die, and entries that arrive while there is no writer.

use std::time::{Duration, Instant};

use nudge_index::{IndexWriter, State};
use rustix::process::{Pid, Signal, kill_process};

use super::bench::Bench;

/// How long the started process may take: tens of thousands of entries on a busy machine.
const BROUGHT_UP_WITHIN: Duration = Duration::from_secs(180);

/// How many entries arrive between two writers.
const BETWEEN: usize = 60;

/// Many entries and no server: answers are right before an index exists, while a separate process
/// builds it, and afterwards.
pub(super) fn without_server(bench: &mut Bench<'_>, entries: usize) -> anyhow::Result<String> {
    bench.add(entries)?;
    let (began, mut looks, mut states) = (Instant::now(), 0, Vec::new());
    loop {
        let status = bench.index_status();
        if !states.contains(&status.state) {
            states.push(status.state);
        }
        let is_over = status.state == State::Ready && status.documents == entries as u64;
        bench.agree_on(2, "while nobody serves")?;
        looks += 1;
        if is_over {
            break;
        }
        if began.elapsed() > BROUGHT_UP_WITHIN {
            bench.verdict.demand(false, format!("no process brought the index up: {status:?}"));
            bench.update_index("by hand")?;
            break;
        }
    }
    bench.agree_on_all("brought up by a process of its own")?;
    Ok(format!("{entries} entries, {looks} looks in {:.1} s, {states:?}", began.elapsed().as_secs_f64()))
}

/// A writer is killed at a random time. Some writers are suspended first, and keep their lock until
/// the kill.
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
            bench.update_index("after a writer was killed")?;
            bench.agree_on(3, "brought up after a kill")?;
        }
    }
    bench.update_index("after all kills")?;
    bench.agree_on_all("after all kills")?;
    bench.verdict.demand(hit > 0, "no writer was killed at work");
    bench.verdict.demand(held > 0, "no writer held its lock when it was stopped");
    Ok(format!("{hit} of {rounds} killed at work, {held} stopped with the lock held"))
}

/// How long a build takes, so that the kills fall within it.
fn timed_build(bench: &mut Bench<'_>) -> anyhow::Result<Duration> {
    std::fs::remove_dir_all(bench.directory())?;
    let began = Instant::now();
    bench.update_index("timed")?;
    Ok(began.elapsed())
}
