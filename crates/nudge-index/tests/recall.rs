//! The index and the search over an in-memory store, compared with a plain scan of the same store.

mod recall {
    mod disposable;
    mod filters;
    mod harmed;
    mod language;
    mod memory;
    mod order;
    mod place;
    mod purge;
    mod tail;
    mod words;
}
