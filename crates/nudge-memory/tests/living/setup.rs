//! An agent with hooks that also calls operations itself.

use nudge_core::{Fault, Timestamp};
use nudge_harness::Harness;
use nudge_memory::capture::{self, CapturedVia, ProjectRef, ReadContext, StoreOutcome};
use nudge_memory::inject::{Injected, InjectionLimits};
use nudge_memory::{Caller, Surface};
use nudge_testkit::MemoryBench;
use nudge_testkit::registry;
use serde_json::{Value, json};

pub(crate) const NOW: i64 = 1_794_723_027_000;
pub(crate) const SECOND: i64 = 1_000;
pub(crate) const HOUR: i64 = 3_600 * SECOND;
pub(crate) const DAY: i64 = 24 * HOUR;

const LIMITS: InjectionLimits = InjectionLimits {
    start_tokens: 500,
    recovery_tokens: 1_500,
    prompt_tokens: 800,
    tool_tokens: 200,
    ask_agent: false,
};

/// An empty memory.
pub(crate) fn fresh() -> MemoryBench {
    MemoryBench::in_memory(Timestamp::from_millis(NOW))
}

/// An agent at work in `/w/shop`.
pub(crate) struct Agent<'s> {
    pub(crate) bench: &'s MemoryBench,
    pub(crate) session: String,
    pub(crate) harness: Harness,
    pub(crate) project: String,
    pub(crate) at: i64,
    /// Whether its hooks have no time for an answer.
    pub(crate) is_late: bool,
    calls: u32,
}

impl<'s> Agent<'s> {
    /// Starts a session of Claude Code.
    pub(crate) fn begin(bench: &'s MemoryBench, session: &str, at: i64) -> Self {
        let mut agent = Self::silent(bench, session, at);
        agent.start("startup");
        agent
    }

    /// An agent that no hook has reported yet.
    pub(crate) fn silent(bench: &'s MemoryBench, session: &str, at: i64) -> Self {
        let (session, project) = (session.to_owned(), "shop".to_owned());
        Self { bench, session, harness: Harness::Claude, project, at, is_late: false, calls: 0 }
    }

    /// The session starts or is resumed; returns what is injected.
    pub(crate) fn start(&mut self, source: &str) -> String {
        self.text("SessionStart", json!({"source": source}))
    }

    pub(crate) fn asks(&mut self, prompt: &str) {
        self.calls += 1;
        let id = format!("p{}", self.calls);
        self.hook("UserPromptSubmit", json!({"prompt": prompt, "prompt_id": id}));
    }

    /// The agent ends its turn.
    pub(crate) fn stops(&mut self) {
        self.hook("Stop", json!({}));
    }

    pub(crate) fn ends(&mut self) {
        self.hook("SessionEnd", json!({"reason": "exit"}));
    }

    /// A command that ended; returns what is injected.
    pub(crate) fn runs(&mut self, command: &str, output: &str, exit: i32) -> String {
        self.runs_typed(command, output, exit).map(|injected| injected.context).unwrap_or_default()
    }

    pub(crate) fn runs_typed(&mut self, command: &str, output: &str, exit: i32) -> Option<Injected> {
        self.calls += 1;
        let mut own = json!({"tool_name": "Bash", "tool_use_id": format!("t{}", self.calls),
                             "tool_input": {"command": command}});
        if exit == 0 {
            own["tool_response"] = json!({"stdout": output, "stderr": "", "interrupted": false});
            self.hook("PostToolUse", own).1
        } else {
            own["error"] = json!(format!("Exit code {exit}\n{output}"));
            self.hook("PostToolUseFailure", own).1
        }
    }

    /// The agent reads a file; returns what is injected before it does.
    pub(crate) fn reads(&mut self, file: &str) -> Option<Injected> {
        self.calls += 1;
        let own = json!({"tool_name": "Read", "tool_use_id": format!("r{}", self.calls),
                         "tool_input": {"file_path": file}});
        let injected = self.hook("PreToolUse", own.clone()).1;
        let mut after = own;
        after["tool_response"] = json!({"file": {"content": "x"}});
        self.hook("PostToolUse", after);
        injected
    }

    pub(crate) fn text(&mut self, event: &str, own: Value) -> String {
        self.hook(event, own).1.map(|injected| injected.context).unwrap_or_default()
    }

    /// An event of the agent's hooks.
    pub(crate) fn hook(&mut self, event: &str, own: Value) -> (StoreOutcome, Option<Injected>) {
        self.at += SECOND;
        let root = format!("/w/{}", self.project);
        let mut payload = json!({"session_id": self.session, "cwd": root, "hook_event_name": event,
                                 "transcript_path": "/none"});
        payload.as_object_mut().expect("an object").extend(own.as_object().expect("an object").clone());
        let payload = payload.to_string();
        let event = nudge_harness::parse(self.harness, &payload).expect("a payload");
        let now = Timestamp::from_millis(self.at);
        let project =
            ProjectRef { key: self.key(), name: self.project.clone(), root, ..ProjectRef::default() };
        let here = ReadContext {
            now,
            project,
            headless: Some(false),
            via: CapturedVia::Hook,
            own_root: None,
            is_own_tool: registry::has,
        };
        let captured = capture::read(&event, &payload, &here).expect("a moment");
        let received = self.bench.memory.receive(&captured).expect("kept");
        let limits = (!self.is_late).then_some(LIMITS);
        let injected = received.reply(limits, now).expect("a reply");
        received.react().expect("reactions");
        (received.outcome, injected)
    }

    fn key(&self) -> String {
        format!("/w/{}/.git", self.project)
    }

    /// A call of the agent over MCP.
    pub(crate) fn call(&mut self, operation: &str, params: Value) -> Result<Value, Fault> {
        self.at += SECOND;
        let mut caller = Caller::new(Surface::Mcp, Timestamp::from_millis(self.at));
        caller.client = Some("claude-code".to_owned());
        caller.project = Some(self.key());
        caller.session = Some(self.session.clone());
        nudge_testkit::call(&self.bench.memory, &caller, operation, params)
    }

    #[track_caller]
    pub(crate) fn ok(&mut self, operation: &str, params: Value) -> Value {
        self.call(operation, params).unwrap_or_else(|fault| panic!("{operation} failed: {fault:?}"))
    }

    #[track_caller]
    pub(crate) fn fault(&mut self, operation: &str, params: Value) -> Fault {
        match self.call(operation, params) {
            Ok(answer) => panic!("{operation} succeeded: {answer}"),
            Err(fault) => fault,
        }
    }

    /// Starts a hypothesis; returns its id.
    pub(crate) fn tries(&mut self, hypothesis: &str, prediction: &str) -> String {
        let answer = self.ok("start_ghap", ghap(hypothesis, prediction));
        answer["id"].as_str().expect("an id").to_owned()
    }

    /// Records that the active hypothesis was wrong.
    pub(crate) fn was_wrong(&mut self, surprise: &str, category: &str, cause: &str) {
        let cause = json!({"category": category, "description": cause});
        let params =
            json!({"status": "falsified", "result": "it failed", "surprise": surprise, "root_cause": cause});
        self.ok("resolve_ghap", params);
    }
}

pub(crate) fn ghap(hypothesis: &str, prediction: &str) -> Value {
    json!({"domain": "debugging", "strategy": "read-the-error", "goal": "prices are right",
           "hypothesis": hypothesis, "action": "change the rounding", "prediction": prediction})
}
