//! Which run a command is: its runner, and whether it tests, builds or runs a script.

use super::run::Runner;

/// The purpose of a run. A successful build says nothing about tests.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Test,
    Build,
    /// Whatever a script or a makefile runs.
    Script,
}

/// A run, as read from its command.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) runner: Runner,
    pub(crate) task: Task,
    /// A flag makes it succeed whatever fails.
    pub(crate) ignores_failures: bool,
    /// A flag makes it continue after a failure, which is then above the end of the output.
    pub(crate) keeps_going: bool,
    /// A flag makes it fail for other reasons than its tests, which the closing line does not show.
    pub(crate) has_other_gates: bool,
    /// It is a script that only builds.
    pub(crate) only_builds: bool,
}

impl Call {
    /// Whether it may run any tool.
    pub(crate) fn is_script(self) -> bool {
        match self.runner {
            Runner::Npm | Runner::Make | Runner::Mise | Runner::Just => true,
            Runner::Bun => self.task != Task::Test,
            _ => false,
        }
    }

    /// Whether a later successful run covers this one: tests of what this one built.
    pub(crate) fn is_reported_by(self, later: Self) -> bool {
        let same_tool = self.runner == later.runner || (self.is_script() && later.is_script());
        let builds = |call: Self| call.task == Task::Build || call.only_builds;
        same_tool && builds(self) && !builds(later)
    }
}

/// The run that a program with these arguments starts; `None` if it starts none.
pub(crate) fn call(program: &str, arguments: &[String]) -> Option<Call> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if is_no_run(program, &arguments) {
        return None;
    }
    let (runner, task) = match program {
        "cargo" => cargo(&arguments)?,
        "pytest" | "py.test" => (Runner::Pytest, Task::Test),
        "tox" => (Runner::Pytest, Task::Script),
        "jest" => (Runner::Jest, Task::Test),
        "vitest" => (Runner::Vitest, vitest(&arguments)?),
        "go" => (Runner::Go, go(&arguments)?),
        "bun" => (Runner::Bun, bun(&arguments)?),
        "npm" => (Runner::Npm, npm(&arguments)?),
        "pnpm" | "yarn" | "yarnpkg" => yarn(&arguments)?,
        "mocha" => (Runner::Npm, Task::Script),
        "tsc" | "vue-tsc" => (Runner::Tsc, Task::Build),
        "eslint" => (Runner::Eslint, Task::Build),
        "biome" => (Runner::Biome, biome(&arguments)?),
        "node" => (Runner::Node, arguments.contains(&"--test").then_some(Task::Test)?),
        "unittest" => (Runner::Unittest, Task::Test),
        "python" | "python3" => (Runner::Unittest, django(&arguments)?),
        "ruff" => (Runner::Ruff, ruff(&arguments)?),
        "mypy" => (Runner::Mypy, Task::Build),
        "golangci-lint" => (Runner::GolangciLint, golangci_lint(&arguments)?),
        "mise" => (Runner::Mise, mise(&arguments)?),
        "just" => (Runner::Just, make(&arguments)?),
        "make" | "gmake" => (Runner::Make, make(&arguments)?),
        "mvn" | "mvnw" | "mvnd" => (Runner::Maven, maven(&arguments)?),
        "gradle" | "gradlew" => (Runner::Gradle, gradle(&arguments)?),
        "dotnet" => (Runner::Dotnet, dotnet(&arguments)?),
        "ctest" => (Runner::Ctest, Task::Test),
        "rspec" => (Runner::Rspec, Task::Test),
        _ => return None,
    };
    let keeps_going = arguments.iter().any(|word| matches!(*word, "--no-fail-fast" | "--continue" | "-fae"));
    Some(Call {
        runner,
        task,
        ignores_failures: ignores_failures(runner, &arguments),
        keeps_going: keeps_going && matches!(runner, Runner::Cargo | Runner::Maven),
        has_other_gates: arguments.iter().any(|word| word.starts_with("--cov-fail-under")),
        only_builds: arguments.iter().any(|word| matches!(*word, "build" | "compile")),
    })
}

/// The words that are neither options nor their values. `valued` lists the options with a value.
fn operands<'a>(arguments: &[&'a str], valued: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = arguments.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--" => break,
            word if valued.contains(&word) => {
                words.next();
            }
            word if word.starts_with('-') || word.starts_with('+') => {}
            word => found.push(word),
        }
    }
    found
}

