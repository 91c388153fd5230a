//! Capture as agents use it: whole processes that get the agents' hook input.

mod deadline;
mod degraded;
mod drops;
mod file_limit;
mod kit;
mod links;
mod log;
mod off;
mod patient;
mod quiet;
mod record;
mod spool;
mod strict;
mod way;
