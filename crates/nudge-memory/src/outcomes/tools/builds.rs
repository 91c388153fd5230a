//! Bundlers and frameworks that scripts build with: vite, next, webpack, tsup, esbuild.

use super::super::reading::{NAMES, Reading, THAT};

const CANONICAL: &[&str] = &["error during build:", "Failed to compile.", "✘ [ERROR] no such file"];

pub(super) fn read(lines: &[&str]) -> Reading {
    let mut reading = Reading::of(CANONICAL);
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        if fails(trimmed) {
            reading.fail(THAT, line);
        } else if trimmed.starts_with("✘ [ERROR] ") || line.starts_with("ERROR in ") {
            reading.fail(NAMES, line);
        } else if succeeds(trimmed) {
            reading.built(at, line);
        }
    }
    reading
}

fn fails(line: &str) -> bool {
    line == "error during build:"
        || line == "Failed to compile."
        || line.starts_with("✗ Build failed in ")
        || line.starts_with("x Build failed in ")
        || line.starts_with("> Build failed because of ")
        || (line.starts_with("webpack ") && line.contains(" compiled with ") && line.contains(" error"))
}

fn succeeds(line: &str) -> bool {
    line.starts_with("✓ built in ")
        || line.starts_with("✓ Compiled successfully")
        || line.starts_with("Compiled successfully")
        || line.contains("⚡️ Build success in ")
        || (line.starts_with("webpack ") && line.contains(" compiled successfully"))
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn closing_lines_tell() {
        check(
            read,
            &[
                ("✓ built in 1.23s", "passed - - ✓ built in 1.23s"),
                ("error during build:\nRollupError", "failed - - error during build:"),
                (
                    "webpack 5.9 compiled with 1 error in 9 ms",
                    "failed - - webpack 5.9 compiled with 1 error in 9 ms",
                ),
                ("build error", "unknown - - -"),
            ],
        );
    }
}
