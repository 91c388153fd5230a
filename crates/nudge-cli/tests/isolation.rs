//! Private projects, and the separation of projects: through the binary, its servers and its hooks.

mod archives;
mod kit;
mod names;
mod notes;
mod places;
mod private;
mod purge;
mod statements;
