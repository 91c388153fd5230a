//! Finding captured entries, from a terminal and through an agent's tools.

mod cold;
mod order;
mod search;
mod setup;
mod tools;
mod views;
mod whole;
