//! Whole loops: a script plays the model, the store and the user, and every effect is shown.

mod budget;
mod dispatch;
mod driver;
mod endings;
mod invariants;
mod replies;
