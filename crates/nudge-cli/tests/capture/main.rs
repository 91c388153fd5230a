//! Capture as agents meet it: whole processes, fed as their hooks are.

mod deadline;
mod drops;
mod kit;
mod log;
mod off;
mod quiet;
mod record;
mod spool;
mod strict;
mod way;
