//! The table of keys. A setting that is not here does not exist.

use std::str::FromStr;

use nudge_core::ttl::Ttl;
use serde_json::Value;

use super::models::{self, ADDRESS_FORM, CONTEXT_VARIABLE, MODEL_VARIABLE, MODELS_KEY, address};
use super::plugins::{self, PLUGIN_VARIABLE, PLUGINS_FORM, PLUGINS_KEY};
use super::{LogLevel, Profile, Retention, Settings};

/// `NUDGE_*` variables that are not the variable of a key.
pub const OTHER_VARIABLES: [(&str, &str); 3] = [
    ("NUDGE_HOME", "Absolute path of the directory for memory and configuration"),
    ("NUDGE_OFF", "1 turns hooks off: nothing is captured and nothing is injected"),
    (CONTEXT_VARIABLE, "Context of the model with this name, in tokens"),
];

/// One setting.
pub struct Key {
    /// Its name in the files.
    pub name: &'static str,
    /// Its environment variable.
    pub env: &'static str,
    /// The values it accepts, in words.
    pub kind: &'static str,
    /// What it does, for people. No full stop at the end.
    pub doc: &'static str,
    /// What a project file may do with it: the rest of a sentence that begins "a project …".
    pub project: &'static str,
    pub(super) set: fn(&mut Settings, &str) -> Result<(), String>,
    pub(super) show: fn(&Settings) -> Value,
    /// Whether the second settings are no wider than the first for this key.
    pub(super) narrows: fn(&Settings, &Settings) -> bool,
}

impl Key {
    /// Whether it accepts several values.
    pub(super) fn is_list(&self) -> bool {
        self.kind.starts_with("a list")
    }
}

/// A key that is true or false.
macro_rules! switch {
    ($name:literal, $env:expr, $($field:ident).+, $rule:ident, $doc:literal) => {
        key!($name, $env, $($field).+, "true or false", "true or false", switch, $rule, $doc)
    };
}

/// A key that is a whole number in a range.
macro_rules! number {
    ($name:literal, $env:expr, $($field:ident).+, $least:literal, $most:literal, $rule:ident, $doc:literal) => {
        key!(
            $name,
            $env,
            $($field).+,
            concat!($least, " to ", $most),
            concat!("a number from ", $least, " to ", $most),
            |text| within(text, $least, $most),
            $rule,
            $doc
        )
    };
}

/// A key that is a number from 1.
macro_rules! limit {
    ($name:literal, $env:expr, $field:ident, $doc:literal) => {
        key!($name, $env, $field, "a number from 1", "a number from 1", limit, lower, $doc)
    };
}

/// A key that is one field of the settings: its name, its variable, the field, what it accepts in
/// words, in the table and in an error, how it is read, and what a project may do with it.
macro_rules! key {
    (
        $name:literal, $env:expr, $($field:ident).+, $kind:expr, $expected:expr, $read:expr, $rule:ident,
        $doc:literal
    ) => {
        Key {
            name: $name,
            env: $env,
            kind: $kind,
            doc: $doc,
            project: project_may!($rule),
            set: |settings, text| {
                let read = $read;
                put(&mut settings.$($field).+, read(text), $expected)
            },
            show: |settings| settings.$($field).+.into(),
            narrows: narrows!($rule, $($field).+),
        }
    };
}

/// What a project file may do, in words.
macro_rules! project_may {
    (cannot) => {
        "cannot set it"
    };
    (lower) => {
        "may only lower it"
    };
    (on) => {
        "may only turn it on"
    };
    (off) => {
        "may only turn it off"
    };
}

/// What a project file may do, as a comparison of the settings before and after.
macro_rules! narrows {
    (cannot, $($field:ident).+) => {
        |_, _| false
    };
    (on, $($field:ident).+) => {
        |now, then| then.$($field).+ >= now.$($field).+
    };
    ($down:ident, $($field:ident).+) => {
        |now, then| then.$($field).+ <= now.$($field).+
    };
}

