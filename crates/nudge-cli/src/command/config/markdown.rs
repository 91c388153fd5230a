//! The reference of all settings, in Markdown.

use nudge_core::text;
use nudge_home::settings::{KEYS, Layers, OTHER_VARIABLES, resolve};
use serde_json::Value;

/// The page wraps at this column, like every page of the documentation.
const COLUMNS: usize = 100;

const INTRODUCTION: &str = "\
# Settings

Written by `nudge config --markdown`. A setting is read from these places; each overrides the ones
before it:

1. the default
2. `config.toml`
3. a project's `.nudge.toml`, which may only narrow a setting
4. the environment variable
5. the flag: the name of the key, such as `--default-ttl` or `--max-hints`; `--no-secret-guard`
   turns the guard off
";

/// The page: every key with its default, then the environment variables that are not settings.
pub(crate) fn reference() -> String {
    let mut out = String::from(INTRODUCTION);
    let defaults = resolve(&Layers::none()).map(|resolved| resolved.keys).unwrap_or_default();
    for (key, row) in KEYS.iter().zip(defaults) {
        out.push_str(&format!("\n## `{}`\n\n", key.name));
        wrapped(&mut out, &format!("{}.", key.doc), "");
        out.push('\n');
        wrapped(&mut out, &format!("- default: {}", shown(&row.default)), "  ");
        wrapped(&mut out, &format!("- accepts: {}", key.kind), "  ");
        wrapped(&mut out, &format!("- variable: `{}`", key.env), "  ");
        wrapped(&mut out, &format!("- a project's `.nudge.toml` {}", key.project), "  ");
    }
    out.push_str("\n## Other variables\n\n");
    for (name, doc) in OTHER_VARIABLES {
        wrapped(&mut out, &format!("- `{name}`: {doc}."), "  ");
    }
    out
}

/// A default as a reader would write it: a long list needs places where the line can break.
fn shown(default: &Value) -> String {
    match default {
        Value::Null => "none".to_owned(),
        Value::String(text) => format!("`{text}`"),
        Value::Array(items) if !items.is_empty() => {
            let items: Vec<String> = items.iter().map(shown).collect();
            items.join(", ")
        }
        other => format!("`{other}`"),
    }
}

fn wrapped(out: &mut String, text: &str, indent: &str) {
    for (number, line) in text::wrap(text, COLUMNS - indent.len()).into_iter().enumerate() {
        out.push_str(if number == 0 { "" } else { indent });
        out.push_str(&line);
        out.push('\n');
    }
}
