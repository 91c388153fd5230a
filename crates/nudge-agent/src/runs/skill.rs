//! `add_skill`: gives a run a skill, which is a Markdown file, or a folder or zip of them. `ask`
//! does it for the run that it asks.
//!
//! The files are read before the transaction. The entries belong to the project, as the scheme
//! says; only the run has them in view.

mod archive;
mod files;
mod folder;
mod layout;
mod source;
mod wire;
mod write;

use nudge_core::{Fault, Tier};
use serde_json::Value;

pub(super) use write::write;

pub use wire::{AddSkillParams, ReadSkill, SkillAdded, SkillEntry, SkillLeftOut, SkillText};

use super::find;
use nudge_memory::caller::Caller;
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

/// The field that only this module fills.
const READ: &str = "read";

/// How many skills one call adds.
const SKILLS_MOST: usize = 20;

/// The `add_skill` operation.
pub struct AddSkill;

impl Op for AddSkill {
    const NAME: &'static str = "add_skill";
    const ALIASES: &'static [&'static str] = &["nudge.add_skill", "run/skill"];
    const TITLE: &'static str = "Add a skill";
    const DOC: &'static str = "Give a run a skill: a Markdown file, or a folder or zip of them.";
    const REFERENCE: &'static str = "Give a run a skill: a Markdown file, or a folder or zip of them. The run \
        sees a line for its index and can read the rest; adding it again replaces it.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = AddSkillParams;
    type Answer = SkillAdded;

    fn prepare(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
        let Some(fields) = params.as_object_mut() else { return Ok(params) };
        // Only this function says what the files contain.
        fields.remove(READ);
        let Some(Value::String(path)) = fields.get("path") else { return Ok(params) };
        let name = fields.get("name").and_then(Value::as_str);
        let read = source::read(memory, caller, path, name)?;
        fields.insert(READ.to_owned(), serde_json::to_value(read).unwrap_or_default());
        Ok(params)
    }

    fn run(ctx: &OpContext<'_>, params: AddSkillParams) -> Result<SkillAdded, Fault> {
        let Some(skill) = params.read else {
            return Err(Fault::invalid("path", "the skill was not read").with("field", "path"));
        };
        let run = find::run_to_change(ctx, &params.run, None)?;
        write(ctx, &run, skill)
    }
}

/// Reads the skills that the field `skills` names, before the transaction.
pub(super) fn read_named(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
    let Some(fields) = params.as_object_mut() else { return Ok(params) };
    fields.remove(READ);
    let Some(Value::Array(paths)) = fields.get("skills") else { return Ok(params) };
    if paths.len() > SKILLS_MOST {
        let why = format!("a call adds at most {SKILLS_MOST} skills");
        return Err(Fault::invalid("skills", why).with("field", "skills"));
    }
    let paths = paths.iter().filter_map(Value::as_str);
    let read = paths.map(|path| source::read(memory, caller, path, None)).collect::<Result<Vec<_>, _>>()?;
    fields.insert(READ.to_owned(), serde_json::to_value(read).unwrap_or_default());
    Ok(params)
}
