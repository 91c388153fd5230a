//! A hint as a caller gets it: with who stated it, and where.

use nudge_core::{Fault, Hint};

use super::wire;
use crate::desk::Desk;
use crate::stated_by::stated_by;

/// The wire form of a hint.
pub(super) fn hint(desk: &Desk<'_>, hint: &Hint) -> Result<wire::Hint, Fault> {
    Ok(wire::Hint::of(hint, stated_by(desk.store(), &hint.writer)?))
}
