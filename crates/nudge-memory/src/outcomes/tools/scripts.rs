//! What npm, pnpm, yarn, bun, turbo, mise and just print about the scripts they run.

use super::super::reading::{Reading, THAT, WHY};

const CANONICAL: &[&str] = &["npm error code ELIFECYCLE", "error Command failed with exit code 1."];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        if fails(line.trim_matches([' ', '\u{2009}', '['])) {
            reading.fail(THAT, line);
        } else if line.starts_with("Error: ") {
            // From the script itself, which may be anything.
            reading.hint(WHY, line);
        } else if is_done(line) {
            reading.built(at, line);
        }
    }
    reading
}

fn fails(line: &str) -> bool {
    const BEGIN: [&str; 19] = [
        "npm ERR! ",
        "npm error ",
        "ELIFECYCLE",
        "ERR_PNPM_",
        "Error: ERR_PNPM_",
        "error Command failed with exit code ",
        "error Command failed with signal ",
        "error Command \"",
        "error Couldn't find a script named ",
        "error: Script not found ",
        "ERROR  run failed: command ",
        "Command failed with exit code ",
        "Usage Error: Couldn't find ",
        "ERROR task failed",
        "mise ERROR ",
        "error: recipe `",
        "error: Recipe `",
        "error: justfile does not contain recipe ",
        "error: Justfile does not contain recipe ",
    ];
    BEGIN.iter().any(|begin| line.starts_with(begin))
        || (line.starts_with("error: script \"") && line.contains("\" exited with code "))
        || (line.starts_with("error: script \"") && line.contains("\" was terminated by signal "))
}

/// `Done in 1.23s.` of yarn, printed only on success.
fn is_done(line: &str) -> bool {
    let time = line.strip_prefix("✨  Done in ").or_else(|| line.strip_prefix("Done in "));
    time.and_then(|time| time.strip_suffix("s.")).is_some_and(|seconds| seconds.parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn failed_scripts_are_reported() {
        check(
            read,
            &[
                ("npm error code ELIFECYCLE", "failed - - npm error code ELIFECYCLE"),
                (
                    "npm ERR! Test failed.  See above for more details.",
                    "failed - - npm ERR! Test failed.  See above for more details.",
                ),
                (
                    "\u{2009}ELIFECYCLE\u{2009} Test failed. See above for more details.",
                    "failed - - ELIFECYCLE\u{2009} Test failed. See above for more details.",
                ),
                (
                    "error Command failed with exit code 1.",
                    "failed - - error Command failed with exit code 1.",
                ),
                (
                    "error: script \"test\" exited with code 1",
                    "failed - - error: script \"test\" exited with code 1",
                ),
                ("Done in 1.23s.", "passed - - Done in 1.23s."),
                ("npm warn deprecated x\nerror: something", "unknown - - -"),
            ],
        );
    }
}
