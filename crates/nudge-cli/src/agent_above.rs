//! Whether an agent started this command line, rather than the person.
//!
//! What an agent types has an agent's rights. It is known by the variables that agents set, or by an agent's program
//! among the processes above. A hostile process of the same user can hide both; `docs/security.md` says so.

use std::path::Path;
use std::sync::OnceLock;

use nudge_core::{Fault, FaultKind};
use nudge_harness::above;

/// How many processes above this one are looked at: more than anybody nests shells.
const LOOKED_AT: usize = 32;

/// In a debug build, tests say with this variable that the processes above do not count: whoever runs the tests may be
/// an agent. A release build does not know it.
#[cfg(debug_assertions)]
const WITHOUT_ANCESTORS: &str = "TEST_WITHOUT_ANCESTORS";

/// The name of the agent that started us. Looked for once: settings, call and page all ask.
pub(crate) fn agent_above() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    *FOUND.get_or_init(|| above::agent_in_environment(variable).or_else(ancestor))
}

/// Refuses what is the person's alone. `what` is the command, such as `nudge undo`.
pub(crate) fn refuse_agents(what: &str) -> Result<(), Fault> {
    match agent_above() {
        None => Ok(()),
        Some(agent) => Err(Fault::new(
            FaultKind::Forbidden,
            "agent_above",
            format!("`{what}` is for the person, and an agent ({agent}) started this command"),
        )
        .next("ask the person to run it in a terminal of their own")),
    }
}

fn ancestor() -> Option<&'static str> {
    #[cfg(debug_assertions)]
    if std::env::var_os(WITHOUT_ANCESTORS).is_some() {
        return None;
    }
    let mut process = Some(Process::parent_of(std::process::id())?);
    for _ in 0..LOOKED_AT {
        let here = process?;
        let words: Vec<&str> = here.words.iter().map(String::as_str).collect();
        if let Some(agent) = above::agent_program(&words) {
            return Some(agent);
        }
        process = here.parent.filter(|id| *id > 1).and_then(Process::read);
    }
    None
}

/// A process above.
struct Process {
    parent: Option<u32>,
    words: Vec<String>,
}

impl Process {
    fn parent_of(id: u32) -> Option<Self> {
        Self::read(Self::read(id)?.parent?)
    }

    /// From the files under `/proc`.
    #[cfg(target_os = "linux")]
    fn read(id: u32) -> Option<Self> {
        let dir = Path::new("/proc").join(id.to_string());
        let stat = std::fs::read(dir.join("stat")).ok()?;
        let line = std::fs::read(dir.join("cmdline")).unwrap_or_default();
        Some(Self { parent: parent_in(&String::from_utf8_lossy(&stat)), words: words_in(&line) })
    }

    /// From `ps`, where there is no `/proc`.
    #[cfg(not(target_os = "linux"))]
    fn read(id: u32) -> Option<Self> {
        let asked = ["-ww", "-o", "ppid=", "-o", "command=", "-p", &id.to_string()];
        let ps = if Path::new("/bin/ps").exists() { "/bin/ps" } else { "ps" };
        let said = std::process::Command::new(ps).args(asked).output().ok()?;
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let (parent, line) = said.split_once(char::is_whitespace)?;
        Some(Self {
            parent: parent.parse().ok(),
            words: line.split_whitespace().map(str::to_owned).collect(),
        })
    }
}

/// The parent in a line of `stat`: `pid (name) state ppid …`, where the name may hold anything.
#[cfg(target_os = "linux")]
fn parent_in(stat: &str) -> Option<u32> {
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(1)?.parse().ok()
}

/// The words of a command line. A program that has written over its line has it in one word, with spaces.
#[cfg(target_os = "linux")]
fn words_in(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split('\0').filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [one] if !Path::new(one).is_absolute() => one.split_whitespace().map(str::to_owned).collect(),
        _ => words.into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in("42 (a) b) (c) S 7 42 42 0"), Some(7));
        assert_eq!(parent_in("42"), None);
    }

    #[test]
    fn a_line_is_words_also_when_its_program_wrote_over_it() {
        assert_eq!(words_in(b"node\0/usr/bin/gemini\0"), ["node", "/usr/bin/gemini"]);
        assert_eq!(words_in(b"claude --resume\0\0\0"), ["claude", "--resume"]);
        assert_eq!(words_in(b"/opt/My App/run\0"), ["/opt/My App/run"]);
        assert!(words_in(b"").is_empty());
    }
}
