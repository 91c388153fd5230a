//! The events on which something is injected, and how much.

use nudge_context::{Budget, Trigger};
use nudge_core::Speaker;
use nudge_core::event::StartSource;
use nudge_core::tokens::Tokens;
use nudge_core::{ObservationKind, Outcome};
use nudge_home::Settings;
use nudge_outcomes::RUN;
use nudge_outcomes::marks::HIDDEN_ERROR;
use serde::{Deserialize, Serialize};

use crate::capture::{Action, CapturedEvent, EventBody, Phase, project};

/// The trigger of an event. A subagent gets only the statements; the session that started it gives
/// it the rest. An event without a place gets nothing.
pub(super) fn trigger(event: &CapturedEvent) -> Option<Trigger> {
    if event.project.key == project::UNKNOWN {
        return None;
    }
    let source = match &event.what {
        EventBody::Start { source, .. } if event.agent.is_none() => source,
        EventBody::Subagent => return Some(Trigger::Subagent),
        EventBody::Prompt { by: Speaker::Person, .. } if event.agent.is_none() => {
            return Some(Trigger::Prompt);
        }
        EventBody::About { .. } => return Some(Trigger::BeforeTool),
        EventBody::Action(action) if has_failed(action) || has_verdict(action) => {
            return Some(Trigger::AfterTool);
        }
        _ if event.phase == Phase::BeforeTool && event.agent.is_none() => return Some(Trigger::BeforeTool),
        _ => return None,
    };
    match StartSource::from_word(source) {
        StartSource::Startup => Some(Trigger::Start),
        StartSource::Fork => Some(Trigger::Fork),
        StartSource::Resume => Some(Trigger::Resume),
        StartSource::Clear => Some(Trigger::Clear),
        StartSource::Compact => Some(Trigger::Compact),
        StartSource::Other(_) => None,
    }
}

/// Whether an action is a command that failed.
fn has_failed(action: &Action) -> bool {
    let is_command = matches!(action.kind, ObservationKind::Command | ObservationKind::CommandError);
    is_command
        && (matches!(action.outcome, Outcome::Failed { .. }) || action.metadata.contains_key(HIDDEN_ERROR))
}

/// Whether an action is a test or build run with a known verdict.
fn has_verdict(action: &Action) -> bool {
    action.metadata.get(RUN).is_some_and(|run| run["verdict"] != "unknown")
}

/// How much a session may get, by the settings that apply where its agent is. The limits travel
/// with the event to the process that stores it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InjectionLimits {
    /// The most tokens at a fresh start.
    pub start_tokens: u32,
    /// The most tokens after the context was emptied.
    pub recovery_tokens: u32,
    /// The most tokens with a prompt.
    #[serde(default = "prompt_tokens")]
    pub prompt_tokens: u32,
    /// The most tokens before or after a command.
    #[serde(default = "tool_tokens")]
    pub tool_tokens: u32,
    /// Whether the agent may be asked for a rule. An older program does not know the setting.
    #[serde(default)]
    pub ask_agent: bool,
}

/// The limit for an older program that does not send one.
const fn prompt_tokens() -> u32 {
    Budget::PROMPT.tokens.0
}

/// The same before or after a command.
const fn tool_tokens() -> u32 {
    Budget::TOOL.tokens.0
}

/// The share of a fresh start's budget that a subagent may get, in percent: as much as statements
/// may use of a start.
const SUBAGENT_PERCENT: u32 = 60;

impl InjectionLimits {
    /// The limits of these settings; `None` if nothing is to be injected.
    pub fn of(settings: &Settings, headless: Option<bool>) -> Option<Self> {
        let attended = headless != Some(true) || settings.inject_headless;
        (settings.inject && attended).then_some(Self {
            start_tokens: settings.inject_start_tokens,
            recovery_tokens: settings.inject_recovery_tokens,
            prompt_tokens: settings.inject_prompt_tokens,
            tool_tokens: settings.inject_tool_tokens,
            ask_agent: settings.ask_agent,
        })
    }

    /// The budget of a trigger; `None` if nothing is injected on it.
    pub(super) fn budget(self, trigger: Trigger) -> Option<Budget> {
        let tokens = match trigger {
            Trigger::Start | Trigger::Fork | Trigger::Resume => self.start_tokens,
            Trigger::Clear | Trigger::Compact => self.recovery_tokens,
            Trigger::Subagent => self.start_tokens / 100 * SUBAGENT_PERCENT,
            Trigger::Prompt => self.prompt_tokens,
            Trigger::BeforeTool | Trigger::AfterTool | Trigger::Outcome => self.tool_tokens,
        };
        Some(Budget::of(Tokens(tokens)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_settings_allow_what_the_blocks_are_made_for() {
        let limits = InjectionLimits::of(&Settings::default(), None).expect("injection is on");
        assert_eq!(limits.budget(Trigger::Start), Some(Budget::START));
        assert_eq!(limits.budget(Trigger::Compact), Some(Budget::RECOVERY));
        assert_eq!(limits.budget(Trigger::Prompt), Some(Budget::PROMPT));
        assert_eq!(limits.budget(Trigger::BeforeTool), Some(Budget::TOOL));
    }
}
