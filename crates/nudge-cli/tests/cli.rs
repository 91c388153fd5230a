//! The command line as users and scripts see it: whole processes, whole pages.

mod agents;
mod ask;
mod authority;
mod backup;
mod broken_setups;
mod call_session;
mod completion;
mod context;
mod daemon;
mod doctor;
mod entry;
mod entry_files;
mod entry_pages;
mod exit_codes;
mod file_limit;
mod flags;
mod full_disk;
mod help;
mod import_export;
mod import_transcripts;
mod lists;
mod lost;
mod model;
mod no_sockets;
mod output_modes;
mod output_unwritten;
mod overview;
mod read_only;
mod run;
mod run_pages;
mod scenarios;
mod secrets;
mod server;
mod set_get;
mod settings;
mod statements;
mod ttl;
mod tui;
mod widths;

use nudge_testkit::TestHome;

/// A fresh home with the binary of this build.
fn home() -> TestHome {
    TestHome::new(env!("CARGO_BIN_EXE_nudge"))
}
