//! From a payload to what is kept of it.

mod anything;
mod conclusions;
mod fixtures;
mod git;
mod identities;
mod kinds;
mod own_text;
mod payloads;
mod private;
mod projects;
