//! A hint as a caller gets it, with who stated it and where.

use nudge_core::{Fault, Hint};

use super::wire;
use crate::operation::OpContext;
use crate::statements::stated_by;

/// The wire form of a hint.
pub(super) fn hint(ctx: &OpContext<'_>, hint: &Hint) -> Result<wire::Hint, Fault> {
    Ok(wire::Hint::of(hint, stated_by(ctx.store(), &hint.writer)?))
}