fn cargo(arguments: &[&str]) -> Option<(Runner, Task)> {
    let words = operands(arguments, &["-C", "--config", "-Z", "--manifest-path", "--color"]);
    let runner = match (*words.first()?, words.get(1).copied()) {
        ("nextest", Some("run" | "r")) => Runner::Nextest,
        ("test" | "t", _) => Runner::Cargo,
        ("build" | "b" | "check" | "c" | "clippy" | "rustc", _) => return Some((Runner::Cargo, Task::Build)),
        _ => return None,
    };
    let only_builds = arguments.iter().take_while(|word| **word != "--").any(|word| *word == "--no-run");
    Some((runner, if only_builds { Task::Build } else { Task::Test }))
}

fn vitest(arguments: &[&str]) -> Option<Task> {
    let stays = matches!(arguments.first(), Some(&("init" | "list" | "watch" | "dev")));
    (!stays).then_some(Task::Test)
}

fn go(arguments: &[&str]) -> Option<Task> {
    let only_compiles = || arguments.contains(&"-c");
    match *operands(arguments, &["-C"]).first()? {
        "test" if only_compiles() => Some(Task::Build),
        "test" => Some(Task::Test),
        "build" | "vet" => Some(Task::Build),
        _ => None,
    }
}

fn make(arguments: &[&str]) -> Option<Task> {
    let targets = operands(arguments, &["-C", "-f", "-I", "-o", "-W", "--directory", "--file", "--makefile"]);
    let targets: Vec<&str> =
        targets.into_iter().filter(|word| !word.contains('=') && !is_number(word)).collect();
    let is_other =
        |target: &&str| matches!(*target, "clean" | "distclean" | "help" | "run" | "dev" | "serve");
    let is_no_run = !targets.is_empty() && targets.iter().all(is_other);
    (!is_no_run).then_some(Task::Script)
}

/// Whether a word is a number, such as the jobs of `make -j 4`.
fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// `python manage.py test`
fn django(arguments: &[&str]) -> Option<Task> {
    let mut words = arguments.iter().filter(|word| !word.starts_with('-'));
    let is_manage = words.next().is_some_and(|script| script.rsplit('/').next() == Some("manage.py"));
    (is_manage && words.next() == Some(&"test")).then_some(Task::Test)
}

/// Without `--check`, `ruff format` changes files and checks nothing.
fn ruff(arguments: &[&str]) -> Option<Task> {
    let checks_format = || arguments.iter().any(|word| matches!(*word, "--check" | "--diff"));
    match *operands(arguments, &["--config"]).first()? {
        "check" => Some(Task::Build),
        "format" if checks_format() => Some(Task::Build),
        _ => None,
    }
}

fn biome(arguments: &[&str]) -> Option<Task> {
    let checks = |word: &&str| matches!(*word, "check" | "lint" | "ci");
    operands(arguments, &["--config-path"]).first().is_some_and(checks).then_some(Task::Build)
}

fn golangci_lint(arguments: &[&str]) -> Option<Task> {
    operands(arguments, &["-c", "--config"]).first().is_some_and(|word| *word == "run").then_some(Task::Build)
}

/// `mise run TASK`; tasks that format or serve have no verdict.
fn mise(arguments: &[&str]) -> Option<Task> {
    let words = operands(arguments, &["-C", "--cd", "-j", "--jobs", "-E", "--env"]);
    match words[..] {
        ["run" | "r", task, ..] | ["task" | "tasks", "run" | "r", task, ..] => {
            is_script(task).then_some(Task::Script)
        }
        _ => None,
    }
}

fn dotnet(arguments: &[&str]) -> Option<Task> {
    match *operands(arguments, &[]).first()? {
        "test" | "vstest" => Some(Task::Test),
        "build" | "msbuild" => Some(Task::Build),
        _ => None,
    }
}