/// Every setting, in the order they are shown.
#[rustfmt::skip]
pub const KEYS: &[Key] = &[
    Key {
        name: "port",
        env: "NUDGE_PORT",
        kind: "0 to 65535",
        doc: "TCP port of the server on the loopback address; 0 picks a free port",
        project: "cannot set it",
        set: |settings, text| put(&mut settings.port, text.parse().ok(), "a port from 0 to 65535"),
        show: |settings| settings.port.into(),
        narrows: |_, _| false,
    },
    switch!("start_server", "NUDGE_START_SERVER", start_server, cannot,
        "Start the server in the background when a session begins and none is running"),
    Key {
        name: "default_ttl",
        env: "NUDGE_DEFAULT_TTL",
        kind: "session, forever or an ISO-8601 duration",
        doc: "Lifetime of a hint that is set without one, counted from the last time it was set",
        project: "may only shorten it",
        set: |settings, text| {
            put(
                &mut settings.default_ttl,
                Ttl::parse(text).ok(),
                "session, forever or a duration such as PT2H",
            )
        },
        show: |settings| settings.default_ttl.as_str().into(),
        narrows: |now, then| then.default_ttl.shortens(&now.default_ttl),
    },
    switch!("secret_guard", "NUDGE_SECRET_GUARD", secret_guard, on,
        "Reject values that look like credentials"),
    Key {
        name: SENSITIVITY_KEY,
        env: "NUDGE_SECRETS_SENSITIVITY",
        kind: "normal or strict",
        doc: "How readily the detector treats text as a credential. With strict it also matches random \
            tokens of 16 characters or more, and any value of four characters or more with a name such as \
            password or api_key",
        project: "may only make it strict",
        set: |settings, text| put(&mut settings.strict_secrets, sensitivity(text), "normal or strict"),
        show: |settings| if settings.strict_secrets { "strict".into() } else { "normal".into() },
        narrows: |now, then| then.strict_secrets >= now.strict_secrets,
    },
    Key {
        name: "secrets.relaxed",
        env: RELAXED_VARIABLE,
        kind: "a list of directories",
        doc: "Projects in which `.nudge.toml` cannot make the detector strict",
        project: "cannot set it",
        set: |settings, text| {
            settings.relaxed_secrets = list(text);
            Ok(())
        },
        show: |settings| settings.relaxed_secrets.clone().into(),
        narrows: |_, _| false,
    },
    Key {
        name: "log_level",
        env: "NUDGE_LOG_LEVEL",
        kind: "error, warn, info or debug",
        doc: "How much the server logs. Memory content and tokens are never logged",
        project: "may only make it quieter",
        set: |settings, text| {
            put(&mut settings.log_level, LogLevel::from_name(text), "error, warn, info or debug")
        },
        show: |settings| settings.log_level.name().into(),
        narrows: |now, then| then.log_level <= now.log_level,
    },
    limit!("max_components", "NUDGE_MAX_COMPONENTS", max_components,
        "Maximum number of components"),
    limit!("max_hints_per_component", "NUDGE_MAX_HINTS_PER_COMPONENT", max_hints_per_component,
        "Maximum number of hints in one component; each variant counts"),
    limit!("max_hints", "NUDGE_MAX_HINTS", max_hints,
        "Maximum number of hints in total; each variant counts"),
    Key {
        name: "profile",
        env: "NUDGE_PROFILE",
        kind: "auto, default, work or full",
        doc: "Which tools the server lists to agents; auto is work in a project whose agents have used \
            its tools, else default. A tool that is not listed can still be called",
        project: "may only shorten the list",
        set: |settings, text| {
            let read = if text == AUTO { Some(None) } else { Profile::from_name(text).map(Some) };
            put(&mut settings.profile, read, "auto, default, work or full")
        },
        show: |settings| settings.profile.map_or(AUTO, Profile::name).into(),
        narrows: |now, then| list_length(then) <= list_length(now),
    },
    switch!("mcp_secrets", "NUDGE_MCP_SECRETS", mcp_secrets, off,
        "Let agents read and write values marked secret"),
    switch!("capture", "NUDGE_CAPTURE", capture, off,
        "Capture what agents do: prompts, tool calls, edits, commands"),
    Key {
        name: "exclude",
        env: "NUDGE_EXCLUDE",
        kind: "a list of directories, globs or project names",
        doc: "What is never captured: directories and everything in them, paths that match a glob, \
            projects by name",
        project: "may only add to it",
        set: |settings, text| {
            settings.exclude = list(text);
            Ok(())
        },
        show: |settings| settings.exclude.clone().into(),
        narrows: |now, then| now.exclude.iter().all(|pattern| then.exclude.contains(pattern)),
    },
    Key {
        name: "project",
        env: "NUDGE_PROJECT",
        kind: "a name",
        doc: "Name of this project. Another directory with the same name is the same project if both have \
            the same remote, or after you run `nudge project trust`",
        project: "may set it",
        set: |settings, text| {
            put(&mut settings.project, name(text).map(Some), "a name of at most 200 characters")
        },
        show: |settings| settings.project.clone().into(),
        narrows: |_, _| true,
    },
    switch!("private", "NUDGE_PRIVATE", private, on,
        "Show nothing of this project outside it: no search, list or session of another project \
            includes it"),
    Key {
        name: "retention",
        env: "NUDGE_RETENTION",
        kind: "a list of kind=days or kind=forever, such as [\"command=180\"], or a table of them",
        doc: "How long captured entries of each kind are kept, in days. Kinds that are not named keep \
            their default: commits and pushes 730 days; edits, sessions, prompts and conclusions 365; \
            commands 180; notes (marker) forever; other kinds 90. Pinned entries are always kept",
        project: "cannot set it",
        set: |settings, text| {
            let rules = Retention::parse(list(text).iter().map(String::as_str));
            put(&mut settings.retention, rules, &Retention::expected())
        },
        show: |settings| settings.retention.rules().into(),
        narrows: |_, _| false,
    },
    switch!("inject.enabled", "NUDGE_INJECT", inject, off,
        "Inject what is remembered of earlier work when a session starts, and after its context is \
            compacted or cleared"),
    switch!("inject.headless", "NUDGE_INJECT_HEADLESS", inject_headless, off,
        "Inject into headless sessions, too: runs of an agent that nobody watches"),
    number!("inject.start_tokens", "NUDGE_INJECT_START_TOKENS", inject_start_tokens, 0, 2_200, lower,
        "Maximum tokens injected when a session starts"),
    number!("inject.recovery_tokens", "NUDGE_INJECT_RECOVERY_TOKENS", inject_recovery_tokens, 0, 2_200, lower,
        "Maximum tokens injected after a session's context is compacted or cleared"),
    number!("inject.prompt_tokens", "NUDGE_INJECT_PROMPT_TOKENS", inject_prompt_tokens, 0, 2_200, lower,
        "Maximum tokens injected with a prompt; 0 for none"),
    number!("inject.tool_tokens", "NUDGE_INJECT_TOOL_TOKENS", inject_tool_tokens, 0, 2_200, lower,
        "Maximum tokens injected before or after a command; 0 for none"),
    switch!("inject.ask_agent", "NUDGE_INJECT_ASK_AGENT", ask_agent, off,
        "Ask the agent to remember a rule when a prompt may state one, at most once in twenty prompts of \
            a session"),
    Key {
        name: MODELS_KEY,
        env: MODEL_VARIABLE,
        kind: models::MODELS_FORM,
        doc: "Models that runs may use, each in a table `[models.NAME]`. `model` is `provider/model`; the \
            providers are openai (and every server that speaks its protocol), anthropic, ollama, openrouter and \
            xai. Optional: `base_url`; `context`, in tokens; `input_price` and `output_price`, in USD per million \
            tokens; `constrained = true`, to send a grammar to a llama.cpp server. A variable that names another \
            model drops its context and prices; one that names another provider drops the other fields, too. \
            Keys belong in the environment or in `keys.toml`, not here",
        project: "cannot set it",
        set: |_, _| Err(models::MODELS_FORM.to_owned()),
        show: |settings| models::shown(&settings.models).into(),
        narrows: |_, _| false,
    },
    Key {
        name: "runs.ceiling",
        env: "NUDGE_RUNS_CEILING",
        kind: "0.1 to 1",
        doc: "How much of the model's context a packet may take, as a fraction",
        project: "cannot set it",
        set: |settings, text| {
            put(&mut settings.runs.ceiling, within(text, 0.1, 1.0), "a number from 0.1 to 1")
        },
        show: |settings| settings.runs.ceiling.into(),
        narrows: |_, _| false,
    },
    number!("runs.max_entry_tokens", "NUDGE_RUNS_MAX_ENTRY_TOKENS", runs.max_entry_tokens, 1, 1_000_000, cannot,
        "Maximum tokens of one entry that a run writes"),
    number!("runs.max_turns", "NUDGE_RUNS_MAX_TURNS", runs.max_turns, 1, 9_999, lower,
        "Maximum turns of one loop: one prompt and the work on it"),
    number!("runs.max_commands", "NUDGE_RUNS_MAX_COMMANDS", runs.max_commands, 1, 9_999, lower,
        "Maximum commands in one turn; the others are dropped, and the model is informed"),
    number!("runs.max_strikes", "NUDGE_RUNS_MAX_STRIKES", runs.max_strikes, 1, 9_999, cannot,
        "Number of turns with errors in a row after which a loop gives up"),
    number!("runs.min_cycles", "NUDGE_RUNS_MIN_CYCLES", runs.min_cycles, 2, 9_999, cannot,
        "Number of times that the same turns must repeat to count as a cycle"),
    number!("runs.max_cycle_period", "NUDGE_RUNS_MAX_CYCLE_PERIOD", runs.max_cycle_period, 1, 9_999, cannot,
        "Maximum number of turns in one cycle"),
    number!("runs.retention_days", "NUDGE_RUNS_RETENTION_DAYS", runs.retention_days, 1, 36_500, cannot,
        "Number of days that a run is kept after it has ended"),
    switch!("runs.think", "NUDGE_RUNS_THINK", runs.think, cannot,
        "Ask the model to reason before it answers, if it can"),
    Key {
        name: "runs.temperature",
        env: "NUDGE_RUNS_TEMPERATURE",
        kind: "0 to 2",
        doc: "Temperature that the model samples with",
        project: "cannot set it",
        set: |settings, text| {
            put(&mut settings.runs.temperature, within(text, 0.0, 2.0), "a number from 0 to 2")
        },
        show: |settings| settings.runs.temperature.into(),
        narrows: |_, _| false,
    },
    number!("runs.fetch_timeout_s", "NUDGE_RUNS_FETCH_TIMEOUT_S", runs.fetch_timeout_s, 1, 86_400, cannot,
        "Seconds without a byte from the model after which a request fails"),
    number!("runs.answer_timeout_s", "NUDGE_RUNS_ANSWER_TIMEOUT_S", runs.answer_timeout_s, 1, 86_400, cannot,
        "Seconds that an answer may take, however slowly it comes"),
    number!("runs.retry_deadline_s", "NUDGE_RUNS_RETRY_DEADLINE_S", runs.retry_deadline_s, 1, 86_400, cannot,
        "Seconds for which a request is repeated while a model starts or limits its rate"),
    number!("runs.max_backoff_s", "NUDGE_RUNS_MAX_BACKOFF_S", runs.max_backoff_s, 1, 86_400, cannot,
        "Maximum seconds between two attempts of a request"),
    Key {
        name: "runs.sandbox",
        env: "NUDGE_RUNS_SANDBOX",
        kind: "full, landlock or none",
        doc: "Maximum that holds the commands of runs; less than `full` is for systems where it fails",
        project: "cannot set it",
        set: |settings, text| {
            let known = ["full", "landlock", "none"].contains(&text).then(|| text.to_owned());
            put(&mut settings.runs.sandbox, known, "full, landlock or none")
        },
        show: |settings| settings.runs.sandbox.clone().into(),
        narrows: |_, _| false,
    },
    number!("runs.command_time_s", "NUDGE_RUNS_COMMAND_TIME_S", runs.command_time_s, 1, 86_400, cannot,
        "Seconds that a command of a run may take"),
    number!("runs.command_processes", "NUDGE_RUNS_COMMAND_PROCESSES", runs.command_processes, 8, 100_000, cannot,
        "Maximum processes and threads of a command of a run"),
    number!("runs.command_memory_mb", "NUDGE_RUNS_COMMAND_MEMORY_MB", runs.command_memory_mb, 16, 10_000_000, cannot,
        "Maximum memory of a command of a run, in MiB"),
    number!("runs.command_disk_mb", "NUDGE_RUNS_COMMAND_DISK_MB", runs.command_disk_mb, 1, 10_000_000, cannot,
        "Maximum size of a command's temporary files, and of what it adds to the project, in MiB"),
    number!("runs.plugin_time_s", "NUDGE_RUNS_PLUGIN_TIME_S", runs.plugin_time_s, 1, 3_600, cannot,
        "Seconds that a call of a plugin may take; its start may take as long, but at most 10"),
    Key {
        name: "runs.http_referer",
        env: "NUDGE_RUNS_HTTP_REFERER",
        kind: HEADER_FORM,
        doc: "Address that requests to OpenRouter are credited to, sent as `HTTP-Referer`; empty sends none",
        project: "cannot set it",
        set: |settings, text| put(&mut settings.runs.http_referer, header(text), HEADER_FORM),
        show: |settings| settings.runs.http_referer.clone().into(),
        narrows: |_, _| false,
    },
    Key {
        name: "runs.x_title",
        env: "NUDGE_RUNS_X_TITLE",
        kind: HEADER_FORM,
        doc: "Name that requests to OpenRouter are credited to, sent as `X-Title`; empty sends none",
        project: "cannot set it",
        set: |settings, text| put(&mut settings.runs.x_title, header(text), HEADER_FORM),
        show: |settings| settings.runs.x_title.clone().into(),
        narrows: |_, _| false,
    },
    Key {
        name: PLUGINS_KEY,
        env: PLUGIN_VARIABLE,
        kind: PLUGINS_FORM,
        doc: "MCP servers whose tools runs may use, each in a table `[plugins.NAME]`. `command` is a program \
            with its arguments. Optional: `env`, names of variables that it gets beside PATH, HOME, LANG and \
            TMPDIR; `read_only`, names of its tools that change nothing: they are called without asking, also by \
            `nudge ask`. The variable has program and arguments, apart by spaces",
        project: "cannot set it",
        set: |_, _| Err(PLUGINS_FORM.to_owned()),
        show: |settings| plugins::shown(&settings.plugins).into(),
        narrows: |_, _| false,
    },
    Key {
        name: "web_search.url",
        env: "NUDGE_WEB_SEARCH_URL",
        kind: "an address",
        doc: "Address of a SearXNG server that answers with JSON. With it, runs have the plugin `web_search`; \
            empty for none",
        project: "cannot set it",
        set: |settings, text| {
            let read = if text.is_empty() { Some(String::new()) } else { address(text) };
            put(&mut settings.web_search.url, read, ADDRESS_FORM)
        },
        show: |settings| settings.web_search.url.clone().into(),
        narrows: |_, _| false,
    },
    number!("web_search.timeout_s", "NUDGE_WEB_SEARCH_TIMEOUT_S", web_search.timeout_s, 1, 600, cannot,
        "Seconds that a web search, or a page that it found, may take"),
    number!("web_search.pages", "NUDGE_WEB_SEARCH_PAGES", web_search.pages, 0, 5, cannot,
        "Number of pages that a web search fetches of those it found; no browser is used"),
];

