//! One client of the failover drill: fifty calls a second on its own server, and a ledger.
//!
//! `call-steadily SPEC` with `{"server", "component", "key", "per_second"}`. Reads and bumps its
//! key in turn, one call at a time, until a line or the end of input arrives, or until its server
//! is gone. No other client bumps that key, so every answer must show exactly what was acknowledged
//! before. Prints `{"pid"}` when it begins and its ledger when it ends.

use std::time::{Duration, Instant};

use anyhow::Context;
use rmcp::ServiceError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::io::AsyncReadExt;
use tokio::time::MissedTickBehavior;

use crate::client::{McpClient, ServerSpec};
use crate::figures::{Figures, Latencies};

/// Longer than any failover; a call that takes longer counts as lost.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// A server exits as soon as its input ends; on a busy machine it takes a little longer.
const LEAVE_WITHIN: Duration = Duration::from_millis(2_500);

#[derive(Deserialize)]
struct Spec {
    server: ServerSpec,
    component: String,
    key: String,
    per_second: u32,
}

/// The calls and answers that this client saw.
#[derive(Default, Serialize)]
struct Ledger {
    reads: u64,
    bumps: u64,
    /// Bumps that were sent and never answered: at most one, if the server died.
    unanswered: u64,
    /// How the server went away; `None` if it did not.
    lost: Option<String>,
    errors: Vec<String>,
    figures: Figures,
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: call-steadily SPEC")?)?;
    let client = McpClient::start(&spec.server).await?;
    println!("{}", json!({"pid": client.pid()}));
    let mut stop = tokio::spawn(async { tokio::io::stdin().read(&mut [0; 1]).await });
    let mut tick = tokio::time::interval(Duration::from_secs(1) / spec.per_second);
    // After a slow call the client catches up, so that the rate is right over the whole drill.
    tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut ledger = Ledger::default();
    let mut latencies = Latencies::default();
    for turn in 0_u64.. {
        tokio::select! {
            biased;
            _ = &mut stop => break,
            _ = tick.tick() => {}
        }
        let start = Instant::now();
        ledger.turn(&client, &spec, turn % 2 == 1).await;
        if ledger.lost.is_some() {
            break;
        }
        latencies.push(start.elapsed());
    }
    ledger.figures = latencies.figures();
    if ledger.lost.is_none() {
        ledger.hang_up(client).await;
    }
    println!("{}", serde_json::to_string(&ledger)?);
    // The reader of stdin cannot be cancelled, and the exit must not wait for it.
    #[allow(
        clippy::exit,
        clippy::disallowed_methods,
        reason = "the runtime would wait for a read of stdin that never ends"
    )]
    std::process::exit(0)
}

impl Ledger {
    /// Ends the server's input. The library kills a server that does not exit within three seconds,
    /// so a slow exit counts as no exit.
    async fn hang_up(&mut self, client: McpClient) {
        let start = Instant::now();
        if let Err(error) = client.hang_up().await {
            self.errors.push(format!("hanging up: {error:#}"));
        }
        if start.elapsed() >= LEAVE_WITHIN {
            self.errors.push("the server did not leave when its input ended".to_owned());
        }
    }

    async fn turn(&mut self, client: &McpClient, spec: &Spec, bump: bool) {
        let tool = if bump { "bump" } else { "get_hint" };
        let mut arguments = Map::new();
        arguments.insert("component".into(), spec.component.clone().into());
        arguments.insert("key".into(), spec.key.clone().into());
        let answer = match tokio::time::timeout(ANSWER_WITHIN, client.call(tool, arguments)).await {
            Ok(answer) => answer,
            Err(_) => return self.errors.push(format!("{tool}: no answer within {ANSWER_WITHIN:?}")),
        };
        match answer {
            Ok(result) if result.is_error == Some(true) => {
                self.errors.push(format!("{tool}: {:?} {:?}", result.structured_content, result.content));
            }
            Ok(result) => self.check(tool, bump, result.structured_content.as_ref()),
            Err(error @ (ServiceError::TransportClosed | ServiceError::TransportSend(_))) => {
                self.unanswered += u64::from(bump);
                self.lost = Some(format!("{tool}: {error}"));
            }
            Err(error) => self.errors.push(format!("{tool}: {error}")),
        }
    }

    fn check(&mut self, tool: &str, bump: bool, answer: Option<&Value>) {
        self.bumps += u64::from(bump);
        self.reads += u64::from(!bump);
        let seen = answer.and_then(|answer| answer["hint"]["use_count"].as_u64());
        if seen != Some(self.bumps) {
            self.errors.push(format!("{tool} shows {seen:?} uses, {} are acknowledged", self.bumps));
        }
    }
}
