//! Values: what several experiences were summed up to, by an agent or the person. The server only
//! checks that a value fits the experiences that it claims to sum up.

use std::collections::HashSet;

use nudge_context::clean_text;
use nudge_core::{EntryPath, Fault, FaultKind, Scope, Tier};
use nudge_store::{EntryDraft, ProjectId, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::axes::Axis;
use super::likeness::words;
use super::stored::{Stored, named};
use crate::fingerprint;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::{ProjectParam, projects_meant};
use crate::statements::checked_text;

/// The scheme of values.
const SCHEME: &str = "value";

/// How long a value may be, in characters, and how many experiences it may sum up.
const TEXT_MOST: usize = 500;
const MEMBERS: (usize, usize) = (2, 50);

/// A value fits when so much of what it says is in its experiences, and so many of them share words
/// with it.
const LEAST_COVERED: f64 = 0.3;
const LEAST_SUPPORT: f64 = 0.6;

/// So many words an experience shares with a value that sums it up.
const SHARED: usize = 2;

/// How many values are listed unless asked otherwise, and how many at most.
const LIMIT: i64 = 20;
const MOST: i64 = 100;

/// A value, and what it sums up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueParams {
    /// One or two sentences, at most 500 characters.
    pub text: String,
    /// Ids of the hypotheses that it sums up, at least two.
    pub experiences: Vec<String>,
    /// full, strategy, surprise or root_cause (full).
    #[serde(default)]
    pub axis: Axis,
}

/// How well a value fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueFit {
    /// How much of what it says is in the experiences, from 0 to 1.
    pub covered: f64,
    /// How many of the experiences share words with it, from 0 to 1.
    pub support: f64,
    /// What both must reach at least.
    pub least_covered: f64,
    /// The same of support.
    pub least_support: f64,
}

/// Whether a value would be accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationAnswer {
    /// Whether it fits.
    pub valid: bool,
    /// How well.
    pub fit: ValueFit,
    /// Why it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The operation.
pub struct ValidateValue;

impl Op for ValidateValue {
    const NAME: &'static str = "validate_value";
    const ALIASES: &'static [&'static str] = &["nudge.validate_value"];
    const TITLE: &'static str = "Validate a value";
    const DOC: &'static str =
        "Whether a sentence fits the experiences that it claims to sum up; nothing is stored.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ValueParams;
    type Answer = ValidationAnswer;

    fn run(ctx: &OpContext<'_>, params: ValueParams) -> Result<ValidationAnswer, Fault> {
        let (text, members) = checked(ctx, &params)?;
        Ok(validated(&text, &members, params.axis))
    }
}

/// A stored value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreValueAnswer {
    /// It was accepted.
    pub ok: bool,
    /// Its id.
    pub id: String,
    /// How well it fits.
    pub fit: ValueFit,
}

/// The operation.
pub struct StoreValue;

impl Op for StoreValue {
    const NAME: &'static str = "store_value";
    const ALIASES: &'static [&'static str] = &["nudge.store_value"];
    const TITLE: &'static str = "Store a value";
    const DOC: &'static str =
        "Keep what several experiences taught, in a sentence. It is accepted when it fits them.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = ValueParams;
    type Answer = StoreValueAnswer;

    fn run(ctx: &OpContext<'_>, params: ValueParams) -> Result<StoreValueAnswer, Fault> {
        let (text, members) = checked(ctx, &params)?;
        let checked = validated(&text, &members, params.axis);
        if let Some(why) = checked.why.filter(|_| !checked.valid) {
            return Err(Fault::invalid("value_does_not_fit", why)
                .with("field", "text")
                .with("fit", json!(checked.fit))
                .next("say it in the words of the experiences, or name those that it does sum up"));
        }
        let project = members[0].row.project;
        projects::may_write_into(ctx.store(), ctx.caller, Some(project), "")?;
        let number = fingerprint::of(&[&text, params.axis.name()]);
        let id = format!("value_{}_{:08x}", params.axis.name(), number & 0xffff_ffff);
        let path = EntryPath::from_parts(SCHEME, &[&id], None)
            .map_err(|error| Fault::new(FaultKind::Internal, "path", error.to_string()))?;
        let mut attributes = Map::new();
        attributes.insert("axis".to_owned(), json!(params.axis));
        let ids: Vec<&str> = members.iter().map(|member| member.record.id.as_str()).collect();
        attributes.insert("experiences".to_owned(), json!(ids));
        attributes.insert("fit".to_owned(), json!(checked.fit));
        ctx.writer()?.put_entry(&EntryDraft {
            scope: members[0].scope.clone(),
            path,
            body: text,
            attributes,
            provenance: ctx.provenance()?,
            secrets: ctx.secret_policy(),
            now: ctx.now(),
        })?;
        Ok(StoreValueAnswer { ok: true, id, fit: checked.fit })
    }
}

