//! What repeats over the sessions of a project: failing commands, errors, requests. It counts; it
//! needs no model.
//!
//! Counting is separate from reading: `intents`, `tally` and `together` do not use the store;
//! `gather` and `later` read it in bounded pieces.

mod fix;
mod gather;
mod notes;
mod tally;
mod wire;

use nudge_core::Fault;

pub use fix::{AlikeFix, FindFix, FixAnswer, FixParams, KnownFix};
pub use notes::notes;
pub use wire::{LearnAnswer, LearnParams, LeftOut, LookedAt, Ran, Repeat, Together};

use crate::operation::{Effect, Op, OpContext, Operation};
use crate::projects::HiddenProjects;
use crate::recall::Asked;

/// The operations on what repeats.
pub const OPERATIONS: &[Operation] = &[Operation::of::<Learn>(), Operation::of::<FindFix>()];

/// Reports what repeats.
pub struct Learn;

impl Op for Learn {
    const NAME: &'static str = "learn";
    const TITLE: &'static str = "Find what repeats";
    const DOC: &'static str = "Report what repeats across sessions: failed commands, errors and requests, \
        most recent and frequent first.";
    const REFERENCE: &'static str = "Report what repeats across sessions: failed commands, errors, \
        requests, and files that change together.";
    const EFFECT: Effect = Effect::Read;
    type Params = LearnParams;
    type Answer = LearnAnswer;

    fn run(ctx: &OpContext<'_>, params: LearnParams) -> Result<LearnAnswer, Fault> {
        let options = params.checked()?;
        match Asked::of(ctx, &params.project)? {
            Asked::In(place) => gather::report(
                ctx.store(),
                Some(&place.project),
                &options,
                ctx.now(),
                &HiddenProjects::default(),
            ),
            Asked::All => gather::report(ctx.store(), None, &options, ctx.now(), &*ctx.hidden()?),
            Asked::Nowhere => Ok(LearnAnswer::nothing(&options)),
        }
    }
}
