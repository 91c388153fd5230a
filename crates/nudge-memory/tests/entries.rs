//! The six verbs over entries, through the entry point that every surface uses.

mod authority;
mod files;
mod kinds;
mod one_effect;
mod patterns;
mod rights;
mod setup;
mod streaming;
mod tags;
mod verbs;
mod views;
