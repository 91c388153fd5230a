//! The small part of git's configuration that names the remote.

/// The address of `origin`, and the address rewrites.
#[derive(Debug, Default)]
pub(super) struct GitConfig {
    origin: Option<String>,
    /// The prefix as written, and its replacement.
    rewrites: Vec<(String, String)>,
}

impl GitConfig {
    /// Reads the repository's own configuration.
    pub(super) fn read(&mut self, text: &str) {
        for setting in settings(text) {
            match (setting.section.as_str(), setting.key.as_str()) {
                ("remote", "url") if setting.subsection == "origin" && !setting.value.is_empty() => {
                    // With several addresses, git fetches from the first.
                    self.origin.get_or_insert(setting.value);
                }
                ("url", "insteadof") => self.rewrites.push((setting.value, setting.subsection)),
                _ => {}
            }
        }
    }

    /// Reads the user's configuration. It may rewrite addresses but names no remote of this
    /// repository.
    pub(super) fn read_rewrites(&mut self, text: &str) {
        let found = settings(text).into_iter().filter(|one| one.section == "url" && one.key == "insteadof");
        self.rewrites.extend(found.map(|one| (one.value, one.subsection)));
    }

    /// The address of `origin` as written.
    pub(super) fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// Applies the longest rewrite that matches, as `git remote get-url` does.
    pub(super) fn rewritten(&self, url: &str) -> String {
        let fitting =
            self.rewrites.iter().filter(|(prefix, _)| !prefix.is_empty() && url.starts_with(prefix.as_str()));
        match fitting.max_by_key(|(prefix, _)| prefix.len()) {
            Some((prefix, base)) => format!("{base}{}", &url[prefix.len()..]),
            None => url.to_owned(),
        }
    }
}

/// The working tree that a repository's configuration names.
pub(super) fn work_tree(text: &str) -> Option<String> {
    core(text, "worktree")
}

/// The user's own list of ignored files, as written.
pub(super) fn excludes_file(text: &str) -> Option<String> {
    core(text, "excludesfile")
}

/// The last value of a setting of git's core.
fn core(text: &str, key: &str) -> Option<String> {
    let is_it = |one: &Setting| one.section == "core" && one.subsection.is_empty() && one.key == key;
    settings(text).into_iter().rfind(is_it).map(|one| one.value).filter(|value| !value.is_empty())
}

struct Setting {
    /// In lower case, as git compares it.
    section: String,
    /// As written.
    subsection: String,
    /// In lower case.
    key: String,
    value: String,
}

fn settings(text: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim_start_matches('\u{feff}').trim_start();
        if line.starts_with('[') {
            let Some((names, rest)) = header(line) else { continue };
            (section, subsection) = names;
            line = rest.trim_start();
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        found.push(Setting {
            section: section.clone(),
            subsection: subsection.clone(),
            key: key.trim().to_ascii_lowercase(),
            value: value_of(value, &mut lines),
        });
    }
    found
}

/// `[remote "origin"]` or the old `[remote.origin]`, and the rest of the line.
fn header(line: &str) -> Option<((String, String), &str)> {
    let inner = line.strip_prefix('[')?;
    let end = inner.find(['"', ']'])?;
    let name = inner[..end].trim();
    if inner[end..].starts_with(']') {
        let (section, subsection) = name.split_once('.').unwrap_or((name, ""));
        return Some(((section.to_ascii_lowercase(), subsection.to_ascii_lowercase()), &inner[end + 1..]));
    }
    let mut subsection = String::new();
    let mut chars = inner[end + 1..].char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => {
                let rest = inner[end + 1 + at + 1..].trim_start().strip_prefix(']')?;
                return Some(((name.to_ascii_lowercase(), subsection), rest));
            }
            '\\' => subsection.push(chars.next()?.1),
            other => subsection.push(other),
        }
    }
    None
}

/// A value without quotes, escapes and comment. A backslash at the end of a line continues the
/// value on the next line.
fn value_of<'a>(first: &str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut value = String::new();
    // Trailing space counts only inside quotes: trimming must not cut the value shorter than this.
    let mut keep = 0;
    let mut quoted = false;
    let mut line = first.trim_start();
    loop {
        let mut chars = line.chars();
        let mut continued = false;
        while let Some(char) = chars.next() {
            match char {
                '"' => quoted = !quoted,
                '#' | ';' if !quoted => break,
                '\\' => match chars.next() {
                    None => continued = true,
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some('b') => drop(value.pop()),
                    Some(other) => value.push(other),
                },
                other => value.push(other),
            }
            if quoted {
                keep = value.len();
            }
        }
        match continued.then(|| lines.next()).flatten() {
            Some(next) => line = next,
            None => break,
        }
    }
    let end = value.trim_end().len().max(keep.min(value.len()));
    value.truncate(end);
    value
}
