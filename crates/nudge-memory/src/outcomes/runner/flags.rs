//! Flags with which a runner only prints information, and tests or builds nothing.

/// Flags that every program has, and its tests after `--`.
const ANY: [&str; 2] = ["--help", "--version"];

/// The flags of each program; `--flag=value` matches too.
const FLAGS: [(&[&str], &[&str]); 19] = [
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
const HANDING: [&str; 6] = ["npm", "pnpm", "yarn", "yarnpkg", "bun", "cargo"];

/// Whether a program with these arguments runs nothing.
pub(super) fn is_no_run(program: &str, arguments: &[&str]) -> bool {
    let own = arguments.iter().take_while(|word| **word != "--").count();
    let (own, behind) = arguments.split_at(own);
    let flags =
        FLAGS.iter().find(|(programs, _)| programs.contains(&program)).map_or(&[][..], |(_, flags)| flags);
    let tells = |word: &&str| {
        let name = word.split_once('=').map_or(*word, |(name, _)| name);
        ANY.contains(word) || flags.contains(&name)
    };
    let is_make = matches!(program, "make" | "gmake");
    own.iter().any(tells)
        || (is_make && own.iter().any(|word| make_letters(word).contains(['n', 'p', 'v', 'q', 'h', 't'])))
        || (HANDING.contains(&program)
            && behind
                .iter()
                .any(|word| ANY.contains(word) || matches!(*word, "--list" | "--listTests" | "--co")))
}

/// The letters of a make options word, up to the one with a value: `kI` for `-kIinclude`.
pub(super) fn make_letters(word: &str) -> &str {
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).unwrap_or_default();
    let end = letters.find(|letter| "CfIoWjlOE".contains(letter)).map_or(letters.len(), |at| at + 1);
    letters.get(..end).unwrap_or_default()
}
