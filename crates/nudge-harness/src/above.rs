//! How an agent shows in the processes it starts: by variables it sets, and by its program among their ancestors.
//!
//! An editor's own terminal is the person's, so variables and programs of editors do not count, unless the editor
//! marks the terminal as its agent's.

/// Variables that an agent sets for the commands it runs, and the agent's name. Seen in the captured environments of
/// real agents, else taken from the agents' own documents. Variables that a person sets for good (`CODEX_HOME`) or that
/// an editor sets in every terminal (`CURSOR_TRACE_ID`, `CLAUDE_CODE_SSE_PORT`) are not among them.
const MARKS: [(&str, &str); 27] = [
    ("CLAUDECODE", "claude"),
    ("CLAUDE_CODE_SESSION_ID", "claude"),
    ("CLAUDE_CODE_ENTRYPOINT", "claude"),
    ("CODEX_MANAGED_BY_NPM", "codex"),
    ("CODEX_MANAGED_BY_BUN", "codex"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_THREAD_ID", "codex"),
    ("COPILOT_CLI", "copilot"),
    ("COPILOT_AGENT_SESSION_ID", "copilot"),
    ("QWEN_CODE", "qwen"),
    ("QWEN_CODE_SESSION_ID", "qwen"),
    ("QWEN_CODE_CLI", "qwen"),
    ("GEMINI_CLI", "gemini"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("GEMINI_CLI_NO_RELAUNCH", "gemini"),
    ("OPENCODE", "opencode"),
    ("OPENCODE_SESSION_ID", "opencode"),
    ("CLINE_ACTIVE", "cline"),
    ("CLINE_CONNECTOR_CLI_LAUNCH", "cline"),
    ("CLINE_BUILD_ENV", "cline"),
    ("CURSOR_AGENT", "cursor"),
    ("ROO_ACTIVE", "roo"),
    ("GOOSE_TERMINAL", "goose"),
    ("AUGMENT_AGENT", "augment"),
    ("ANTIGRAVITY_AGENT", "antigravity"),
    ("AI_AGENT", "agent"),
];

/// What the programs of agents on the command line are called.
const PROGRAMS: [(&str, &str); 16] = [
    ("claude", "claude"),
    ("codex", "codex"),
    ("opencode", "opencode"),
    ("copilot", "copilot"),
    ("gemini", "gemini"),
    ("qwen", "qwen"),
    ("cline", "cline"),
    ("cursor-agent", "cursor"),
    ("goose", "goose"),
    ("amp", "amp"),
    ("aider", "aider"),
    ("crush", "crush"),
    ("droid", "droid"),
    ("kiro-cli", "kiro"),
    ("auggie", "augment"),
    ("agy", "antigravity"),
];

/// Packages that an agent's script lies in, where an interpreter runs it.
const PACKAGES: [(&str, &str); 9] = [
    ("@anthropic-ai/claude-code", "claude"),
    ("@openai/codex", "codex"),
    ("opencode-ai", "opencode"),
    ("@github/copilot", "copilot"),
    ("@google/gemini-cli", "gemini"),
    ("@qwen-code/qwen-code", "qwen"),
    ("@cline/cli", "cline"),
    ("@sourcegraph/amp", "amp"),
    ("@augmentcode/auggie", "augment"),
];

/// Programs that run other people's scripts.
const INTERPRETERS: [&str; 6] = ["node", "bun", "deno", "python", "python3", "npx"];

/// The agent that set a variable of this process.
pub fn agent_in_environment(variable: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"));
    MARKS.iter().find(|(name, _)| is_set(name)).map(|(_, agent)| *agent)
}

/// The agent whose program a process is, by the words of its command line.
pub fn agent_program(words: &[&str]) -> Option<&'static str> {
    let program = base_name(words.first()?);
    if let Some(agent) = named(program) {
        return Some(agent);
    }
    if !INTERPRETERS.contains(&program) {
        return None;
    }
    let script = words[1..].iter().find(|word| !word.starts_with('-'))?;
    let slashed = script.replace('\\', "/");
    let packaged = PACKAGES.iter().find(|(package, _)| slashed.contains(package)).map(|(_, agent)| *agent);
    packaged.or_else(|| named(base_name(script)))
}

fn named(program: &str) -> Option<&'static str> {
    PROGRAMS.iter().find(|(name, _)| *name == program).map(|(_, agent)| *agent)
}

/// The name of a program without its directory and without what systems add to it.
fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.strip_prefix('-').unwrap_or(name);
    [".exe", ".cmd", ".js", ".mjs"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str, value: &str) -> Option<&'static str> {
        agent_in_environment(|asked| (asked == name).then(|| value.to_owned()))
    }

    #[test]
    fn agents_mark_their_processes_and_editors_do_not_count() {
        assert_eq!(environment("CLAUDECODE", "1"), Some("claude"));
        assert_eq!(environment("CODEX_SANDBOX", "seatbelt"), Some("codex"));
        assert_eq!(environment("CURSOR_AGENT", "1"), Some("cursor"));
        for (name, value) in [
            ("CURSOR_TRACE_ID", "1"),
            ("TERM_PROGRAM", "vscode"),
            ("CLAUDE_CODE_SSE_PORT", "4711"),
            ("CODEX_HOME", "/home/ada/.codex"),
            ("CLAUDECODE", ""),
            ("CLAUDECODE", "0"),
        ] {
            assert_eq!(environment(name, value), None, "{name}={value}");
        }
    }

    #[test]
    fn an_agent_is_known_by_its_program_or_by_the_script_that_is_run() {
        for (line, agent) in [
            (vec!["claude"], Some("claude")),
            (vec!["/home/ada/.local/bin/claude", "--resume"], Some("claude")),
            (vec!["node", "--no-warnings", "/opt/n/@anthropic-ai/claude-code/cli.js"], Some("claude")),
            (vec!["node", "/usr/bin/gemini"], Some("gemini")),
            (vec!["/opt/codex/codex", "exec"], Some("codex")),
            (vec!["cursor-agent"], Some("cursor")),
            (vec!["/usr/share/cursor/cursor", "--type=renderer"], None),
            (vec!["/usr/bin/code"], None),
            (vec!["bash", "-c", "claude --version"], None),
            (vec!["vim", "claude"], None),
            (vec!["node", "/home/ada/shop/server.js"], None),
            (vec!["-zsh"], None),
            (vec![], None),
        ] {
            assert_eq!(agent_program(&line), agent, "{line:?}");
        }
    }
}
