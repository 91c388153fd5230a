//! A browser for tests: the memory's answers as they are on the wire, at a fixed time.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use nudge_memory::review::ProposalView;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::clock::Clock;
use super::message::{Answer, Effect, Key, Message, Request, Ticket};
use super::state::State;
use super::update::update;

/// 17 November 2026, 15:47:12 in UTC.
const NOW: i64 = 1_794_930_432;

/// A browser that was just opened, and its requests.
pub(super) fn opened(columns: u16, rows: u16) -> (State, Vec<(Ticket, Request)>) {
    let now = Timestamp::from_second(NOW).expect("a time");
    let clock = Clock::new(TimeZone::fixed(Offset::constant(1)), now);
    let mut state = State::new("shop".to_owned(), false, clock, (columns, rows));
    let calls = calls(update(&mut state, Message::Opened));
    (state, calls)
}

/// A browser in which [`answer`] answers every request at once.
pub(super) fn filled(columns: u16, rows: u16) -> State {
    let (mut state, calls) = opened(columns, rows);
    settle(&mut state, calls, answer);
    state
}

/// A browser with an empty memory.
pub(super) fn empty(columns: u16, rows: u16) -> State {
    let (mut state, calls) = opened(columns, rows);
    settle(&mut state, calls, nothing);
    state
}

/// Presses keys one by one, and answers every request from a filled memory.
pub(super) fn press(state: &mut State, keys: &[Key]) {
    for key in keys {
        let effects = update(state, Message::Key(*key));
        let calls = with_pauses(state, effects);
        settle(state, calls, answer);
    }
}

/// The same, with an empty memory.
pub(super) fn press_empty(state: &mut State, keys: &[Key]) {
    for key in keys {
        let effects = update(state, Message::Key(*key));
        let calls = with_pauses(state, effects);
        settle(state, calls, nothing);
    }
}

/// The keys of a text.
pub(super) fn typed(text: &str) -> Vec<Key> {
    text.chars().map(Key::Char).collect()
}

/// The requests among effects.
pub(super) fn calls(effects: Vec<Effect>) -> Vec<(Ticket, Request)> {
    let call = |effect| match effect {
        Effect::Call(ticket, request) => Some((ticket, request)),
        Effect::After(..) | Effect::Suspend | Effect::Quit => None,
    };
    effects.into_iter().filter_map(call).collect()
}

/// The requests among effects, after every delay has passed.
fn with_pauses(state: &mut State, effects: Vec<Effect>) -> Vec<(Ticket, Request)> {
    let mut made = Vec::new();
    for effect in effects {
        match effect {
            Effect::After(_, message) => made.extend(calls(update(state, message))),
            effect => made.extend(calls(vec![effect])),
        }
    }
    made
}

fn settle(state: &mut State, calls: Vec<(Ticket, Request)>, answer: fn(&Request) -> Answer) {
    let mut waiting = calls;
    while let Some((ticket, request)) = waiting.pop() {
        let effects = update(state, Message::Answered(ticket, Ok(answer(&request))));
        waiting.extend(self::calls(effects));
    }
}

/// The answers of an empty memory.
pub(super) fn nothing(request: &Request) -> Answer {
    match request {
        Request::Sessions { .. } => Answer::Sessions(Vec::new()),
        Request::Search { .. } => Answer::Search(read(json!({
            "results": [], "withheld": {"count": 3}, "did_you_mean": {"vaucher": "voucher"},
        }))),
        Request::Proposals => Answer::Proposals(Vec::new()),
        Request::Injections { .. } => Answer::Injections(Vec::new()),
        other => answer(other),
    }
}

