//! Random text that nobody guesses: tokens, codes, and the halves of a browser's session.

use nudge_core::{Fault, FaultKind};

/// How many random bytes there are in one: 256 bits.
pub(crate) const BYTES: usize = 32;

/// A new one, in hexadecimal.
pub(crate) fn fresh() -> Result<String, Fault> {
    let mut bytes = [0_u8; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        Fault::new(
            FaultKind::Internal,
            "no_randomness",
            format!("the system returned no random bytes: {error}"),
        )
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
