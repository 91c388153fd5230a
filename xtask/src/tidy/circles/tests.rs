//! Finds planted cycles and imports against the order.

use super::*;

const TWO_ROOMS: &[(&str, &str)] = &[
    ("crates/a/src/lib.rs", "mod ground; mod upper;"),
    ("crates/a/src/ground.rs", "mod inner; pub struct Ground;"),
    ("crates/a/src/ground/inner.rs", "use crate::upper::Upper;"),
    ("crates/a/src/upper.rs", "use crate::ground::Ground; pub struct Upper;"),
];

const FOUR_FILES: &[(&str, &str)] = &[
    ("crates/a/src/lib.rs", "mod x;"),
    ("crates/a/src/x.rs", "mod a; mod b; mod c; mod d;"),
    ("crates/a/src/x/a.rs", "pub struct A; use super::b::B;"),
    ("crates/a/src/x/b.rs", "pub struct B; use super::c::C;"),
    ("crates/a/src/x/c.rs", "pub struct C; use super::d::D;"),
    ("crates/a/src/x/d.rs", "pub struct D; use super::a::A;"),
];

fn problems(files: &[(&str, &str)], order: &[&str], still: &[&str]) -> Vec<String> {
    let orders: &[(&str, &[&str])] = if order.is_empty() { &[] } else { &[("a", order)] };
    let findings = check_with(&Tree::of(files), orders, still);
    findings.into_iter().map(|finding| format!("{}: {}", finding.path, finding.problem)).collect()
}

#[test]
fn a_circle_between_top_modules_is_refused_step_by_step() {
    let steps = "crates/a/src/ground.rs: a circle of 2 top modules in `a`: ground, upper
        crates/a/src/ground/inner.rs takes `Upper` from crates/a/src/upper.rs
        crates/a/src/upper.rs takes `Ground` from crates/a/src/ground.rs";
    assert_eq!(problems(TWO_ROOMS, &[], &[]), [steps]);
}

#[test]
fn a_circle_of_four_files_is_refused_and_one_of_three_passes() {
    let steps = "crates/a/src/x/a.rs: a circle of 4 files in `a`: crates/a/src/x/a.rs, crates/a/src/x/b.rs, crates/a/src/x/c.rs, crates/a/src/x/d.rs
        crates/a/src/x/a.rs takes `B` from crates/a/src/x/b.rs
        crates/a/src/x/b.rs takes `C` from crates/a/src/x/c.rs
        crates/a/src/x/c.rs takes `D` from crates/a/src/x/d.rs
        crates/a/src/x/d.rs takes `A` from crates/a/src/x/a.rs";
    assert_eq!(problems(FOUR_FILES, &[], &[]), [steps]);
    let mut three = FOUR_FILES.to_vec();
    three[4].1 = "pub struct C; use super::a::A;";
    assert_eq!(problems(&three, &[], &[]), [""; 0]);
}

#[test]
fn crates_still_in_circles_pass_for_now() {
    assert_eq!(problems(TWO_ROOMS, &[], &["a"]), [""; 0]);
    assert_eq!(problems(FOUR_FILES, &[], &["a"]), [""; 0]);
}

#[test]
fn an_import_against_the_declared_order_is_refused() {
    let against = "crates/a/src/ground/inner.rs: takes `Upper` from crates/a/src/upper.rs; \
                   module `ground` lies below `upper` in the order of `a`";
    assert_eq!(problems(TWO_ROOMS, &["ground", "upper"], &["a"]), [against]);
    let along = &TWO_ROOMS[..2];
    assert_eq!(problems(along, &["ground"], &[]), [""; 0]);
}

#[test]
fn a_declared_order_names_every_module_and_no_other() {
    assert_eq!(
        problems(&TWO_ROOMS[..2], &["cellar"], &[]),
        [
            "crates/a/src/ground.rs: module `ground` has no place in the order",
            "xtask/src/tidy/circles/orders.rs: `a` has no module `cellar`",
        ]
    );
}
