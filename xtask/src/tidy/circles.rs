//! The order of the modules inside a crate: no cycles between rooms, and no cycles of many files.
//!
//! A room is a top module: `src/x.rs` and all of `src/x/`. A crate lists its rooms in [`ORDERS`]
//! from the ground up; a room may only use the rooms before it. Tests are exempt, and so are
//! `lib.rs` and `main.rs`, which re-export names. Method calls are not seen: only names are read.

mod arrows;
mod graph;
mod imports;
mod orders;

use std::collections::{BTreeMap, BTreeSet};

use self::arrows::CrateArrows;
use self::graph::Graph;
pub(crate) use self::orders::ORDERS;
use self::orders::STILL_CIRCLES;
use crate::finding::Finding;
use crate::tree::Tree;

/// Two or three files may use each other; more are a knot.
const MAX_FILES: usize = 3;

/// Finds cycles, and imports against the declared order.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, ORDERS, STILL_CIRCLES)
}

/// How many other files of its crate use each file that is neither a test nor a crate's root. What
/// a root or a parent only re-exports is not used by it.
pub(crate) fn users(tree: &Tree) -> BTreeMap<String, usize> {
    let mut users = BTreeMap::new();
    for each in arrows::read(tree) {
        users.extend(each.tops.into_keys().map(|file| (file, 0)));
        for (_, used) in each.arrows.into_keys() {
            *users.entry(used).or_default() += 1;
        }
    }
    users
}

/// The cycles that the list of exempt crates hides.
pub(crate) fn notes(tree: &Tree) -> Vec<String> {
    let crates = arrows::read(tree);
    let listed = crates.iter().filter(|each| STILL_CIRCLES.contains(&each.name.as_str()));
    listed
        .map(|each| match circles(each).len() {
            0 => format!("{}: free of circles; take it off STILL_CIRCLES", each.name),
            count => format!("{}: {count} circles still stand; see `tidy --floors`", each.name),
        })
        .collect()
}

fn check_with(tree: &Tree, orders: &[(&str, &[&str])], still: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for each in arrows::read(tree) {
        if !still.contains(&each.name.as_str()) {
            findings.extend(circles(&each).iter().map(|circle| finding_of(&each, circle)));
        }
        if let Some((_, order)) = orders.iter().find(|(name, _)| *name == each.name) {
            findings.extend(against_order(&each, order));
        }
    }
    findings
}

/// A group of rooms, or of files, that all reach each other.
struct Circle {
    of: &'static str,
    members: BTreeSet<String>,
    /// One step per pair: which file uses which names of which other file.
    steps: Vec<String>,
}

/// The cycles of one crate that are not allowed.
fn circles(each: &CrateArrows) -> Vec<Circle> {
    let rooms = room_graph(each).circles().into_iter();
    let files = file_graph(each).circles().into_iter().filter(|circle| circle.len() > MAX_FILES);
    let of_rooms = rooms.map(|members| {
        let room = |file: &String| members.contains(&each.tops[file]);
        let steps = steps(each, |from, to| room(from) && room(to) && each.tops[from] != each.tops[to]);
        Circle { of: "top modules", members, steps }
    });
    let of_files = files.map(|members| {
        let steps = steps(each, |from, to| members.contains(from) && members.contains(to));
        Circle { of: "files", members, steps }
    });
    of_rooms.chain(of_files).collect()
}

fn room_graph(each: &CrateArrows) -> Graph {
    Graph::new(each.tops.values(), each.arrows.keys().map(|(from, to)| (&each.tops[from], &each.tops[to])))
}

fn file_graph(each: &CrateArrows) -> Graph {
    Graph::new(each.tops.keys(), each.arrows.keys().map(|(from, to)| (from, to)))
}

fn steps(each: &CrateArrows, inside: impl Fn(&String, &String) -> bool) -> Vec<String> {
    let kept = each.arrows.iter().filter(|((from, to), _)| inside(from, to));
    kept.map(|((from, to), names)| format!("{from} takes {} from {to}", listed(names))).collect()
}

fn listed<'a>(names: impl IntoIterator<Item = &'a String>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn finding_of(each: &CrateArrows, circle: &Circle) -> Finding {
    let count = circle.members.len();
    let problem = format!(
        "a circle of {count} {} in `{}`: {}\n        {}",
        circle.of,
        each.name,
        circle.members.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
        circle.steps.join("\n        ")
    );
    let first = each
        .tops
        .keys()
        .find(|file| circle.members.contains(*file) || circle.members.contains(&each.tops[*file]));
    let way_out = "move what both need below both, or pass it in as an argument, until one step is gone";
    Finding::new(first.cloned().unwrap_or_default(), 0, problem, way_out)
}

