//! The table of keys. A setting that is not here does not exist.

use nudge_core::ttl::Ttl;
use serde_json::Value;

use super::models::CONTEXT_VARIABLE;
use super::{LogLevel, Profile, Retention, Settings};

mod runs;

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

/// Every setting, in the order they are shown.
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
    Key {
        name: "start_server",
        env: "NUDGE_START_SERVER",
        kind: "true or false",
        doc: "Start the server in the background when a session begins and none is running",
        project: "cannot set it",
        set: |settings, text| put(&mut settings.start_server, switch(text), "true or false"),
        show: |settings| settings.start_server.into(),
        narrows: |_, _| false,
    },
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
    Key {
        name: "secret_guard",
        env: "NUDGE_SECRET_GUARD",
        kind: "true or false",
        doc: "Reject values that look like credentials",
        project: "may only turn it on",
        set: |settings, text| put(&mut settings.secret_guard, switch(text), "true or false"),
        show: |settings| settings.secret_guard.into(),
        narrows: |now, then| then.secret_guard >= now.secret_guard,
    },
    Key {
        name: SENSITIVITY,
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
    Key {
        name: "max_components",
        env: "NUDGE_MAX_COMPONENTS",
        kind: "a number from 1",
        doc: "Maximum number of components",
        project: "may only lower it",
        set: |settings, text| put(&mut settings.max_components, limit(text), "a number from 1"),
        show: |settings| settings.max_components.into(),
        narrows: |now, then| then.max_components <= now.max_components,
    },
    Key {
        name: "max_hints_per_component",
        env: "NUDGE_MAX_HINTS_PER_COMPONENT",
        kind: "a number from 1",
        doc: "Maximum number of hints in one component; each variant counts",
        project: "may only lower it",
        set: |settings, text| put(&mut settings.max_hints_per_component, limit(text), "a number from 1"),
        show: |settings| settings.max_hints_per_component.into(),
        narrows: |now, then| then.max_hints_per_component <= now.max_hints_per_component,
    },
    Key {
        name: "max_hints",
        env: "NUDGE_MAX_HINTS",
        kind: "a number from 1",
        doc: "Maximum number of hints in total; each variant counts",
        project: "may only lower it",
        set: |settings, text| put(&mut settings.max_hints, limit(text), "a number from 1"),
        show: |settings| settings.max_hints.into(),
        narrows: |now, then| then.max_hints <= now.max_hints,
    },
    Key {
        name: "profile",
        env: "NUDGE_PROFILE",
        kind: "default or full",
        doc: "Which tools the server lists to agents. A tool that is not listed can still be called",
        project: "may only shorten the list",
        set: |settings, text| put(&mut settings.profile, profile(text), "default or full"),
        show: |settings| if settings.profile == Profile::Full { "full".into() } else { "default".into() },
        narrows: |now, then| then.profile <= now.profile,
    },
    Key {
        name: "mcp_secrets",
        env: "NUDGE_MCP_SECRETS",
        kind: "true or false",
        doc: "Let agents read and write values marked secret",
        project: "may only turn it off",
        set: |settings, text| put(&mut settings.mcp_secrets, switch(text), "true or false"),
        show: |settings| settings.mcp_secrets.into(),
        narrows: |now, then| then.mcp_secrets <= now.mcp_secrets,
    },
    Key {
        name: "capture",
        env: "NUDGE_CAPTURE",
        kind: "true or false",
        doc: "Capture what agents do: prompts, tool calls, edits, commands",
        project: "may only turn it off",
        set: |settings, text| put(&mut settings.capture, switch(text), "true or false"),
        show: |settings| settings.capture.into(),
        narrows: |now, then| then.capture <= now.capture,
    },
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
    Key {
        name: "private",
        env: "NUDGE_PRIVATE",
        kind: "true or false",
        doc: "Show nothing of this project outside it: no search, list or session of another project \
            includes it",
        project: "may only turn it on",
        set: |settings, text| put(&mut settings.private, switch(text), "true or false"),
        show: |settings| settings.private.into(),
        narrows: |now, then| then.private >= now.private,
    },
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
    Key {
        name: "inject.enabled",
        env: "NUDGE_INJECT",
        kind: "true or false",
        doc: "Inject what is remembered of earlier work when a session starts, and after its context is \
            compacted or cleared",
        project: "may only turn it off",
        set: |settings, text| put(&mut settings.inject, switch(text), "true or false"),
        show: |settings| settings.inject.into(),
        narrows: |now, then| then.inject <= now.inject,
    },
    Key {
        name: "inject.headless",
        env: "NUDGE_INJECT_HEADLESS",
        kind: "true or false",
        doc: "Inject into headless sessions, too: runs of an agent that nobody watches",
        project: "may only turn it off",
        set: |settings, text| put(&mut settings.inject_headless, switch(text), "true or false"),
        show: |settings| settings.inject_headless.into(),
        narrows: |now, then| then.inject_headless <= now.inject_headless,
    },
    Key {
        name: "inject.start_tokens",
        env: "NUDGE_INJECT_START_TOKENS",
        kind: "0 to 2200",
        doc: "Maximum tokens injected when a session starts",
        project: "may only lower it",
        set: |settings, text| put(&mut settings.inject_start_tokens, tokens(text), "a number from 0 to 2200"),
        show: |settings| settings.inject_start_tokens.into(),
        narrows: |now, then| then.inject_start_tokens <= now.inject_start_tokens,
    },
    Key {
        name: "inject.recovery_tokens",
        env: "NUDGE_INJECT_RECOVERY_TOKENS",
        kind: "0 to 2200",
        doc: "Maximum tokens injected after a session's context is compacted or cleared",
        project: "may only lower it",
        set: |settings, text| {
            put(&mut settings.inject_recovery_tokens, tokens(text), "a number from 0 to 2200")
        },
        show: |settings| settings.inject_recovery_tokens.into(),
        narrows: |now, then| then.inject_recovery_tokens <= now.inject_recovery_tokens,
    },
    Key {
        name: "inject.prompt_tokens",
        env: "NUDGE_INJECT_PROMPT_TOKENS",
        kind: "0 to 2200",
        doc: "Maximum tokens injected with a prompt; 0 for none",
        project: "may only lower it",
        set: |settings, text| {
            put(&mut settings.inject_prompt_tokens, tokens(text), "a number from 0 to 2200")
        },
        show: |settings| settings.inject_prompt_tokens.into(),
        narrows: |now, then| then.inject_prompt_tokens <= now.inject_prompt_tokens,
    },
    Key {
        name: "inject.tool_tokens",
        env: "NUDGE_INJECT_TOOL_TOKENS",
        kind: "0 to 2200",
        doc: "Maximum tokens injected before or after a command; 0 for none",
        project: "may only lower it",
        set: |settings, text| put(&mut settings.inject_tool_tokens, tokens(text), "a number from 0 to 2200"),
        show: |settings| settings.inject_tool_tokens.into(),
        narrows: |now, then| then.inject_tool_tokens <= now.inject_tool_tokens,
    },
    runs::MODELS,
    runs::CEILING,
    runs::MAX_ENTRY_TOKENS,
    runs::MAX_TURNS,
    runs::MAX_COMMANDS,
    runs::MAX_STRIKES,
    runs::MIN_CYCLES,
    runs::MAX_CYCLE_PERIOD,
    runs::RETENTION_DAYS,
    runs::THINK,
    runs::TEMPERATURE,
    runs::FETCH_TIMEOUT_S,
    runs::ANSWER_TIMEOUT_S,
    runs::RETRY_DEADLINE_S,
    runs::MAX_BACKOFF_S,
    runs::HTTP_REFERER,
    runs::X_TITLE,
];

/// Keys about one project, which cannot apply to all of them.
pub(super) const OF_A_PROJECT: [&str; 2] = ["project", "private"];

fn put<T>(place: &mut T, read: Option<T>, expected: &str) -> Result<(), String> {
    *place = read.ok_or_else(|| expected.to_owned())?;
    Ok(())
}

/// The setting of a project that the user may override.
pub(super) const SENSITIVITY: &str = "secrets.sensitivity";

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

/// A token limit, at most what every agent accepts uncut.
fn tokens(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number <= 2_200)
}

fn profile(text: &str) -> Option<Profile> {
    match text {
        "default" => Some(Profile::Default),
        "full" => Some(Profile::Full),
        _ => None,
    }
}
