//! The same task with Nudge, with its hooks alone, and without: time, requests and tokens side by
//! side.
//!
//! Sessions alternate, so that other load on the machine affects all of them alike.

use std::path::Path;
use std::time::{Duration, Instant};

use super::agent::Workspace;
use super::model;
use super::one_shot::{OneShot, run};

/// The number of measured sessions of each kind, in the long and in the short form.
const LONG: usize = 20;
const SHORT: usize = 3;

/// The most time that Nudge should add to a session.
const MOST_ADDED: Duration = Duration::from_millis(100);

/// The measurements of sessions of one kind.
#[derive(Default)]
struct Measured {
    times: Vec<Duration>,
    requests: usize,
    tokens: usize,
}

/// Measures every agent; returns what went wrong. Time above the aim is reported but is no failure,
/// because the machine may cause it.
pub(super) fn walk(nudge: &Path, agents: &[&dyn OneShot], long: bool) -> anyhow::Result<Vec<String>> {
    let rounds = if long { LONG } else { SHORT };
    let mut wrong = Vec::new();
    println!(
        "agent     with Nudge  hooks alone    without      added   requests   tokens sent (medians of {rounds} sessions)"
    );
    for agent in agents {
        let with = Workspace::new(nudge, "greeter")?;
        let hooks_alone = Workspace::new(nudge, "greeter")?;
        let without = Workspace::new(nudge, "greeter")?;
        let desks = [&with, &hooks_alone, &without];
        for workspace in desks {
            agent.settle(workspace)?;
        }
        for workspace in [&with, &hooks_alone] {
            workspace.configure("inject.headless = true")?;
        }
        with.home.run(&["install", agent.name(), "--yes"])?;
        hooks_alone.home.run(&["install", agent.name(), "--yes", "--no-mcp"])?;
        let mut measured = [Measured::default(), Measured::default(), Measured::default()];
        // The first session of each kind creates what later ones find.
        for round in 0..=rounds {
            let order: [usize; 3] = if round % 2 == 0 { [0, 1, 2] } else { [2, 1, 0] };
            for kind in order {
                let workspace = desks[kind];
                let before = workspace.model.requests().count()?;
                let calls: Vec<_> =
                    ["cat greeting.txt", "ls", "true"].iter().map(|line| agent.command_line(line)).collect();
                let began = Instant::now();
                let ran = run(*agent, workspace, &model::prompt("Read the greeting.", &calls))?;
                let time = began.elapsed();
                anyhow::ensure!(ran.is_done(), "{} did not finish: {}", agent.name(), ran.said());
                if round == 0 {
                    continue;
                }
                let requests = workspace.model.requests().since(before)?;
                measured[kind].times.push(time);
                measured[kind].requests += requests.len();
                let texts: Vec<String> = requests.iter().map(|request| request.texts().join("\n")).collect();
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                measured[kind].tokens += tokens(&texts);
            }
        }
        wrong.extend(report(*agent, &measured));
    }
    Ok(wrong)
}

/// An estimate: it only matters that both sides are counted alike.
fn tokens(texts: &[&str]) -> usize {
    texts.iter().map(|text| nudge_core::tokens::estimate(text).0 as usize).sum()
}

fn report(agent: &dyn OneShot, [with, hooks_alone, without]: &[Measured; 3]) -> Option<String> {
    let [a, h, b] = [with, hooks_alone, without].map(|measured| median(&measured.times).as_secs_f64() * 1e3);
    let added = a - b;
    let over = if added > MOST_ADDED.as_secs_f64() * 1e3 { "  over the aim" } else { "" };
    println!(
        "{:<9} {a:>7.0} ms   {h:>7.0} ms {b:>7.0} ms {added:>+7.0} ms   {:>3} / {:<3}  {} / {}{over}",
        agent.name(),
        with.requests,
        without.requests,
        with.tokens,
        without.tokens
    );
    let is_more = with.requests > without.requests;
    is_more.then(|| format!("{} asks its model more often with Nudge", agent.name()))
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
