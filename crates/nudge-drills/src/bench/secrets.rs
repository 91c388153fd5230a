//! Checks that no credential is stored: real hooks, real files, every byte searched.
//!
//! Each case is sent as the hooks of an agent would send it, through the real binary: alone, next
//! to a running server, and through the spool. It is also recorded, imported from a transcript, and
//! set as a hint. Then every table is read through the engine, and every file of the home is
//! searched byte by byte: database, write-ahead log, backup, export, spool, drop record, logs. A
//! look-alike must be stored word for word, and accepted as a hint.
//!
//! In addition, every text goes through each entry point alone (`entry_points`), for separate
//! figures.
//!
//! `cargo xtask bench secrets [--credentials FILE]… [--innocent FILE]…`.
//! `crates/nudge-drills/data/secrets/README.md` describes the format of the files.

mod case;
mod entry_points;
mod report;
mod way;

use std::path::PathBuf;

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::args::Product;
use crate::stage::{Home, Programs};
use case::Case;
use case::{Needles, is_input};
use entry_points::EntryPoint;
use report::Findings;

/// The cases in this repository.
const OWN_FILES: [&str; 2] = ["credentials.jsonl", "lookalikes.jsonl"];

/// Sends all cases every way and searches the stored data.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let mut files = options.files();
    let own = files.is_empty();
    if own {
        files = own_files();
    }
    let mut cases = Vec::new();
    for file in &files {
        for mut case in case::read(&file.path)?.into_iter().step_by(options.nth.into()) {
            if file.innocent {
                case.secrets.clear();
            }
            // Two files may use the same numbers; hooks and hints distinguish cases by their ids.
            case.id = format!("{}-{}", case.id, cases.len());
            cases.push(case);
        }
    }
    ensure!(!cases.is_empty(), "the files hold no case");
    let programs = if options.product.is_named() { Programs::baselines()? } else { Programs::build()? };
    let needles = Needles::of(&cases);
    let (mut good, every_way) = (true, !options.cases.is_empty());
    if every_way || own {
        let mut findings = Findings::default();
        by_hooks(&programs, &cases, &needles, &mut findings)?;
        by_import(&programs, &cases, &needles, &mut findings)?;
        print!("{}", findings.render(&cases));
        good = findings.passes(&cases);
    }
    if !every_way {
        let pass = |entry_point: &EntryPoint| {
            let home = if options.product.is_named() {
                Home::of(options.product.path()?)?
            } else {
                Home::of(programs.nudge())?
            };
            entry_points::pass(*entry_point, &home, &programs, &cases, &needles)
        };
        // Each entry point has its own home, so the two halves can run in parallel.
        let (first, rest) = EntryPoint::ALL.split_at(EntryPoint::ALL.len() / 2);
        let passages = std::thread::scope(|scope| {
            let rest = scope.spawn(|| rest.iter().map(pass).collect::<anyhow::Result<Vec<_>>>());
            let mut passages = first.iter().map(pass).collect::<anyhow::Result<Vec<_>>>()?;
            passages.extend(rest.join().map_err(|_| anyhow::anyhow!("an entry point panicked"))??);
            anyhow::Ok(passages)
        })?;
        print!("{}", report::by_door(&passages, &cases));
        if let Some(file) = &options.misses {
            std::fs::write(file, report::misses(&passages, &cases))
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        good &= !(options.strict || own) || report::reaches_aims(&passages, &cases);
    }
    Ok(good)
}

/// A file of cases.
#[derive(Clone)]
struct CaseFile {
    path: PathBuf,
    /// Whether all its texts are innocent, whatever the file says.
    innocent: bool,
}

fn own_files() -> Vec<CaseFile> {
    let dir = crate::repository::root().join("crates/nudge-drills/data/secrets");
    OWN_FILES.iter().map(|name| CaseFile { path: dir.join(name), innocent: false }).collect()
}

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Texts with credentials, sent through every entry point.
    #[arg(long, value_name = "FILE")]
    credentials: Vec<PathBuf>,
    /// Innocent texts, sent through every entry point.
    #[arg(long, value_name = "FILE")]
    innocent: Vec<PathBuf>,
    /// Cases that go through the places they name, every way.
    #[arg(long, value_name = "FILE")]
    cases: Vec<PathBuf>,
    /// The file for what was missed.
    #[arg(long, value_name = "FILE")]
    misses: Option<PathBuf>,
    #[command(flatten)]
    product: Product,
    /// A missed aim fails the run.
    #[arg(long)]
    strict: bool,
    /// Takes every Nth text of each file, for a gate that must be quick.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    nth: u16,
}

