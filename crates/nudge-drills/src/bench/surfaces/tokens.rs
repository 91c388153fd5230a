//! The token cost of the tool list for an agent that reads all of it.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use anyhow::Context;
use serde_json::{Value, json};

use super::table::{Table, grouped};
use crate::stage::{Home, Programs, free_port};
use crate::tokenizer::Tokenizer;

/// The maximum cost of the default list, in tokens.
const AIM: u64 = 1_500;

pub(super) fn measure(programs: &Programs, table: &mut Table) -> anyhow::Result<()> {
    let tokenizer = Tokenizer::installed()?;
    for (profile, aim) in [("default", Some(AIM)), ("full", None)] {
        let tools = tools(programs, profile)?;
        let tokens = tokenizer.counts(&[&tools.to_string()])?[0];
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
