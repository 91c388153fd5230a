//! Applies the layers on top of each other.

use std::path::Path;

use nudge_core::Fault;
use nudge_core::text::first_chars;
use toml::Value;

use super::keys::{
    KEYS, Key, LIST_BREAK, OF_A_PROJECT, OTHER_VARIABLES, RELAXED_VARIABLE, SENSITIVITY_KEY, list,
};
use super::models::{self, MODELS_KEY, nearest, unknown};
use super::plugins::{self, PLUGIN_VARIABLE, PLUGINS_KEY};
use super::{KeyReport, Layers, Origin, Resolved, Settings};

/// Settings that keep something out of the memory: a mistake in them must not let it in.
const KEEP_OUT: [&str; 4] = ["capture", "exclude", "private", SENSITIVITY_KEY];

/// Resolves every key. Fails only for a flag with an invalid value.
pub fn resolve(layers: &Layers<'_>) -> Result<Resolved, Fault> {
    let mut work = Work {
        settings: Settings::default(),
        origins: vec![Origin::Default; KEYS.len()],
        warnings: vec![],
        unsure: vec![],
    };
    if let Some((path, text)) = &layers.file {
        work.take_file(path, text, Origin::File(path.clone()));
    }
    // The user's relaxed projects decide how the project's file is read, so they are set before it.
    if let Some(text) = (layers.env)(RELAXED_VARIABLE).filter(|text| !text.is_empty()) {
        work.settings.relaxed_secrets = list(&text);
    }
    if let Some((path, text)) = &layers.project {
        work.take_file(path, text, Origin::Project(path.clone()));
    }
    work.take_env(layers);
    work.take_flags(&layers.flags)?;
    Ok(work.finish())
}

struct Work {
    settings: Settings,
    origins: Vec<Origin>,
    warnings: Vec<String>,
    unsure: Vec<String>,
}

impl Work {
    fn take_file(&mut self, path: &Path, text: &str, origin: Origin) {
        let table = match text.parse::<toml::Table>() {
            Ok(table) => table,
            Err(error) => {
                let line = error
                    .span()
                    .map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
                let why = error.message().lines().next().unwrap_or("not TOML");
                let why = format!("{}: line {line}: {why}; nothing of it is used", path.display());
                self.unsure.push(why.clone());
                self.warnings.push(why);
                return;
            }
        };
        for (name, value) in named(&table) {
            if name == MODELS_KEY || name == PLUGINS_KEY {
                self.take_table(&name, value, &origin);
                continue;
            }
            if let Err(why) = self.take_from_file(&name, value, &origin) {
                self.report_invalid(&name, format!("{}: {why}", path.display()));
            }
        }
    }

    /// Only the user's own file names models and plugins: a repository must not decide who gets the
    /// prompts, or which programs are started.
    fn take_table(&mut self, name: &str, value: &Value, origin: &Origin) {
        let Some(place) = place_of(name) else { return };
        if matches!(origin, Origin::Project(_)) {
            let may = KEYS[place].project;
            self.warnings.push(format!("{origin}: {name} stays as it is: a project {may}"));
            return;
        }
        let settings = &mut self.settings;
        let (mistakes, is_empty) = match name {
            MODELS_KEY => (models::read(value, &mut settings.models), settings.models.is_empty()),
            _ => (plugins::read(value, &mut settings.plugins), settings.plugins.is_empty()),
        };
        self.warnings.extend(mistakes.into_iter().map(|why| format!("{origin}: {why}")));
        if !is_empty {
            self.origins[place] = origin.clone();
        }
    }

    /// Records a value that could not be used. If it was meant to keep something out, nobody knows
    /// what.
    fn report_invalid(&mut self, name: &str, why: String) {
        if nearest(&name.to_lowercase(), names()).is_some_and(|meant| KEEP_OUT.contains(&meant)) {
            self.unsure.push(why.clone());
        }
        self.warnings.push(why);
    }

