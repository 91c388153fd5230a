//! Starts a server in the background, if the settings ask for one.

use nudge_client::{background, lock};
use nudge_home::Home;

/// Starts a server if none runs. Nobody waits for it: this session works without one.
pub(super) fn start(home: &Home) {
    if lock::is_held(&home.lock_file()) {
        return;
    }
    let _ = background::command(home)
        .and_then(|mut command| command.args(["serve", "--daemon"]).current_dir(home.root()).spawn());
}
