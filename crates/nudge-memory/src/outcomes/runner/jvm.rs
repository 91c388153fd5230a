//! Phases and tasks that Maven and Gradle run.

use super::{Task, operands};

pub(super) fn maven(arguments: &[&str]) -> Option<Task> {
    let valued = ["-f", "--file", "-pl", "--projects", "-P", "-s", "--settings", "-T", "-rf", "-D"];
    let is_run = |goal: &&str| match goal.split_once(':') {
        None => !matches!(*goal, "clean" | "site"),
        // Plugin goals: most only print information.
        Some((plugin, _)) => ["surefire", "failsafe", "compiler"].iter().any(|known| plugin.contains(known)),
    };
    operands(arguments, &valued).iter().any(is_run).then_some(Task::Script)
}

pub(super) fn gradle(arguments: &[&str]) -> Option<Task> {
    const OTHERS: [&str; 11] = [
        "tasks",
        "dependencies",
        "run",
        "bootRun",
        "help",
        "projects",
        "properties",
        "clean",
        "wrapper",
        "dependencyInsight",
        "init",
    ];
    let valued =
        ["-p", "--project-dir", "--tests", "-x", "--exclude-task", "-I", "--init-script", "-b", "-c", "-g"];
    let tasks = operands(arguments, &valued);
    let is_run = |task: &&str| !OTHERS.contains(&task.rsplit(':').next().unwrap_or(task));
    let stops = arguments.iter().any(|word| matches!(*word, "--stop" | "--status" | "-v"));
    (!stops && (tasks.is_empty() || tasks.iter().any(is_run))).then_some(Task::Script)
}
