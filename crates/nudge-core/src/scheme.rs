//! Schemes: what stands before `://` in a path decides the category of an entry, where it lives
//! and who may write it.

use crate::entry::Tier;

crate::named_enum! {
    /// What an entry is for a model that reads it. The scheme decides it.
    pub enum Category {
        /// What the model works with: files, knowledge, pages, output.
        Data => "data",
        /// A record of what happened.
        Logging => "logging",
        /// An open question.
        Unknown => "unknown",
        /// The task.
        Prompt => "prompt",
        /// Nudge's own records. No model sees them.
        Audit => "audit",
    }
}

crate::named_enum! {
    /// The kind of namespace that a scheme's entries are written to.
    pub enum ScopeKind {
        /// All of the user's memory.
        Global => "global",
        /// The project of the caller.
        Project => "project",
        /// An agent session.
        Session => "session",
        /// The run of the call; the project, for a call outside any run.
        Run => "run",
    }
}

/// The rules of one scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeRules {
    /// What stands before `://`; `file` for bare paths, empty for the rules of other schemes.
    pub name: &'static str,
    /// What its entries are for a model.
    pub category: Category,
    /// Whether models see its entries at all.
    pub model_visible: bool,
    /// Where its entries are written.
    pub default_scope: ScopeKind,
    /// The tiers whose writes through the verbs are accepted. This is a set, not a minimum.
    pub writers: &'static [Tier],
    /// How to change such an entry instead, if the verbs cannot.
    pub instead: &'static str,
}

impl SchemeRules {
    /// Whether a tier may write entries of this scheme through the verbs.
    pub fn may_write(&self, tier: Tier) -> bool {
        self.writers.contains(&tier)
    }
}

/// Agents, the user, and code inside the daemon.
const ALL_TIERS: &[Tier] = &[Tier::Model, Tier::Client, Tier::Plugin];
/// The same, and Nudge itself.
const ALL_AND_SYSTEM: &[Tier] = &[Tier::Model, Tier::Client, Tier::Plugin, Tier::System];
/// The user and the daemon.
const USER_TIERS: &[Tier] = &[Tier::Client, Tier::Plugin];
const PLUGIN_TIERS: &[Tier] = &[Tier::Plugin];
const SYSTEM_TIERS: &[Tier] = &[Tier::System];

const fn rules(
    name: &'static str,
    category: Category,
    default_scope: ScopeKind,
    writers: &'static [Tier],
    instead: &'static str,
) -> SchemeRules {
    let model_visible = !matches!(category, Category::Audit);
    SchemeRules { name, category, model_visible, default_scope, writers, instead }
}

/// The registry: one row for each scheme with rules of its own.
#[rustfmt::skip]
pub const SCHEMES: &[SchemeRules] = &[
    rules("file", Category::Data, ScopeKind::Project, ALL_TIERS, ""),
    rules("known", Category::Data, ScopeKind::Project, ALL_TIERS, ""),
    rules("skill", Category::Data, ScopeKind::Project, ALL_TIERS, ""),
    rules("http", Category::Data, ScopeKind::Project, ALL_TIERS, ""),
    rules("https", Category::Data, ScopeKind::Project, ALL_TIERS, ""),
    rules("hint", Category::Data, ScopeKind::Global, ALL_TIERS, ""),
    rules("sh", Category::Data, ScopeKind::Run, ALL_TIERS, ""),
    rules("env", Category::Data, ScopeKind::Run, ALL_TIERS, ""),
    rules("mcp", Category::Data, ScopeKind::Run, ALL_TIERS, ""),
    rules("ghap", Category::Data, ScopeKind::Project, SYSTEM_TIERS, "use `start_ghap`, `update_ghap` and `resolve_ghap`"),
    rules("value", Category::Data, ScopeKind::Project, SYSTEM_TIERS, "use `store_value`"),
    rules("context", Category::Data, ScopeKind::Session, SYSTEM_TIERS, "use `set_relevant_context`"),
    rules("summary", Category::Data, ScopeKind::Session, SYSTEM_TIERS, "summaries are made by Nudge"),
    rules("unknown", Category::Unknown, ScopeKind::Project, ALL_TIERS, ""),
    rules("prompt", Category::Prompt, ScopeKind::Run, PLUGIN_TIERS, "prompts are what the user typed; they are captured"),
    rules("log", Category::Logging, ScopeKind::Run, ALL_AND_SYSTEM, ""),
    rules("update", Category::Logging, ScopeKind::Run, ALL_TIERS, ""),
    rules("error", Category::Logging, ScopeKind::Run, ALL_TIERS, ""),
    rules("run", Category::Logging, ScopeKind::Project, ALL_TIERS, ""),
    rules("obs", Category::Logging, ScopeKind::Project, SYSTEM_TIERS, "observations are captured, never written"),
    rules("journal", Category::Logging, ScopeKind::Session, SYSTEM_TIERS, "use `store_journal_entry`"),
    rules("session", Category::Audit, ScopeKind::Session, SYSTEM_TIERS, "use `nudge session`"),
    rules("project", Category::Audit, ScopeKind::Project, SYSTEM_TIERS, "use `nudge project`"),
    rules("proposal", Category::Audit, ScopeKind::Global, USER_TIERS, "decide on proposals with `nudge review`"),
    rules("constraint", Category::Audit, ScopeKind::Project, SYSTEM_TIERS, "use `nudge entry constraint`"),
    rules("tool", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
    rules("instructions", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
    rules("system", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
    rules("reasoning", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
    rules("model", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
    rules("user", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
    rules("assistant", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
    rules("content", Category::Audit, ScopeKind::Run, SYSTEM_TIERS, ""),
];

/// The rules of every scheme that has no row of its own.
pub const OTHER_SCHEMES: SchemeRules = rules("", Category::Logging, ScopeKind::Run, ALL_TIERS, "");

/// The rules of a scheme.
pub fn rules_of(scheme: &str) -> &'static SchemeRules {
    SCHEMES.iter().find(|rules| rules.name == scheme).unwrap_or(&OTHER_SCHEMES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_scheme_stands_once() {
        let mut names: Vec<&str> = SCHEMES.iter().map(|rules| rules.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SCHEMES.len());
    }

    #[test]
    fn what_nobody_but_nudge_writes_says_what_to_use_instead() {
        let audit = |rules: &&SchemeRules| rules.category == Category::Audit;
        for rules in SCHEMES.iter().filter(|rules| !audit(rules)) {
            let closed = !rules.may_write(Tier::Model);
            assert_eq!(closed, !rules.instead.is_empty(), "{}", rules.name);
        }
    }

    #[test]
    fn an_unregistered_scheme_is_a_log_of_its_run() {
        let other = rules_of("wiki");
        assert_eq!((other.category, other.default_scope), (Category::Logging, ScopeKind::Run));
        assert!(other.model_visible && other.may_write(Tier::Model) && !other.may_write(Tier::System));
    }
}
