//! Searching what was captured, and the index that makes it fast.

mod assemble;
mod beside;
mod index;
mod order;
mod rows;
mod setup;
mod where_to;