fn ignores_failures(runner: Runner, arguments: &[&str]) -> bool {
    arguments.iter().any(|word| match runner {
        Runner::Maven => {
            matches!(*word, "-fn" | "--fail-never" | "-Dmaven.test.failure.ignore" | "-DtestFailureIgnore")
                || word.ends_with("estFailureIgnore=true")
                || word.ends_with("test.failure.ignore=true")
        }
        Runner::Ruff => matches!(*word, "--exit-zero" | "-e"),
        Runner::GolangciLint => *word == "--issues-exit-code=0",
        Runner::Make => *word == "--ignore-errors" || make_letters(word).contains('i'),
        _ => false,
    })
}

// Phases and tasks that Maven and Gradle run.

fn maven(arguments: &[&str]) -> Option<Task> {
    let valued = ["-f", "--file", "-pl", "--projects", "-P", "-s", "--settings", "-T", "-rf", "-D"];
    let is_run = |goal: &&str| match goal.split_once(':') {
        None => !matches!(*goal, "clean" | "site"),
        // Plugin goals: most only print information.
        Some((plugin, _)) => ["surefire", "failsafe", "compiler"].iter().any(|known| plugin.contains(known)),
    };
    operands(arguments, &valued).iter().any(is_run).then_some(Task::Script)
}

