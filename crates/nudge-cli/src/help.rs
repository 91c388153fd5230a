//! Help pages. They are built from the argument tree only when somebody asks for one, so no other
//! command pays for them.
//!
//! `-h` shows the command's own options. `--help` adds the global options and examples. The flags
//! for settings are only on the pages of `nudge` and `nudge config`.

mod groups;
mod markdown;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};

pub(crate) use markdown::reference;

use crate::cli::Cli;
use crate::globals::SETTINGS;

/// The last line of every `-h` page.
const GLOBALS: &str = "Global options: --json, --home, --port, --color (see --help)";

/// The last line of every `--help` page that leaves the settings out.
const MORE: &str = "Every setting has a flag too: see `nudge config --help`.";

/// The end of `nudge -h`.
const SHORT_END: &str = "\
Global options: --json, --home, --port, --color (see --help)

`nudge COMMAND -h` explains a command; `nudge --help` lists everything.";

/// The end of `nudge --help`: what scripts rely on.
const LONG_END: &str = "\
Exit codes:
  0  done
  1  failed; the error and a next step are on standard error (--json: standard output)
  2  the command line or the input is wrong
  3  not found, or nothing applies here
  4  not allowed, or not confirmed
  5  the memory cannot be used: locked, damaged, read-only, or the disk is full
  6  conflicts with what is stored: a version, a name, a limit
  130  a run was aborted with Ctrl-C

The memory is in ~/.local/share/nudge. No server is needed: without one,
commands open the memory themselves. `nudge COMMAND --help` explains a command.";

/// The page of `nudge` itself, with groups in place of clap's list.
const ROOT: &str = "{about}\n\n{usage-heading} {usage}\n\n{before-help}{all-args}{after-help}";

/// Every command with all its arguments, for manual pages and completions.
pub(crate) fn tree() -> Command {
    let mut tree = Cli::command();
    tree.build();
    tree.after_long_help(LONG_END).mut_subcommands(subpage)
}

/// The tree that prints help pages.
pub(crate) fn pages() -> Command {
    let tree = tree();
    let (short, long) = (groups::short(&tree), groups::long(&tree));
    tree.help_template(ROOT)
        .override_usage("nudge [OPTIONS] [COMMAND]")
        .before_help(short)
        .before_long_help(long)
        .after_help(SHORT_END)
        .mut_args(|arg| if arg.is_global_set() { arg.hide_short_help(true) } else { arg })
        .mut_subcommands(|sub| sub.hide(true))
}

/// Whether a command's page lists this option. Older spellings are accepted but not listed.
pub(crate) fn lists_option(command: &str, option: &str) -> bool {
    let tree = tree();
    let found = command.split(' ').skip(1).try_fold(&tree, |level, name| level.find_subcommand(name));
    let longs =
        found.into_iter().flat_map(Command::get_arguments).filter_map(Arg::get_long_and_visible_aliases);
    longs.flatten().any(|long| option.strip_prefix("--") == Some(long))
}

/// A command below `nudge`. Its page ends by saying where the other options are.
fn subpage(command: Command) -> Command {
    let shows_settings = command.get_name() == "config";
    let hide = |arg: Arg| {
        let is_setting = arg.get_help_heading() == Some(SETTINGS);
        if is_setting && !shows_settings { arg.hide(true) } else { arg }
    };
    let long = end(command.get_after_long_help(), shows_settings);
    command.mut_args(hide).after_help(GLOBALS).after_long_help(long).mut_subcommands(subpage)
}

fn end(own: Option<&StyledStr>, shows_settings: bool) -> String {
    let own = own.map(ToString::to_string);
    let more = (!shows_settings).then(|| MORE.to_owned());
    own.into_iter().chain(more).collect::<Vec<_>>().join("\n\n")
}
