//! What is injected into agents, through the real program.

mod commands;
mod hook;
mod kit;
mod off;
mod quiet;
