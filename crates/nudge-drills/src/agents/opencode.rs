//! opencode, as a script runs it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::agent::Workspace;
use super::one_shot::{MODEL, OneShot, with_node};

/// A file that opencode writes next to its settings at its first start with a network. With it,
/// opencode does not look for more.
const LOCK: &str = r#"{"name":"opencode","lockfileVersion":3,"requires":true,"packages":{"":{"dependencies":{"@opencode-ai/plugin":"1.18.33"}}}}"#;

/// The installed program.
pub(super) struct Opencode {
    program: PathBuf,
}

impl Opencode {
    pub(super) fn at(program: &Path) -> Self {
        Self { program: program.to_owned() }
    }
}

impl OneShot for Opencode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn settle(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let own = workspace.home.path().join(".config/opencode");
        std::fs::create_dir_all(own.join("node_modules"))?;
        std::fs::write(own.join("package-lock.json"), LOCK)?;
        let model = format!("scripted/{MODEL}");
        let limit = json!({"context": 100_000, "output": 4_096});
        let models = json!({ MODEL: {"name": "scripted", "limit": limit, "tool_call": true} });
        let options = json!({"baseURL": format!("{}/v1", workspace.model.address()), "apiKey": "dummy"});
        let settings = json!({
            "$schema": "https://opencode.ai/config.json",
            "autoupdate": false,
            "share": "disabled",
            "model": model,
            "small_model": model,
            "permission": {"*": "allow"},
            "provider": {"scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": options, "models": models
            }},
        });
        Ok(std::fs::write(own.join("opencode.json"), format!("{settings:#}\n"))?)
    }

    fn command_line(&self, line: &str) -> Value {
        json!({"tool": "^bash$", "args": {"command": line, "description": "run it"}})
    }

    fn tool(&self, name: &str, args: &Value) -> Value {
        json!({"tool": format!("^nudge_{name}$"), "args": args})
    }

    fn prompted(&self, workspace: &Workspace, prompt: &str) -> Command {
        let mut command = workspace.program(&self.program);
        command
            .env("OPENCODE_DISABLE_AUTOUPDATE", "1")
            .env("OPENCODE_DISABLE_MODELS_FETCH", "1")
            .args(["run", "--format", "json", prompt]);
        with_node(&mut command);
        command
    }
}
