//! The token file after somebody tampered with it: nobody gets access, and a rotation repairs it.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use nudge_testkit::raw_http::Request;
use serde_json::Value;

use crate::access::person::TestUser;

const BODY: &str = r#"{"jsonrpc":"2.0","id":1,"method":"list_components"}"#;

fn status_with(status: &Value, token: &str) -> u16 {
    let port = u16::try_from(status["port"].as_u64().expect("a port")).expect("a port");
    Request::new("POST", "/rpc", port).token(token).body(BODY).send(port).status
}

fn mended_by_rotation(person: &TestUser, status: &Value, old: &str) {
    let shown = person.run(&["token", "show", "--json"]).fault(1);
    assert!(!shown.to_string().contains(old), "{shown}");
    assert!(shown["next"].as_str().is_some_and(|next| next.contains("nudge token rotate")), "{shown}");
    person.run(&["token", "rotate"]).ok();
    let facts = fs::symlink_metadata(person.run_dir().join("token")).expect("a token");
    assert!(facts.is_file());
    assert_eq!(facts.permissions().mode() & 0o7777, 0o600);
    assert_ne!(person.token(), old);
    assert_eq!((status_with(status, old), status_with(status, &person.token())), (401, 200));
}

/// @file_modes
#[test]
fn a_token_that_others_could_read_admits_nobody() {
    let person = TestUser::new();
    let status = person.serve(&[]);
    let token = person.token();
    for mode in [0o644, 0o640, 0o606] {
        assert_eq!(status_with(&status, &person.token()), 200);
        fs::set_permissions(person.run_dir().join("token"), Permissions::from_mode(mode))
            .expect("it is ours");
        assert_eq!(status_with(&status, &person.token()), 401, "{mode:o}");
        fs::set_permissions(person.run_dir().join("token"), Permissions::from_mode(0o600))
            .expect("it is ours");
    }
    fs::set_permissions(person.run_dir().join("token"), Permissions::from_mode(0o644)).expect("it is ours");
    mended_by_rotation(&person, &status, &token);
}

/// @file_modes
#[test]
fn a_token_that_is_a_link_admits_nobody() {
    let person = TestUser::new();
    let status = person.serve(&[]);
    let (file, planted) = (person.run_dir().join("token"), person.home().join("planted"));
    let theirs = "f".repeat(64);
    fs::write(&planted, format!("{theirs}\n")).expect("it can be written");
    person.give(&planted, 0o600);
    fs::remove_file(&file).expect("it is ours");
    symlink(&planted, &file).expect("it can be linked");
    assert_eq!(status_with(&status, &theirs), 401);
    mended_by_rotation(&person, &status, &theirs);
    assert_eq!(fs::read_to_string(&planted).expect("it is still there"), format!("{theirs}\n"));
}

/// @file_modes
#[test]
fn a_missing_or_empty_token_admits_nobody() {
    let person = TestUser::new();
    let status = person.serve(&[]);
    let (file, token) = (person.run_dir().join("token"), person.token());
    fs::remove_file(&file).expect("it is ours");
    assert_eq!((status_with(&status, &token), status_with(&status, "")), (401, 401));
    fs::write(&file, "").expect("it can be written");
    person.give(&file, 0o600);
    assert_eq!((status_with(&status, &token), status_with(&status, "")), (401, 401));
    mended_by_rotation(&person, &status, &token);
}
