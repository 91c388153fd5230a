//! Exit statuses that agents write into text, each in its own place.
//!
//! The same text contains the command's output, so a status counts only where the agent writes it:
//! a log file that a command prints may contain `Exit Code: 1`.

use nudge_core::event::{Outcome, ToolCall, ToolKind};

/// Lines that may follow the status line.
pub(crate) const TRAILER: &[&str] =
    &["Signal:", "Background PIDs:", "Process Group PGID:", "</untrusted_context>"];

/// `Exit code 3` or `Exit code: 3` on the first line.
pub(crate) fn on_first_line(text: &str) -> Option<i32> {
    let rest = text.lines().next()?.strip_prefix("Exit code")?;
    rest.trim_start_matches(':').trim().parse().ok()
}

/// `Exit Code: 3` on the last line before the trailer.
pub(crate) fn after_output(text: &str) -> Option<i32> {
    let mut lines = text.trim_end().lines().rev();
    let last = lines.find(|line| !TRAILER.iter().any(|start| line.starts_with(start)))?;
    last.strip_prefix("Exit Code:")?.trim().parse().ok()
}

/// `<… completed with exit code 3>` as the last line.
pub(crate) fn in_closing_tag(text: &str) -> Option<i32> {
    let tag = text.trim_end().lines().next_back()?.strip_prefix('<')?.strip_suffix('>')?;
    tag.rsplit_once("exit code ")?.1.parse().ok()
}

/// `Command exited with code 3` as the whole text.
pub(crate) fn in_sentence(text: &str) -> Option<i32> {
    text.trim().strip_prefix("Command exited with code")?.trim_start_matches(':').trim().parse().ok()
}

/// Whether an error says that the call never began, because a parallel call failed.
pub(crate) fn was_cancelled(error: &str) -> bool {
    let error = error.trim().trim_start_matches("Error: ").trim_start_matches("<tool_use_error>");
    error.starts_with("Sibling tool call errored") || error.starts_with("Cancelled: parallel tool call")
}

/// The status in the error of a failed command.
pub(super) fn in_error(tool: &ToolCall, kind: ToolKind) -> Option<i32> {
    let error = tool.error.as_deref().filter(|_| kind == ToolKind::Command)?;
    on_first_line(error).or_else(|| after_output(error)).or_else(|| in_sentence(error))
}

/// The outcome for an exit status; unknown without one.
pub(crate) fn outcome_of_status(status: Option<i32>) -> Outcome {
    status.map_or(Outcome::Unknown, Outcome::of_exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_counts_only_in_its_place() {
        assert_eq!(on_first_line("Exit code 3\nout"), Some(3));
        assert_eq!(on_first_line("Exit code: 0\nSuccess."), Some(0));
        assert_eq!(on_first_line("out\nExit code 3"), None);
        let gemini = "<untrusted_context>\nOutput: Exit Code: 9\nmore\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>";
        assert_eq!(after_output(gemini), Some(3));
        assert_eq!(after_output("Output: a\nExit Code: 9\nb\nProcess Group PGID: 1"), None);
        assert_eq!(after_output("Exit Code: (none)\nSignal: 9"), None);
        assert_eq!(in_closing_tag("x\n<shellId: 1 completed with exit code 3>"), Some(3));
        assert_eq!(in_closing_tag("<shellId: 1 completed with exit code 3>\nx"), None);
        assert_eq!(in_sentence("Command exited with code 3"), Some(3));
        assert_eq!(in_sentence("it said: Command exited with code 3"), None);
    }
}
