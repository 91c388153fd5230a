//! The reference of all settings, in Markdown.

use std::fmt::Write;

use nudge_home::settings::{KEYS, Layers, OTHER_VARIABLES, resolve};

/// The page: every key with its default, then the variables that are no settings.
pub(crate) fn reference() -> String {
    let mut out = String::from(
        "# Settings\n\n\
         Written by `nudge config --markdown`. Each layer stands over the one before: defaults, `config.toml`,\n\
         a project's `.nudge.toml` (which may only narrow), variables, flags.\n\n\
         | key | default | takes | variable | a project | what it does |\n|---|---|---|---|---|---|\n",
    );
    let defaults = resolve(&Layers::none()).map(|resolved| resolved.keys).unwrap_or_default();
    for (key, row) in KEYS.iter().zip(defaults) {
        let default = row.default.as_str().map_or_else(|| row.default.to_string(), str::to_owned);
        let (name, kind, env, project, doc) = (key.name, key.kind, key.env, key.project, key.doc);
        writeln!(out, "| `{name}` | `{default}` | {kind} | `{env}` | {project} | {doc} |")
            .expect("a string takes all");
    }
    out.push_str("\nFlags have the names of the keys: `--default-ttl`, `--max-hints`; the guard is turned off by `--no-secret-guard`.\n");
    out.push_str("\n## Other variables\n\n| variable | what it does |\n|---|---|\n");
    for (name, doc) in OTHER_VARIABLES {
        writeln!(out, "| `{name}` | {doc} |").expect("a string takes all");
    }
    out
}
