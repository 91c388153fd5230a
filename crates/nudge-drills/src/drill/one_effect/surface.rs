//! A way to call Nudge.

use super::verb::Verb;

/// A way to call Nudge.
pub(super) trait Surface {
    fn name(&self) -> &'static str;

    /// Calls a verb, and returns whether the call as a whole was refused.
    fn call(&mut self, verb: &Verb) -> anyhow::Result<bool>;

    /// Ends what it started.
    fn close(self: Box<Self>) -> anyhow::Result<()>;
}
