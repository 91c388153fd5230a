//! One worker of the contention drill: sets and bumps keys that seven others write too.
//!
//! `contend SPEC` with `{"component", "keys", "operations", "seed"}` and, to go through a server,
//! `"server"`; without it the worker opens the store itself. Prints `{"ready": true}`, waits for a
//! line, works, and prints its acknowledgements: for each key the versions that its sets got and
//! the counts that its bumps got.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use nudge_core::Timestamp;
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::{Caller, Memory, Surface};
use nudge_store::{Location, OpenOptions, Store};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::call_steadily::{McpClient, ServerSpec};
use crate::figures::{Figures, Latencies};

/// How long the product's own programs wait for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
struct Spec {
    server: Option<ServerSpec>,
    component: String,
    keys: u64,
    operations: u64,
    seed: u64,
}

/// The acknowledgements that this worker got.
#[derive(Default, Serialize)]
struct Ledger {
    versions: BTreeMap<String, Vec<i64>>,
    counts: BTreeMap<String, Vec<i64>>,
    errors: Vec<String>,
    seconds: f64,
    figures: Figures,
}

/// How the worker reaches the store.
enum StoreAccess {
    Server(Box<McpClient>),
    Own(Box<Memory>),
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn run(args: &[String]) -> anyhow::Result<()> {
    let spec: Spec = serde_json::from_str(args.first().context("usage: contend SPEC")?)?;
    let way = match &spec.server {
        Some(server) => StoreAccess::Server(Box::new(McpClient::start(server).await?)),
        None => StoreAccess::Own(Box::new(open()?)),
    };
    println!("{}", json!({"ready": true}));
    std::io::stdin().read_line(&mut String::new())?;
    let ledger = work(&spec, &way).await;
    if let StoreAccess::Server(client) = way {
        client.hang_up().await?;
    }
    println!("{}", serde_json::to_string(&ledger)?);
    Ok(())
}

async fn work(spec: &Spec, way: &StoreAccess) -> Ledger {
    let mut ledger = Ledger::default();
    let mut latencies = Latencies::default();
    let mut random = spec.seed;
    let start = Instant::now();
    for turn in 0..spec.operations {
        // Knuth's multiplier: every worker visits every key, each in its own order.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let key = format!("key-{}", (random >> 33) % spec.keys);
        let upsert = turn % 2 == 0;
        let began = Instant::now();
        let answer = if upsert { way.upsert(spec, &key, turn).await } else { way.bump(spec, &key).await };
        latencies.push(began.elapsed());
        ledger.enter(key, upsert, answer);
    }
    ledger.seconds = start.elapsed().as_secs_f64();
    ledger.figures = latencies.figures();
    ledger
}

impl Ledger {
    fn enter(&mut self, key: String, upsert: bool, answer: anyhow::Result<Value>) {
        let (field, book) =
            if upsert { ("version", &mut self.versions) } else { ("use_count", &mut self.counts) };
        match answer.map(|answer| answer["hint"][field].as_i64()) {
            Ok(Some(number)) => book.entry(key).or_default().push(number),
            Ok(None) => self.errors.push(format!("{key}: an answer without {field}")),
            Err(error) => self.errors.push(format!("{key}: {error:#}")),
        }
    }
}

impl StoreAccess {
    async fn upsert(&self, spec: &Spec, key: &str, turn: u64) -> anyhow::Result<Value> {
        let value = format!("worker {} turn {turn}", spec.seed);
        self.call("set_hint", json!({"component": spec.component, "key": key, "value": value})).await
    }

    async fn bump(&self, spec: &Spec, key: &str) -> anyhow::Result<Value> {
        self.call("bump", json!({"component": spec.component, "key": key})).await
    }

    async fn call(&self, operation: &str, params: Value) -> anyhow::Result<Value> {
        match self {
            Self::Server(client) => {
                let arguments: Map<String, Value> = serde_json::from_value(params)?;
                let result = client.call(operation, arguments).await?;
                anyhow::ensure!(result.is_error != Some(true), "{operation}: {:?}", result.content);
                result.structured_content.context("a tool result without structured content")
            }
            Self::Own(memory) => {
                nudge_agent::call(memory, &Caller::new(Surface::AgentCli, now()), operation, params)
                    .map_err(|fault| anyhow::anyhow!("{operation}: {fault:?}"))
            }
        }
    }
}

fn open() -> anyhow::Result<Memory> {
    let home =
        Home::locate(None, &|name| std::env::var_os(name)).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let store = Store::open(&OpenOptions {
        location: Location::File(home.db()),
        read_only: false,
        host: nudge_home::host::identity(),
        now: now(),
        busy: BUSY_TIMEOUT,
        backups: None,
    })?;
    Ok(Memory::open(store, Settings::default()))
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