fn checked(ctx: &OpContext<'_>, params: &ValueParams) -> Result<(String, Vec<Stored>), Fault> {
    let text = checked_text(ctx, "value", &params.text, TEXT_MOST)?;
    let mut ids: Vec<&String> = params.experiences.iter().take(MEMBERS.1 + 1).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() < MEMBERS.0 || ids.len() > MEMBERS.1 {
        let why = format!("a value sums up {} to {} experiences, not {}", MEMBERS.0, MEMBERS.1, ids.len());
        return Err(Fault::invalid("experiences", why).with("field", "experiences"));
    }
    let mut members = Vec::new();
    for id in ids {
        let member = named(ctx, id)?;
        if member.record.outcome.is_none() {
            let why = format!("{id} is not resolved, and so it taught nothing yet");
            return Err(Fault::invalid("experiences", why).with("field", "experiences"));
        }
        members.push(member);
    }
    if members.iter().any(|member| member.row.project != members[0].row.project) {
        let why = "a value sums up experiences of one project";
        return Err(Fault::invalid("experiences", why).with("field", "experiences"));
    }
    Ok((text, members))
}

fn validated(text: &str, members: &[Stored], axis: Axis) -> ValidationAnswer {
    let said: HashSet<String> = words(text).into_iter().collect();
    let of_members: Vec<HashSet<String>> = members
        .iter()
        .map(|member| {
            let side = axis.text(&member.record).unwrap_or_else(|| member.record.body());
            words(&side).into_iter().collect()
        })
        .collect();
    let covered = said.iter().filter(|word| of_members.iter().any(|member| member.contains(*word))).count();
    let covered = covered as f64 / said.len().max(1) as f64;
    let supports = |member: &&HashSet<String>| said.intersection(member).count() >= SHARED;
    let support = of_members.iter().filter(supports).count() as f64 / members.len() as f64;
    let round = |share: f64| (share * 100.0).round() / 100.0;
    let why = if covered < LEAST_COVERED {
        Some(format!("only {:.0} % of its words are in the experiences", covered * 100.0))
    } else if support < LEAST_SUPPORT {
        Some(format!("only {:.0} % of the experiences share {SHARED} words with it", support * 100.0))
    } else {
        None
    };
    let (covered, support) = (round(covered), round(support));
    let fit = ValueFit { covered, support, least_covered: LEAST_COVERED, least_support: LEAST_SUPPORT };
    ValidationAnswer { valid: why.is_none(), fit, why }
}

/// Which values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValuesParams {
    /// 1-100 (20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Directory, or id or name of a project; null for all [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Values, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValuesAnswer {
    /// They.
    pub results: Vec<ValueView>,
    /// How many.
    pub count: usize,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueView {
    /// Its id.
    pub id: String,
    /// Its entry, for get_observations.
    pub entry: i64,
    /// What it says.
    pub text: String,
    /// The experiences that it sums up.
    pub experiences: Vec<String>,
    /// Whether the person stated it.
    pub by_person: bool,
    /// When.
    pub at: String,
}

/// The operation.
pub struct ListValues;

impl Op for ListValues {
    const NAME: &'static str = "list_values";
    const ALIASES: &'static [&'static str] = &["nudge.list_values"];
    const TITLE: &'static str = "List values";
    const DOC: &'static str = "What experiences of a project were summed up to, newest first.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ValuesParams;
    type Answer = ValuesAnswer;

    fn run(ctx: &OpContext<'_>, params: ValuesParams) -> Result<ValuesAnswer, Fault> {
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let mut results = values_in(ctx, &params.project)?;
        results.truncate(limit);
        Ok(ValuesAnswer { count: results.len(), results })
    }
}

/// The values of the projects that are meant, newest first.
pub(crate) fn values_in(ctx: &OpContext<'_>, asked: &ProjectParam) -> Result<Vec<ValueView>, Fault> {
    let mut found = Vec::new();
    for project in projects_meant(ctx, asked)? {
        found.extend(values_of(ctx.store(), project)?);
    }
    found.sort_by_key(|value| std::cmp::Reverse(value.entry));
    Ok(found)
}

/// The values of a project.
fn values_of(reader: &Reader<'_>, project: ProjectId) -> Result<Vec<ValueView>, Fault> {
    let keys = reader.project_uncounted(project)?.map(|row| row.keys).unwrap_or_default();
    let mut found = Vec::new();
    for key in keys {
        for entry in reader.entries_in(&Scope::Project(key), Some(SCHEME))? {
            let experiences = entry.attributes.get("experiences").and_then(Value::as_array);
            let experiences = experiences.into_iter().flatten().filter_map(Value::as_str);
            found.push(ValueView {
                id: entry.path.parts().join("/"),
                entry: entry.id.0,
                text: clean_text(&entry.body),
                experiences: experiences.map(clean_text).collect(),
                by_person: entry.writer.is_the_persons(),
                at: entry.updated_at.to_string(),
            });
        }
    }
    Ok(found)
}
