//! `cargo xtask tidy --floors [CRATE]`: the figures of every crate, from the ground up; for one
//! crate also the steps of its cycles.

use super::arrows::{self, CrateArrows};
use super::graph::Graph;
use super::{Circle, ORDERS, circles, file_graph, room_graph};
use crate::tree::Tree;

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