/// The answers of a filled memory.
pub(super) fn answer(request: &Request) -> Answer {
    match request {
        Request::Sessions { all } => Answer::Sessions(read(sessions(*all))),
        Request::Trace { .. } => Answer::Trace(read(trace())),
        Request::Search { all, .. } => Answer::Search(read(found(*all))),
        Request::Entry { id } => Answer::Entry(read(entry(*id))),
        Request::Proposals => Answer::Proposals(read(proposals())),
        Request::Accept { id } => Answer::Decided(read(decided(*id, "accepted"))),
        Request::Drop { id } => Answer::Decided(read(decided(*id, "dropped"))),
        Request::Injections { all } => Answer::Injections(read(injections(*all))),
    }
}

fn read<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).expect("an answer as it is on the wire")
}

fn sessions(all: bool) -> Value {
    let project = |name: &str| if all { json!(name) } else { Value::Null };
    json!([
        {"session_id": "0197b97a-e0d4-7b58", "agent": "claude-code", "project": project("shop"),
         "goal": "why is the total wrong when a voucher is used", "started_at": "2026-11-17T14:00:00Z",
         "timestamp": NOW - 600, "at": "2026-11-17T15:37:12Z", "ended": "open", "files": []},
        {"session_id": "0197b3f5-9a52-7e11", "agent": "codex", "project": project("shop"), "name": "tax",
         "goal": "round the tax of the cart per line, and say in CHANGELOG.md which orders of the last year would \
                  have had another total, so that support can answer questions about them",
         "started_at": "2026-11-16T09:00:00Z", "timestamp": NOW - 86_400, "at": "2026-11-16T15:47:12Z",
         "ended": "ended", "files": ["src/tax.ts", "CHANGELOG.md"], "more_files": 2, "commits": 1},
        {"session_id": "0197a91e-52aa-7d02", "agent": "opencode", "project": project("日本語のプロジェクト名"),
         "goal": "レシートに\u{1b}[31m税番号\u{202e}を印刷する 👩‍💻 done", "started_at": "2025-03-01T00:00:00Z",
         "timestamp": 1_740_787_200, "at": "2025-03-01T00:00:00Z", "ended": "broke off", "files": ["main.go"]},
    ])
}

fn trace() -> Value {
    json!({
        "session_id": "0197b3f5-9a52-7e11", "project": "shop", "started_at": NOW - 90_000, "ended_at": NOW - 86_400,
        "summary": {"intent": "round the tax of the cart per line"},
        "prompts": [{
            "prompt_id": 41, "timestamp": NOW - 90_000, "source": "user", "observation_count": 4,
            "content": "round the tax of the cart per line, and say in CHANGELOG.md which orders would differ",
            "observations": [
                trace_row(42, "command_error", "pnpm test", false),
                trace_row(43, "command", "docker compose up -d db", false),
                trace_row(44, "file_edit", "src/tax.ts\tとても長い名前", false),
                trace_row(45, "git_commit", "Round tax per line", true),
            ],
        }],
        "truncated": true,
    })
}

fn trace_row(id: i64, kind: &str, text: &str, is_pinned: bool) -> Value {
    json!({"id": id, "timestamp": NOW - 90_000 + id, "obs_type": kind, "file_path": null,
        "content_preview": text, "is_pinned": is_pinned})
}

fn found(all: bool) -> Value {
    let row = |id: i64, kind: &str, text: &str, partial: bool| {
        json!({"id": id, "timestamp": NOW - 90_000 + id, "at": "", "obs_type": kind, "content_preview": text,
            "partial": partial, "file_path": "src/cart.test.ts", "session_id": "0197b3f5-9a52-7e11",
            "project": if all { json!("shop") } else { Value::Null }, "why": "title:econnrefused", "tokens": 40})
    };
    let mut first = row(42, "command_error", "pnpm test: Error: connect ECONNREFUSED 127.0.0.1:5432", false);
    first["followed"] = json!("passed after `docker compose up -d db`, 5 of 5");
    json!({
        "results": [
            first,
            row(41, "user_prompt", "why does the test say econnrefused", false),
            row(12, "conclusion", "全角の文字が入った結論です", true),
        ],
        "withheld": {"count": 1}, "more": true,
    })
}

