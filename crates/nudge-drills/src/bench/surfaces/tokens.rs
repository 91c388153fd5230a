//! What the list of tools costs an agent that reads all of it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;
use serde_json::{Value, json};

use super::table::{Table, grouped};
use crate::stage::{Home, Programs, free_port, workshop};

/// The tokenizer of the models whose tables are public, with its tables inside.
const TOKENIZER: &str = "gpt-tokenizer@3";

/// The most that the default list should cost.
const AIM: u64 = 1_500;

const COUNT: &str = "
const { encode } = require('gpt-tokenizer/encoding/o200k_base');
console.log(encode(require('fs').readFileSync(0, 'utf8')).length);
";

pub(super) fn measure(programs: &Programs, table: &mut Table) -> anyhow::Result<()> {
    let node = installed()?;
    for (profile, aim) in [("default", Some(AIM)), ("full", None)] {
        let tools = tools(programs, profile)?;
        let tokens = count(&node, &tools.to_string())?;
        let number = tools.as_array().map_or(0, Vec::len);
        let said = match aim {
            Some(most) => {
                format!("≤ {}, {}", grouped(most), if tokens <= most { "met" } else { "**missed**" })
            }
            None => "–".to_owned(),
        };
        let what = format!("tokens of the {profile} tool list ({number} tools, o200k_base)");
        table.count(&what, grouped(tokens), &said);
    }
    Ok(())
}

/// The `tools` array exactly as a client receives it.
fn tools(programs: &Programs, profile: &str) -> anyhow::Result<Value> {
    let home = Home::temporary(programs)?;
    let port = free_port()?.to_string();
    let mut command = home.nudge(&["serve", "--port", &port, "--profile", profile]);
    let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = server.stdin.take().context("standard input is piped")?;
    let mut lines = BufReader::new(server.stdout.take().context("standard output is piped")?).lines();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}});
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}))?;
    lines.next().context("no answer to initialize")??;
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    writeln!(stdin, "{}", json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}))?;
    let mut answer: Value = serde_json::from_str(&lines.next().context("no answer to tools/list")??)?;
    drop(stdin);
    server.wait()?;
    Ok(answer["result"]["tools"].take())
}

/// A directory in which node finds the tokenizer.
fn installed() -> anyhow::Result<PathBuf> {
    let dir = workshop()?.join("node");
    if !dir.join("node_modules/gpt-tokenizer").exists() {
        std::fs::create_dir_all(&dir)?;
        let status = Command::new("npm")
            .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
            .arg(&dir)
            .arg(TOKENIZER)
            .stdout(Stdio::null())
            .status()
            .context("npm cannot be started")?;
        anyhow::ensure!(status.success(), "npm did not install {TOKENIZER}");
    }
    Ok(dir)
}

fn count(node: &Path, text: &str) -> anyhow::Result<u64> {
    let mut counter = Command::new("node")
        .args(["-e", COUNT])
        .current_dir(node)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("node cannot be started")?;
    counter.stdin.take().context("standard input is piped")?.write_all(text.as_bytes())?;
    let output = counter.wait_with_output()?;
    String::from_utf8(output.stdout)?.trim().parse().context("the tokenizer printed no number")
}
