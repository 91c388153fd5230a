//! Names of components and keys: anything printable is a valid name, anything else is rejected.

use serde_json::{Value, json};

use crate::bad_input::{home, orderly};

/// Names that look dangerous but are not: each is stored and found unchanged. @hint_names
#[test]
fn any_printable_name_is_kept_as_it_is() {
    let home = home();
    let names = [
        "../../etc/passwd",
        "..",
        ".",
        "/",
        "a/b?if=c#d",
        "hint://a/b",
        "100%",
        "%2e%2e%2f",
        "%00",
        "--help",
        "-x",
        "-",
        " padded ",
        "a\u{a0}b",
        "'; drop table entries; --",
        "$(rm -rf /)",
        "`id`",
        "*",
        "\"quoted\"",
        "back\\slash",
        "Ünïcödé",
        "日本語",
        "👩‍💻🏳️‍🌈",
        "עברית",
        "العربية",
        "a\u{301}",
        "á",
        "A",
        "a",
    ];
    for (turn, name) in names.iter().enumerate() {
        let value = format!("value {turn}");
        orderly(home.run(["set", "--ttl", "forever", "--", name, name, &value])).ok();
    }
    for (turn, name) in names.iter().enumerate() {
        let read = orderly(home.run(["get", "--json", "--", name, name])).json();
        assert_eq!((&read["hint"]["component"], &read["hint"]["key"]), (&json!(name), &json!(name)));
        assert_eq!(read["hint"]["value"], format!("value {turn}"), "{name}");
        orderly(home.run(["get", "--", name, name])).ok();
        orderly(home.run(["ls", "--", name])).ok();
    }
    let listed = home.run(["ls", "--json"]).json();
    assert_eq!(listed["components"].as_array().map(Vec::len), Some(names.len()));
    let exported = home.run(["export"]).ok();
    let other = crate::bad_input::home();
    let taken = orderly(other.nudge(["import", "-", "--json"]).stdin(exported).run()).json();
    assert_eq!(taken["imported"], names.len());
    for name in names {
        orderly(home.run(["bump", "--", name, name])).ok();
        orderly(home.run(["delete", "--", name, name])).ok();
        orderly(home.run(["get", "--", name, name])).exits(3);
    }
    assert_eq!(home.run(["ls", "--json"]).json(), json!({"components": []}));
}

/// @hint_names
#[test]
fn a_name_that_cannot_be_printed_is_refused_on_every_surface() {
    let home = home();
    let too_long = "k".repeat(10_000);
    let bad = [
        "",
        " ",
        "\t",
        "\n",
        "a\nb",
        "a\rb",
        "\u{1b}[31mred",
        "bell\u{7}",
        "\u{7f}",
        "\u{85}",
        "\u{9b}2J",
        &too_long,
    ];
    for name in bad {
        for (component, key) in [(name, "k"), ("c", name)] {
            let fault = orderly(home.run(["set", "--json", "--", component, key, "v"])).fault(2);
            assert_eq!(fault["code"], 40001, "{name:?}: {fault}");
            assert!(fault.to_string().len() < 2_000, "the refusal repeats {} bytes", name.len());
            let page = orderly(home.run(["set", "--", component, key, "v"])).exits(2);
            assert!(!page.stderr.contains(|c: char| c.is_control() && c != '\n'), "{:?}", page.stderr);
        }
    }
    let wire = [bad.to_vec(), vec!["\0", "a\0b"]].concat();
    for name in wire {
        let payload: Value =
            json!({"schema_version": "1.0", "components": {"c": {"hints": {name: {"value": "v"}}}}});
        orderly(home.nudge(["import", "-", "--json"]).stdin(payload.to_string()).run()).fault(2);
        let payload: Value =
            json!({"schema_version": "1.0", "components": {name: {"hints": {"k": {"value": "v"}}}}});
        orderly(home.nudge(["import", "-", "--json"]).stdin(payload.to_string()).run()).fault(2);
    }
    assert_eq!(home.run(["ls", "--json"]).json(), json!({"components": []}));
}

/// @hint_names
#[test]
fn a_name_at_the_limit_of_length_is_kept_or_refused_cleanly() {
    let home = home();
    for (name, wanted) in [
        ("k".repeat(200), Some(0)),
        ("k".repeat(201), Some(2)),
        ("語".repeat(200), None),
        ("👩".repeat(200), None),
    ] {
        let outcome = orderly(home.run(["set", &name, &name, "v", "--json"]));
        assert!(wanted.is_none() || outcome.code == wanted, "{outcome:?}");
        match outcome.code {
            Some(0) => {
                assert_eq!(orderly(home.run(["get", &name, &name, "--json"])).json()["hint"]["key"], name)
            }
            _ => assert_eq!(outcome.fault(2)["code"], 40001),
        }
    }
}

/// Bytes that are not valid text cannot be a name; the command says so and does not guess.
/// @hint_names
#[test]
fn an_argument_that_is_no_text_is_refused() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let home = home();
    let broken = OsStr::from_bytes(b"a\xffb");
    for words in [[OsStr::new("get"), broken, OsStr::new("k")], [OsStr::new("get"), OsStr::new("c"), broken]]
    {
        orderly(home.run(words)).exits(2);
    }
}

/// Direction marks would make one name look like another. @hint_names
#[test]
fn a_name_that_would_reorder_the_line_is_spelt_out() {
    let home = home();
    let sly = "safe\u{202e}live\u{2066}x\u{200b}y";
    orderly(home.run(["set", sly, sly, "v"])).ok();
    for words in [
        &["ls"][..],
        &["ls", sly],
        &["get", sly, sly],
        &["query"],
        &["ls", "--json"],
        &["get", sly, sly, "--json"],
        &["export"],
    ] {
        let page = orderly(home.run(words)).ok();
        assert!(!page.contains(['\u{202e}', '\u{2066}', '\u{200b}']), "{words:?}: {page:?}");
    }
    assert_eq!(home.run(["get", sly, sly, "--json"]).json()["hint"]["key"], sly);
}
