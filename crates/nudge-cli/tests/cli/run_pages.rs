//! The pages of `nudge run` over runs that a model answered, at both widths and in colour.

use insta::assert_snapshot;
use nudge_testkit::scripted_model::Step;

use crate::cli::ask::Asked;
use crate::cli::widths::at_widths;

/// @cli_run: a list, a run in full, and a run turn by turn.
#[test]
fn run_pages_at_both_widths_and_in_colour() {
    let asked = Asked::new(vec![
        Step::say("<get path=\"src/router.rs\"/><get path=\"src/none.rs\"/>"),
        Step::say("<update status=\"200\">The router listens on 8080 (src/router.rs).</update>"),
        Step::say("<update status=\"422\">Nothing here says it.</update>"),
    ]);
    asked.run(&["ask", "--quiet", "--run", "port", "which port does the router use?"]).ok();
    asked.run(&["ask", "--quiet", "--run", "tests", "who wrote the tests?"]).exits(3);
    for (name, words) in [
        ("ls", &["run", "ls"][..]),
        ("ls_all", &["run", "ls", "--all"]),
        ("show", &["run", "show", "port"]),
        ("show_no_answer", &["run", "show", "tests"]),
        ("turns", &["run", "show", "port", "--turns"]),
        ("abort_ended", &["run", "abort", "port"]),
        ("resume_ended", &["run", "resume", "port"]),
    ] {
        assert_snapshot!(format!("run_{name}"), at_widths(&asked.home, words));
    }
}
