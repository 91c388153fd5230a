//! What agents are told unasked, through the program they run.

mod commands;
mod hook;
mod kit;
mod off;
mod quiet;
