//! Checks text that is stated on purpose: a secret in it is rejected, not redacted.

use nudge_context::clean;
use nudge_core::{Fault, FaultKind};
use nudge_store::StoreError;

use crate::capture;
use crate::operation::OpContext;

/// The text without its private spans and outer spaces, if it is acceptable. `what` names it in
/// errors, such as a note.
pub(crate) fn checked_text(
    ctx: &OpContext<'_>,
    what: &str,
    said: &str,
    most: usize,
) -> Result<String, Fault> {
    let open = capture::without_private(said);
    if open.trim().is_empty() && !said.trim().is_empty() {
        let why = format!("the whole {what} is private, so there is nothing to save");
        return Err(Fault::invalid("private", why).with("field", "text").next("remove the private tags"));
    }
    let text = open.trim();
    if clean(text, 1).is_empty() {
        return Err(Fault::invalid("text", format!("a {what} cannot be empty")).with("field", "text"));
    }
    let chars = text.chars().count();
    if chars > most {
        let why = format!("the {what} has {chars} characters; the limit is {most}");
        return Err(Fault::new(FaultKind::TooLarge, "text", why).with("field", "text").next("shorten it"));
    }
    let found = if ctx.settings.strict_secrets {
        nudge_secrets::scan_strictly(None, text)
    } else {
        nudge_secrets::scan(text)
    };
    if let Some(first) = found.first().filter(|_| ctx.settings.secret_guard) {
        let refused = StoreError::Secret { rule: first.rule.to_owned(), field: "text".to_owned() };
        return Err(Fault::from(refused).next("name the variable or file that contains it instead"));
    }
    Ok(text.to_owned())
}
