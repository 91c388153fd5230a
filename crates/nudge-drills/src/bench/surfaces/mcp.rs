//! `get_hint` over MCP, compared with servers on the same library that only echo.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use anyhow::Context;
use serde_json::{Value, json};

use super::size::Size;
use super::table::{Aim, Figures, Table};
use crate::stage::{Home, Programs, free_port};

/// The component and key of the measured hint.
const COMPONENT: &str = "api";
const KEY: &str = "build";

pub(super) fn measure(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let home = Home::temporary(programs)?;
    home.run(&["set", COMPONENT, KEY, "docker compose build router", "--ttl", "forever"])?;
    let reply = home.run_json(&["get", COMPONENT, KEY])?.to_string();
    let port = free_port()?.to_string();

    let primary = get_hint(&home, &["serve", "--port", &port], COMPONENT, KEY);
    let sides = [primary, echo(programs, &home, &["stdio"]), echo(programs, &home, &["stdio", &reply])];
    let [ours, small, same] = time(programs, &home, size, sides)?;
    table.compare("`get_hint`, stdio PRIMARY", ours, ("bare echo", small), Aim::Median(1.5));
    table.compare("the same", ours, ("bare echo of a reply as long", same), Aim::None);

    home.run(&["serve", "--daemon", "--port", &port])?;
    let echo_server = HttpEcho::start(programs, &home, &[])?;
    let long_server = HttpEcho::start(programs, &home, &[&reply])?;
    let sides = [
        get_hint(&home, &["serve"], COMPONENT, KEY),
        echo(programs, &home, &["proxy", &echo_server.url]),
        echo(programs, &home, &["proxy", &long_server.url]),
    ];
    let [ours, small, same] = time(programs, &home, size, sides)?;
    home.run(&["stop"])?;
    table.compare("`get_hint`, PROXY to PRIMARY", ours, ("bare stdio→HTTP proxy", small), Aim::Median(1.5));
    table.compare("the same", ours, ("bare proxy of a reply as long", same), Aim::None);
    Ok(())
}

/// A side that calls `get_hint` of Nudge.
pub(in crate::bench) fn get_hint(home: &Home, args: &[&str], component: &str, key: &str) -> Value {
    let arguments = json!({"component": component, "key": key});
    json!({"server": home.server_spec(args), "tool": "get_hint", "arguments": arguments})
}

/// Times calls on all sides, in turn.
pub(in crate::bench) fn time<const N: usize>(
    programs: &Programs,
    home: &Home,
    size: Size,
    sides: [Value; N],
) -> anyhow::Result<[Figures; N]> {
    let (rounds, calls) = size.calls();
    let spec = json!({"rounds": rounds, "calls": calls, "sides": sides.to_vec()});
    let output = home
        .bare(programs, "time-mcp")
        .arg(spec.to_string())
        .stderr(Stdio::inherit())
        .output()
        .context("the timing client cannot be started")?;
    anyhow::ensure!(output.status.success(), "the timing client ended with {}", output.status);
    let figures: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    let figures: Vec<Figures> = figures.iter().map(Figures::from_json).collect();
    figures.try_into().map_err(|_| anyhow::anyhow!("figures of {N} sides were expected"))
}

fn echo(programs: &Programs, home: &Home, args: &[&str]) -> Value {
    let mut server = home.server_spec(&[&["bare-mcp"], args].concat());
    server["program"] = programs.bare().to_string_lossy().into();
    json!({"server": server, "tool": "echo", "arguments": {"text": "docker compose build router"}})
}

/// A bare HTTP server, killed when dropped.
struct HttpEcho {
    child: Child,
    url: String,
}

impl HttpEcho {
    fn start(programs: &Programs, home: &Home, args: &[&str]) -> anyhow::Result<Self> {
        let mut command = home.bare(programs, "bare-mcp");
        command.args(["http", "127.0.0.1:0"]).args(args).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let stdout = child.stdout.take().context("standard output is piped")?;
        let mut echo = Self { child, url: String::new() };
        BufReader::new(stdout).read_line(&mut echo.url)?;
        echo.url.truncate(echo.url.trim_end().len());
        anyhow::ensure!(echo.url.starts_with("http://"), "the bare HTTP server did not start");
        Ok(echo)
    }
}

impl Drop for HttpEcho {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
