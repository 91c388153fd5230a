//! Each way in which a file can name what another defines.

use super::*;

const ROOT: &str = "crates/a/src/";

/// The arrows of a crate; its files are given without directory and extension.
fn arrows(files: &[(&str, &str)]) -> Vec<String> {
    let paths: Vec<_> = files.iter().map(|(name, _)| format!("{ROOT}{name}.rs")).collect();
    let files: Vec<_> = paths.iter().zip(files).map(|(path, (_, text))| (path.as_str(), *text)).collect();
    let crates = read(&Tree::of(&files));
    let short = |path: &str| path.trim_start_matches(ROOT).trim_end_matches(".rs").to_owned();
    let line = |((from, to), names): (&(String, String), &BTreeSet<String>)| {
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        format!("{} > {}: {}", short(from), short(to), names.join(" "))
    };
    crates[0].arrows.iter().map(line).collect()
}

#[test]
fn paths_of_every_kind_lead_to_the_file_that_defines_the_name() {
    let found = arrows(&[
        ("lib", "mod x; mod y; mod z;"),
        ("x", "use crate::y::{Y, in_y}; fn f() { crate::z::g(); super::z::h(); self::own() } fn own() {}"),
        ("y", "pub struct Y; pub fn in_y() {}"),
        ("z", "pub fn g() {} pub fn h() {}"),
    ]);
    assert_eq!(found, ["x > y: Y in_y", "x > z: g h"]);
}

#[test]
fn names_of_the_root_lead_to_the_module_that_defines_them() {
    let found = arrows(&[
        ("lib", "mod x; mod y; pub use y::inner::Deep; pub use y::Y;"),
        ("x", "use crate::{Deep, Y};"),
        ("y", "pub mod inner; pub struct Y;"),
        ("y/inner", "pub struct Deep;"),
    ]);
    assert_eq!(found, ["x > y: Y", "x > y/inner: Deep"]);
}

#[test]
fn a_sibling_reached_through_the_parent_is_drawn_to_the_sibling() {
    let found = arrows(&[
        ("lib", "mod x;"),
        ("x", "mod a; mod b; pub use a::A; use b::B; fn f(b: B) {}"),
        ("x/a", "pub struct A; use super::B;"),
        ("x/b", "pub struct B; use super::{A, f};"),
    ]);
    assert_eq!(found, ["x > x/b: B", "x/a > x/b: B", "x/b > x: f", "x/b > x/a: A"]);
}

#[test]
fn a_parent_that_only_hands_a_child_on_takes_nothing() {
    let files = [("lib", "mod x;"), ("x", "mod a; pub(crate) use a::A;"), ("x/a", "pub struct A;")];
    assert_eq!(arrows(&files), [""; 0]);
    let files = [("lib", "mod x;"), ("x", "mod a; pub use a::A; fn f(a: A) {}"), ("x/a", "pub struct A;")];
    assert_eq!(arrows(&files), ["x > x/a: A"]);
}

#[test]
fn an_imported_module_is_followed_into_the_paths_through_it() {
    let found = arrows(&[
        ("lib", "mod x; mod y;"),
        ("x", "use crate::y; fn f() { y::g(); y::inner::h(); y::Deep::new() }"),
        ("y", "pub mod inner; pub use inner::Deep; pub fn g() {}"),
        ("y/inner", "pub struct Deep; pub fn h() {}"),
    ]);
    assert_eq!(found, ["x > y: g", "x > y/inner: Deep h"]);
}

#[test]
fn globs_bring_the_names_that_are_used() {
    let found = arrows(&[
        ("lib", "mod x;"),
        ("x", "mod a; mod b; pub use b::*; struct Own;"),
        ("x/a", "use super::*; fn f(own: Own, b: B) {}"),
        ("x/b", "pub struct B; pub struct Unused;"),
    ]);
    assert_eq!(found, ["x/a > x: Own", "x/a > x/b: B"]);
}

#[test]
fn tests_other_crates_and_the_root_draw_nothing() {
    let found = arrows(&[
        ("lib", "mod x; mod y; #[cfg(test)] mod sample; pub struct Root;"),
        ("x", "use std::y; use crate::Root; #[cfg(test)] mod tests { use crate::y::Y; }"),
        ("x/tests", "use crate::y::Y;"),
        ("y", "pub struct Y;"),
        ("sample", "use crate::y::Y;"),
    ]);
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_macro_handed_on_under_its_own_name_is_its_files() {
    let found = arrows(&[
        ("lib", "mod x; mod y;"),
        ("x", "use crate::y::select; fn f() { select!() }"),
        ("y", "macro_rules! select { () => {} } pub(crate) use select;"),
    ]);
    assert_eq!(found, ["x > y: select"]);
}

#[test]
fn inside_an_inline_module_the_parent_is_the_file() {
    let files = [
        ("lib", "mod x; mod y;"),
        ("x", "mod inner { use super::Own; use super::super::y::Y; } struct Own;"),
        ("y", "pub struct Y;"),
    ];
    assert_eq!(arrows(&files), ["x > y: Y"]);
}
