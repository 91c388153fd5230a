//! Values: lessons that an agent or the user drew from several experiences. The server only checks
//! that a value fits the experiences it claims to summarise.

use std::collections::HashSet;

use nudge_context::clean_text;
use nudge_core::{EntryPath, Fault, FaultKind, Scope};
use nudge_outcomes::fingerprint;
use nudge_store::{EntryDraft, ProjectId, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::likeness::words;
use super::record::Axis;
use super::stored::{Stored, named};
use crate::operation::{Effect, Op, OpContext};
use crate::projects;
use crate::recall::{ProjectParam, projects_meant};
use crate::statements::checked_text;

/// The scheme of values.
const SCHEME: &str = "value";

/// The longest value, in characters, and the fewest and most experiences that it may summarise.
const MAX_TEXT_CHARS: usize = 500;
const MIN_AND_MAX_MEMBERS: (usize, usize) = (2, 50);

/// A value fits if at least this share of its words is in its experiences, and at least this share
/// of them has words in common with it.
const MIN_COVERED: f64 = 0.3;
const MIN_SUPPORT: f64 = 0.6;

/// How many words an experience must share with a value that summarises it.
const MIN_SHARED_WORDS: usize = 2;

/// How many values are listed by default, and how many at most.
const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;

/// Parameters of `validate_value` and `store_value`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValueParams {
    /// One or two sentences, at most 500 characters.
    pub text: String,
    /// Ids of the hypotheses that it summarises, at least two.
    pub experiences: Vec<String>,
    /// Aspect that it summarises: full (default), strategy, surprise or root_cause.
    #[serde(default)]
    pub axis: Axis,
}

/// How well a value fits its experiences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueFit {
    /// Share of its words that are in the experiences, 0 to 1.
    pub covered: f64,
    /// Share of the experiences that have words in common with it, 0 to 1.
    pub support: f64,
    /// Minimum for `covered`.
    pub least_covered: f64,
    /// Minimum for `support`.
    pub least_support: f64,
}

/// Answer of `validate_value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationAnswer {
    /// True if the value would be accepted.
    pub valid: bool,
    /// How well it fits.
    pub fit: ValueFit,
    /// Why it would be rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The `validate_value` operation.
pub struct ValidateValue;

impl Op for ValidateValue {
    const NAME: &'static str = "validate_value";
    const TITLE: &'static str = "Validate a value";
    const DOC: &'static str = "Check whether a sentence fits the experiences it summarises. Stores nothing.";
    const REFERENCE: &'static str = "Check whether a value fits the experiences it summarises. Nothing is \
        stored.";
    const EFFECT: Effect = Effect::Read;
    type Params = ValueParams;
    type Answer = ValidationAnswer;

    fn run(ctx: &OpContext<'_>, params: ValueParams) -> Result<ValidationAnswer, Fault> {
        let (text, members) = checked(ctx, &params)?;
        Ok(validated(&text, &members, params.axis))
    }
}

/// Answer of `store_value`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreValueAnswer {
    /// True if it was accepted.
    pub ok: bool,
    /// Id of the value.
    pub id: String,
    /// How well it fits.
    pub fit: ValueFit,
}

/// The `store_value` operation.
pub struct StoreValue;

impl Op for StoreValue {
    const NAME: &'static str = "store_value";
    const TITLE: &'static str = "Store a value";
    const DOC: &'static str = "Save in one sentence what several experiences taught. It is accepted only \
        if it fits them.";
    const REFERENCE: &'static str = "Save a lesson that summarises several experiences. It is accepted \
        only if it fits them.";
    const EFFECT: Effect = Effect::Write;
    type Params = ValueParams;
    type Answer = StoreValueAnswer;

