//! Times the same kind of call on several stdio servers, in alternating rounds.
//!
//! `time-mcp SPEC`, where SPEC is `{"rounds", "calls", "sides": [{"server", "tool",
//! "arguments"}]}`. Prints the figures of each side as a JSON list. Rounds alternate so that noise
//! on the machine affects every side alike.

use std::time::Instant;

use anyhow::Context;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::client::{McpClient, ServerSpec};
use crate::figures::{Figures, Latencies};

/// Calls before the first measured one, so that no side pays for a cold start.
const WARM_UP: usize = 100;

#[derive(Deserialize)]
struct Spec {
    rounds: usize,
    calls: usize,
    sides: Vec<Side>,
}

#[derive(Deserialize)]
struct Side {
    server: ServerSpec,
    tool: String,
    arguments: Map<String, Value>,
}

struct Contestant {
    side: Side,
    client: McpClient,
    latencies: Latencies,
}

#[tokio::main]
pub(crate) async fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: time-mcp SPEC")?)?;
    let mut contestants = Vec::new();
    for side in spec.sides {
        let client = McpClient::start(&side.server).await?;
        contestants.push(Contestant { side, client, latencies: Latencies::default() });
    }
    for contestant in &mut contestants {
        contestant.round(WARM_UP).await?;
        contestant.latencies = Latencies::default();
    }
    for _ in 0..spec.rounds {
        for contestant in &mut contestants {
            contestant.round(spec.calls).await?;
        }
    }
    let figures: Vec<Figures> = contestants.iter().map(|contestant| contestant.latencies.figures()).collect();
    for contestant in contestants {
        contestant.client.hang_up().await?;
    }
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}

impl Contestant {
    async fn round(&mut self, calls: usize) -> anyhow::Result<()> {
        for _ in 0..calls {
            let arguments = self.side.arguments.clone();
            let start = Instant::now();
            let result = self.client.call(&self.side.tool, arguments).await?;
            self.latencies.push(start.elapsed());
            anyhow::ensure!(result.is_error != Some(true), "{} failed: {:?}", self.side.tool, result.content);
        }
        Ok(())
    }
}
