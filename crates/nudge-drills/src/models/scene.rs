//! A user's home with a small memory, a project, one model and a server of Nudge.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::questions::{FILES, HINTS, KNOWN, STATEMENTS};
use crate::stage::{Home, free_port, health};

/// The alias of the model.
pub(super) const MODEL: &str = "small";

/// The most turns of one loop. The default of the product is for models that need no such limit.
pub(super) const MAX_TURNS: u32 = 6;

/// Where a model is served, and its name there.
#[derive(Clone, Copy)]
pub(super) struct Served<'s> {
    pub(super) url: &'s str,
    pub(super) name: &'s str,
    pub(super) constrained: bool,
}

/// The home, with its server running.
pub(super) struct Scene {
    pub(super) home: Home,
    project: PathBuf,
    port: u16,
}

impl Scene {
    /// Fills a new home and starts its server.
    pub(super) fn set(nudge: &Path, served: Served<'_>) -> anyhow::Result<Self> {
        let Served { url, name, constrained } = served;
        let home = Home::of(nudge.to_owned())?;
        let settings = home.path().join(".config/nudge");
        std::fs::create_dir_all(&settings)?;
        let config = format!(
            "[models.{MODEL}]\nmodel = \"openai/{name}\"\nbase_url = \"{url}/v1\"\nconstrained = {constrained}\n\n\
             [runs]\nmax_turns = {MAX_TURNS}\n"
        );
        std::fs::write(settings.join("config.toml"), config)?;
        let project = home.path().join("src/parcel");
        let port = free_port()?;
        let scene = Self { home, project, port };
        scene.write_project()?;
        scene.nudge_here(&["serve", "--daemon", "--port", &port.to_string()])?;
        scene.fill_memory()?;
        Ok(scene)
    }

    fn write_project(&self) -> anyhow::Result<()> {
        for (file, text) in FILES {
            let file = self.project.join(file);
            std::fs::create_dir_all(file.parent().context("a file lies in a directory")?)?;
            std::fs::write(file, text)?;
        }
        self.git(&["init", "--quiet", "--initial-branch=main"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "-m", "Begin"])
    }

    fn git(&self, args: &[&str]) -> anyhow::Result<()> {
        let mut git = self.home.program(Path::new("git"));
        git.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]).args(args);
        let output = git.current_dir(&self.project).output().context("git cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "git {} failed: {}", args.join(" "), stderr.trim());
        Ok(())
    }

    fn fill_memory(&self) -> anyhow::Result<()> {
        for text in STATEMENTS {
            self.nudge_here(&["remember", text])?;
        }
        for (component, key, value) in HINTS {
            self.nudge_here(&["set", component, key, value])?;
        }
        for (path, body) in KNOWN {
            self.nudge_here(&["entry", "set", path, body])?;
        }
        Ok(())
    }

    /// The product in the project.
    pub(super) fn nudge(&self, args: &[&str]) -> Command {
        let mut command = self.home.nudge(args);
        command.current_dir(&self.project);
        command
    }

    /// Runs the product in the project and requires success.
    pub(super) fn nudge_here(&self, args: &[&str]) -> anyhow::Result<String> {
        let output = self.nudge(args).output().context("nudge cannot be started")?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        anyhow::ensure!(output.status.success(), "nudge {} failed: {}", args.join(" "), stderr.trim());
        Ok(String::from_utf8(output.stdout)?)
    }

    /// Copies the memory to a new directory that `nudge --home` can open: `name`, or `name-2` and
    /// so on if earlier sittings are kept there.
    pub(super) fn keep(&self, dir: &Path, name: &str) -> anyhow::Result<()> {
        std::fs::create_dir_all(dir)?;
        let names = std::iter::once(name.to_owned()).chain((2..).map(|number| format!("{name}-{number}")));
        let mut free = names.map(|name| dir.join(name)).filter(|to| !to.exists());
        let to = free.next().unwrap_or_else(|| dir.join(name));
        std::fs::create_dir(&to)?;
        self.nudge_here(&["backup", &to.join("nudge.db").to_string_lossy()]).map(drop)
    }

    /// Whether the server of Nudge still answers.
    pub(super) fn is_alive(&self) -> bool {
        (0..20).any(|_| health(self.port).is_some())
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // A server that is gone already has nothing to stop.
        let _ = self.home.run(&["stop"]);
    }
}
