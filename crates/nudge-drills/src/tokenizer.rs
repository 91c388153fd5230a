//! A real tokenizer from npm, for the models with public tables; the package contains the tables.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::Context;

use crate::stage::bench_cache;

const PACKAGE: &str = "gpt-tokenizer@3";

/// Reads a JSON list of texts and prints their token counts as JSON.
const COUNT_SCRIPT: &str = "
const { encode } = require('gpt-tokenizer/encoding/o200k_base');
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
const asText = { disallowedSpecial: new Set() };
console.log(JSON.stringify(texts.map(text => encode(text, asText).length)));
";

/// The tokenizer with the tables of `o200k_base`.
pub(crate) struct Tokenizer {
    /// A directory in which Node finds the package.
    dir: PathBuf,
}

impl Tokenizer {
    /// Installs the package if it is missing.
    pub(crate) fn installed() -> anyhow::Result<Self> {
        let dir = bench_cache()?.join("node");
        if !dir.join("node_modules/gpt-tokenizer").exists() {
            std::fs::create_dir_all(&dir)?;
            let status = Command::new("npm")
                .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
                .arg(&dir)
                .arg(PACKAGE)
                .stdout(Stdio::null())
                .status()
                .context("npm cannot be started")?;
            anyhow::ensure!(status.success(), "npm did not install {PACKAGE}");
        }
        Ok(Self { dir })
    }

    /// The token count of each text.
    pub(crate) fn counts(&self, texts: &[&str]) -> anyhow::Result<Vec<u64>> {
        let mut node = Command::new("node")
            .args(["-e", COUNT_SCRIPT])
            .current_dir(&self.dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("node cannot be started")?;
        let mut stdin = node.stdin.take().context("standard input is piped")?;
        stdin.write_all(&serde_json::to_vec(texts)?)?;
        drop(stdin);
        let output = node.wait_with_output()?;
        let counts: Vec<u64> =
            serde_json::from_slice(&output.stdout).context("the tokenizer printed no numbers")?;
        anyhow::ensure!(counts.len() == texts.len(), "the tokenizer counted {} texts", counts.len());
        Ok(counts)
    }
}
