//! Finds the console blocks of a page: commands and their output.

/// A fenced ```` ```console ```` block that runs `nudge`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// Runs in the home of the block before it: ```` ```console continued ````.
    pub(super) continued: bool,
    pub(super) steps: Vec<Step>,
}

/// One command and the output shown under it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) command: String,
    pub(super) output: Vec<String>,
}

/// The blocks of a page, in order. Blocks without a `$ nudge` line, and those marked `no-run`, are
/// not run.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let inside: Vec<(usize, &str)> =
            lines.by_ref().take_while(|(_, line)| !line.trim_start().starts_with("```")).collect();
        let mut words = info.split_whitespace();
        if words.next() != Some("console") || info.contains("no-run") {
            continue;
        }
        let steps = steps(&inside);
        if steps.iter().any(|step| step.command.split_whitespace().any(|word| word == "nudge")) {
            found.push(Block { continued: words.any(|word| word == "continued"), steps });
        }
    }
    found
}

fn steps(lines: &[(usize, &str)]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (index, line) in lines {
        let unfinished =
            steps.last_mut().filter(|step| step.command.ends_with('\\') && step.output.is_empty());
        if let Some(step) = unfinished {
            step.command.pop();
            step.command.push_str(line.trim_start().trim_start_matches("> "));
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { line: index + 1, command: command.trim_end().to_owned(), output: Vec::new() });
        } else if let Some(step) = steps.last_mut() {
            step.output.push((*line).to_owned());
        }
    }
    for step in &mut steps {
        let shown = step.output.iter().rposition(|line| !line.trim().is_empty()).map_or(0, |last| last + 1);
        step.output.truncate(shown);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_continuations_and_output_are_distinguished() {
        let page = "# X\n```console\n$ nudge set a b \\\n    --tags c\n✔ done\n\n$ nudge ls\na\n```\n```sh\n$ nudge no\n```\n\
                    ```console continued\n$ nudge ls\n```\n```console no-run\n$ nudge serve\n```\n```console\n$ ls\n```\n";
        let found = blocks(page);
        assert_eq!(found.len(), 2);
        assert_eq!(
            found[0].steps,
            [
                Step { line: 3, command: "nudge set a b --tags c".into(), output: vec!["✔ done".into()] },
                Step { line: 7, command: "nudge ls".into(), output: vec!["a".into()] },
            ]
        );
        assert_eq!((found[0].continued, found[1].continued), (false, true));
    }
}
