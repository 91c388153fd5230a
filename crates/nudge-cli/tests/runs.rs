//! Stories of runs: a whole program, a project, a memory, and a model that says what the story
//! wrote down. Each snapshot reads from the prompt to the end of the run.

mod act;
mod answers;
mod budget;
mod clients;
mod crash;
mod cycles;
mod decisions;
mod entries;
mod isolation;
mod kit;
mod malformed;
mod models;
mod notifications;
mod plugins;
mod policy;
mod providers;
mod purge;
mod questions;
mod quoting;
mod retries;
mod secrets;
mod skills;
mod socket;
mod steering;
mod strikes;
mod surfaces;
mod tell;
mod usage;
mod web;
