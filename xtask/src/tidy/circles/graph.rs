//! Cycles and floors of a graph of names.

use std::collections::{BTreeMap, BTreeSet};

/// Which node uses which.
#[derive(Debug, Default)]
pub(super) struct Graph {
    taken: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// A graph of these nodes; an arrow from a node to itself is ignored.
    pub(super) fn new<'a>(
        nodes: impl IntoIterator<Item = &'a String>,
        arrows: impl IntoIterator<Item = (&'a String, &'a String)>,
    ) -> Self {
        let mut taken: BTreeMap<_, BTreeSet<_>> =
            nodes.into_iter().map(|node| (node.clone(), BTreeSet::new())).collect();
        for (from, to) in arrows.into_iter().filter(|(from, to)| from != to) {
            taken.entry(from.clone()).or_default().insert(to.clone());
            taken.entry(to.clone()).or_default();
        }
        Self { taken }
    }

    pub(super) fn nodes(&self) -> impl Iterator<Item = &String> {
        self.taken.keys()
    }

    pub(super) fn arrows(&self) -> impl Iterator<Item = (&String, &String)> {
        self.taken.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to)))
    }

    /// The groups of nodes that all reach each other, largest first.
    pub(super) fn circles(&self) -> Vec<BTreeSet<String>> {
        let reached: BTreeMap<_, _> = self.nodes().map(|node| (node, self.reached(node))).collect();
        let mut circles = BTreeSet::new();
        for (node, ahead) in &reached {
            if ahead.contains(*node) {
                let back = |other: &&String| reached[*other].contains(*node);
                circles.insert(ahead.iter().filter(back).cloned().collect::<BTreeSet<_>>());
            }
        }
        let mut circles: Vec<_> = circles.into_iter().collect();
        circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
        circles
    }

    /// All nodes that a node uses, directly or indirectly.
    fn reached(&self, start: &str) -> BTreeSet<String> {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&String> = self.taken[start].iter().collect();
        while let Some(node) = next.pop() {
            if reached.insert(node.clone()) {
                next.extend(&self.taken[node]);
            }
        }
        reached
    }

    /// The same graph without one node.
    pub(super) fn without(&self, node: &str) -> Self {
        Self::new(
            self.nodes().filter(|each| *each != node),
            self.arrows().filter(|(a, b)| *a != node && *b != node),
        )
    }

    /// The same graph without these arrows.
    fn cut(&self, arrows: &[(&String, &String)]) -> Self {
        Self::new(self.nodes(), self.arrows().filter(|arrow| !arrows.contains(arrow)))
    }

    /// The nodes from the ground up, without the upward arrows of this order: a node that uses
    /// nothing is on floor 0, and each other node is one floor above the highest it uses.
    pub(super) fn floors(&self, order: &[String]) -> Vec<Vec<String>> {
        self.cut(&self.back_up(order)).groups()
    }

    /// The nodes from the ground up, each cycle as one group.
    fn groups(&self) -> Vec<Vec<String>> {
        let circles = self.circles();
        let (mut floors, mut placed) = (Vec::new(), BTreeSet::new());
        while placed.len() < self.taken.len() {
            let stands = |node: &&String| {
                let own = circles.iter().find(|circle| circle.contains(*node));
                let rests = |node: &String| {
                    let known = |to: &String| placed.contains(to) || own.is_some_and(|own| own.contains(to));
                    self.taken[node].iter().all(known)
                };
                !placed.contains(*node) && own.map_or_else(|| rests(node), |own| own.iter().all(rests))
            };
            let floor: Vec<String> = self.nodes().filter(stands).cloned().collect();
            placed.extend(floor.iter().cloned());
            floors.push(floor);
        }
        floors
    }

    /// An order from the ground up with few upward arrows.
    pub(super) fn order(&self) -> Vec<String> {
        self.groups().iter().flat_map(|group| self.order_of(group)).collect()
    }

    /// The order within a group: next comes the node that uses the fewest of those still to come.
    fn order_of(&self, group: &[String]) -> Vec<String> {
        let mut left: Vec<&String> = group.iter().collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let takes =
                |node: &String| left.iter().filter(|other| self.taken[node].contains(**other)).count();
            let gives =
                |node: &String| left.iter().filter(|other| self.taken[**other].contains(node)).count();
            let place = |node: &String| takes(node) as isize - gives(node) as isize;
            let sinks = left.iter().position(|node| takes(node) == 0);
            let lowest = (0..left.len()).min_by_key(|index| place(left[*index]));
            order.push(left.remove(sinks.or(lowest).unwrap_or(0)).clone());
        }
        order
    }

    /// The arrows from an earlier to a later node of this order.
    pub(super) fn back_up(&self, order: &[String]) -> Vec<(&String, &String)> {
        let place = |node: &String| order.iter().position(|other| other == node);
        let up =
            |(from, to): &(&String, &String)| matches!((place(from), place(to)), (Some(a), Some(b)) if a < b);
        self.arrows().filter(up).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(arrows: &[(&str, &str)]) -> Graph {
        let arrows: Vec<_> = arrows.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Graph::new([], arrows.iter().map(|(a, b)| (a, b)))
    }

    #[test]
    fn circles_are_the_groups_that_reach_each_other() {
        let graph =
            graph(&[("a", "b"), ("b", "a"), ("c", "d"), ("d", "e"), ("e", "c"), ("e", "a"), ("f", "e")]);
        let circles: Vec<Vec<_>> =
            graph.circles().into_iter().map(|circle| circle.into_iter().collect()).collect();
        assert_eq!(circles, [vec!["c", "d", "e"], vec!["a", "b"]]);
    }

    #[test]
    fn floors_rise_from_what_takes_nothing_and_arrows_back_up_do_not_count() {
        let graph = graph(&[("c", "b"), ("b", "a"), ("x", "y"), ("y", "x"), ("y", "a"), ("z", "x")]);
        assert_eq!(graph.order(), ["a", "b", "x", "y", "c", "z"]);
        assert_eq!(graph.floors(&graph.order()), [vec!["a", "x"], vec!["b", "y", "z"], vec!["c"]]);
    }

    #[test]
    fn the_order_of_a_graph_without_circles_has_no_arrow_back_up() {
        let graph = graph(&[("c", "b"), ("b", "a"), ("c", "a")]);
        assert_eq!(graph.order(), ["a", "b", "c"]);
        assert_eq!(graph.back_up(&graph.order()).len(), 0);
    }

    #[test]
    fn a_circle_has_an_arrow_back_up_in_every_order() {
        let graph = graph(&[("a", "b"), ("b", "c"), ("c", "a")]);
        assert_eq!(graph.back_up(&graph.order()).len(), 1);
    }
}
