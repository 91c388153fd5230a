//! From a payload to a captured event.

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
