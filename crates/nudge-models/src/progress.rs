//! What is reported while an answer arrives.

use std::time::Duration;

use crate::error::ErrorKind;

/// Where progress is reported.
pub(crate) type On<'a> = &'a mut (dyn FnMut(Progress<'_>) + Send);

/// A step of a call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// More of the answer.
    Text(&'a str),
    /// More of what the model thinks.
    Reasoning(&'a str),
    /// The call failed and is tried again.
    Retrying {
        /// What it failed with.
        kind: ErrorKind,
        /// Which retry this is, from 1.
        attempt: u32,
        /// How long until then.
        wait: Duration,
    },
}
