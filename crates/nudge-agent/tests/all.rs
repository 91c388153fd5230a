//! Every integration test of this crate, in one binary: a further one would be linked again.

mod gbnf;
mod machine;
mod runs;
mod texts;
