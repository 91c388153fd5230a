//! Maintenance as a user sees it: whole processes over a memory that agents have filled.

mod catch_up;
mod clock;
mod commits;
mod learn;
mod maintain;
mod notes;
mod projects;
mod purge;
mod purge_secure;
mod retention;
mod setup;
mod start_notes;
mod status;
mod summaries;
mod wandered;