fn gradle(arguments: &[&str]) -> Option<Task> {
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

// Flags with which a runner only prints information, and tests or builds nothing.

/// Flags that every program has, and its tests after `--`.
const COMMON_FLAGS: [&str; 2] = ["--help", "--version"];

/// The flags of each program; `--flag=value` matches too.
const PROGRAM_FLAGS: [(&[&str], &[&str]); 19] = [
    (&["cargo"], &["-h", "-V", "--list", "--build-plan", "--unit-graph"]),
    (
        &["pytest", "py.test"],
        &[
            "--co",
            "--fixtures",
            "--funcargs",
            "--fixtures-per-test",
            "--markers",
            "--setup-plan",
            "--setup-only",
            "--cache-show",
            "-h",
            "-V",
        ],
    ),
    (
        &["tox"],
        &["-h", "-l", "-a", "list", "config", "devenv", "--listenvs", "--showconfig", "--notest", "-n"],
    ),
    (&["go"], &["-list", "--list", "-h", "-help", "-n"]),
    (&["gradle", "gradlew"], &["--dry-run", "-m", "-h", "-?", "-v"]),
    (&["rspec"], &["--dry-run", "--init", "-v", "-h"]),
    (&["jest"], &["--showConfig", "--init", "--clearCache", "-h", "-v"]),
    (&["vitest"], &["list", "--clearCache", "--mergeReports", "-h", "-v"]),
    (&["mocha"], &["--dry-run", "-h", "-v", "-V"]),
    (
        &["tsc", "vue-tsc"],
        &["--dry", "--clean", "--showConfig", "--init", "--listFilesOnly", "--watch", "-w", "-h", "-v"],
    ),
    (&["eslint"], &["--init", "--print-config", "--inspect-config", "--env-info", "-h", "-v"]),
    (&["node"], &["--watch", "-h", "-v"]),
    (&["ruff"], &["--watch", "-w", "--show-files", "--show-settings", "--statistics", "-h", "-V"]),
    (&["mypy"], &["-h", "-V"]),
    (&["just"], &["--list", "-l", "--summary", "--show", "-s", "--dry-run", "-n", "--evaluate", "-h"]),
    (&["dotnet"], &["--list-tests", "-t", "-h", "-?", "/?"]),
    (&["ctest"], &["-N", "--show-only", "--print-labels", "-h"]),
    (&["mvn", "mvnw", "mvnd"], &["-h", "-v"]),
    (
        &["make", "gmake"],
        &["--dry-run", "--just-print", "--recon", "--question", "--print-data-base", "--touch"],
    ),
];

/// Programs that pass words after `--` on to what they run.
const PASSING_PROGRAMS: [&str; 6] = ["npm", "pnpm", "yarn", "yarnpkg", "bun", "cargo"];

/// Whether a program with these arguments runs nothing.
fn is_no_run(program: &str, arguments: &[&str]) -> bool {
    let own = arguments.iter().take_while(|word| **word != "--").count();
    let (own, behind) = arguments.split_at(own);
    let flags = PROGRAM_FLAGS
        .iter()
        .find(|(programs, _)| programs.contains(&program))
        .map_or(&[][..], |(_, flags)| flags);
    let tells = |word: &&str| {
        let name = word.split_once('=').map_or(*word, |(name, _)| name);
        COMMON_FLAGS.contains(word) || flags.contains(&name)
    };
    let is_make = matches!(program, "make" | "gmake");
    own.iter().any(tells)
        || (is_make && own.iter().any(|word| make_letters(word).contains(['n', 'p', 'v', 'q', 'h', 't'])))
        || (PASSING_PROGRAMS.contains(&program)
            && behind.iter().any(|word| {
                COMMON_FLAGS.contains(word) || matches!(*word, "--list" | "--listTests" | "--co")
            }))
}

/// The letters of a make options word, up to the one with a value: `kI` for `-kIinclude`.
fn make_letters(word: &str) -> &str {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    let end = letters.find(|letter| "CfIoWjlOE".contains(letter)).map_or(letters.len(), |at| at + 1);
    letters.get(..end).unwrap_or_default()
}

// Scripts that npm, pnpm, yarn and bun run.

/// Scripts that keep running, so they have no verdict.
const SERVING_SCRIPTS: [&str; 9] =
    ["dev", "start", "serve", "watch", "preview", "storybook", "develop", "format", "fmt"];

/// Names of scripts that build or test.
const RUNNING_SCRIPTS: [&str; 14] = [
    "test",
    "spec",
    "build",
    "compile",
    "check",
    "lint",
    "tsc",
    "verify",
    "typecheck",
    "types",
    "e2e",
    "ci",
    "unit",
    "coverage",
];

fn bun(arguments: &[&str]) -> Option<Task> {
    let words = operands(arguments, &["--cwd", "--filter", "-F", "--env-file", "--config", "-c"]);
    match (*words.first()?, words.get(1).copied()) {
        ("test", _) => Some(Task::Test),
        ("build", _) => Some(Task::Build),
        ("run", Some(script)) => (is_script(script) && !script.contains('.')).then_some(Task::Script),
        (script, _) => is_called_so(script).then_some(Task::Script),
    }
}

/// Options of npm, pnpm and yarn that have a value.
const OPTIONS_WITH_VALUE: [&str; 9] =
    ["--prefix", "-C", "--dir", "-F", "--filter", "-w", "--workspace", "--cwd", "--loglevel"];

fn npm(arguments: &[&str]) -> Option<Task> {
    let words = operands(arguments, &OPTIONS_WITH_VALUE);
    match (*words.first()?, words.get(1).copied()) {
        ("test" | "t" | "tst" | "it" | "install-test" | "cit", _) => Some(Task::Script),
        ("run" | "run-script" | "rum" | "urn", Some(script)) => is_script(script).then_some(Task::Script),
        _ => None,
    }
}

/// yarn and pnpm accept the names of scripts and tools without `run`.
fn yarn(arguments: &[&str]) -> Option<(Runner, Task)> {
    // In pnpm, `-w` has no value.
    let valued: Vec<&str> = OPTIONS_WITH_VALUE.iter().copied().filter(|option| *option != "-w").collect();
    let words = operands(arguments, &valued);
    let mut words = words.into_iter().peekable();
    if words.next_if_eq(&"workspace").is_some() {
        words.next();
    }
    if words.next_if_eq(&"workspaces").is_some() {
        words.next_if_eq(&"foreach");
    }
    let is_named = words.next_if(|word| matches!(*word, "run" | "run-script" | "recursive")).is_some();
    let script = words.next()?;
    match script {
        "jest" => Some((Runner::Jest, Task::Test)),
        "vitest" => Some((Runner::Vitest, Task::Test)),
        "test" | "t" | "tst" | "mocha" => Some((Runner::Npm, Task::Script)),
        script if is_named && is_script(script) => Some((Runner::Npm, Task::Script)),
        script => is_called_so(script).then_some((Runner::Npm, Task::Script)),
    }
}

/// Whether a script may test or build.
fn is_script(name: &str) -> bool {
    !name.split([':', '-', '.']).any(|part| SERVING_SCRIPTS.contains(&part))
}

fn is_called_so(name: &str) -> bool {
    is_script(name)
        && !name.contains('/')
        && name.split([':', '-', '_', '.']).any(|part| RUNNING_SCRIPTS.contains(&part))
}

#[cfg(test)]
mod tests;
