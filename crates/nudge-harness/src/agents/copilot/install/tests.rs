//! Compares whole files before and after.

use super::*;

const WHO: Registration<'static> =
    Registration { program: "/opt/nudge/bin/nudge", home: None, http: None, project: None };

#[test]
fn fresh_files() {
    let [hooks, server] = INSTALLER.files else { panic!("two files") };
    let text = hooks.with_entries(None, &WHO).expect("an empty file takes hooks");
    insta::assert_snapshot!("fresh_hooks", text);
    assert_eq!(hooks.with_entries(Some(&text), &WHO).as_deref(), Ok(&*text));
    assert!(hooks.is_effectively_empty(&hooks.without_entries(&text, &WHO).expect("ours come out")));
    let text = server.with_entries(None, &WHO).expect("an empty file takes a server");
    insta::assert_snapshot!("fresh_server", text);
    assert!(server.is_effectively_empty(&server.without_entries(&text, &WHO).expect("ours comes out")));
}
