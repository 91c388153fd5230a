//! A memory without a disk and a clock that stands still.

use std::time::Duration;

use nudge_core::{Context, EnvView, Fault, Os, Timestamp};
use nudge_home::Settings;
use nudge_memory::{Ambient, Caller, Memory, Surface};
use nudge_store::{HostIdentity, Location, OpenOptions, Store};
use serde_json::{Value, json};

/// When every test begins.
pub const START: Timestamp = Timestamp::from_millis(1_794_700_000_000);

/// One day.
pub const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A memory under test, and the moment it is asked at.
pub struct Bench {
    pub memory: Memory,
    pub now: Timestamp,
    pub surface: Surface,
    pub ambient: Ambient,
    pub project: Option<String>,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(Settings::default())
    }

    pub fn with(settings: Settings) -> Self {
        let options = OpenOptions {
            location: Location::Memory,
            read_only: false,
            host: HostIdentity { machine: None, boot: None },
            now: START,
            busy: Duration::from_secs(1),
            backups: None,
        };
        let store = Store::open(&options).expect("a store in memory opens");
        Self {
            memory: Memory::open(store, settings),
            now: START,
            surface: Surface::Cli,
            ambient: Ambient::Nothing,
            project: None,
        }
    }

    pub fn caller(&self) -> Caller {
        let mut caller = Caller::new(self.surface, self.now);
        caller.ambient = self.ambient.clone();
        caller.project = self.project.clone();
        caller
    }

    pub fn call(&self, name: &str, params: Value) -> Result<Value, Fault> {
        self.memory.call(&self.caller(), name, params)
    }

    /// Calls what must succeed.
    pub fn ok(&self, name: &str, params: Value) -> Value {
        self.call(name, params).unwrap_or_else(|fault| panic!("{name} failed: {fault:?}"))
    }

    /// Calls what must fail.
    pub fn fault(&self, name: &str, params: Value) -> Fault {
        match self.call(name, params) {
            Ok(answer) => panic!("{name} succeeded: {answer}"),
            Err(fault) => fault,
        }
    }

    /// Sets a text hint with `meta`.
    pub fn set(&self, component: &str, key: &str, value: &str, meta: Value) -> Value {
        self.ok("set_hint", json!({"component": component, "key": key, "value": value, "meta": meta}))
    }

    /// The value that a caller in `context` gets.
    pub fn value(&self, component: &str, key: &str, context: Value) -> Value {
        self.ok("get_hint", json!({"component": component, "key": key, "context": context}))["hint"]["value"]
            .clone()
    }

    /// The fault's id and reason for a caller in `context`.
    pub fn refused(&self, component: &str, key: &str, context: Value) -> (String, String) {
        let fault = self.fault("get_hint", json!({"component": component, "key": key, "context": context}));
        (fault.kind.id().to_owned(), fault.reason)
    }

    pub fn later(&mut self, by: Duration) {
        self.now = self.now.plus(by);
    }
}

/// What a process on a Linux machine sees, its environment not yet asked for.
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
