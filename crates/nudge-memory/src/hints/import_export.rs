//! `export` writes hints into a file; `import` reads all of such a file, or nothing.

use std::collections::{BTreeMap, HashSet};

use nudge_core::text::without_controls;
use nudge_core::{
    EntryPath, Fault, FaultKind, Hint, HintMeta, HintValue, Provenance, Source, Tier, Timestamp,
};
use nudge_store::{HintFilter, History};
use serde_json::{Map, Value as Json, json};

use super::authority::only_open;
use super::limits::Quota;
use super::set::{Outcome, Write};
use super::wire::{
    Component, ExportAnswer, ExportParams, HintRecord, ImportAnswer, ImportMode, ImportParams, Payload,
    SCHEMA_VERSION, Variants,
};
use super::{choice, delete, limits, secrets, stored};
use crate::operation::{Effect, Op, OpContext};

/// How many faults are listed; the rest are only counted.
const MAX_FAULTS: usize = 50;

/// The `import` operation.
pub struct ImportHints;

impl Op for ImportHints {
    const NAME: &'static str = "import";
    const ALIASES: &'static [&'static str] = &["import_hints"];
    const TITLE: &'static str = "Import hints";
    const DOC: &'static str = "Import hints from an export. One invalid record rejects the whole import.";
    const REFERENCE: &'static str = "Import hints from an export. The import is all or nothing: one \
        invalid record rejects it.";
    const EFFECT: Effect = Effect::Destructive;
    type Params = ImportParams;
    type Answer = ImportAnswer;

    fn run(ctx: &OpContext<'_>, params: ImportParams) -> Result<ImportAnswer, Fault> {
        let records = read_payload(params.payload)?;
        let mut answer = ImportAnswer { imported: 0, skipped: 0, removed: 0, proposed: 0 };
        if params.mode == Some(ImportMode::Replace) {
            answer.removed = remove_others(ctx, &records)?;
        }
        let mut quota = Quota::for_all(ctx)?;
        let mut faults = Faults::default();
        let mut seen = HashSet::new();
        for record in records {
            let place = record.place();
            if !seen.insert(stored::path_of(&record.component, &record.key, &record.meta)?) {
                faults.add(&place, &Fault::invalid("twice", "the same conditions appear twice"));
                continue;
            }
            match record.store(ctx, &mut quota) {
                Ok(Stored::Changed) => answer.imported += 1,
                Ok(Stored::Unchanged) => answer.skipped += 1,
                Ok(Stored::Proposed) => answer.proposed += 1,
                Err(fault) if fault.kind == FaultKind::Quota => return Err(fault),
                Err(fault) => faults.add(&place, &fault),
            }
        }
        faults.into_result()?;
        Ok(answer)
    }
}

/// The result of storing a record.
enum Stored {
    Changed,
    Unchanged,
    Proposed,
}

/// One record and its position in the payload.
struct Record {
    component: String,
    key: String,
    value: HintValue,
    meta: HintMeta,
    history: Partial,
}

/// A record's history, as far as the file has it.
struct Partial {
    version: i64,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
    use_count: i64,
}

impl Record {
    fn place(&self) -> String {
        format!("{}/{}", self.component, self.key)
    }

    /// Stores the record, unless it is already there or only the user may change it.
    fn store(mut self, ctx: &OpContext<'_>, quota: &mut Quota) -> Result<Stored, Fault> {
        if self.meta.sensitivity == Some(nudge_core::hint::Sensitivity::Secret) {
            secrets::check_may_save(ctx)?;
        }
        self.meta.ttl.get_or_insert_with(|| ctx.settings.default_ttl.clone());
        let path = stored::path_of(&self.component, &self.key, &self.meta)?;
        let rows = ctx.store().hints_of_key(&self.component, &self.key, ctx.now())?;
        let mut history = None;
        match rows.into_iter().find(|row| row.entry.path == path) {
            Some(row) => {
                let stored = stored::hint_of(row)?;
                if stored.value == self.value && stored.meta == self.meta {
                    return Ok(Stored::Unchanged);
                }
            }
            None => history = Some(self.history.complete(ctx.now())),
        }
        let Self { component, key, value, meta, .. } = self;
        let provenance = Provenance {
            source: Source::FileImport,
            // A file may contain what an agent wrote; importing it gives it no more trust.
            tier: Tier::Model,
            ..ctx.provenance()?
        };
        let write =
            Write { component, key, value, meta, expect: None, history, allow_secret: false, provenance };
        Ok(match write.run(ctx, quota)? {
            Outcome::Written(_) => Stored::Changed,
            Outcome::Proposed { .. } => Stored::Proposed,
        })
    }
}

