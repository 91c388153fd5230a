//! Commands under a limit on the size of files.

use crate::home;

/// Allows files of 8 KiB: less than the smallest database.
const SMALL: &str = "ulimit -c 0; ulimit -f 16; exec \"$@\"";

/// @file_limit
#[test]
fn a_write_past_the_limit_is_an_error_with_a_way_out() {
    let home = home();
    home.run(["set", "ops", "first", "1"]).ok();
    let backup = home.path().join("copy.db").display().to_string();
    for args in [&["set", "ops", "second", "2"][..], &["backup", &backup], &["delete", "ops", "first"]] {
        let refused = home.nudge(args).in_shell(SMALL).run().exits(1);
        assert_eq!(refused.stdout, "", "{args:?}");
        assert_eq!(
            refused.stderr,
            "error: a file would become larger than this process may make it\n\
             hint: raise the limit (`ulimit -f unlimited`) and try again\n",
            "{args:?}"
        );
    }
    let told = home.nudge(["--json", "set", "ops", "second", "2"]).in_shell(SMALL).run().fault(1);
    assert_eq!((&told["data"]["reason"], told["next"].is_string()), (&"file_limit".into(), true), "{told}");
    for script in [SMALL, "ulimit -c 0; ulimit -f 0; exec \"$@\""] {
        assert!(
            home.nudge(["get", "ops", "first"]).in_shell(script).run().ok().contains("value: 1"),
            "{script}"
        );
    }
    home.run(["get", "ops", "second"]).exits(3);
}
