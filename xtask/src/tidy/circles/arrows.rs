//! Which file of a crate uses which names of which other file: paths resolved to the file that
//! defines the name.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Import, Surface};
use crate::tree::Tree;

/// A module by its path; the crate's root is empty.
pub(super) type Module = Vec<String>;

/// For each pair of files, the names that the first uses from the second.
pub(super) type Arrows = BTreeMap<(String, String), BTreeSet<String>>;

/// The non-test files of one crate and what they use from each other.
#[derive(Debug)]
pub(super) struct CrateArrows {
    /// `nudge-core`, `xtask`.
    pub(super) name: String,
    /// Each file's top module: `src/x.rs` and all of `src/x/` are `x`.
    pub(super) tops: BTreeMap<String, String>,
    pub(super) arrows: Arrows,
}

/// Reads every crate of the tree that has a `src/lib.rs` or `src/main.rs`.
pub(super) fn read(tree: &Tree) -> Vec<CrateArrows> {
    let roots: BTreeSet<&str> = tree
        .rust_files()
        .filter(|file| file.crate_name().is_some())
        .filter_map(|file| file.path.strip_suffix("lib.rs").or(file.path.strip_suffix("main.rs")))
        .filter(|root| root.ends_with("/src/"))
        .collect();
    roots.into_iter().map(|root| Sources::read(tree, root).arrows()).collect()
}

/// The files of one crate by module.
struct Sources<'a> {
    root: &'a str,
    surfaces: BTreeMap<Module, (String, Surface)>,
}

/// The target of a path: a module itself, or a name that a module's file defines.
struct Target {
    module: Module,
    name: Option<String>,
}

/// Longer chains of re-exports are cycles of aliases.
const MAX_CHAIN: usize = 16;

impl<'a> Sources<'a> {
    fn read(tree: &Tree, root: &'a str) -> Self {
        let mut surfaces = BTreeMap::new();
        for file in tree.rust_files() {
            let Some(inside) = file.path.strip_prefix(root).and_then(|path| path.strip_suffix(".rs")) else {
                continue;
            };
            let mut module: Module = inside.split('/').map(str::to_owned).collect();
            if module[0] == "bin" || module.iter().any(|part| part == "tests") {
                continue;
            }
            if ["lib", "main"].contains(&inside) {
                module.clear();
            }
            surfaces.insert(module, (file.path.clone(), Surface::read(&file.text)));
        }
        let mut sources = Self { root, surfaces };
        sources.drop_test_modules();
        sources
    }

    /// Removes modules that are declared only for tests, and all modules below them.
    fn drop_test_modules(&mut self) {
        let below = |(module, (_, surface)): (&Module, &(String, Surface))| {
            let under = |name: &String| [module.as_slice(), std::slice::from_ref(name)].concat();
            surface.test_modules.iter().map(under).collect::<Vec<_>>()
        };
        let dropped: Vec<Module> = self.surfaces.iter().flat_map(below).collect();
        self.surfaces.retain(|module, _| !dropped.iter().any(|dropped| module.starts_with(dropped)));
    }

    fn arrows(&self) -> CrateArrows {
        let mut arrows = Arrows::new();
        for (module, (path, surface)) in self.surfaces.iter().filter(|(module, _)| !module.is_empty()) {
            for target in self.used_targets(module, surface) {
                if target.module.is_empty() || target.module == *module {
                    continue;
                }
                let Some((file, _)) = self.surfaces.get(&target.module) else { continue };
                let name = target.name.or_else(|| target.module.last().cloned()).unwrap_or_default();
                arrows.entry((path.clone(), file.clone())).or_default().insert(name);
            }
        }
        CrateArrows { name: crate_name(self.root), tops: self.tops(), arrows }
    }

    fn tops(&self) -> BTreeMap<String, String> {
        let inner = self.surfaces.iter().filter(|(module, _)| !module.is_empty());
        inner.map(|(module, (path, _))| (path.clone(), module[0].clone())).collect()
    }

    /// Everything that one file uses from elsewhere in the crate.
    fn used_targets(&self, module: &Module, surface: &Surface) -> Vec<Target> {
        let mut taken = Vec::new();
        for import in &surface.imports {
            if import.alias == "*" {
                taken.extend(self.through_glob(module, surface, import));
            } else if let Some(target) = self.lead(module, &import.path, import.depth, 0)
                && self.is_taken(module, surface, import, &target)
            {
                taken.push(target);
            }
        }
        let paths = surface.mentions.iter().filter(|mention| mention.path.len() > 1);
        taken.extend(paths.filter_map(|mention| self.lead(module, &mention.path, mention.depth, 0)));
        taken
    }

