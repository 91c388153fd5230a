//! Calls to a scripted model over real HTTP, for every provider.

mod asking;
mod configuration;
mod failures;
mod providers;
mod streaming;
