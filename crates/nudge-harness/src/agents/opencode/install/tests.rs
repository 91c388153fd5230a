//! Compares whole files before and after.

use super::*;
use crate::install::Http;

const WHO: Registration<'static> =
    Registration { program: "/opt/nudge/bin/nudge", home: None, http: None, project: None };

#[test]
fn the_plugin_is_a_block_of_its_own() {
    let file = &INSTALLER.files[0];
    let text = file.with_entries(None, &WHO).expect("a plugin");
    assert!(text.contains("\nconst COMMAND = [\"/opt/nudge/bin/nudge\",\"hook\",\"opencode\"]\n"), "{text}");
    assert_eq!(file.with_entries(Some(&text), &WHO).as_deref(), Ok(&*text));
    assert_eq!(file.without_entries(&text, &WHO).as_deref(), Ok(""));
    assert_eq!(file.programs(&text, ""), [WHO.program]);
    let moved = Registration { program: "/x y/nudge", home: Some("/m"), ..WHO };
    let edited = format!("{text}export const Mine = async () => ({{}})\n");
    let other = file.with_entries(Some(&edited), &moved).expect("ours moves");
    assert_eq!(file.programs(&other, ""), [moved.program]);
    assert_eq!(file.without_entries(&other, &WHO).as_deref(), Ok("export const Mine = async () => ({})\n"));
}

#[test]
fn the_server_goes_in_and_out_beside_comments() {
    let file = &INSTALLER.files[1];
    let before = "{\n  // mine\n  \"model\": \"x/y\", // for now\n  \"mcp\": {\n    \"other\": {\"type\": \"local\", \"command\": [\"x\"]},\n  },\n}\n";
    let text = file.with_entries(Some(before), &WHO).expect("a server goes in");
    insta::assert_snapshot!("server_beside_others", text);
    assert_eq!(file.with_entries(Some(&text), &WHO).as_deref(), Ok(&*text));
    let http = Some(Http { url: "http://127.0.0.1:8765/mcp", token_file: "/m/run/token" });
    let remote = file.with_entries(Some(&text), &Registration { http, ..WHO }).expect("ours is replaced");
    insta::assert_snapshot!("server_http", remote);
}