/// Keys about one project, which cannot apply to all of them.
pub(super) const OF_A_PROJECT: [&str; 2] = ["project", "private"];

fn put<T>(place: &mut T, read: Option<T>, expected: &str) -> Result<(), String> {
    *place = read.ok_or_else(|| expected.to_owned())?;
    Ok(())
}

/// The value of `profile` that lets the project decide.
const AUTO: &str = "auto";

/// The tool lists by length. The automatic one is `default` or `work`.
const fn list_length(settings: &Settings) -> u8 {
    match settings.profile {
        Some(Profile::Default) => 0,
        None => 1,
        Some(Profile::Work) => 2,
        Some(Profile::Full) => 3,
    }
}

/// The setting of a project that the user may override.
pub(super) const SENSITIVITY_KEY: &str = "secrets.sensitivity";

/// The variable that overrides it.
pub(super) const RELAXED_VARIABLE: &str = "NUDGE_SECRETS_RELAXED";

fn sensitivity(text: &str) -> Option<bool> {
    match text {
        "normal" => Some(false),
        "strict" => Some(true),
        _ => None,
    }
}

fn switch(text: &str) -> Option<bool> {
    match text {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    }
}

/// The parts of a list: the items of a TOML array, else the text between commas or colons.
pub(super) fn list(text: &str) -> Vec<String> {
    let breaks: &[char] = if text.contains(LIST_BREAK) { &[LIST_BREAK] } else { &[',', ':'] };
    text.split(breaks).map(str::trim).filter(|part| !part.is_empty()).map(Into::into).collect()
}

/// Ends each item of a TOML array that is passed on as text: a character that nobody types (unit
/// separator).
pub(super) const LIST_BREAK: char = '\u{1f}';

fn name(text: &str) -> Option<String> {
    let fits = !text.is_empty() && text.chars().count() <= 200 && !text.contains(char::is_control);
    fits.then(|| text.to_owned())
}

fn limit(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number| *number >= 1)
}

/// What a header takes.
const HEADER_FORM: &str = "at most 200 characters of ASCII";

/// The value of a header.
fn header(text: &str) -> Option<String> {
    let fits = text.len() <= 200 && text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    fits.then(|| text.to_owned())
}

/// A number in a range. NaN is in none.
fn within<T: FromStr + PartialOrd>(text: &str, least: T, most: T) -> Option<T> {
    text.parse().ok().filter(|number| *number >= least && *number <= most)
}
