//! A moment as it may lie in a file: without any credential.

use std::borrow::Cow;
use std::io;

use crate::capture::texts::each_text;
use crate::capture::{Moment, strict};

/// The moment as one line of JSON, every text of it screened.
pub(super) fn line(moment: &Moment) -> io::Result<Vec<u8>> {
    let mut value = serde_json::to_value(&*strict::screened(moment))?;
    each_text(&mut value, &[], &mut clean);
    Ok(serde_json::to_vec(&value)?)
}

/// Under a name such as `password` the text as a whole is a credential.
fn clean(name: Option<&str>, text: &mut String) {
    // Names of our own that happen to be credential words elsewhere: a session id is how moments belong together.
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
