//! `init`: the directory that the calls of a connection are about.
//!
//! With a client token it is where the user works. Otherwise it is what the client says, and it
//! counts as much as the same words in a call over `/rpc`: it stands in for `context` and `project`
//! where a call leaves them out. It opens no private project and gives no right to write into a
//! project, except into its own runs: a run reads and answers with the rights of an agent in that
//! directory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use nudge_agent::registry;
use nudge_core::{Context, Fault, FaultKind};
use nudge_home::settings::is_declared_private;
use nudge_memory::{Effect, Operation, projects};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::backend::{self, Local};
use crate::http::methods;
use crate::mcp::Surroundings;

/// Reads whose `project` limits the answer. Without it they are about all projects, not about the
/// caller's.
const ABOUT_ALL: [&str; 1] = ["injection_usage"];

/// The facts of a place that follow from its directory.
const OF_DIRECTORY: [&str; 3] = ["cwd", "repo", "branch"];

/// The parameters of `init`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct InitParams {
    #[expect(dead_code, reason = "a project's name comes from its directory or the user")]
    name: String,
    project_root: PathBuf,
    #[expect(dead_code, reason = "settings come from the directory")]
    #[serde(default)]
    config_path: Option<String>,
}

/// The directory of a connection.
pub(super) struct Binding {
    surroundings: Surroundings,
    key: String,
    root: String,
}

/// Which parameters of an operation a binding stands in for.
#[derive(Copy, Clone, Default)]
struct Takes {
    context: bool,
    project: bool,
}

impl Binding {
    /// Reads the parameters of `init`, and the directory on the pool.
    pub(super) async fn open(params: Value) -> Result<Self, Fault> {
        let lost = |_| Fault::new(FaultKind::Internal, "panic", "the directory could not be read");
        backend::run_blocking(move || Self::read(params)).await.map_err(lost)?
    }

    fn read(params: Value) -> Result<Self, Fault> {
        let asked: InitParams = serde_json::from_value(params)
            .map_err(|error| methods::misfit(methods::INIT, &error.to_string()))?;
        let dir = asked.project_root;
        if !dir.is_absolute() || !dir.is_dir() {
            return Err(Fault::invalid("project_root", "`projectRoot` is not a directory on this machine")
                .next("send the absolute path of the project's directory"));
        }
        let project = projects::of_directory(&dir);
        Ok(Self { surroundings: Surroundings::new(dir), key: project.key, root: project.root })
    }

    /// The key of the project.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Where the client works with runs. `None` in a private project: what a client says opens
    /// none.
    pub(super) fn place(&self, local: &Local) -> Result<Option<Context>, Fault> {
        if is_declared_private(Path::new(&self.root)) || local.memory().is_private(&self.key)? {
            return Ok(None);
        }
        Ok(Some(self.surroundings.now()))
    }

    /// Where the user works, who may be in a private project too.
    pub(super) fn place_of_user(&self) -> Context {
        self.surroundings.now()
    }

    /// The same for runs. Fails if memory has nothing of the directory yet, and for a private
    /// project: naming one opens none.
    pub(super) fn known_place(&self, local: &Local) -> Result<Context, Fault> {
        if let Some(place) = self.place(local)?
            && local.memory().knows_project(&self.key)?
        {
            return Ok(place);
        }
        Err(Fault::invalid("unknown_project", "memory has nothing of this directory yet")
            .next("work there with an agent once, or run `nudge mark` in it"))
    }

    /// The project, as `init` answers it.
    pub(super) fn to_json(&self) -> Value {
        json!({"projectId": self.key, "projectRoot": self.root})
    }

    /// The parameters of a call, with what it leaves out. The directory is read on the pool: it may
    /// be on a slow disk.
    pub(super) async fn complete(self: Arc<Self>, method: &str, mut params: Value) -> Value {
        let Some(takes) = registry::find(method).map(takes_of) else { return params };
        if !takes.context {
            self.fill_in(takes, &mut params);
            return params;
        }
        let given = params.clone();
        let filled = move || {
            self.fill_in(takes, &mut params);
            params
        };
        backend::run_blocking(filled).await.unwrap_or(given)
    }