    fn run(ctx: &OpContext<'_>, params: ValueParams) -> Result<StoreValueAnswer, Fault> {
        let (text, members) = checked(ctx, &params)?;
        let checked = validated(&text, &members, params.axis);
        if let Some(why) = checked.why.filter(|_| !checked.valid) {
            return Err(Fault::invalid("value_does_not_fit", why)
                .with("field", "text")
                .with("fit", json!(checked.fit))
                .next("use the words of the experiences, or name other experiences"));
        }
        let project = members[0].row.project;
        projects::may_write_into(ctx.store(), ctx.caller, Some(project), "")?;
        let number = fingerprint(&[&text, params.axis.name()]);
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
    let text = checked_text(ctx, "value", &params.text, MAX_TEXT_CHARS)?;
    let mut ids: Vec<&String> = params.experiences.iter().take(MIN_AND_MAX_MEMBERS.1 + 1).collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() < MIN_AND_MAX_MEMBERS.0 || ids.len() > MIN_AND_MAX_MEMBERS.1 {
        let why = format!(
            "a value summarises {} to {} experiences, not {}",
            MIN_AND_MAX_MEMBERS.0,
            MIN_AND_MAX_MEMBERS.1,
            ids.len()
        );
        return Err(Fault::invalid("experiences", why).with("field", "experiences"));
    }
    let mut members = Vec::new();
    for id in ids {
        let member = named(ctx, id)?;
        if member.record.outcome.is_none() {
            let why = format!("{id} is not resolved yet");
            return Err(Fault::invalid("experiences", why).with("field", "experiences"));
        }
        members.push(member);
    }
    if members.iter().any(|member| member.row.project != members[0].row.project) {
        let why = "a value summarises experiences of one project";
        return Err(Fault::invalid("experiences", why).with("field", "experiences"));
    }
    Ok((text, members))
}

fn validated(text: &str, members: &[Stored], axis: Axis) -> ValidationAnswer {
    let value_words: HashSet<String> = words(text).into_iter().collect();
    let of_members: Vec<HashSet<String>> = members
        .iter()
        .map(|member| {
            let side = axis.text(&member.record).unwrap_or_else(|| member.record.body());
            words(&side).into_iter().collect()
        })
        .collect();
    let covered =
        value_words.iter().filter(|word| of_members.iter().any(|member| member.contains(*word))).count();
    let covered = covered as f64 / value_words.len().max(1) as f64;
    let supports = |member: &&HashSet<String>| value_words.intersection(member).count() >= MIN_SHARED_WORDS;
    let support = of_members.iter().filter(supports).count() as f64 / members.len() as f64;
    let round = |share: f64| (share * 100.0).round() / 100.0;
    let why = if covered < MIN_COVERED {
        Some(format!("only {:.0} % of its words are in the experiences", covered * 100.0))
    } else if support < MIN_SUPPORT {
        Some(format!(
            "only {:.0} % of the experiences share {MIN_SHARED_WORDS} words with it",
            support * 100.0
        ))
    } else {
        None
    };
    let (covered, support) = (round(covered), round(support));
    let fit = ValueFit { covered, support, least_covered: MIN_COVERED, least_support: MIN_SUPPORT };
    ValidationAnswer { valid: why.is_none(), fit, why }
}

/// Parameters of `list_values`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValuesParams {
    /// Maximum rows to return, 1-100. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `list_values`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValuesAnswer {
    /// Values, newest first.
    pub results: Vec<ValueView>,
    /// Number of results.
    pub count: usize,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ValueView {
    /// Id of the value.
    pub id: String,
    /// Entry id, for get_observations.
    pub entry: i64,
    /// The text.
    pub text: String,
    /// Ids of the hypotheses that it summarises.
    pub experiences: Vec<String>,
    /// True if the user stated it.
    pub by_person: bool,
    /// Time it was stored.
    pub at: String,
}

/// The `list_values` operation.
pub struct ListValues;

impl Op for ListValues {
    const NAME: &'static str = "list_values";
    const TITLE: &'static str = "List values";
    const DOC: &'static str = "List the lessons of a project that were stored with store_value, newest \
        first.";
    const REFERENCE: &'static str = "List the values of a project, newest first. A value is a lesson that \
        summarises several experiences.";
    const EFFECT: Effect = Effect::Read;
    type Params = ValuesParams;
    type Answer = ValuesAnswer;

    fn run(ctx: &OpContext<'_>, params: ValuesParams) -> Result<ValuesAnswer, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let mut results = values_in(ctx, &params.project)?;
        results.truncate(limit);
        Ok(ValuesAnswer { count: results.len(), results })
    }
}

/// The values of the projects asked for, newest first.
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
                by_person: entry.writer.is_by_user(),
                at: entry.updated_at.to_string(),
            });
        }
    }
    Ok(found)
}
