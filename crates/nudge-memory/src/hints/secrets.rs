//! Who may see and leave values that are marked secret.

use nudge_core::{Fault, FaultKind, Hint};

use crate::caller::{Caller, Surface};
use crate::desk::Desk;
use crate::settings::Settings;

/// Whether this caller may handle secret values at all: the person at the command line may; an
/// agent may only when the person has said so in the settings.
pub(super) fn allowed(caller: &Caller, settings: &Settings) -> bool {
    caller.surface == Surface::Cli || settings.mcp_secrets
}

/// Refuses to show a secret value where it must not go.
pub(super) fn check_shown(desk: &Desk<'_>, hint: &Hint) -> Result<(), Fault> {
    if !hint.is_secret() || allowed(desk.caller, desk.settings) {
        return Ok(());
    }
    Err(refusal(format!("{}/{} is marked secret and is not given to agents", hint.component, hint.key)).next(format!(
        "the person can read it with `nudge get {} {} --value`, or give agents access by `mcp_secrets = true` in config.toml",
        hint.component, hint.key
    )))
}

/// Refuses to take a secret value from a surface that may not leave one.
pub(super) fn check_taken(desk: &Desk<'_>) -> Result<(), Fault> {
    if allowed(desk.caller, desk.settings) {
        return Ok(());
    }
    Err(refusal("only the person may keep or export secrets".to_owned()).next(
        "leave the name of the variable or file that holds it instead; the person can allow this by `mcp_secrets = true` in config.toml",
    ))
}

fn refusal(message: String) -> Fault {
    Fault::new(FaultKind::SecretRejected, "secret_over_mcp", message)
}
