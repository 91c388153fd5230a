//! Every integration test of this crate, in one binary: a further one would be linked again.

mod edit_markers;
mod edit_pairs;
mod edit_properties;
mod edit_real;
mod functions;
mod pattern_bounds;
mod pattern_kinds;
mod tags;
mod tags_real;
