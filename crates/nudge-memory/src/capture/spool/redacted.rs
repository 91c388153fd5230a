//! A captured event as it may be written to a file: without credentials.

use std::borrow::Cow;
use std::io;

use crate::capture::texts::each_text;
use crate::capture::{CapturedEvent, strict};

/// The captured event as one line of JSON, with every text screened.
pub(super) fn line(captured: &CapturedEvent) -> io::Result<Vec<u8>> {
    let mut value = serde_json::to_value(&*strict::screened(captured))?;
    each_text(&mut value, &[], &mut clean);
    Ok(serde_json::to_vec(&value)?)
}

/// Under a name such as `password`, the whole text is a credential.
fn clean(name: Option<&str>, text: &mut String) {
    // These are Nudge's own names, which happen to be credential words elsewhere. Captured events
    // belong together by their session id.
    if let Some(name) = name.filter(|name| !matches!(*name, "session" | "turn" | "call" | "key")) {
        let findings = nudge_secrets::scan_keyed(name, text);
        if !findings.is_empty() {
            *text = nudge_secrets::replace(text, &findings);
        }
    }
    if let Cow::Owned(clean) = nudge_secrets::redact(text) {
        *text = clean;
    }
}