    /// Whether an import counts as an arrow. A child's name that the parent only re-exports is no
    /// arrow. For an imported module, the paths through it are the arrows.
    fn is_taken(&self, module: &Module, surface: &Surface, import: &Import, target: &Target) -> bool {
        if target.name.is_none() && surface.looks_into(&import.alias) {
            return false;
        }
        let from_below = target.module.starts_with(module);
        !(import.public && from_below && !surface.mentions(&import.alias))
    }

    fn through_glob(&self, module: &Module, surface: &Surface, import: &Import) -> Vec<Target> {
        let Some(Target { module: source, name: None }) = self.lead(module, &import.path, import.depth, 0)
        else {
            return Vec::new();
        };
        let names = surface.mentions.iter().filter(|mention| !surface.defined.contains(&mention.path[0]));
        // A single word that is also a module's name is a variable.
        let targets = names.filter_map(|mention| self.find(&source, &mention.path, 1));
        targets.filter(|target| target.name.is_some()).collect()
    }

    /// Follows a path in a file of this module.
    fn lead(&self, module: &Module, path: &[String], depth: usize, chain: usize) -> Option<Target> {
        match path.first()?.as_str() {
            "crate" => self.walk(&Module::new(), &path[1..], chain),
            "self" => self.walk(module, &path[1..], chain),
            "super" => {
                let supers = path.iter().take_while(|part| *part == "super").count();
                let up = supers.saturating_sub(depth).min(module.len());
                self.walk(&module[..module.len() - up].to_vec(), &path[supers..], chain)
            }
            _ => self.find(module, path, chain),
        }
    }

    /// Follows a path that is certainly in this module; a name without a definition there comes
    /// from a macro.
    fn walk(&self, module: &Module, path: &[String], chain: usize) -> Option<Target> {
        let Some(name) = path.first() else { return Some(Target { module: module.clone(), name: None }) };
        let made_here = || Some(Target { module: module.clone(), name: Some(name.clone()) });
        self.find(module, path, chain).or_else(made_here)
    }

    /// Follows a path that is in this module or outside the crate.
    fn find(&self, module: &Module, path: &[String], chain: usize) -> Option<Target> {
        let (name, rest) = path.split_first()?;
        let (_, surface) = self.surfaces.get(module).filter(|_| chain < MAX_CHAIN)?;
        let child = [module.as_slice(), std::slice::from_ref(name)].concat();
        if !rest.is_empty() && self.surfaces.contains_key(&child) {
            return self.walk(&child, rest, chain);
        }
        let named =
            surface.imports.iter().filter(|import| import.alias == *name && import.path != [name.as_str()]);
        for import in named {
            match self.lead(module, &import.path, import.depth, chain + 1) {
                Some(Target { module, name: None }) => return self.walk(&module, rest, chain + 1),
                Some(target) => return Some(target),
                None => {}
            }
        }
        if self.surfaces.contains_key(&child) {
            return Some(Target { module: child, name: None });
        }
        if surface.defined.contains(name) {
            return Some(Target { module: module.clone(), name: Some(name.clone()) });
        }
        self.find_in_globs(module, surface, path, chain)
    }

    fn find_in_globs(
        &self,
        module: &Module,
        surface: &Surface,
        path: &[String],
        chain: usize,
    ) -> Option<Target> {
        let globs = surface.imports.iter().filter(|import| import.alias == "*" && import.public);
        let mut sources = globs.filter_map(|glob| self.lead(module, &glob.path, glob.depth, chain + 1));
        sources.find_map(|source| match source {
            Target { module: inner, name: None } if inner != *module => self.find(&inner, path, chain + 1),
            _ => None,
        })
    }
}

/// `crates/nudge-core/src/` is `nudge-core`, `xtask/src/` is `xtask`.
fn crate_name(root: &str) -> String {
    let folder = root.trim_end_matches("/src/");
    folder.rsplit('/').next().unwrap_or(folder).to_owned()
}

#[cfg(test)]
mod tests;