impl Partial {
    fn complete(&self, now: Timestamp) -> History {
        let updated_at = self.updated_at.unwrap_or(now);
        History {
            version: self.version.max(1),
            created_at: self.created_at.unwrap_or(updated_at),
            updated_at,
            last_used_at: self.last_used_at,
            use_count: self.use_count.max(0),
        }
    }
}

/// The faults of a payload, each with its position.
#[derive(Default)]
struct Faults {
    listed: Vec<Json>,
    count: usize,
}

impl Faults {
    fn add(&mut self, place: &str, fault: &Fault) {
        self.count += 1;
        if self.listed.len() < MAX_FAULTS {
            // A name may contain a credential, too.
            let place = nudge_secrets::redact(place);
            self.listed.push(json!({"at": place, "id": fault.kind.id(), "message": fault.message}));
        }
    }

    fn into_result(self) -> Result<(), Fault> {
        if self.count == 0 {
            return Ok(());
        }
        let first = self
            .listed
            .first()
            .map(|fault| format!("; first, {}: {}", word(fault, "at"), word(fault, "message")));
        let plural = if self.count == 1 { "record is" } else { "records are" };
        Err(Fault::invalid(
            "bad_records",
            format!("{} {plural} not valid, nothing was imported{}", self.count, first.unwrap_or_default()),
        )
        .with("faults", self.listed)
        .with("fault_count", self.count)
        .next("correct the listed records and import again"))
    }
}

fn word<'a>(fault: &'a Json, key: &str) -> &'a str {
    fault.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn read_payload(payload: Json) -> Result<Vec<Record>, Fault> {
    let Json::Object(mut payload) = payload else {
        return Err(Fault::invalid("payload", "the payload is not a JSON object")
            .with("field", "payload")
            .next("import a file that `nudge export` wrote"));
    };
    check_version(&payload)?;
    let Some(Json::Object(components)) = payload.shift_remove("components") else {
        return Err(Fault::invalid("payload", "the payload has no `components` object")
            .with("field", "payload.components"));
    };
    let mut records = Vec::new();
    let mut faults = Faults::default();
    for (component, body) in components {
        match body {
            Json::Object(mut body) => match body.shift_remove("hints") {
                Some(Json::Object(hints)) => read_component(&component, hints, &mut records, &mut faults),
                _ => faults.add(&component, &Fault::invalid("payload", "a component needs a `hints` object")),
            },
            _ => faults.add(&component, &Fault::invalid("payload", "a component must be an object")),
        }
    }
    faults.into_result()?;
    Ok(records)
}

fn check_version(payload: &Map<String, Json>) -> Result<(), Fault> {
    match payload.get("schema_version").and_then(Json::as_str) {
        Some(SCHEMA_VERSION) => Ok(()),
        Some(other) => {
            let shown = without_controls(other, 20);
            Err(Fault::invalid(
                "schema_version",
                format!("unknown payload version {shown}; this nudge reads version {SCHEMA_VERSION}"),
            )
            .with("supported", SCHEMA_VERSION)
            .next("upgrade nudge, or export again with this version"))
        }
        None => Err(Fault::invalid("schema_version", "the payload has no `schema_version`")
            .with("supported", SCHEMA_VERSION)),
    }
}

fn read_component(component: &str, hints: Map<String, Json>, records: &mut Vec<Record>, faults: &mut Faults) {
    for (key, variants) in hints {
        let variants = match variants {
            Json::Array(several) => several,
            one => vec![one],
        };
        let several = variants.len() > 1;
        for (index, record) in variants.into_iter().enumerate() {
            match read_record(component, &key, record) {
                Ok(record) => records.push(record),
                Err(fault) if several => faults.add(&format!("{component}/{key}[{index}]"), &fault),
                Err(fault) => faults.add(&format!("{component}/{key}"), &fault),
            }
        }
    }
}

fn read_record(component: &str, key: &str, record: Json) -> Result<Record, Fault> {
    limits::check_name("component", component)?;
    limits::check_name("key", key)?;
    if !record.is_object() {
        return Err(Fault::invalid("schema", "a hint must be an object"));
    }
    let record: HintRecord = serde_path_to_error::deserialize(record)
        .map_err(|error| Fault::invalid("schema", format!("{}: {}", error.path(), error.inner())))?;
    let value = record.value.checked()?;
    limits::check_value(&value.text())?;
    Ok(Record {
        component: component.to_owned(),
        key: key.to_owned(),
        value,
        meta: record.meta.into_core()?,
        history: Partial {
            version: counted("version", record.version, 1)?,
            created_at: captured("created_at", record.created_at)?,
            updated_at: captured("updated_at", record.updated_at)?,
            last_used_at: captured("last_used_at", record.last_used_at)?,
            use_count: counted("use_count", record.use_count, 0)?,
        },
    })
}

