//! A table of commands that run another command.

/// A command that runs another command.
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// The words that must follow its name, such as `run`; options may come before or after them.
    verbs: &'static [&'static str],
    /// Options with the next word as their value.
    valued: &'static [&'static str],
    /// How many words come before the command, such as the seconds of `timeout`.
    operands: usize,
}

const fn wrapper(
    name: &'static str,
    verbs: &'static [&'static str],
    valued: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { name, verbs, valued, operands }
}

/// Options of `uv run` that have a value.
const UV: &[&str] = &[
    "--with",
    "--python",
    "-p",
    "--extra",
    "--group",
    "--only-group",
    "--no-group",
    "--directory",
    "--project",
    "--package",
    "--env-file",
    "--index",
    "--index-url",
    "--with-editable",
    "--with-requirements",
    "--from",
    "--isolated-from",
];

/// Options of `docker exec` and `docker run` that have a value.
const DOCKER: &[&str] = &[
    "-e",
    "--env",
    "-u",
    "--user",
    "-w",
    "--workdir",
    "-v",
    "--volume",
    "--name",
    "--env-file",
    "-f",
    "--file",
    "-p",
    "--network",
    "--entrypoint",
    "--profile",
    "--platform",
    "--mount",
];

pub(super) const WRAPPERS: &[Wrapper] = &[
    wrapper("sudo", &[], &["-u", "-g", "-h", "-p", "-C", "-D", "--user", "--group"], 0),
    wrapper("doas", &[], &["-u", "-C"], 0),
    wrapper("env", &[], &["-u", "--unset", "-C", "--chdir"], 0),
    wrapper("timeout", &[], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper("gtimeout", &[], &["-s", "-k", "--signal", "--kill-after"], 1),
    wrapper("time", &[], &["-f", "-o", "--format", "--output"], 0),
    wrapper("nice", &[], &["-n", "--adjustment"], 0),
    wrapper("ionice", &[], &["-c", "-n", "--class", "--classdata"], 0),
    wrapper("chrt", &[], &[], 1),
    wrapper("taskset", &[], &[], 1),
    wrapper("stdbuf", &[], &["-i", "-o", "-e"], 0),
    wrapper("nohup", &[], &[], 0),
    wrapper("setsid", &[], &[], 0),
    wrapper("unbuffer", &[], &[], 0),
    wrapper("command", &[], &[], 0),
    wrapper("exec", &[], &["-a"], 0),
    wrapper("builtin", &[], &[], 0),
    wrapper("xvfb-run", &[], &["-s", "-n", "-e", "--server-args"], 0),
    wrapper("dbus-run-session", &[], &[], 0),
    wrapper("xargs", &[], &["-n", "-P", "-I", "-L", "-d", "-a", "-s", "-E"], 0),
    wrapper("cross-env", &[], &[], 0),
    wrapper("dotenv", &[], &["-e", "-f", "-c"], 0),
    wrapper("rtk", &["proxy"], &[], 0),
    wrapper("rtk", &["test"], &[], 0),
    wrapper("rtk", &["err"], &[], 0),
    wrapper("rtk", &[], &[], 0),
    wrapper("mise", &["exec"], &["-C", "--cd", "-j", "-E", "--env"], 0),
    wrapper("mise", &["x"], &["-C", "--cd", "-j", "-E", "--env"], 0),
    wrapper("asdf", &["exec"], &[], 0),
    wrapper("direnv", &["exec"], &[], 1),
    wrapper("nix", &["develop"], &[], 0),
    wrapper("npx", &[], &["-p", "--package", "-w", "--workspace", "-c", "--call", "--prefix"], 0),
    wrapper("bunx", &[], &["-p", "--package"], 0),
    wrapper("bun", &["x"], &["--cwd"], 0),
    wrapper("npm", &["exec"], &["-p", "--package", "-w", "--workspace", "--prefix"], 0),
    wrapper("npm", &["x"], &["-p", "--package", "-w", "--workspace", "--prefix"], 0),
    wrapper("pnpm", &["exec"], &["-C", "--dir", "-F", "--filter"], 0),
    wrapper("pnpm", &["dlx"], &["-C", "--dir", "-F", "--filter", "--package"], 0),
    wrapper("yarn", &["exec"], &["--cwd"], 0),
    wrapper("yarn", &["dlx"], &["--cwd", "-p", "--package"], 0),
    wrapper("uv", &["run"], UV, 0),
    wrapper("uv", &["tool", "run"], UV, 0),
    wrapper("uvx", &[], UV, 0),
    wrapper("pipx", &["run"], &["--spec"], 0),
    wrapper("poetry", &["run"], &["-C", "--directory", "-P", "--project"], 0),
    wrapper("pipenv", &["run"], &[], 0),
    wrapper("pdm", &["run"], &["-p", "--project"], 0),
    wrapper("hatch", &["run"], &["-e", "--env"], 0),
    wrapper("rye", &["run"], &[], 0),
    wrapper("pixi", &["run"], &["-e", "--environment", "--manifest-path"], 0),
    wrapper("conda", &["run"], &["-n", "--name", "-p", "--prefix", "--cwd"], 0),
    wrapper("micromamba", &["run"], &["-n", "--name", "-p", "--prefix", "--cwd"], 0),
    wrapper("coverage", &["run"], &["--source", "--omit", "--include", "--rcfile", "--data-file"], 0),
    wrapper("bundle", &["exec"], &[], 0),
    wrapper("docker", &["compose", "exec"], DOCKER, 1),
    wrapper("docker", &["compose", "run"], DOCKER, 1),
    wrapper("docker-compose", &["exec"], DOCKER, 1),
    wrapper("docker-compose", &["run"], DOCKER, 1),
    wrapper("docker", &["exec"], DOCKER, 1),
    wrapper("docker", &["run"], DOCKER, 1),
    wrapper("podman", &["exec"], DOCKER, 1),
    wrapper("podman", &["run"], DOCKER, 1),
];

impl Wrapper {
    /// The words of the wrapped command.
    pub(super) fn inside<'a>(&self, arguments: &'a [String]) -> Option<&'a [String]> {
        let mut rest = arguments;
        for verb in self.verbs {
            rest = self.without_options(rest);
            let (first, behind) = rest.split_first()?;
            if first != verb {
                return None;
            }
            rest = behind;
        }
        rest = self.without_options(rest);
        if self.takes_tools() {
            let behind = rest.iter().position(|word| word == "--").map(|at| at + 1);
            rest = rest.get(behind.unwrap_or(0)..).unwrap_or_default();
        }
        let rest = rest.get(self.operands..).unwrap_or_default();
        Some(match rest.split_first() {
            Some((first, behind)) if matches!(first.as_str(), "-m" | "--module" | "--") => behind,
            _ => rest,
        })
    }

    /// `mise exec node@20 -- npm test` and `nix develop -c make` name other things first.
    fn takes_tools(&self) -> bool {
        matches!(self.name, "mise" | "nix" | "dotenv")
    }

    fn without_options<'a>(&self, words: &'a [String]) -> &'a [String] {
        let mut rest = words;
        while let Some((first, behind)) = rest.split_first() {
            // In `uv run -m pytest`, the module is the command.
            if !first.starts_with('-') || matches!(first.as_str(), "-m" | "--module" | "--") {
                break;
            }
            let values = usize::from(self.valued.contains(&first.as_str()));
            rest = behind.get(values..).unwrap_or_default();
        }
        rest
    }
}
