//! What is injected into agents, through the real program.

mod ask;
mod commands;
mod hook;
mod kit;
mod off;
mod quiet;
