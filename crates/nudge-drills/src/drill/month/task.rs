//! The work of one session: a line of `tasks.txt`.

use anyhow::Context;

const TASKS: &str = include_str!("../../../data/month/tasks.txt");

/// One session's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Task {
    /// The repository of the work.
    pub(super) repository: &'static str,
    /// The user's prompt.
    pub(super) prompt: &'static str,
    /// The changed file, and the line that is added to it.
    pub(super) file: &'static str,
    pub(super) line: &'static str,
    /// The command, and its output if it fails.
    pub(super) command: &'static str,
    pub(super) error: Option<&'static str>,
    /// The commit message; `None` if the work stays uncommitted.
    pub(super) commit: Option<&'static str>,
    /// The agent's last message.
    pub(super) conclusion: &'static str,
}

/// The tasks of the month, in order.
pub(super) fn tasks() -> anyhow::Result<Vec<Task>> {
    TASKS.lines().map(task).collect()
}

fn task(line: &'static str) -> anyhow::Result<Task> {
    let parts: Vec<&str> = line.split(" | ").map(str::trim).collect();
    let [repository, prompt, file, line, command, error, commit, conclusion] = parts[..] else {
        anyhow::bail!("a task has eight parts, not {}: {line}", parts.len());
    };
    let said = |part: &'static str| Some(part).filter(|part| !part.is_empty());
    said(conclusion).context("a task ends with what the agent says")?;
    Ok(Task { repository, prompt, file, line, command, error: said(error), commit: said(commit), conclusion })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_forty_in_two_repositories() {
        let tasks = tasks().expect("they can be read");
        let in_shop = tasks.iter().filter(|task| task.repository == "shop").count();
        assert_eq!((tasks.len(), in_shop), (40, 21));
        assert!(tasks.iter().all(|task| matches!(task.repository, "shop" | "parcel")));
        assert!(
            tasks.iter().any(|task| task.commit.is_none()) && tasks.iter().any(|task| task.error.is_some())
        );
    }
}
