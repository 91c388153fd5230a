//! Compares whole files before and after.

use super::*;
use crate::edit::EditError;
use crate::install::{Http, InstallError};

const WHO: Registration<'static> =
    Registration { program: "/opt/nudge/bin/nudge", home: None, http: None, project: None };

/// A file as a user may have it, in unusual formatting.
const CONFIG: &str = "model = \"gpt-5.5\"   # for now\r\n\r\n[mcp_servers.other]\r\ncommand = 'x'\r\n\r\n# below\r\n[tui]\r\ntheme = \"dark\"";

fn with(text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
    INSTALLER.files[1].with_entries(text, who)
}

fn without(text: &str) -> Result<String, InstallError> {
    INSTALLER.files[1].without_entries(text, &WHO)
}

#[test]
fn fresh_files() {
    let hooks = INSTALLER.files[0].with_entries(None, &WHO).expect("an empty file takes hooks");
    insta::assert_snapshot!("fresh_hooks", hooks);
    let server = with(None, &WHO).expect("an empty file takes a server");
    insta::assert_snapshot!("fresh_config", server);
    assert_eq!(without(&server).as_deref(), Ok(""));
    assert_eq!(INSTALLER.files[1].programs(&server, "x"), [WHO.program]);
}

#[test]
fn the_server_goes_in_and_out_of_a_file_of_others() {
    let text = with(Some(CONFIG), &WHO).expect("a server goes in");
    assert!(text.starts_with(CONFIG) && text.ends_with("args = [\"serve\"]\r\n"), "{text:?}");
    assert_eq!(with(Some(&text), &WHO).as_deref(), Ok(&*text));
    let moved = Registration { program: "/x/nudge", home: Some("/m \"m\""), ..WHO };
    let other = with(Some(&text), &moved).expect("ours moves");
    assert_eq!(without(&other).as_deref(), Ok(&*format!("{CONFIG}\r\n")));
    // What Codex appends after our table stays.
    let grown = format!("{text}\r\n[projects.\"/src\"]\r\ntrust_level = \"trusted\"\r\n");
    let rest = without(&grown).expect("ours comes out");
    assert_eq!(rest, format!("{CONFIG}\r\n\r\n[projects.\"/src\"]\r\ntrust_level = \"trusted\"\r\n"));
}

#[test]
fn over_http_the_token_is_asked_for_and_not_written() {
    let http = Some(Http { url: "http://127.0.0.1:8765/mcp", token_file: "/m/run/token" });
    let text = with(None, &Registration { http, ..WHO }).expect("a server goes in");
    insta::assert_snapshot!("config_http", text);
    assert_eq!(without(&text).as_deref(), Ok(""));
    assert_eq!(with(Some(&text), &WHO), with(None, &WHO));
}

#[test]
fn a_server_of_somebody_else_stays() {
    for theirs in [
        "[mcp_servers.nudge]\ncommand = \"npx\"\nargs = [\"nudge\"]\n",
        "[mcp_servers.nudge]\ncommand = \"nudge\"\nargs = [\"serve\", \"--profile\", \"full\"]\n",
        "mcp_servers = { nudge = { command = \"npx\" } }\n",
    ] {
        assert_eq!(with(Some(theirs), &WHO), Err(InstallError::Taken("mcp_servers.nudge".into())));
        assert_eq!(without(theirs).as_deref(), Ok(theirs));
    }
}

#[test]
fn a_file_that_cannot_take_it_is_refused() {
    let wrong = |expected| {
        Err::<String, _>(InstallError::from(EditError::WrongKind { place: "mcp_servers".into(), expected }))
    };
    assert_eq!(with(Some("a = 1\nb = = 2\n"), &WHO), Err(EditError::NotToml { line: 2, column: 5 }.into()));
    assert_eq!(with(Some("mcp_servers = 1\n"), &WHO), wrong("a table"));
    assert_eq!(
        with(Some("mcp_servers = { a = { command = \"b\" } }\n"), &WHO),
        wrong("a table that can be added to")
    );
    assert_eq!(
        with(Some("mcp_servers.a.command = \"b\"\n[z]\n"), &WHO).map(|text| text.contains("nudge")),
        Ok(true)
    );
}

#[test]
fn what_codex_adds_to_our_server_is_kept_and_goes_with_it() {
    let text = with(Some("model = \"x\"\n"), &WHO).expect("a server goes in");
    let approved = format!(
        "{text}\n[tui]\ntheme = \"dark\"\n\n[mcp_servers.nudge.tools.search]\napproval_mode = \"approve\"\n"
    );
    assert_eq!(with(Some(&approved), &WHO).as_deref(), Ok(&*approved));
    assert_eq!(without(&approved).as_deref(), Ok("model = \"x\"\n\n[tui]\ntheme = \"dark\"\n"));
    let off = text.replace("args =", "enabled = false\nargs =");
    assert_eq!(without(&off).as_deref(), Ok("model = \"x\"\n"));
}
