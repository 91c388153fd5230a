//! Checks whether the agent's settings switch all hooks off.

use serde_json::Value;

use super::about::AgentFacts;
use crate::command::doctor::finding::Finding;
use crate::registration::small_text;

/// A finding if a setting of the agent switches all hooks off.
pub(super) fn check(about: &AgentFacts<'_>) -> Option<Finding> {
    let installer = about.agent.0.installer()?;
    let switch = installer.switched_off?;
    let file = about.place.directory(installer).join(switch.file);
    let text = small_text(&file)?;
    let value: Value = if switch.file.ends_with(".toml") {
        serde_json::to_value(text.parse::<toml::Table>().ok()?).ok()?
    } else {
        serde_json::from_str(&text).ok()?
    };
    let said = switch.keys.iter().try_fold(&value, |value, key| value.get(*key))?;
    (said.as_bool() == Some(switch.off)).then(|| {
        let setting = format!("{} = {}", switch.keys.join("."), switch.off);
        let why = format!("{} has `{setting}`: no hook runs, so nothing is captured", file.display());
        Finding::fail(about.name(), why, "remove that setting")
    })
}