    fn fill_in(&self, takes: Takes, params: &mut Value) {
        let Value::Object(params) = params else { return };
        if takes.context {
            self.fill_in_context(params);
        }
        if takes.project && !params.contains_key("project") {
            params.insert("project".to_owned(), json!(self.key));
        }
    }

    /// Adds the facts of the directory. A given `cwd` replaces those that follow from it.
    fn fill_in_context(&self, params: &mut Map<String, Value>) {
        let given = params.entry("context").or_insert_with(|| json!({}));
        if given.is_null() {
            *given = json!({});
        }
        let Value::Object(given) = given else { return };
        let here = self.surroundings.now();
        let moved = given.contains_key("cwd");
        let os = here.os.map(|os| os.name().to_owned());
        let facts = [("cwd", here.cwd), ("repo", here.repo), ("branch", here.branch), ("os", os)];
        for (name, fact) in facts {
            if let Some(fact) = fact
                && !(moved && OF_DIRECTORY.contains(&name))
            {
                given.entry(name).or_insert_with(|| json!(fact));
            }
        }
    }
}

/// What an operation takes, according to the schema of its parameters.
fn takes_of(operation: &Operation) -> Takes {
    static ALL: OnceLock<HashMap<&'static str, Takes>> = OnceLock::new();
    let all = ALL.get_or_init(|| registry::all().map(|one| (one.name, takes(one))).collect());
    all.get(operation.name).copied().unwrap_or_default()
}

fn takes(operation: &Operation) -> Takes {
    let schema = operation.params();
    let has = |name: &str| schema["properties"].get(name).is_some();
    let reads = operation.effect == Effect::Read && !ABOUT_ALL.contains(&operation.name);
    Takes { context: has("context"), project: reads && has("project") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound() -> (tempfile::TempDir, Binding) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let binding = Binding::read(json!({"name": "shop", "projectRoot": dir.path()})).expect("bound");
        (dir, binding)
    }

    fn filled(binding: &Binding, method: &str, mut params: Value) -> Value {
        binding.fill_in(takes_of(registry::find(method).expect("an operation")), &mut params);
        params
    }

    /// @ws_init: what a call says itself is kept.
    #[test]
    fn a_call_is_completed_and_never_changed() {
        let (dir, binding) = bound();
        let path = dir.path().display().to_string();
        let context = filled(&binding, "nudge.get_hint", json!({"component": "a", "key": "b"}));
        assert_eq!(context["context"]["cwd"], json!(path));
        assert!(context["context"]["os"].is_string());
        let moved =
            filled(&binding, "get_hint", json!({"context": {"cwd": "/elsewhere"}}))["context"].clone();
        assert_eq!((&moved["cwd"], moved.get("repo")), (&json!("/elsewhere"), None));
        assert_eq!(filled(&binding, "search", json!({"query": "x"}))["project"], json!(binding.key));
        for kept in [json!({"query": "x", "project": "*"}), json!({"query": "x", "project": null})] {
            assert_eq!(filled(&binding, "search", kept.clone()), kept);
        }
    }

    /// @ws_init: a claimed directory is never the place of a write.
    #[test]
    fn writes_get_no_project() {
        let (_dir, binding) = bound();
        for operation in registry::all().filter(|one| one.effect != Effect::Read) {
            assert!(
                filled(&binding, operation.name, json!({})).get("project").is_none(),
                "{}",
                operation.name
            );
        }
    }

    /// @ws_init: a directory that does not exist, or a relative one, binds nothing.
    #[test]
    fn only_directories_are_bound() {
        let refused = |params: Value| Binding::read(params).map(|_| ()).expect_err("refused").reason;
        assert_eq!(refused(json!({"name": "x", "projectRoot": "/nowhere/at/all"})), "project_root");
        assert_eq!(refused(json!({"name": "x", "projectRoot": "."})), "project_root");
        assert_eq!(refused(json!({"projectRoot": "/"})), "schema");
        assert_eq!(refused(json!({"name": "x", "projectRoot": "/", "more": 1})), "schema");
    }
}
