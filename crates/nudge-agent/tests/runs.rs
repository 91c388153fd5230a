//! Runs without a model: their operations, their skills, and how long they are kept.

mod configure;
mod fork;
mod lifecycle;
mod models;
mod queue;
mod resume;
mod retention;
mod setup;
mod skill_bounds;
mod skills;
mod surfaces;