impl Options {
    fn files(&self) -> Vec<CaseFile> {
        let files = |paths: &[PathBuf], innocent| {
            paths.iter().map(|path| CaseFile { path: path.clone(), innocent }).collect::<Vec<_>>()
        };
        [files(&self.cases, false), files(&self.credentials, false), files(&self.innocent, true)].concat()
    }
}

fn by_hooks(
    programs: &Programs,
    cases: &[Case],
    needles: &Needles,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let alone = Home::of(programs.nudge())?;
    way::alone(&alone, cases)?;
    let refused = way::stated(&alone, cases)?;
    for (number, (case, refused)) in cases.iter().zip(refused).enumerate() {
        match (case.is_look_alike(), refused) {
            (false, false) => findings.leak(number, "a hint that was accepted"),
            (true, true) => findings.touch(number, "a hint that was refused"),
            _ => {}
        }
    }
    judge(programs, &alone, "hooks", cases, needles, findings)?;

    let served = Home::of(programs.nudge())?;
    way::with_server(&served, cases)?;
    judge(programs, &served, "hooks beside a server", cases, needles, findings)?;

    let locked = Home::of(programs.nudge())?;
    let mut waiting = Findings::default();
    way::spooled(&locked, programs, cases, || {
        search_files(&locked, "the spool, waiting", needles, &mut waiting)
    })?;
    findings.searched.append(&mut waiting.searched);
    for (number, places) in waiting.leaks {
        places.into_iter().for_each(|place| findings.leak(number, place));
    }
    judge(programs, &locked, "hooks through the spool", cases, needles, findings)
}

fn by_import(
    programs: &Programs,
    cases: &[Case],
    needles: &Needles,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    let home = Home::of(programs.nudge())?;
    way::imported(&home, cases)?;
    judge(programs, &home, "import", cases, needles, findings)
}

/// Makes a backup and an export, then searches everything.
fn judge(
    programs: &Programs,
    home: &Home,
    way: &str,
    cases: &[Case],
    needles: &Needles,
    findings: &mut Findings,
) -> anyhow::Result<()> {
    home.run(&["backup"])?;
    home.run(&["export", "--output", &home.path().join("export.json").to_string_lossy()])?;
    let rows = dump(programs, home)?;
    ensure!(!rows.is_empty(), "nothing is stored");
    findings.searched.push(format!("{} texts of the store ({way})", rows.len()));
    for row in &rows {
        for number in needles.found(row.text.as_bytes()) {
            findings.leak(number, format!("{} ({way})", row.place));
        }
    }
    for (number, case) in cases.iter().enumerate().filter(|(_, case)| case.is_look_alike()) {
        let kept = rows.iter().any(|row| row.text.trim() == case.text.trim());
        if !kept {
            findings.touch(number, format!("the prompt ({way})"));
        }
    }
    search_files(home, way, needles, findings);
    Ok(())
}

/// One text of the store.
struct Row {
    place: String,
    text: String,
}

fn dump(programs: &Programs, home: &Home) -> anyhow::Result<Vec<Row>> {
    let output = programs.command(home, "dump-store").arg(home.database()).output()?;
    ensure!(
        output.status.success(),
        "the store cannot be read: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    let mut rows = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let row: Value = serde_json::from_str(line).context("dump-store prints JSON")?;
        let word = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        rows.push(Row { place: format!("{}.{}", word("table"), word("column")), text: word("text") });
    }
    Ok(rows)
}

/// Searches every file of a home byte by byte.
fn search_files(home: &Home, way: &str, needles: &Needles, findings: &mut Findings) {
    let mut open = vec![home.path().to_path_buf()];
    let (mut files, mut bytes) = (0, 0);
    while let Some(dir) = open.pop() {
        for item in std::fs::read_dir(&dir).into_iter().flatten().flatten() {
            let path = item.path();
            if path.is_dir() {
                if !is_input(home, &path) {
                    open.push(path);
                }
            } else if let Ok(content) = std::fs::read(&path) {
                files += 1;
                bytes += content.len();
                for number in needles.found(&content) {
                    let name = path.strip_prefix(home.path()).unwrap_or(&path);
                    findings.leak(number, format!("the file {} ({way})", name.display()));
                }
            }
        }
    }
    findings.searched.push(format!("{files} files, {} KiB ({way})", bytes / 1024));
}
