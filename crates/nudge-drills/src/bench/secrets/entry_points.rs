//! Each entry point alone: how many credentials it catches, and how many innocent texts it changes.
//!
//! Every text goes through every entry point of the real binary, each in its own home, so that
//! anything found in its tables and files came through that entry point. A credential is caught if
//! nothing of it is left; an innocent text is changed if its entry reports a removal, or if it is
//! rejected.

use std::collections::BTreeSet;

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use super::case::Case;
use super::payload::{Session, transcript_lines};
use super::search::{Needles, is_input};
use super::way::{AT_ONCE, each, fire};
use crate::stage::{Home, Programs};

/// A way for a text to get into the store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EntryPoint {
    Prompt,
    Command,
    Output,
    Edit,
    Write,
    Mcp,
    Set,
    Import,
    Hints,
}

impl EntryPoint {
    pub(super) const ALL: [(&'static str, Self); 9] = [
        ("prompt", Self::Prompt),
        ("command", Self::Command),
        ("output", Self::Output),
        ("edit", Self::Edit),
        ("write", Self::Write),
        ("mcp arguments", Self::Mcp),
        ("set", Self::Set),
        ("import of transcripts", Self::Import),
        ("import of hints", Self::Hints),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, entry_point)| *entry_point == self).map_or("", |(name, _)| name)
    }

    /// Whether this entry point rejects a credential; the others replace it.
    const fn refuses(self) -> bool {
        matches!(self, Self::Set | Self::Hints)
    }
}

/// Hints in one import: no more than the import lists when it rejects them.
const HINTS_AT_ONCE: usize = 50;

/// The results of one entry point, by the numbers of the cases.
#[derive(Debug)]
pub(super) struct Passage {
    pub(super) entry_point: EntryPoint,
    pub(super) leaked: BTreeSet<usize>,
    pub(super) changed: BTreeSet<usize>,
}

/// Sends all cases through one entry point of a new home, and checks what is left there.
pub(super) fn pass(
    entry_point: EntryPoint,
    home: &Home,
    programs: &Programs,
    cases: &[Case],
    needles: &Needles,
) -> anyhow::Result<Passage> {
    std::fs::create_dir_all(home.path().join("project/.git"))?;
    home.run(&["set", "bench", "first", "cargo build"])?;
    let mut passage = Passage { entry_point, leaked: BTreeSet::new(), changed: BTreeSet::new() };
    if entry_point.refuses() {
        let refused = if entry_point == EntryPoint::Set {
            super::way::stated(home, cases)?
        } else {
            hints(home, cases)?
        };
        for (number, (case, refused)) in cases.iter().zip(refused).enumerate() {
            match (case.is_look_alike(), refused) {
                (false, false) => drop(passage.leaked.insert(number)),
                (true, true) => drop(passage.changed.insert(number)),
                _ => {}
            }
        }
    } else {
        if entry_point == EntryPoint::Import {
            import(home, cases)?
        } else {
            hooks(entry_point, home, cases)?
        }
        passage.changed = changed(home, programs, cases)?;
    }
    passage.leaked.extend(left(home, programs, needles)?);
    Ok(passage)
}

fn session(number: usize) -> String {
    format!("{number:08}-0000-4000-8000-000000000000")
}

fn hooks(entry_point: EntryPoint, home: &Home, cases: &[Case]) -> anyhow::Result<()> {
    std::fs::create_dir_all(home.path().join("transcripts"))?;
    each(cases, AT_ONCE, |number, case| {
        let session = Session { id: session(number), home: home.path() };
        let payload = session.through(entry_point, case).context("a hook has a payload")?;
        fire(home, &["hook", "claude"], &payload, true).with_context(|| case.id.clone())
    })?;
    Ok(())
}

fn import(home: &Home, cases: &[Case]) -> anyhow::Result<()> {
    let place = home.path().join("transcripts/-project");
    std::fs::create_dir_all(&place)?;
    for (number, case) in cases.iter().enumerate() {
        let session = session(number);
        let lines = transcript_lines(case, &session, &home.path().join("project"), number);
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        std::fs::write(place.join(format!("{session}.jsonl")), text)?;
    }
    home.run(&["import", "claude", &place.to_string_lossy()])?;
    Ok(())
}

