//! An in-memory store and a fixed clock.

use std::time::Duration;

use nudge_core::{Context, EnvView, Os, Timestamp};
use nudge_home::Settings;
use nudge_memory::Ambient;
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

/// The start time of every test.
pub const START: Timestamp = Timestamp::from_millis(1_794_700_000_000);

/// One day.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// An empty memory, called by the user.
pub fn fresh() -> MemoryBench {
    with(Settings::default())
}

/// An empty memory with these settings.
pub fn with(settings: Settings) -> MemoryBench {
    MemoryBench::with(START, settings)
}

/// Calls about hints.
pub trait Hints {
    /// Sets a text hint with `meta`.
    fn set(&self, component: &str, key: &str, value: &str, meta: Value) -> Value;

    /// The value that a caller in `context` gets.
    fn value(&self, component: &str, key: &str, context: Value) -> Value;

    /// The fault's id and reason for a caller in `context`.
    fn refused(&self, component: &str, key: &str, context: Value) -> (String, String);
}

impl Hints for MemoryBench {
    fn set(&self, component: &str, key: &str, value: &str, meta: Value) -> Value {
        self.ok("set_hint", json!({"component": component, "key": key, "value": value, "meta": meta}))
    }

    fn value(&self, component: &str, key: &str, context: Value) -> Value {
        self.ok("get_hint", json!({"component": component, "key": key, "context": context}))["hint"]["value"]
            .clone()
    }

    fn refused(&self, component: &str, key: &str, context: Value) -> (String, String) {
        let fault = self.fault("get_hint", json!({"component": component, "key": key, "context": context}));
        (fault.kind.id().to_owned(), fault.reason)
    }
}

/// The surroundings of a process on Linux, with an environment that was not requested yet.
pub fn here(cwd: &str) -> Ambient {
    Ambient::Here(Context {
        cwd: Some(cwd.to_owned()),
        repo: None,
        branch: Some("main".to_owned()),
        os: Some(Os::Linux),
        env: EnvView::Partial(std::collections::BTreeMap::new()),
        files_open: Vec::new(),
    })
}
