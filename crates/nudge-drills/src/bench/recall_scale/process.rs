//! `nudge search` as a whole process, compared with a bare program over the same rows and with one
//! that does nothing.

use std::path::Path;

use anyhow::Context;

use super::race::{Turn, race};
use super::scene::Scene;
use crate::bench::table::{Aim, Table};

/// Counted runs.
const RUNS: usize = 300;

pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let questions = questions(scene)?;
    let words = |run: usize| questions[run % questions.len()].split(' ');
    let turn = |command, speaks| Ok(Turn { command, input: String::new(), speaks });
    let ours = |run| {
        let mut command = scene.home.nudge(&["search", "--all", "--json"]);
        command.args(words(run));
        turn(command, true)
    };
    let bare = |run| {
        let mut command = scene.home.bare(&scene.programs, "bare-search");
        command.arg(&scene.stores.tantivy).args(words(run));
        turn(command, true)
    };
    let nothing = |_| turn(scene.home.program(Path::new("/bin/true")), false);
    let [ours, bare, nothing] = race([&ours, &bare, &nothing], RUNS)?;
    table.compare(
        "`nudge search`, three words, whole process",
        ours,
        ("bare Tantivy, whole process", bare),
        Aim::None,
    );
    table.compare("the same", ours, ("`true`", nothing), Aim::None);
    Ok(())
}

/// Questions of three words each.
fn questions(scene: &Scene) -> anyhow::Result<Vec<String>> {
    let mut command = scene.home.bare(&scene.programs, "ask-words");
    command.arg("three").arg(RUNS.to_string()).args(&scene.words);
    let output = command.output().context("no questions can be made")?;
    anyhow::ensure!(output.status.success(), "making questions ended with {}", output.status);
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}
