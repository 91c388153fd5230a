//! The files of a project root, on a real disk: what stays inside, what a scan lists, what a write
//! leaves behind.
#![cfg(unix)]

mod workspace {
    mod constraints;
    mod freshness;
    mod inside_root;
    mod races;
    mod scan;
    mod support;
    mod writes;
}
