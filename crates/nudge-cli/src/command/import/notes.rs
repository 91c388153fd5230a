//! `nudge import notes` imports the notes that agents read by themselves, and `nudge import
//! memories` those that were written down elsewhere.

use std::path::PathBuf;

use clap::Args;
use nudge_core::Fault;
use nudge_memory::import::memories::{self, MemoriesReport};
use nudge_memory::knowledge::{Remember, RememberParams};
use serde_json::{Value, json};

use super::Bar;
use crate::context_args::{here, working_directory};
use crate::exit::{Exit, Failure};
use crate::flags::DryRunFlag;
use crate::invocation::{Invocation, now, refuse_ephemeral};
use crate::own_notes::{self, AgentNotesFile};
use crate::pages::Page;
use crate::pages::words::count;
use crate::registration::InstallContext;

// Selects the notes.
#[derive(Debug, Args)]
pub(super) struct NotesArgs {
    /// Files to read [default: CLAUDE.md, AGENTS.md and agents' memories, of this project and your
    /// own]
    files: Vec<PathBuf>,
    #[command(flatten)]
    dry_run: DryRunFlag,
}

/// The result for one file.
struct Read {
    notes: AgentNotesFile,
    statements: Vec<String>,
    too_long: usize,
    created: usize,
    refused: Vec<Fault>,
}

impl NotesArgs {
    /// Reads the files and saves their statements. It never writes to the files.
    pub(super) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let mut all = Vec::new();
        for notes in self.notes(invocation)? {
            let text = own_notes::read(&notes.path).ok_or_else(|| {
                let path = notes.path.display();
                Fault::invalid(
                    "unreadable_file",
                    format!("cannot read {path}: it is missing, empty or not text"),
                )
                .next("name another file")
            })?;
            let (statements, too_long) = own_notes::statements(&text);
            let mut read = Read { notes, statements, too_long, created: 0, refused: Vec::new() };
            if !self.dry_run.dry_run {
                state(invocation, &mut read)?;
            }
            all.push(read);
        }
        let answer =
            json!({"dry_run": self.dry_run.dry_run, "files": all.iter().map(to_json).collect::<Vec<_>>()});
        invocation.output.answer(&answer, |page| render(page, &all, self.dry_run.dry_run));
        Ok(Exit::Ok)
    }

    fn notes(&self, invocation: &Invocation) -> Result<Vec<AgentNotesFile>, Fault> {
        if self.files.is_empty() {
            let place = InstallContext::find(invocation.home()?)?;
            return Ok(own_notes::find(place.user_home(), &working_directory()));
        }
        let named = |path: &PathBuf| AgentNotesFile {
            path: std::path::absolute(path).unwrap_or_else(|_| path.clone()),
            reader: "",
            of_project: true,
            lines: 0,
        };
        Ok(self.files.iter().map(named).collect())
    }
}

fn state(invocation: &Invocation, read: &mut Read) -> Result<(), Fault> {
    let here = here();
    for text in &read.statements {
        let params = RememberParams {
            text: text.clone(),
            category: None,
            directory: None,
            quote: None,
            project: None,
            everywhere: !read.notes.of_project,
            from_file: Some(read.notes.path.to_string_lossy().into_owned()),
        };
        match invocation.call::<Remember>(&params, here.clone()) {
            Ok(answer) => {
                let answer = answer.typed()?;
                read.created += usize::from(answer.created);
            }
            // One line that looks like a secret does not block the others.
            Err(fault) if !fault.kind.is_failure() => read.refused.push(fault),
            Err(fault) => return Err(fault),
        }
    }
    Ok(())
}

fn to_json(read: &Read) -> Value {
    let refused: Vec<&str> = read.refused.iter().map(|fault| fault.message.as_str()).collect();
    json!({
        "path": read.notes.path,
        "statements": read.statements.len(),
        "created": read.created,
        "too_long": read.too_long,
        "refused": refused,
        "everywhere": !read.notes.of_project,
    })
}

fn render(page: &mut Page, all: &[Read], dry_run: bool) {
    if all.is_empty() {
        page.text("no CLAUDE.md, AGENTS.md or agent memory found here").end();
        return;
    }
    let n = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    for read in all {
        let path = read.notes.path.display();
        let place = if read.notes.of_project { "for this project" } else { "for every project" };
        if dry_run {
            page.text(format!("· {path}: {} {place}", count(n(read.statements.len()), "statement"))).end();
            for text in &read.statements {
                page.text("    ").line(text).end();
            }
        } else {
            page.good("✔").text(format!(
                " {path}: {} new, {} in all, {place}",
                read.created,
                read.statements.len()
            ));
            page.end();
        }
        if read.too_long > 0 {
            page.text(format!("  skipped: {} too long for a statement", read.too_long)).end();
        }
        for fault in &read.refused {
            page.warning("  skipped:").text(format!(" {}", fault.message)).end();
        }
    }
    page.text("The files do not change. `nudge knows` lists the statements, `nudge forget` removes one.")
        .end();
}

// `nudge import memories`: imports memories that were written down elsewhere.

/// How many bad lines a page shows; `--json` lists all.
const MAX_SHOWN: usize = 20;

// Selects the memories.
#[derive(Debug, Args)]
pub(super) struct MemoriesArgs {
    /// JSON Lines file with id, project, text, and optionally date and files; - reads standard
    /// input
    file: PathBuf,
    #[command(flatten)]
    dry_run: DryRunFlag,
}

impl MemoriesArgs {
    /// Imports every good line, and names every bad one.
    pub(super) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let home = invocation.home()?;
        refuse_ephemeral(&home)?;
        let mut bar = Bar::new(invocation.output.is_json());
        let report = memories::memories(&home, &self.file, self.dry_run.dry_run, now(), &mut |progress| {
            bar.show(progress)
        });
        bar.clear();
        let report = report?;
        let answer = serde_json::to_value(&report).unwrap_or_default();
        invocation.output.answer(&answer, |page| render_memories(page, &report));
        Ok(Exit::Ok)
    }
}

fn render_memories(page: &mut Page, report: &MemoriesReport) {
    let (mark, verb) = if report.dry_run { ("·", "would import") } else { ("✔", "imported") };
    let memories =
        if report.imported == 1 { "1 memory".to_owned() } else { format!("{} memories", report.imported) };
    page.good(mark)
        .text(format!(" {verb} {memories}, {} changed, {} known already", report.updated, report.known))
        .end();
    if report.bad.is_empty() {
        return;
    }
    let bad = i64::try_from(report.bad.len()).unwrap_or(i64::MAX);
    page.warning("warning:").text(format!(" {} left out", count(bad, "bad line"))).end();
    for bad in report.bad.iter().take(MAX_SHOWN) {
        page.text(format!("  line {}: {}", bad.line, bad.why)).end();
    }
    if report.bad.len() > MAX_SHOWN {
        page.text(format!("  and {} more; --json lists all", report.bad.len() - MAX_SHOWN)).end();
    }
}