/// Imports from an earlier room to a later one, rooms that the order does not list, and listed
/// rooms that no longer exist.
fn against_order(each: &CrateArrows, order: &[&str]) -> Vec<Finding> {
    let place: BTreeMap<&str, usize> = order.iter().enumerate().map(|(place, room)| (*room, place)).collect();
    let rooms: BTreeMap<&String, &String> = each.tops.iter().rev().map(|(file, room)| (room, file)).collect();
    let row = format!("the row of `{}` in xtask/src/tidy/circles/orders.rs", each.name);
    let mut findings = Vec::new();
    for (room, file) in rooms.iter().filter(|(room, _)| !place.contains_key(room.as_str())) {
        let way_out = format!("add it to {row}, above all that it takes from");
        findings.push(Finding::new(*file, 0, format!("module `{room}` has no place in the order"), way_out));
    }
    for gone in order.iter().filter(|room| !rooms.contains_key(&(**room).to_owned())) {
        let problem = format!("`{}` has no module `{gone}`", each.name);
        findings.push(Finding::new(
            "xtask/src/tidy/circles/orders.rs",
            0,
            problem,
            format!("take it out of {row}"),
        ));
    }
    for ((from, to), names) in &each.arrows {
        let (lower, upper) = (&each.tops[from], &each.tops[to]);
        let places = (place.get(lower.as_str()), place.get(upper.as_str()));
        if let (Some(low), Some(high)) = places
            && low < high
        {
            let problem = format!(
                "takes {} from {to}; module `{lower}` lies below `{upper}` in the order of `{}`",
                listed(names),
                each.name
            );
            let way_out = "move what is taken to a lower module, or pass it in as an argument";
            findings.push(Finding::new(from, 0, problem, way_out));
        }
    }
    findings
}

// `cargo xtask tidy --floors [CRATE]`: the figures of every crate, from the ground up; for one
// crate also the steps of its cycles.

/// Prints top modules, floors, upward arrows and cycles of every crate, or everything about one
/// crate.
pub(crate) fn print(tree: &Tree, only: Option<&str>) -> anyhow::Result<()> {
    let mut crates = arrows::read(tree);
    crates.retain(|each| only.is_none_or(|only| only == each.name));
    anyhow::ensure!(!crates.is_empty(), "no crate has that name");
    for each in crates {
        print!("{}", page(&each));
        for circle in circles(&each).iter().filter(|_| only.is_some()) {
            println!("\n  circle of {} {}:", circle.members.len(), circle.of);
            circle.steps.iter().for_each(|step| println!("    {step}"));
        }
    }
    Ok(())
}

fn page(each: &CrateArrows) -> String {
    let (rooms, files) = (room_graph(each), file_graph(each));
    let declared = ORDERS.iter().find(|(name, _)| *name == each.name);
    let order = declared
        .map_or_else(|| rooms.order(), |(_, order)| order.iter().map(|room| (*room).to_owned()).collect());
    let (floors, back) = (rooms.floors(&order), rooms.back_up(&order));
    let mut page = format!(
        "{}: {} top modules, {} floors, {} arrows, {} back up; {} files, {} arrows; {} circles\n",
        each.name,
        rooms.nodes().count(),
        floors.len(),
        rooms.arrows().count(),
        back.len(),
        files.nodes().count(),
        files.arrows().count(),
        circles(each).len(),
    );
    for (height, floor) in floors.iter().enumerate() {
        page += &format!("  floor {height}: {}\n", floor.join(" "));
    }
    for (from, to) in back {
        page += &format!("  back up: {from} takes from {to}\n");
    }
    for circle in circles(each) {
        let graph = if circle.of == "files" { &files } else { &rooms };
        page += &line_of(&circle, graph);
    }
    page
}

/// The members of a cycle, and the one member without which there would be no cycle, if there is
/// one.
fn line_of(circle: &Circle, graph: &Graph) -> String {
    let members: Vec<_> = circle.members.iter().map(|name| short(name)).collect();
    let dissolves =
        |hub: &&String| graph.without(hub).circles().iter().all(|left| left.is_disjoint(&circle.members));
    let hub = circle.members.iter().find(dissolves);
    let through = hub.map_or_else(String::new, |hub| format!(" (all through {})", short(hub)));
    format!("  circle of {} {}: {}{through}\n", members.len(), circle.of, members.join(" "))
}

/// A file's path from its `src/` on.
fn short(name: &str) -> &str {
    name.split_once("/src/").map_or(name, |(_, inside)| inside)
}

#[cfg(test)]
mod tests;