fn entry(id: i64) -> Value {
    json!({
        "id": id, "timestamp": NOW - 89_958, "at": "", "session_id": "0197b3f5-9a52-7e11", "project": "shop",
        "obs_type": "command_error", "source_event": "PostToolUse", "tool_name": "Bash", "content": "pnpm test",
        "file_path": null,
        "metadata": {
            "exit_code": 1, "hash": "abc",
            "response": " FAIL  src/cart.test.ts\nError: connect ECONNREFUSED 127.0.0.1:5432\n\
                \u{1b}[2J at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1611:16) and so on to the end",
        },
    })
}

fn proposals() -> Value {
    json!([
        {"id": 51, "kind": "edit", "action": "set", "state": "waiting", "component": "database", "key": "port",
         "value": "5433", "reason": "docker-compose.yml maps the database to 5433", "current": "5432",
         "current_stated_by": "the person, in shop", "proposed_by": "an agent, in shop", "client": "claude-code",
         "why": "the user stated it", "times": 2, "first_at": "2026-11-15T10:00:00Z",
         "last_at": "2026-11-16T10:00:00Z"},
        {"id": 48, "kind": "statement", "action": "remember", "state": "waiting",
         "text": "we always use pnpm here, never npm", "sessions": 1, "project": "shop", "in_force": true,
         "contradicts": [{"id": 9, "text": "use npm", "stated_by": "the person, in shop"}],
         "proposed_by": "the person, in shop", "why": "it seems meant to last", "times": 1,
         "first_at": "2026-11-14T10:00:00Z", "last_at": "2026-11-14T10:00:00Z"},
    ])
}

/// Proposals about a file and about entries.
pub(super) fn entry_proposals() -> Vec<ProposalView> {
    let one = |id: i64, kind: &str, action: &str, path: &str| {
        json!({"id": id, "kind": kind, "action": action, "state": "waiting", "path": path,
            "proposed_by": "an agent, in shop", "client": "codex", "times": 1,
            "why": "an agent's change of a file waits for the user",
            "first_at": "2026-11-15T10:00:00Z", "last_at": "2026-11-16T10:00:00Z"})
    };
    let mut file = one(61, "file", "set", "src/main.rs");
    file["diff"] = json!(
        "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,4 +1,4 @@\n fn main() {\n-    let port = 5432;\n\
         +    let port = 5433; // the port that docker-compose.yml maps the database of the shop to, \
         so that tests find it\n     run(port);\n }\n"
    );
    let mut entry = one(60, "edit", "move", "known://plan/tax");
    entry["to"] = json!("known://archive/tax");
    entry["attributes"] = json!({"owner": "ops"});
    entry["current_stated_by"] = json!("the person, in shop");
    read(json!([file, entry]))
}

fn decided(id: i64, state: &str) -> Value {
    json!({"id": id, "kind": "edit", "state": state, "component": "database", "key": "port"})
}

fn injections(all: bool) -> Value {
    let line = |id: i64, what: &str, why: &str, section: Option<&str>| {
        json!({"id": id, "what": what, "why": why, "section": section, "tokens": 18,
            "used_at": (id == 9).then_some("2026-11-17T15:40:00Z")})
    };
    let one = |session: &str, at: &str, cause: &str| {
        json!({"at": at, "session": session, "project": if all { json!("shop") } else { Value::Null }, "cause": cause,
            "mode": "fresh", "tokens": 212, "lines": 2,
            "injected": [
                line(9, "statement “we always use pnpm here, never npm”", "the user stated it", Some("stated")),
                line(42, "command_error pnpm test", "failed in 5 sessions", Some("failures")),
            ],
            "left_out": [line(12, "conclusion 全角の文字が入った結論です", "no room in the budget", None)]})
    };
    json!([
        one("0197b97a-e0d4-7b58", "2026-11-17T14:00:00.000Z", "startup"),
        one("0197b3f5-9a52-7e11", "2026-11-16T09:00:00.000Z", "prompt"),
    ])
}
