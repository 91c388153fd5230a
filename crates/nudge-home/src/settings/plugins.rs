//! Plugins: the fields of `[plugins.NAME]`, and the variables that name plugins.
//!
//! No warning of this file repeats a value: somebody may have put a key in the wrong place.

use std::collections::BTreeMap;

use toml::Value;

use super::models::{short, unknown};

/// The table of plugins in the file.
pub(super) const PLUGINS_KEY: &str = "plugins";

/// What that table accepts.
pub(super) const PLUGINS_FORM: &str = "a table for each plugin, in config.toml";

/// The variable of a plugin, as people read it.
pub(super) const PLUGIN_VARIABLE: &str = "NUDGE_PLUGIN_<name>";

const PLUGIN_PREFIX: &str = "NUDGE_PLUGIN_";

/// The fields of a plugin.
const PLUGIN_FIELDS: [&str; 3] = ["command", "env", "read_only"];

/// The longest name of a plugin.
const MAX_NAME: usize = 32;

/// How many items a list of a plugin has at most, and how long each may be.
const MAX_ITEMS: usize = 100;
const MAX_ITEM: usize = 1_000;

const COMMAND_FORM: &str = "a program with its arguments, such as [\"npx\", \"-y\", \"issue-server\"]";

const ENV_FORM: &str =
    "a list of names of variables, such as [\"ISSUES_TOKEN\"]; their values stay outside this file";

const READ_ONLY_FORM: &str = "a list of names of tools, such as [\"list_issues\"]";

/// An external MCP server whose tools runs may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginSetting {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The names of the variables that it gets beside the usual ones.
    pub env: Vec<String>,
    /// Its tools that change nothing, by the user's word.
    pub read_only: Vec<String>,
}

impl PluginSetting {
    fn put(&mut self, field: &str, value: &Value) -> Result<(), &'static str> {
        match field {
            "command" => self.command = command(value).ok_or(COMMAND_FORM)?,
            "env" => self.env = list(value, is_variable_name).ok_or(ENV_FORM)?,
            _ => {
                self.read_only =
                    list(value, |name| !name.contains(char::is_whitespace)).ok_or(READ_ONLY_FORM)?
            }
        }
        Ok(())
    }
}

/// A list of texts, or one text that is split at white space.
fn command(value: &Value) -> Option<Vec<String>> {
    let words = match value {
        Value::String(line) => line.split_whitespace().map(str::to_owned).collect(),
        other => list(other, |_| true)?,
    };
    words.first().is_some_and(|program| !program.is_empty()).then_some(words)
}

fn list(value: &Value, fits: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let items = value.as_array().filter(|items| items.len() <= MAX_ITEMS)?;
    let read = |item: &Value| {
        let text = item.as_str().filter(|text| text.len() <= MAX_ITEM && !text.contains(char::is_control))?;
        fits(text).then(|| text.to_owned())
    };
    items.iter().map(read).collect()
}

fn is_variable_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.chars().all(fits)
}

/// Reads the table of plugins. Returns what is wrong with it; a plugin with a mistake is left out.
pub(super) fn read(value: &Value, plugins: &mut BTreeMap<String, PluginSetting>) -> Vec<String> {
    let Value::Table(table) = value else {
        return vec![format!("{PLUGINS_KEY} takes {PLUGINS_FORM}, not a value of this kind")];
    };
    let mut mistakes = Vec::new();
    for (name, value) in table {
        match read_plugin(name, value) {
            Ok(plugin) => drop(plugins.insert(name.clone(), plugin)),
            Err(why) => mistakes.push(format!("{why}; the plugin is left out")),
        }
    }
    mistakes
}

/// Reads one plugin. A field that does not exist may be a misspelt one that narrows, so it counts.
fn read_plugin(name: &str, value: &Value) -> Result<PluginSetting, String> {
    check_name(name)?;
    let key = format!("{PLUGINS_KEY}.{name}");
    let Value::Table(fields) = value else {
        return Err(format!("{key} takes a table with command = [\"program\", \"argument\"]"));
    };
    let mut setting = PluginSetting::default();
    for (field, value) in fields {
        if !PLUGIN_FIELDS.contains(&field.as_str()) {
            return Err(format!("{key}: {}", unknown("field", field, PLUGIN_FIELDS.into_iter())));
        }
        setting.put(field, value).map_err(|form| format!("{key}.{field} takes {form}"))?;
    }
    if setting.command.is_empty() {
        return Err(format!("{key} has no command: add command = [\"program\", \"argument\"]"));
    }
    Ok(setting)
}

/// Whether a variable is about one plugin.
pub(super) fn is_variable(variable: &str) -> bool {
    variable.starts_with(PLUGIN_PREFIX)
}

/// Reads a variable about one plugin: its program and arguments, apart by spaces. What the file
/// says about another program does not hold for this one.
pub(super) fn read_variable(
    variable: &str,
    text: &str,
    plugins: &mut BTreeMap<String, PluginSetting>,
) -> Result<(), String> {
    let name = variable.strip_prefix(PLUGIN_PREFIX).unwrap_or_default();
    check_name(name)?;
    let command = command(&Value::String(text.to_owned()))
        .ok_or_else(|| format!("{PLUGINS_KEY}.{name}.command takes {COMMAND_FORM}"))?;
    let known = plugins.get(name).filter(|known| known.command == command);
    if known.is_none() {
        plugins.insert(name.to_owned(), PluginSetting { command, ..PluginSetting::default() });
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(fits) {
        return Ok(());
    }
    let name = short(name);
    Err(format!("a plugin cannot be named `{name}`: use at most {MAX_NAME} of letters, digits, `-` and `_`"))
}

/// The plugins as `nudge config` shows them: one line each.
pub(super) fn shown(plugins: &BTreeMap<String, PluginSetting>) -> Vec<String> {
    plugins.iter().map(|(name, setting)| line(name, setting)).collect()
}

fn line(name: &str, setting: &PluginSetting) -> String {
    let mut line = format!("{name}={}", setting.command.join(" "));
    for (field, items) in [("env", &setting.env), ("read_only", &setting.read_only)] {
        if !items.is_empty() {
            line.push_str(&format!(" {field}={}", items.join(",")));
        }
    }
    line
}
