//! Why a file of settings does not take our entries.

use std::borrow::Cow;

use crate::edit::EditError;

/// Why a settings file cannot be changed. Never repeats what the file says: it may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// It is not what a settings file is.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The name we would use belongs to something else.
    #[error("`{0}` is there already and is not what Nudge writes")]
    Taken(Cow<'static, str>),
}
