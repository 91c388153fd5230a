//! `nudge update`: shows this version and how to get a newer one. It uses no network.

use std::path::{Path, PathBuf};

use clap::Args;
use nudge_client::status::status;
use nudge_harness::install::quoted;
use serde_json::json;

use crate::VERSION;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::registration::{InstallContext, real, small_text};

#[derive(Debug, Args)]
#[command(after_long_help = "\
Update downloads nothing. After an update, the next server of the new version
takes over from the running one; agents do not notice.")]
pub(crate) struct UpdateArgs {}

impl UpdateArgs {
    /// Prints the version and the update command.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let place = InstallContext::find(invocation.home()?)?;
        let program = PathBuf::from(&place.program);
        let origin = Origin::of(&program);
        let server = status(&place.home).version;
        let answer = json!({
            "version": VERSION,
            "program": program,
            "installed_by": origin.name,
            "command": origin.command,
            "server_version": server,
        });
        invocation.output.answer(&answer, |page| {
            page.text(format!("nudge {VERSION}, {}", program.display())).end();
            page.text(format!("installed by {}", origin.name)).end();
            page.text("update with:").end();
            for line in origin.command.lines() {
                page.text("  ").strong(line).end();
            }
            if let Some(server) = server.filter(|server| server != VERSION) {
                page.text(format!(
                    "the running server is {server}; a newer one takes over when an agent starts it"
                ));
                page.end();
            }
        });
        Ok(Exit::Ok)
    }
}

/// How this program was installed.
struct Origin {
    name: &'static str,
    command: String,
}

impl Origin {
    fn of(program: &Path) -> Self {
        let real = real(program);
        let is_below = |part: &str| real.to_string_lossy().contains(part);
        if let Some(origin) = by_cargo(program) {
            return origin;
        }
        let (name, command) = match () {
            () if is_below("/Cellar/") => ("Homebrew", "brew upgrade nudge"),
            () if is_below("/node_modules/") => ("npm", "npm install --global nudge@latest"),
            () if is_below("/nix/store/") => ("Nix", "nix profile upgrade nudge"),
            () if real.starts_with("/usr/bin") || real.starts_with("/bin") => {
                ("the system's package manager", "update the package `nudge`")
            }
            () if is_below("/target/") => {
                ("a build in its repository", "cargo build --profile dist -p nudge-cli")
            }
            () => ("hand", "replace this program with the newer one"),
        };
        Self { name, command: command.to_owned() }
    }
}

/// Reads the file that `cargo install` keeps next to its program directory.
fn by_cargo(program: &Path) -> Option<Origin> {
    let root = program.parent()?.parent()?;
    let noted: toml::Table = small_text(&root.join(".crates.toml"))?.parse().ok()?;
    let name = program.file_name()?.to_str()?;
    let (package, _) = noted.get("v1")?.as_table()?.iter().find(|(_, programs)| {
        programs
            .as_array()
            .is_some_and(|programs| programs.iter().any(|program| program.as_str() == Some(name)))
    })?;
    let source = package.split_once('(').map(|(_, source)| source.trim_end_matches(')')).unwrap_or_default();
    let command = if let Some(directory) = source.strip_prefix("path+file://") {
        let repository = Path::new(directory).ancestors().find(|dir| dir.join(".git").exists());
        let pull = repository.map(|dir| format!("git -C {} pull\n", quoted(&dir.to_string_lossy())));
        format!(
            "{}cargo install --locked --path {} --profile dist",
            pull.unwrap_or_default(),
            quoted(directory)
        )
    } else if let Some(address) = source.strip_prefix("git+") {
        let address = address.split(['#', '?']).next().unwrap_or_default();
        format!("cargo install --locked --git {} nudge-cli", quoted(address))
    } else {
        "cargo install --locked nudge-cli".to_owned()
    };
    Some(Origin { name: "cargo", command })
}