/// Checks a count of uses or versions: it must be an integer that every JSON reader can represent
/// exactly.
fn counted(field: &str, count: i64, least: i64) -> Result<i64, Fault> {
    const MAX_COUNT: i64 = (1 << 53) - 1;
    if (least..=MAX_COUNT).contains(&count) {
        return Ok(count);
    }
    Err(Fault::invalid("count", format!("{field} {count} is not between {least} and {MAX_COUNT}")))
}

fn captured(field: &str, text: Option<String>) -> Result<Option<Timestamp>, Fault> {
    let Some(text) = text else { return Ok(None) };
    match Timestamp::parse(&text) {
        Some(captured) => Ok(Some(captured)),
        None => Err(Fault::invalid("timestamp", format!("{field} is not an ISO-8601 timestamp"))),
    }
}

/// Removes every hint that a replacing import does not contain; returns how many.
fn remove_others(ctx: &OpContext<'_>, records: &[Record]) -> Result<i64, Fault> {
    if ctx.caller.surface.tier() < Tier::Client {
        return Err(Fault::new(FaultKind::Forbidden, "tier", "only the user can replace all hints")
            .next("import with mode merge, or ask the user to run `nudge import --mode replace`"));
    }
    let brought = records
        .iter()
        .map(|record| stored::path_of(&record.component, &record.key, &record.meta))
        .collect::<Result<HashSet<EntryPath>, Fault>>()?;
    let mut removed = 0;
    for row in ctx.store().hints(&HintFilter::default(), ctx.now())? {
        if !brought.contains(&row.entry.path) {
            let id = row.entry.id;
            // An unreadable hint has no version to keep; it is removed all the same.
            match stored::hint_of(row) {
                Ok(hint) => delete::delete(ctx, &hint)?,
                Err(_) => drop(ctx.writer()?.delete_entry(id, ctx.now())?),
            }
            removed += 1;
        }
    }
    Ok(removed)
}

// `export`: all hints, or those of one component, as a file that `import` reads.

/// The `export` operation.
pub struct ExportHints;

impl Op for ExportHints {
    const NAME: &'static str = "export";
    const ALIASES: &'static [&'static str] = &["export_hints"];
    const TITLE: &'static str = "Export hints";
    const DOC: &'static str = "Export hints as JSON, in the format that import reads.";
    const REFERENCE: &'static str = "Export hints as JSON, to back them up or to import them elsewhere. \
        Secret values are left out unless the user asks for them.";
    const EFFECT: Effect = Effect::Read;
    type Params = ExportParams;
    type Answer = ExportAnswer;

    fn run(ctx: &OpContext<'_>, params: ExportParams) -> Result<ExportAnswer, Fault> {
        if params.include_secrets {
            secrets::check_may_save(ctx)?;
        }
        let filter = HintFilter { component: params.component, keys: Vec::new(), tags: Vec::new() };
        let mut components: BTreeMap<String, Component> = BTreeMap::new();
        let (mut secrets_left_out, mut not_eligible) = (0, 0);
        // The user's export is complete: a new machine is set up from it.
        let rows = ctx.store().hints(&filter, ctx.now())?;
        let rows = if ctx.caller.surface.is_user() { rows } else { only_open(ctx, rows)? };
        for row in rows {
            let hint = stored::hint_of(row)?;
            if hint.is_secret() && !params.include_secrets {
                secrets_left_out += 1;
                continue;
            }
            if !choice::may_show(ctx, &hint)? {
                not_eligible += 1;
                continue;
            }
            add(&mut components, &hint);
        }
        let session = ctx.store().session()?;
        let payload = Payload {
            schema_version: SCHEMA_VERSION.to_owned(),
            created_at: session.started_at.to_string(),
            session_id: session.id,
            components,
        };
        Ok(ExportAnswer { payload, secrets_left_out, not_eligible })
    }
}

fn add(components: &mut BTreeMap<String, Component>, hint: &Hint) {
    let record = HintRecord::from(hint);
    let hints = &mut components.entry(hint.component.clone()).or_default().hints;
    match hints.remove(&hint.key) {
        None => hints.insert(hint.key.clone(), Variants::One(Box::new(record))),
        Some(Variants::One(first)) => hints.insert(hint.key.clone(), Variants::Many(vec![*first, record])),
        Some(Variants::Many(mut several)) => {
            several.push(record);
            hints.insert(hint.key.clone(), Variants::Many(several))
        }
    };
}
