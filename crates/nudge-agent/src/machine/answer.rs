//! The answer: what the parser read in it, what was lost, and what goes to the record.

use nudge_grammar::{Parsed, TagLimits, TagWarning, WarningKind, parse_tags};

use super::{Effect, Machine, Phase};
use crate::machine::work::Work;
use crate::policy::{Recorded, TagEnd};

impl Machine<'_> {
    /// Reads the answer and asks for its record.
    pub(super) fn answered(&mut self, text: &str, was_cut: bool, tokens: Option<u32>) -> Vec<Effect> {
        if let (Some(estimate), Some(real)) = (self.estimate, tokens) {
            self.facts.previous = Some((estimate, real));
        }
        let turn = self.turn();
        let parsed = parse_tags(text, TagLimits { max_calls: self.facts.limits.max_commands });
        let calls = self.policy.record(turn, &parsed, was_cut);
        let (lost, healed) = read_warnings(&parsed, &calls, was_cut);
        self.work =
            Work { calls: calls.clone(), text: parsed.text, has_losses: lost.is_some(), ..Work::default() };
        self.phase = Phase::Recording;
        let mut effects = vec![Effect::Record { turn, calls, healed }];
        if let Some(body) = lost {
            self.work.errors += 1;
            effects.push(Effect::WriteError { turn, slug: "lost", status: 422, body });
        }
        effects
    }
}

/// The error about what was lost, if anything was, and what was healed.
fn read_warnings(parsed: &Parsed, calls: &[Recorded], was_cut: bool) -> (Option<String>, Vec<String>) {
    let say = |warning: &TagWarning| format!("{}: {}", warning.kind.name(), warning.message);
    let (losses, healed): (Vec<&TagWarning>, Vec<&TagWarning>) =
        parsed.warnings.iter().partition(|warning| warning.kind.is_loss());
    let cut_call = calls.iter().find(|call| call.end == TagEnd::Cut);
    let is_cut = was_cut && losses.iter().any(|warning| warning.kind == WarningKind::Truncated);
    let mut lost: Vec<String> = losses.into_iter().map(say).collect();
    let mut healed: Vec<String> = healed.into_iter().map(say).collect();
    if let Some(call) = cut_call {
        lost.push(format!("cut: the tag of {} has no end", call.tool.name()));
    } else if was_cut && calls.is_empty() {
        lost.push("cut: the text has no end".to_owned());
    } else if was_cut && !is_cut {
        healed.push("cut: the reply reached the limit of its length".to_owned());
    }
    if lost.is_empty() {
        return (None, healed);
    }
    let mut body = "Something in the reply was lost:\n".to_owned();
    if is_cut || cut_call.is_some() || (was_cut && calls.is_empty()) {
        body =
            "The reply was cut at the limit of its length. Write less at once. What was lost:\n".to_owned();
    }
    body.extend(lost.iter().map(|each| format!("- {each}\n")));
    (Some(body), healed)
}
