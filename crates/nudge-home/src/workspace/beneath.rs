//! Directories of a project root, and steps in them that follow no link.
//!
//! On Unix a directory is an open handle, so nothing that happens to its name afterwards matters.
//! A directory that somebody moves out of the root while it is in use takes a file that is being
//! written along, as if it had been moved a moment later.

#[cfg(not(unix))]
mod paths;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use paths::Dir;
#[cfg(unix)]
pub(super) use unix::Dir;
