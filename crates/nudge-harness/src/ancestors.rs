//! Detects which agent started a process: by variables the agent sets, and by its program among the
//! process's ancestors.
//!
//! An editor's terminal belongs to the user, so an editor's variables and programs do not count,
//! unless the editor marks the terminal as its agent's.

use crate::agents::Harness;
use crate::spec::Traces;

/// The order in which agents are tried. When one agent starts another, the variables of both are
/// set.
const TRIAL_ORDER: [Harness; 8] = [
    Harness::Claude,
    Harness::Codex,
    Harness::Copilot,
    Harness::Qwen,
    Harness::Gemini,
    Harness::Opencode,
    Harness::Cline,
    Harness::Cursor,
];

/// Agents that we only detect and know nothing else about.
const DETECTED_ONLY: [(&str, Traces); 9] = [
    ("roo", Traces { variables: &["ROO_ACTIVE"], ..NO_TRACES }),
    ("goose", Traces { variables: &["GOOSE_TERMINAL"], programs: &["goose"], ..NO_TRACES }),
    (
        "augment",
        Traces {
            variables: &["AUGMENT_AGENT"],
            programs: &["auggie"],
            packages: &["@augmentcode/auggie"],
            ..NO_TRACES
        },
    ),
    ("antigravity", Traces { variables: &["ANTIGRAVITY_AGENT"], programs: &["agy"], ..NO_TRACES }),
    ("amp", Traces { programs: &["amp"], packages: &["@sourcegraph/amp"], ..NO_TRACES }),
    ("aider", Traces { programs: &["aider"], ..NO_TRACES }),
    ("crush", Traces { programs: &["crush"], ..NO_TRACES }),
    ("droid", Traces { programs: &["droid"], ..NO_TRACES }),
    ("kiro", Traces { programs: &["kiro-cli"], ..NO_TRACES }),
];

const NO_TRACES: Traces = Traces { variables: &[], programs: &[], packages: &[], clients: &[] };

/// A variable that any agent may set, and the name we then report.
const ANY_AGENT: (&str, &str) = ("AI_AGENT", "agent");

/// Programs that run scripts, so the script's name matters and not theirs.
const INTERPRETERS: [&str; 6] = ["node", "bun", "deno", "python", "python3", "npx"];

/// The agent that set a variable of this process.
pub fn agent_in_environment(variable: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let is_set = |name: &str| variable(name).is_some_and(|value| !matches!(value.trim(), "" | "0" | "false"));
    let marked = agents().find(|(_, traces)| traces.variables.iter().any(|name| is_set(name)));
    marked.map(|(agent, _)| agent).or_else(|| is_set(ANY_AGENT.0).then_some(ANY_AGENT.1))
}

/// The agent that a command line, split into words, runs.
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
    let is_in = |traces: &Traces| traces.packages.iter().any(|package| slashed.contains(package));
    let packaged = agents().find(|(_, traces)| is_in(traces)).map(|(agent, _)| agent);
    packaged.or_else(|| named(base_name(script)))
}

fn named(program: &str) -> Option<&'static str> {
    agents().find(|(_, traces)| traces.programs.contains(&program)).map(|(agent, _)| agent)
}

fn agents() -> impl Iterator<Item = (&'static str, &'static Traces)> {
    let known = TRIAL_ORDER.into_iter().map(|harness| (harness.name(), &harness.spec().traces));
    known.chain(DETECTED_ONLY.iter().map(|(agent, traces)| (*agent, traces)))
}

/// A program's name without its directory and without suffixes that systems add.
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
    fn no_agent_is_left_out() {
        assert!(Harness::ALL.iter().all(|harness| TRIAL_ORDER.contains(harness)));
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
