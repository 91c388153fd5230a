//! The store as its users see it: several processes, crashes, sandboxes, old and new versions.

mod backup;
mod contention;
mod crash;
mod durability;
mod entries;
mod feed;
mod foreign;
mod hints;
mod injections;
mod lost;
mod migrations;
mod observations;
mod operations;
mod places;
mod plans;
mod read_only;
mod refusals;
mod runs;
mod scale;
mod secrets;
mod sessions;
mod statements;
mod support;
mod views;
