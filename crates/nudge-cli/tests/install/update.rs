//! `nudge update`: what it says about how the program was installed.

use std::fs;

use insta::assert_snapshot;
use nudge_testkit::TestHome;

use crate::install::home;

/// @update_says
#[test]
fn it_names_the_version_the_way_it_came_and_the_command() {
    let home = home();
    let answer = home.run(["update", "--json"]).json();
    assert_eq!(answer["version"], env!("CARGO_PKG_VERSION"));
    let cargo = home.dir("cargo/bin").join("nudge");
    fs::copy(home.binary(), &cargo).expect("copied");
    home.file(
        "cargo/.crates.toml",
        "[v1]\n\"nudge-cli 0.1.0 (path+file:///src/nudge/crates/nudge-cli)\" = [\"nudge\"]\n",
    );
    let installed = TestHome::new(&cargo);
    let page = installed.run(["update"]).page().replace(&home.path().display().to_string(), "HOME");
    assert_snapshot!("update_cargo", page);
    home.file(
        "cargo/.crates.toml",
        "[v1]\n\"nudge-cli 0.1.0 (registry+https://example.org)\" = [\"nudge\"]\n",
    );
    assert_eq!(installed.run(["update", "--json"]).json()["command"], "cargo install --locked nudge-cli");
}