    fn take_from_file(&mut self, name: &str, value: &Value, origin: &Origin) -> Result<(), String> {
        let place = place_of(name).ok_or_else(|| unknown("setting", name, names()))?;
        let key = &KEYS[place];
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) if !key.is_list() => number.to_string(),
            Value::Float(number) if !key.is_list() => number.to_string(),
            Value::Boolean(on) if !key.is_list() => on.to_string(),
            Value::Array(items) if key.is_list() => {
                joined(items).ok_or_else(|| format!("{name} takes {}, each a text of its own", key.kind))?
            }
            Value::Table(rules) if key.kind.ends_with("a table of them") => {
                ruled(rules).ok_or_else(|| format!("{name} takes {}", key.kind))?
            }
            _ => return Err(format!("{name} takes {}, not a value of this kind", key.kind)),
        };
        let mut next = self.settings.clone();
        set(key, &mut next, &text)?;
        match origin {
            Origin::Project(path) if name == SENSITIVITY_KEY && self.is_relaxed(path) => return Ok(()),
            Origin::Project(_) => {
                // A project's list is added to the list in force, because a project cannot know
                // that list.
                next.exclude.extend(self.settings.exclude.iter().cloned());
                next.exclude.sort_unstable();
                next.exclude.dedup();
                if !(key.narrows)(&self.settings, &next) {
                    // This mistake leaves nothing unclear: the narrower value stays in force.
                    self.warnings.push(format!("{origin}: {name} stays as it is: a project {}", key.project));
                    return Ok(());
                }
            }
            _ if OF_A_PROJECT.contains(&name) => {
                return Err(format!("{name} is for a project's own {}", super::PROJECT_FILE));
            }
            _ => {}
        }
        self.settings = next;
        self.origins[place] = origin.clone();
        Ok(())
    }

    /// Whether the user's own settings stop this project's file from making the detector strict.
    fn is_relaxed(&self, file: &Path) -> bool {
        let relaxed = &self.settings.relaxed_secrets;
        file.parent().is_some_and(|dir| relaxed.iter().any(|relaxed| Path::new(relaxed) == dir))
    }

    fn take_env(&mut self, layers: &Layers<'_>) {
        for (place, key) in KEYS.iter().enumerate() {
            let Some(text) = (layers.env)(key.env).filter(|text| !text.is_empty()) else { continue };
            match set(key, &mut self.settings, &text) {
                Ok(()) => self.origins[place] = Origin::Env(key.env),
                Err(why) => self.report_invalid(key.name, format!("{}: {why}", key.env)),
            }
        }
        self.take_models_env(layers);
        self.take_plugins_env(layers);
        let known = || KEYS.iter().map(|key| key.env).chain(OTHER_VARIABLES.map(|(name, _)| name));
        let is_of_table = |name: &str| models::is_variable(name) || plugins::is_variable(name);
        let is_ours = |name: &&String| name.starts_with("NUDGE_") && !is_of_table(name);
        let ours = layers.env_names.iter().filter(is_ours);
        let mut strange: Vec<&String> = ours.filter(|name| known().all(|known| known != *name)).collect();
        strange.sort_unstable();
        self.warnings.extend(strange.into_iter().map(|name| unknown("variable", name, known())));
    }

    fn take_models_env(&mut self, layers: &Layers<'_>) {
        let mut names: Vec<&String> =
            layers.env_names.iter().filter(|name| models::is_variable(name)).collect();
        // The models come before their contexts.
        names.sort_unstable_by_key(|name| (models::is_context(name), *name));
        for name in names {
            let Some(text) = (layers.env)(name).filter(|text| !text.is_empty()) else { continue };
            match models::read_variable(name, text.trim(), &mut self.settings.models) {
                Ok(variable) => {
                    if let Some(place) = place_of(MODELS_KEY) {
                        self.origins[place] = Origin::Env(variable);
                    }
                }
                Err(why) => self.warnings.push(format!("{}: {why}", models::short(name))),
            }
        }
    }

    fn take_plugins_env(&mut self, layers: &Layers<'_>) {
        let mut names: Vec<&String> =
            layers.env_names.iter().filter(|name| plugins::is_variable(name)).collect();
        names.sort_unstable();
        for name in names {
            let Some(text) = (layers.env)(name).filter(|text| !text.is_empty()) else { continue };
            match plugins::read_variable(name, &text, &mut self.settings.plugins) {
                Ok(()) => {
                    if let Some(place) = place_of(PLUGINS_KEY) {
                        self.origins[place] = Origin::Env(PLUGIN_VARIABLE);
                    }
                }
                Err(why) => self.warnings.push(format!("{}: {why}", models::short(name))),
            }
        }
    }

    fn take_flags(&mut self, flags: &[(&str, String)]) -> Result<(), Fault> {
        for (name, text) in flags {
            let place = place_of(name)
                .ok_or_else(|| Fault::invalid("setting_unknown", unknown("setting", name, names())))?;
            let key = &KEYS[place];
            set(key, &mut self.settings, text).map_err(|why| {
                Fault::invalid("setting_invalid", why)
                    .with("setting", key.name)
                    .next(format!("use {}; `nudge config` lists every setting", key.kind))
            })?;
            self.origins[place] = Origin::Flag;
        }
        Ok(())
    }

    fn finish(self) -> Resolved {
        let default = Settings::default();
        let report = |(key, source): (&Key, Origin)| KeyReport {
            key: key.name,
            value: (key.show)(&self.settings),
            default: (key.show)(&default),
            source,
            kind: key.kind,
            env: key.env,
            doc: key.doc,
            project: key.project,
        };
        let keys = KEYS.iter().zip(self.origins).map(report).collect();
        Resolved { settings: self.settings, keys, warnings: self.warnings, unsure: self.unsure }
    }
}

/// Every setting of a file under its full name: settings in the table `inject` are called
/// `inject.…`.
fn named(table: &toml::Table) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let group = format!("{name}.");
        match value {
            Value::Table(inner) if names().any(|known| known.starts_with(&group)) => {
                found.extend(inner.iter().map(|(rest, value)| (format!("{group}{rest}"), value)));
            }
            _ => found.push((name.clone(), value)),
        }
    }
    found
}

fn joined(items: &[Value]) -> Option<String> {
    items.iter().map(|item| Some(format!("{}{LIST_BREAK}", item.as_str()?))).collect()
}

/// The rows of a table, as the equivalent list.
fn ruled(rules: &toml::Table) -> Option<String> {
    let rule = |(name, value): (&String, &Value)| match value {
        Value::Integer(number) => Some(format!("{name}={number}{LIST_BREAK}")),
        Value::String(text) => Some(format!("{name}={text}{LIST_BREAK}")),
        _ => None,
    };
    rules.iter().map(rule).collect()
}

fn set(key: &Key, settings: &mut Settings, text: &str) -> Result<(), String> {
    let typed = text.trim_end_matches(LIST_BREAK).replace(LIST_BREAK, ", ");
    let shown = first_chars(&typed, 60);
    (key.set)(settings, text.trim())
        .map_err(|expected| format!("{} takes {expected}, not `{}`", key.name, shown.escape_debug()))
}

fn place_of(name: &str) -> Option<usize> {
    KEYS.iter().position(|key| key.name == name)
}

fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|key| key.name)
}
