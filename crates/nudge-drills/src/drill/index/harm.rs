//! Damages the files of an index while no process writes it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use nudge_index::{IndexWriter, State};
use serde_json::Value;

use super::bench::Bench;

/// How many questions are asked after each kind of damage.
const QUESTIONS: usize = 2;

/// Cuts each file to half, empties it, and flips bits in it, one file after the other. The answers
/// stay right, and in the end the index is whole again.
pub(super) fn files(bench: &mut Bench<'_>, places: usize) -> anyhow::Result<String> {
    // A search that finds much to scan starts a writer, which would repair the damage under test.
    let lock = become_writer(bench)?;
    let files = index_files(&bench.directory())?;
    let mut harms = 0;
    for file in &files {
        let (bytes, name) = (fs::read(file)?, name(file));
        for left in [0, bytes.len() / 2] {
            fs::write(file, &bytes[..left])?;
            bench.agree_on(QUESTIONS, &format!("{name} cut to {left} bytes"))?;
            harms += 1;
        }
        for place in 0..places.min(bytes.len()) {
            let at = (bytes.len() - 1) * (place + 1) / (places + 1);
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (place % 8);
            fs::write(file, flipped)?;
            bench.agree_on(QUESTIONS, &format!("{name} with a bit flipped at {at}"))?;
            harms += 1;
        }
        fs::remove_file(file)?;
        bench.agree_on(QUESTIONS, &format!("{name} removed"))?;
        harms += 1;
        fs::write(file, &bytes)?;
    }
    let status = bench.index_status();
    bench.violations.unless(status.state == State::Ready, format!("restored files are sound: {status:?}"));
    let half = fs::metadata(&files[0])?.len() / 2;
    fs::File::options().write(true).open(&files[0])?.set_len(half)?;
    drop(lock);
    bench.update_index("after harm")?;
    bench.agree_on_all("after harm")?;
    Ok(format!("{} files, {harms} harms", files.len()))
}

/// Removes the whole directory.
pub(super) fn deleted(bench: &mut Bench<'_>) -> anyhow::Result<String> {
    fs::remove_dir_all(bench.directory())?;
    let lock = become_writer(bench)?;
    bench.agree_on_all("deleted")?;
    drop(lock);
    let (mut writer, mut states) = (bench.writer()?, Vec::new());
    while writer.try_wait()?.is_none() {
        let state = bench.index_status().state;
        if !states.contains(&state) {
            states.push(state);
        }
        bench.agree_on(1, "while it is built anew")?;
    }
    bench.update_index("after it was deleted")?;
    bench.agree_on_all("built anew")?;
    Ok(format!("{} entries scanned, then built anew; seen meanwhile: {states:?}", bench.entries()))
}

/// Sets the version in the index's list of segments back.
pub(super) fn older(bench: &mut Bench<'_>) -> anyhow::Result<String> {
    let list = bench.directory().join("meta.json");
    let mut meta: Value = serde_json::from_slice(&fs::read(&list)?)?;
    let mut covers: Value =
        serde_json::from_str(meta["payload"].as_str().context("a commit names what it covers")?)?;
    let version = covers["version"][0].as_u64().context("a commit names the version")?;
    covers["version"][0] = (version - 1).into();
    meta["payload"] = covers.to_string().into();
    fs::write(&list, serde_json::to_vec(&meta)?)?;
    let lock = become_writer(bench)?;
    let state = bench.index_status().state;
    bench.violations.unless(state == State::OtherVersion, format!("an older version is seen as {state:?}"));
    bench.agree_on_all("of an older version")?;
    drop(lock);
    bench.update_index("after an older version")?;
    bench.agree_on_all("made by this version")?;
    Ok(format!("version {} beside {version}", version - 1))
}

/// Replaces the index with that of another memory.
pub(super) fn foreign(bench: &mut Bench<'_>, other: &Path) -> anyhow::Result<String> {
    fs::remove_dir_all(bench.directory())?;
    fs::create_dir(bench.directory())?;
    for file in index_files(other)? {
        fs::copy(&file, bench.directory().join(name(&file)))?;
    }
    let lock = become_writer(bench)?;
    bench.agree_on_all("of another memory")?;
    drop(lock);
    bench.update_index("after another memory's")?;
    bench.agree_on_all("made from this memory")?;
    Ok("not used".to_owned())
}

/// Makes this process the writer, so that no other can become it.
pub(super) fn become_writer(bench: &Bench<'_>) -> anyhow::Result<IndexWriter> {
    for _ in 0..600 {
        if let Some(writer) = IndexWriter::acquire(&bench.directory())? {
            return Ok(writer);
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    anyhow::bail!("another process has written the index for a minute")
}

fn index_files(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in fs::read_dir(directory)? {
        let file = file?.path();
        if !name(&file).ends_with(".lock") {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
