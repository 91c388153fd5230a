//! Parameters and answer of `add_skill`, and a skill as it was read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `add_skill`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddSkillParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Path of a Markdown file, a folder or a zip on this machine.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Name of the skill. Default: the name of the file or folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub read: Option<ReadSkill>,
}

/// A skill that was read before the transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadSkill {
    /// Its name.
    pub name: String,
    /// Its texts. The first is the index.
    pub texts: Vec<SkillText>,
    /// What was left out.
    pub left_out: Vec<SkillLeftOut>,
    /// Number of files that were left out.
    pub left_out_count: u64,
}

/// One text of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillText {
    /// Path of its entry.
    pub path: String,
    /// The text.
    pub body: String,
}

/// A file that is not part of the skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillLeftOut {
    /// The file.
    pub file: String,
    /// Why it was left out.
    pub why: String,
}

/// An entry of a skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillEntry {
    /// Its path.
    pub path: String,
    /// How much of it the run sees: the index is summarized, the rest is archived.
    pub visibility: String,
    /// What its whole text costs, in tokens.
    pub tokens: u32,
}

/// Answer of `add_skill`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillAdded {
    /// Name of the run.
    pub run: String,
    /// Name of the skill.
    pub skill: String,
    /// Its entries. The first is the index.
    pub entries: Vec<SkillEntry>,
    /// Paths that the skill had before and has no longer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The first of the files that were left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<SkillLeftOut>,
    /// Number of files that were left out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out_count: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}
