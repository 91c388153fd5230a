//! Where an imported event happened: its project, and whether anything of it may be kept.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use crate::Settings;
use crate::capture::{ProjectRef, exclude, project};
use crate::home::Home;
use crate::settings;

/// A directory that something happened in.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) project: ProjectRef,
    pub(super) settings: Settings,
    /// Why nothing of it is kept, if nothing is.
    pub(super) off: Option<&'static str>,
}

/// The directories seen so far; looking at one means reading files.
#[derive(Debug)]
pub(super) struct Places<'i> {
    home: &'i Home,
    known: HashMap<Option<String>, Rc<Place>>,
}

impl<'i> Places<'i> {
    pub(super) fn new(home: &'i Home) -> Self {
        Self { home, known: HashMap::new() }
    }

    pub(super) fn at(&mut self, cwd: Option<&str>) -> Rc<Place> {
        let key = cwd.map(str::to_owned);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let dir = cwd.map(Path::new).filter(|cwd| cwd.is_absolute());
        let resolved = settings::load(self.home, dir.unwrap_or(Path::new("/")), Vec::new()).ok();
        let is_sure = resolved.as_ref().is_some_and(|resolved| resolved.unsure.is_empty());
        let settings = resolved.map(|resolved| resolved.settings).unwrap_or_default();
        let project = project::resolve(dir, settings.project.as_deref());
        let off = match exclude::is_off(&settings, &project, cwd) {
            true => Some("excluded"),
            // Who knows what they keep out.
            false => (!is_sure).then_some("settings"),
        };
        let place = Rc::new(Place { project, settings, off });
        self.known.insert(key, place.clone());
        place
    }
}
