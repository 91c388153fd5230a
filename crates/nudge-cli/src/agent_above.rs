//! Detects whether an agent started this command, rather than the user.
//!
//! A command that an agent runs has an agent's rights. We detect agents by the variables they set,
//! or by an agent's program among the ancestor processes. A hostile process of the same user can
//! hide both; `docs/security.md` says so.

use std::sync::OnceLock;

use nudge_client::agent_above::among_ancestors;
use nudge_core::{Fault, FaultKind};
use nudge_harness::ancestors;

/// The name of the agent that started us. Looked up once, because settings, calls and pages all
/// ask.
pub(crate) fn calling_agent() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    *FOUND.get_or_init(|| {
        ancestors::agent_in_environment(variable).or_else(|| among_ancestors(std::process::id()))
    })
}

/// The commands that only the user may run. Nothing else refuses an agent by its place above the
/// command; operations that only the user may call have the tier of the user in the registry.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum UserOnly {
    ModelKey,
    Maintain,
    Undo,
    Backup,
    Purge,
    Restore,
    StopShowing,
    Log,
    Stop,
    Tui,
    Ui,
    Pause,
    Unpause,
    Uninstall,
    DoctorFix,
    TokenRotate,
    TokenClient,
    TokenLs,
    TokenRevoke,
    Review,
    Import,
    Install,
    RunKeep,
    RunRm,
}

impl UserOnly {
    /// All of them: the command as it is typed, and a call that it refuses to an agent.
    pub(crate) const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::ModelKey, "nudge model key", "model key openai"),
        (Self::Maintain, "nudge maintain --clock-is-right or --remove-all-due", "maintain --clock-is-right"),
        (Self::Undo, "nudge undo", "undo shop build"),
        (Self::Backup, "nudge backup", "backup other.db"),
        (Self::Purge, "nudge purge", "purge --search make --yes"),
        (Self::Restore, "nudge restore", "restore copy.db --yes"),
        (Self::StopShowing, "nudge stop-showing", "stop-showing 1"),
        (Self::Log, "nudge log", "log"),
        (Self::Stop, "nudge stop", "stop"),
        (Self::Tui, "nudge tui", "tui"),
        (Self::Ui, "nudge ui", "ui --print"),
        (Self::Pause, "nudge pause", "pause"),
        (Self::Unpause, "nudge unpause", "unpause"),
        (Self::Uninstall, "nudge uninstall", "uninstall claude"),
        (Self::DoctorFix, "nudge doctor --fix", "doctor --fix"),
        (Self::TokenRotate, "nudge token rotate", "token rotate"),
        (Self::TokenClient, "nudge token client", "token client zed"),
        (Self::TokenLs, "nudge token ls", "token ls"),
        (Self::TokenRevoke, "nudge token revoke", "token revoke zed"),
        (Self::Review, "nudge review", "review accept 1"),
        (Self::Import, "nudge import", "import claude ."),
        (Self::Install, "nudge install", "install claude"),
        (Self::RunKeep, "nudge run keep", "run keep first"),
        (Self::RunRm, "nudge run rm", "run rm first"),
    ];

    fn command(self) -> &'static str {
        Self::ALL.iter().find(|(one, _, _)| *one == self).map_or("nudge", |(_, command, _)| command)
    }
}

/// Rejects an agent's call of a command that only the user may run.
pub(crate) fn refuse_agents(what: UserOnly) -> Result<(), Fault> {
    match calling_agent() {
        None => Ok(()),
        Some(agent) => Err(Fault::new(
            FaultKind::Forbidden,
            "agent_above",
            format!(
                "`{}` is reserved for the user, and an agent ({agent}) started this command",
                what.command()
            ),
        )
        .next("ask the user to run it in their own terminal")),
    }
}
