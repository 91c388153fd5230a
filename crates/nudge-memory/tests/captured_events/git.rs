//! Commits and pushes.

use nudge_core::ObservationKind;
use serde_json::json;

use crate::captured_events::fixtures::{action, ended, failed};

/// @capture_git
#[test]
fn a_commit_keeps_what_git_said_of_it() {
    let said = "[main 1a2b3c4] Fix the parser\n 2 files changed, 5 insertions(+), 1 deletion(-)\n create mode 100644 src/new.rs\n";
    let command = "cd app && git add -A && git commit -m \"$(cat <<'EOF'\nFix the parser\n\nDon't git push yet.\nEOF\n)\"";
    let kept = action(&ended("Bash", json!({"command": command}), json!({"stdout": said, "stderr": ""})));
    assert_eq!(kept.kind, ObservationKind::GitCommit);
    assert_eq!(
        json!(kept.metadata),
        json!({"branch": "main", "commit_hash": "1a2b3c4", "commit_message": "Fix the parser", "files_changed": 2,
            "insertions": 5, "deletions": 1, "new_files": ["src/new.rs"]})
    );
}

/// @capture_git
#[test]
fn a_push_counts_over_a_commit_and_keeps_no_credentials() {
    let said = "To https://dev:hunter2@example.org/org/app.git\n   1a2b3c4..5d6e7f8  main -> main\n";
    let response = json!({"stdout": "[main 5d6e7f8] x\n 1 file changed, 1 insertion(+)", "stderr": said});
    let kept = action(&ended("Bash", json!({"command": "git commit -m x && git push"}), response));
    assert_eq!(kept.kind, ObservationKind::GitPush);
    assert_eq!(kept.metadata["remote_url"], "https://example.org/org/app");
    assert_eq!(kept.metadata["hash_range"], "1a2b3c4..5d6e7f8");
    assert_eq!(kept.metadata["branch"], "main");
    assert_eq!(kept.metadata["commit_hash"], "5d6e7f8");
    assert!(!format!("{kept:?}").contains("hunter2"));
}

/// @capture_git
#[test]
fn a_commit_that_failed_is_an_error() {
    let kept = action(&failed("Bash", json!({"command": "git commit -m x"}), "Exit code 1\nhook said no"));
    assert_eq!(kept.kind, ObservationKind::CommandError);
    assert_eq!(kept.metadata["response"], "Exit code 1\nhook said no");
}
