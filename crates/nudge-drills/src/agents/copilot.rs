//! GitHub Copilot CLI, as a script runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::agent::Workspace;
use super::one_shot::{MODEL, OneShot, with_node};

/// The installed program.
pub(super) struct Copilot {
    program: PathBuf,
}

impl Copilot {
    pub(super) fn at(program: &Path) -> Self {
        Self { program: program.to_owned() }
    }
}

impl OneShot for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        Ok(std::fs::create_dir_all(workspace.home.path().join(".copilot"))?)
    }

    fn command_line(&self, line: &str) -> Value {
        json!({"tool": "^bash$", "args": {"command": line, "description": "run it"}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        json!({"tool": format!("^nudge-{name}$"), "args": args})
    }

    fn prompted(&self, workspace: &Workspace, prompt: &str) -> Command {
        let mut command = workspace.program(&self.program);
        command
            .env("COPILOT_OFFLINE", "true")
            .env("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", workspace.model.address()))
            .env("COPILOT_MODEL", MODEL)
            .env("COPILOT_AUTO_UPDATE", "false")
            .args(["--allow-all-tools", "--trust-folder", "--output-format", "json", "-p", prompt]);
        with_node(&mut command);
        command
    }

    fn takes_http(&self) -> bool {
        false
    }
}