/// Imports the texts as hints; returns which were rejected.
fn hints(home: &Home, cases: &[Case]) -> anyhow::Result<Vec<bool>> {
    let numbers: Vec<usize> = (0..cases.len()).collect();
    let mut refused = vec![false; cases.len()];
    for part in numbers.chunks(HINTS_AT_ONCE) {
        let mut part = part.to_vec();
        loop {
            let faults = import_hints(home, cases, &part)?;
            let other: Vec<usize> = faults.iter().filter(|(_, secret)| !secret).map(|(n, _)| *n).collect();
            if other.is_empty() {
                faults.into_iter().for_each(|(number, _)| refused[number] = true);
                break;
            }
            // Too long for a hint: no credential is stored either.
            other.iter().for_each(|number| refused[*number] = !cases[*number].is_look_alike());
            part.retain(|number| !other.contains(number));
        }
    }
    Ok(refused)
}

/// Imports these texts; returns the numbers of the rejected ones, and whether a credential was the
/// reason.
fn import_hints(home: &Home, cases: &[Case], numbers: &[usize]) -> anyhow::Result<Vec<(usize, bool)>> {
    let file = home.path().join("project/hints.json");
    let hints: Map<String, Value> =
        numbers.iter().map(|number| (format!("n{number}"), json!({"value": cases[*number].text}))).collect();
    let component = format!("bench{}", numbers.first().copied().unwrap_or(0));
    let payload = json!({"schema_version": "1.0", "components": {component.as_str(): {"hints": hints}}});
    std::fs::write(&file, payload.to_string())?;
    let output = home.nudge(&["import", &file.to_string_lossy(), "--json"]).output()?;
    std::fs::remove_file(&file)?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    let said = [output.stdout, output.stderr].concat();
    let said: Value = serde_json::from_slice(said.trim_ascii()).context("an error is reported as JSON")?;
    let faults = said["error"]["data"]["faults"].as_array().context("the faults are listed")?;
    faults
        .iter()
        .map(|fault| {
            let place = fault["at"].as_str().context("a fault has a place")?;
            let number = place.rsplit_once("/n").context("the place names the hint")?.1.parse()?;
            Ok((number, fault["id"] == "E_SECRET_REJECTED"))
        })
        .collect()
}

/// The innocent texts with entries that report a removal.
fn changed(home: &Home, programs: &Programs, cases: &[Case]) -> anyhow::Result<BTreeSet<usize>> {
    let (mut changed, mut seen) = (BTreeSet::new(), BTreeSet::new());
    for line in printed(home, programs, &["--seen"])?.lines() {
        let entry: Value = serde_json::from_str(line)?;
        let number = entry["session"].as_str().and_then(|session| session.get(..8)?.parse::<usize>().ok());
        let Some((number, case)) = number.and_then(|number| Some((number, cases.get(number)?))) else {
            continue;
        };
        seen.insert(number);
        let attributes: Value = serde_json::from_str(entry["attributes"].as_str().unwrap_or("{}"))?;
        let count = |text: &str| text.matches("[REDACTED]").count();
        let marks = count(entry["body"].as_str().unwrap_or_default()) > count(&case.text);
        if case.is_look_alike() && (attributes["redacted"] == true || marks) {
            changed.insert(number);
        }
    }
    ensure!(
        seen.len() * 100 >= cases.len() * 98,
        "only {} of {} texts left an entry",
        seen.len(),
        cases.len()
    );
    Ok(changed)
}

/// The cases with traces in a table, a backup, an export or a file.
fn left(home: &Home, programs: &Programs, needles: &Needles) -> anyhow::Result<BTreeSet<usize>> {
    home.run(&["backup"])?;
    home.run(&["export", "--output", &home.path().join("export.json").to_string_lossy()])?;
    let mut found = BTreeSet::new();
    for line in printed(home, programs, &[])?.lines() {
        let row: Value = serde_json::from_str(line).context("dump-store prints JSON")?;
        found.extend(needles.found(row["text"].as_str().unwrap_or_default().as_bytes()));
    }
    let mut open = vec![home.path().to_path_buf()];
    while let Some(dir) = open.pop() {
        for item in std::fs::read_dir(&dir)?.flatten() {
            let path = item.path();
            if path.is_dir() {
                if !is_input(home, &path) {
                    open.push(path);
                }
            } else if let Ok(content) = std::fs::read(&path) {
                found.extend(needles.found(&content));
            }
        }
    }
    Ok(found)
}

fn printed(home: &Home, programs: &Programs, more: &[&str]) -> anyhow::Result<String> {
    let output = home.bare(programs, "dump-store").arg(home.database()).args(more).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the store cannot be read: {}", said.trim());
    Ok(String::from_utf8(output.stdout)?)
}
