//! Commands under a limit on file size.

use crate::cli::home;

/// Limits files to 8 KiB, less than the smallest database.
const SMALL: &str = "ulimit -c 0; ulimit -f 16; exec \"$@\"";

/// @file_limit
#[test]
fn a_write_past_the_limit_is_an_error_with_a_way_out() {
    let home = home();
    home.run(["set", "ops", "first", "1"]).ok();
    let backup = home.path().join("copy.db").display().to_string();
    for args in [&["set", "ops", "second", "2"][..], &["backup", &backup], &["delete", "ops", "first"]] {
        let refused = home.nudge(args).in_shell(SMALL).run().exits(5);
        assert_eq!(refused.stdout, "", "{args:?}");
        assert_eq!(
            refused.stderr,
            "error: a file would exceed the file size limit of this process\n\
             hint: raise the limit (`ulimit -f unlimited`) and try again\n",
            "{args:?}"
        );
    }
    let fault = home.nudge(["--json", "set", "ops", "second", "2"]).in_shell(SMALL).run().fault(5);
    assert_eq!(
        (&fault["data"]["reason"], fault["next"].is_string()),
        (&"file_limit".into(), true),
        "{fault}"
    );
    for script in [SMALL, "ulimit -c 0; ulimit -f 0; exec \"$@\""] {
        assert!(
            home.nudge(["get", "ops", "first"]).in_shell(script).run().ok().starts_with("1\n"),
            "{script}"
        );
    }
    home.run(["get", "ops", "second"]).exits(3);
}
