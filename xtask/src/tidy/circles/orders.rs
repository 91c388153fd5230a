//! The tables of the rule: the order of the modules in each crate, and the crates that still have
//! cycles.

/// Rooms from the ground up, a row for each crate that declares them.
#[rustfmt::skip]
pub(crate) const ORDERS: &[(&str, &[&str])] = &[
    ("nudge-core", &[
        "named_enum", "context", "context_set", "fault", "fitted", "frame", "hypothesis", "observation", "time", "tokens", "text", "path", "instruction", "shell", "duration",
        "entry", "event", "glob", "scheme", "entry_state", "ttl", "rank", "repo", "conditions", "hint", "run",
    ]),
    ("nudge-secrets", &[
        "clean", "finding", "json", "keyword", "name", "surprise", "token", "placeholder", "random", "strength",
        "view", "phrase", "codes", "pem", "stored_password", "encoded", "hex", "prefix", "printed",
        "shape", "strict", "bare", "command", "foreign",
        "nearby", "url", "value", "calls", "apart", "header", "environment", "sql", "assignment",
    ]),
    ("nudge-store", &[
        "db", "tables", "queries", "maintenance",
    ]),
    ("nudge-index", &[
        "source", "error", "text",
    ]),
    ("nudge-context", &[
        "budget", "clean", "frame", "program", "section", "trigger", "assemble", "pack", "naming",
        "fragment", "found", "living", "stated", "stopped", "pick", "blocks", "chain", "packet",
    ]),
    ("nudge-grammar", &[
        "pattern", "edit", "tags",
    ]),
    ("nudge-harness", &[
        "deadline", "edit", "payload", "spec", "hooks", "install", "transcript", "agent", "tool",
        "agents", "ancestors", "reply",
    ]),
    ("nudge-home", &[
        "git", "home", "host", "settings", "surroundings", "workspace",
    ]),
    ("nudge-models", &[
        "spec", "address", "keys", "error", "request", "shape", "endpoint", "retry", "classify", "transport", "wire", "stream", "client", "fetch",
    ]),
    ("nudge-outcomes", &[
        "shell", "marks", "text", "run", "unwrapped", "view", "runner", "reading", "tools", "plan", "judge", "programs",
    ]),
    ("nudge-sandbox", &[
        "level", "plan", "ended", "linux", "system",
    ]),
    ("nudge-memory", &[
        "anchors", "caller", "memory", "projects", "capture", "operation", "manage_projects",
        "sessions", "statements", "hints", "changes", "failures", "recall", "learn", "notes", "review", "knowledge", "entries", "context_sets", "events", "hypotheses", "inject",
        "manage_sessions",
        "dispatch", "receive", "import", "upkeep",
    ]),
    ("nudge-agent", &[
        "proposals", "plugins", "runs", "registry", "budget", "tools", "tool_docs", "prompts", "gbnf", "policy", "cycle", "verdict", "machine", "dump", "driver",
    ]),
    ("nudge-client", &[
        "agent_above", "background", "env", "lock", "private_file", "random", "ui_sessions", "token", "client_tokens", "version", "older", "frame", "indexing",
        "failures", "connection", "open", "control", "link", "status", "deliver",
    ]),
    ("nudge-server", &[
        "log", "run_feed", "reach", "backend", "terminal", "mcp", "primary", "http", "web_search", "runs", "jobs", "serve",
    ]),
    ("nudge-cli", &[
        "agent_above", "daemon", "exit", "file_limit", "lists", "private_file", "sanitize", "keys", "context_args", "own_notes", "pages",
        "output", "registration", "durations", "globals", "invocation", "input", "intake", "flags", "follow", "hook",
        "record", "tui", "command", "fast_path", "cli", "complete", "usage_error",
    ]),
    ("nudge-testkit", &[
        "event", "git", "stored_memory", "mcp", "raw_http", "scripted_model", "small_disk", "speech", "terminal", "tidy", "until", "outcome", "home",
        "memory", "server", "unprivileged", "bench", "stranger",
    ]),
    ("nudge-drills", &[
        "repository", "stage", "args", "clients", "tokenizer", "agents", "bench", "drill", "fit", "fuzz", "models",
    ]),
    ("xtask", &[
        "finding", "rust_text", "tree", "anchors", "size", "tidy", "docs", "web", "coverage",
    ]),
];

/// Crates with known cycles that are being removed. The list only gets shorter.
pub(super) const STILL_CIRCLES: &[&str] = &[];
