//! A home in which nothing was ever stored.

use nudge_core::{Context, FaultKind, Timestamp};
use nudge_home::Settings;
use nudge_memory::{Ambient, Caller, Effect, Memory, Surface};
use nudge_store::{OpenOptions, Store};
use nudge_testkit::registry;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::recall::setup::{START, options};

/// The required parameters of each reading operation.
fn params(operation: &str) -> Value {
    match operation {
        "search" | "assemble_context" => json!({"query": "cart"}),
        "get_observations" => json!({"ids": [1]}),
        "timeline" => json!({"anchor": 1}),
        "session_trace" | "session_timeline" => json!({"session_id": "s-1"}),
        "session_file" => json!({"session_id": "s-1", "path": "/api/a.rs"}),
        "file_history" => json!({"file_path": "src/cart.rs"}),
        "explain_injection" => json!({"id": 1}),
        "find_fix" => json!({"error": "oops"}),
        "get_hint" => json!({"component": "api", "key": "build"}),
        "list_keys" => json!({"component": "api"}),
        "search_experiences" => json!({"query": "oops"}),
        "validate_value" => json!({"text": "read the error", "experiences": ["ghap_1", "ghap_2"]}),
        "premortem" => json!({"domain": "debugging"}),
        "get_journal_entry" => json!({"id": 1}),
        "get_run" => json!({"run": "r"}),
        _ => json!({}),
    }
}

/// @recall_cold_start: without a database every reading operation has an answer, or says what is
/// missing; none creates a database.
#[test]
fn every_reading_operation_answers_without_a_database() {
    let dir = TempDir::new().expect("a temporary directory");
    let database = dir.path().join("nudge.db");
    let store = Store::open(&OpenOptions { read_only: true, ..options(&database) }).expect("opens");
    let memory = Memory::open(store, Settings::default());
    let mut reported = Vec::new();
    for operation in registry::all().filter(|operation| operation.effect == Effect::Read) {
        for surface in [Surface::Cli, Surface::Mcp] {
            let mut caller = Caller::new(surface, Timestamp::from_millis(START * 1_000));
            let cwd = Some(dir.path().to_string_lossy().into_owned());
            caller.ambient = Ambient::Here(Context { cwd, ..Context::unknown() });
            let is_refused = operation.clients_only && surface.is_model_side();
            if surface.tier() < operation.tier || is_refused {
                continue;
            }
            let answer = nudge_testkit::call(&memory, &caller, operation.name, params(operation.name));
            let line = match answer {
                // These do not depend on what is stored.
                Ok(_) if ["discover", "ping"].contains(&operation.name) => continue,
                Ok(mut answer) => {
                    answer.pointer_mut("/payload/session_id").map(Value::take);
                    format!("{}: {answer}", operation.name)
                }
                Err(fault) => {
                    assert!(matches!(fault.kind, FaultKind::NotFound), "{}: {fault:?}", operation.name);
                    assert!(fault.next.is_some(), "{}: {fault:?}", operation.name);
                    format!("{}: {} {}", operation.name, fault.kind.id(), fault.message)
                }
            };
            if reported.last() != Some(&line) {
                reported.push(line);
            }
        }
    }
    insta::assert_snapshot!(reported.join("\n"), @r#"
    search: {"results":[]}
    get_observations: []
    timeline: E_NOT_FOUND anchor observation not found
    recent_context: []
    list_sessions: []
    session_trace: E_NOT_FOUND session not found: s-1
    file_history: {"file_path":"src/cart.rs","sessions":[]}
    overview: {"stopped":[],"working":[],"earlier":[]}
    learn: {"project":null,"threshold":3,"half_life_hours":168.0,"failed_commands":[],"error_signatures":[],"intents":[],"left_out":{"failed_commands":0,"error_signatures":0,"intents":0},"looked_at":{"failed_commands":0,"prompts":0}}
    find_fix: {"known":[]}
    assemble_context: {"markdown":"","token_count":0,"item_count":0,"truncated":false,"items":[]}
    preview_context: {"mode":"fresh","text":"","tokens":0,"budget":500,"injected":[],"left_out":[]}
    explain_injection: E_NOT_FOUND there is no entry 1
    injection_usage: {"total":{"injections":0,"lines":0,"tokens":0,"used_lines":0,"used_tokens":0},"days":[],"sessions":[]}
    knows: {"statements":[],"waiting":0,"pinned":0}
    get_hint: E_NOT_FOUND there is no component `api`
    query: {"hints":[],"left_out":{"not_eligible":0,"over_limit":0,"secret":0}}
    list_components: {"components":[]}
    export: {"payload":{"schema_version":"1.0","created_at":"2026-11-15T06:10:00.000Z","session_id":null,"components":{}},"secrets_left_out":0}
    list_keys: E_NOT_FOUND there is no component `api`
    hint_stats: {"hints":0,"components":0,"max_hints":5000,"top_tags":[],"most_used":[]}
    hint_log: {"versions":[]}
    get_relevant_context: {"context":{},"text":"No context stored for this session"}
    get_active_ghap: {"has_active":false,"id":null,"session_id":null,"created_at":null,"domain":null,"strategy":null,"goal":null,"hypothesis":null,"action":null,"prediction":null,"iteration_count":null}
    list_ghap_entries: {"results":[],"count":0}
    get_orphaned_ghap: {"has_orphan":false}
    search_experiences: {"results":[],"count":0}
    group_experiences: {"groups":[],"alone":0}
    validate_value: E_NOT_FOUND there is no hypothesis ghap_1
    list_values: {"results":[],"count":0}
    premortem: {"markdown":"","token_count":0,"item_count":0}
    handoff: E_NOT_FOUND no session was captured here
    get_session: E_NOT_FOUND no session was captured here
    session_timeline: E_NOT_FOUND session not found: s-1
    session_file: E_NOT_FOUND session not found: s-1
    list_session_states: {"sessions":[],"unobservedCount":0}
    list_journal_entries: []
    get_journal_entry: E_NOT_FOUND #1 is not a journal entry
    should_check_in: {"should_check_in":false}
    list_proposals: {"proposals":[]}
    list_projects: {"projects":[]}
    get_entries: {"matched":0,"entries":[],"bodies_read":0,"preview":true}
    get_runs: {"runs":[]}
    get_run: E_NOT_FOUND there is no run `r` in this project
    get_models: {"models":[]}
    "#);
    assert!(!database.exists(), "reading makes nothing");
}
