//! Detects whether an agent started this command, rather than the user.
//!
//! A command that an agent runs has an agent's rights. We detect agents by the variables they set,
//! or by an agent's program among the ancestor processes. A hostile process of the same user can
//! hide both; `docs/security.md` says so.

use std::path::Path;
use std::sync::OnceLock;

use nudge_core::{Fault, FaultKind};
use nudge_harness::ancestors;

/// How many ancestor processes to check. Nobody nests shells this deep.
const LOOKED_AT: usize = 32;

/// Debug builds only: tests set this variable to ignore ancestor processes, because an agent may be
/// running the tests. Release builds do not read it.
#[cfg(debug_assertions)]
const WITHOUT_ANCESTORS: &str = "TEST_WITHOUT_ANCESTORS";

/// The name of the agent that started us. Looked up once, because settings, calls and pages all
/// ask.
pub(crate) fn calling_agent() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    *FOUND.get_or_init(|| ancestors::agent_in_environment(variable).or_else(ancestor))
}

/// Rejects an agent's call of a command that only the user may run. `what` is the command, such as
/// `nudge undo`.
pub(crate) fn refuse_agents(what: &str) -> Result<(), Fault> {
    match calling_agent() {
        None => Ok(()),
        Some(agent) => Err(Fault::new(
            FaultKind::Forbidden,
            "agent_above",
            format!("`{what}` is reserved for the user, and an agent ({agent}) started this command"),
        )
        .next("ask the user to run it in their own terminal")),
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
        if let Some(agent) = ancestors::agent_program(&words) {
            return Some(agent);
        }
        process = here.parent.filter(|id| *id > 1).and_then(Process::read);
    }
    None
}

/// An ancestor process.
struct Process {
    parent: Option<u32>,
    words: Vec<String>,
}

impl Process {
    fn parent_of(id: u32) -> Option<Self> {
        Self::read(Self::read(id)?.parent?)
    }

    /// Reads it from the files under `/proc`.
    #[cfg(target_os = "linux")]
    fn read(id: u32) -> Option<Self> {
        let dir = Path::new("/proc").join(id.to_string());
        let stat = std::fs::read(dir.join("stat")).ok()?;
        let line = std::fs::read(dir.join("cmdline")).unwrap_or_default();
        Some(Self { parent: parent_in(&String::from_utf8_lossy(&stat)), words: words_in(&line) })
    }

    /// Reads it from `ps`, on systems without `/proc`.
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

/// The parent in a line of `stat`: `pid (name) state ppid …`. The name may contain any characters.
#[cfg(target_os = "linux")]
fn parent_in(stat: &str) -> Option<u32> {
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(1)?.parse().ok()
}

/// The words of a command line. A program that has overwritten its command line has it in one word,
/// with spaces.
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
