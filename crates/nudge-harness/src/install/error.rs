//! Why our entries cannot be added to a settings file.

use std::borrow::Cow;

use crate::edit::EditError;

/// Why a settings file cannot be changed. Never repeats the file's content, which may contain a
/// secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The file cannot be parsed, or a value has the wrong type.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Our name is used for something else.
    #[error("`{0}` is there already and is not what Nudge writes")]
    Taken(Cow<'static, str>),
}
