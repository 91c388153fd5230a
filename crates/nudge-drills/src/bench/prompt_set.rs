//! The files of the benches over memories and prompts: given as arguments, or in a default
//! directory.

use std::path::PathBuf;

use anyhow::Context;

/// The default directory of the files, relative to the repository.
const SET: &str = "../shared/bench/data/relevance";

/// The parsed arguments.
pub(super) struct PromptSet {
    pub(super) memory: PathBuf,
    pub(super) prompts: PathBuf,
    /// Whether a missed aim fails the run.
    pub(super) is_strict: bool,
}

impl PromptSet {
    /// Reads the arguments of the bench with this name.
    pub(super) fn read(bench: &str, args: &[&str]) -> anyhow::Result<Self> {
        let dir = crate::repository::root().join(SET);
        let mut set = Self {
            memory: dir.join("memory.jsonl.gz"),
            prompts: dir.join("prompts-dev.jsonl"),
            is_strict: false,
        };
        let mut args = args.iter();
        while let Some(name) = args.next() {
            if *name == "--strict" {
                set.is_strict = true;
                continue;
            }
            let value = args.next().with_context(|| format!("{name} needs a value"))?;
            match *name {
                "--memory" => set.memory = std::path::absolute(value)?,
                "--prompts" => set.prompts = std::path::absolute(value)?,
                _ => anyhow::bail!("bench {bench} takes --memory FILE, --prompts FILE and --strict"),
            }
        }
        for file in [&set.memory, &set.prompts] {
            anyhow::ensure!(
                file.is_file(),
                "{} is not there: name it with --memory and --prompts",
                file.display()
            );
        }
        Ok(set)
    }
}
