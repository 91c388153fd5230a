//! Runs: a piece of work with a model, under an alias that is unique in its project; what its model
//! got, and the models that were added.

pub(crate) mod run_loop;
pub(crate) mod turn;

use nudge_core::entry_state::Visibility;
use nudge_core::run::RunState;
use nudge_core::{EntryId, EntryPath, Scope, Timestamp};
use rusqlite::{OptionalExtension, Row};

use super::run::turn::TurnId;
use crate::db::error::StoreError;
use crate::db::reader::{FromRow, Reader};
use crate::tables::project::ProjectId;
use crate::tables::secret_guard;
use crate::tables::writer::Writer;

/// The identity of a run in one store.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(pub i64);

/// A run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    /// Its id.
    pub id: RunId,
    /// Its project.
    pub project: ProjectId,
    /// Where its entries live.
    pub scope: Scope,
    /// Its own entry, `run://<alias>`.
    pub entry: EntryId,
    /// The run that it was forked from.
    pub parent: Option<RunId>,
    /// Its name in the project.
    pub alias: String,
    /// The alias of its model.
    pub model: String,
    /// Its state.
    pub state: RunState,
    /// Why it ended.
    pub outcome: Option<String>,
    /// The number of its next turn.
    pub next_turn: u32,
    /// The number of its next loop.
    pub next_loop: u32,
    /// The directory whose files it reads.
    pub root: Option<String>,
    /// The session under which its work is captured.
    pub session: Option<String>,
    /// How freely the model chooses words.
    pub temperature: Option<f64>,
    /// Who the model is asked to be.
    pub persona: Option<String>,
    /// The most tokens that its packets may take.
    pub context_limit: Option<u32>,
    /// When it began.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// What may change in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunConfig {
    /// The alias of its model.
    pub model: Option<String>,
    /// How freely the model chooses words.
    pub temperature: Option<f64>,
    /// The most tokens that its packets may take.
    pub context_limit: Option<u32>,
}

macro_rules! select_run {
    ($rest:literal) => {
        concat!(
            "SELECT r.id, r.project_id, s.kind, s.key, r.entry_id, r.parent_id, r.alias, r.model, r.state,
                    r.outcome, r.next_turn, r.next_loop, r.root, r.session, r.temperature, r.persona,
                    r.context_limit, r.created_at, r.updated_at
               FROM run r CROSS JOIN scope s ON s.id = r.scope_id ",
            $rest
        )
    };
}

const BY_ALIAS: &str =
    select_run!("WHERE r.project_id = ?1 AND r.alias = ?2 ORDER BY r.updated_at DESC LIMIT 1");

const OPEN_RUNS: &str = select_run!("WHERE r.state < 3 ORDER BY r.id");

const ENDED_RUNS: &str = select_run!(
    "WHERE r.updated_at < ?1 AND r.state >= 3
       AND NOT EXISTS (SELECT 1 FROM run f WHERE f.parent_id = r.id)
     ORDER BY r.updated_at LIMIT ?2"
);

impl Reader<'_> {
    /// One run.
    pub fn run(&self, id: RunId) -> Result<Option<RunRow>, StoreError> {
        self.first(select_run!("WHERE r.id = ?1"), [id.0])
    }

    /// The run with this alias in a project.
    pub fn run_by_alias(&self, project: ProjectId, alias: &str) -> Result<Option<RunRow>, StoreError> {
        self.first(BY_ALIAS, (project.0, alias))
    }

    /// The run whose entries live in a scope.
    pub fn run_of_scope(&self, scope: &Scope) -> Result<Option<RunRow>, StoreError> {
        self.first(select_run!("WHERE s.kind = ?1 AND s.key = ?2"), (scope.kind(), scope.key()))
    }

    /// The runs of a project, or of all, newest first.
    pub fn runs(
        &self,
        project: Option<ProjectId>,
        limit: u32,
        offset: u32,
    ) -> Result<Vec<RunRow>, StoreError> {
        let sql = select_run!(
            "WHERE (?1 IS NULL OR r.project_id = ?1) ORDER BY r.updated_at DESC, r.id DESC LIMIT ?2 OFFSET ?3"
        );
        self.all(sql, (project.map(|project| project.0), limit, offset))
    }

    /// The runs that are not over, oldest first.
    pub fn open_runs(&self) -> Result<Vec<RunRow>, StoreError> {
        self.all(OPEN_RUNS, [])
    }

    /// The runs that ended before a time and have no forks, oldest first. A fork sees entries of
    /// the run that it was forked from, and of the runs before that one.
    pub fn runs_ended_before(&self, before: Timestamp, limit: u32) -> Result<Vec<RunRow>, StoreError> {
        self.all(ENDED_RUNS, (before.as_millis(), limit))
    }

    /// The names of the runs that were forked from a run.
    pub fn forks(&self, of: RunId) -> Result<Vec<String>, StoreError> {
        let mut found = self.sql("SELECT alias FROM run WHERE parent_id = ?1 ORDER BY id")?;
        let names = found.query_map([of.0], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(names)
    }

    /// When a run last changed, up to a time; `None` if there was none.
    pub fn newest_run_before(&self, before: Timestamp) -> Result<Option<Timestamp>, StoreError> {
        let newest: Option<i64> = self
            .sql("SELECT max(updated_at) FROM run WHERE updated_at < ?1")?
            .query_row([before.as_millis()], |row| row.get(0))?;
        Ok(newest.map(Timestamp::from_millis))
    }
}

impl Writer<'_> {
    /// Stores a new run. Its id and times come from the store and `now`.
    pub fn add_run(&self, row: &RunRow, now: Timestamp) -> Result<RunId, StoreError> {
        let scope = self.scope_id(&row.scope)?;
        let persona = row.persona.as_deref().map(secret_guard::redacted);
        let id = self
            .sql(
                "INSERT INTO run (project_id, scope_id, entry_id, parent_id, alias, model, state, outcome,
                                  next_turn, next_loop, root, session, temperature, persona, context_limit,
                                  created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16)
                 RETURNING id",
            )?
            .query_row(
                rusqlite::params![
                    row.project.0,
                    scope,
                    row.entry.0,
                    row.parent.map(|parent| parent.0),
                    row.alias,
                    row.model,
                    row.state.code(),
                    row.outcome,
                    row.next_turn,
                    row.next_loop,
                    row.root,
                    row.session,
                    row.temperature,
                    persona,
                    row.context_limit,
                    now.as_millis(),
                ],
                |row| row.get(0),
            )?;
        Ok(RunId(id))
    }

    /// Changes the state of a run. A change that the table of states does not have is an error.
    pub fn set_run_state(
        &self,
        id: RunId,
        state: RunState,
        outcome: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let before = self.state_of_run(id)?.ok_or(StoreError::NoEntry(EntryId(id.0)))?;
        if before != state && !before.may_become(state) {
            return Err(StoreError::RunState { from: before, to: state });
        }
        self.sql("UPDATE run SET state = ?2, outcome = ?3, updated_at = ?4 WHERE id = ?1")?.execute((
            id.0,
            state.code(),
            outcome,
            now.as_millis(),
        ))?;
        Ok(())
    }

    fn state_of_run(&self, id: RunId) -> Result<Option<RunState>, StoreError> {
        let code: Option<i64> = self
            .sql("SELECT state FROM run WHERE id = ?1")?
            .query_row([id.0], |row| row.get(0))
            .optional()?;
        Ok(code.and_then(RunState::from_code))
    }

    /// Changes the settings of a run. A field that is `None` keeps its value.
    pub fn configure_run(&self, id: RunId, config: &RunConfig, now: Timestamp) -> Result<(), StoreError> {
        self.sql(
            "UPDATE run SET model = coalesce(?2, model), temperature = coalesce(?3, temperature),
                            context_limit = coalesce(?4, context_limit), updated_at = ?5 WHERE id = ?1",
        )?
        .execute((
            id.0,
            &config.model,
            config.temperature,
            config.context_limit,
            now.as_millis(),
        ))?;
        Ok(())
    }

    /// Gives a run another alias. The scope of its entries stays.
    pub fn rename_run(&self, id: RunId, alias: &str, now: Timestamp) -> Result<(), StoreError> {
        self.sql("UPDATE run SET alias = ?2, updated_at = ?3 WHERE id = ?1")?.execute((
            id.0,
            alias,
            now.as_millis(),
        ))?;
        Ok(())
    }

    /// Removes a run with all its entries if it ended before a time and has no forks. Returns
    /// whether it did.
    pub fn remove_ended_run(&self, id: RunId, before: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
        let Some(run) = self.run(id)?.filter(|run| run.state.is_over() && run.updated_at < before) else {
            return Ok(false);
        };
        if !self.forks(id)?.is_empty() {
            return Ok(false);
        }
        self.remove_run(&run, now)?;
        Ok(true)
    }

    /// Removes a run with all its entries. Its forks lose what they saw of it.
    pub fn remove_run(&self, run: &RunRow, now: Timestamp) -> Result<(), StoreError> {
        for entry in self.entries_in(&run.scope, None)? {
            self.delete_entry(entry.id, now)?;
        }
        for row in self.loops(run.id)? {
            let Ok(path) = EntryPath::parse(&row.prompt) else { continue };
            if let Some(prompt) = self.entry(&run.scope, &path)? {
                self.delete_entry(prompt.id, now)?;
            }
        }
        let viewer = self.scope_id(&run.scope)?;
        self.sql("DELETE FROM entry_view WHERE viewer_id = ?1")?.execute([viewer])?;
        self.sql("DELETE FROM run WHERE id = ?1")?.execute([run.id.0])?;
        self.delete_entry(run.entry, now)?;
        Ok(())
    }
}

impl FromRow for RunRow {
    fn from_row(row: &Row<'_>) -> Result<Self, StoreError> {
        let id: i64 = row.get(0)?;
        let unreadable = |column| StoreError::UnreadableRow { id, column };
        let (kind, key): (String, String) = (row.get(2)?, row.get(3)?);
        Ok(Self {
            id: RunId(id),
            project: ProjectId(row.get(1)?),
            scope: Scope::from_parts(&kind, &key).ok_or_else(|| unreadable("scope"))?,
            entry: EntryId(row.get(4)?),
            parent: row.get::<_, Option<i64>>(5)?.map(RunId),
            alias: row.get(6)?,
            model: row.get(7)?,
            state: RunState::from_code(row.get(8)?).ok_or_else(|| unreadable("state"))?,
            outcome: row.get(9)?,
            next_turn: row.get(10)?,
            next_loop: row.get(11)?,
            root: row.get(12)?,
            session: row.get(13)?,
            temperature: row.get(14)?,
            persona: row.get(15)?,
            context_limit: row.get(16)?,
            created_at: Timestamp::from_millis(row.get(17)?),
            updated_at: Timestamp::from_millis(row.get(18)?),
        })
    }
}

// What a model got on a turn, row by row.

/// An entry in the packet of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRow {
    /// Its path.
    pub path: String,
    /// What it is for the model, such as `data`.
    pub category: String,
    /// How much of it the model saw.
    pub visibility: Visibility,
    /// Its status.
    pub status: u16,
    /// The turn of its last change.
    pub source_turn: u32,
    /// What it cost.
    pub tokens: u32,
}

impl Reader<'_> {
    /// What the model got on a turn, in the order of the packet.
    pub fn turn_context(&self, turn: TurnId) -> Result<Vec<ContextRow>, StoreError> {
        let mut found = self.sql(
            "SELECT path, category, visibility, status, source_turn, tokens
               FROM turn_context WHERE turn_id = ?1 ORDER BY ordinal",
        )?;
        let mut rows = found.query([turn.0])?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            let visibility = Visibility::from_code(row.get(2)?)
                .ok_or(StoreError::UnreadableRow { id: turn.0, column: "visibility" })?;
            all.push(ContextRow {
                path: row.get(0)?,
                category: row.get(1)?,
                visibility,
                status: row.get(3)?,
                source_turn: row.get(4)?,
                tokens: row.get(5)?,
            });
        }
        Ok(all)
    }
}

impl Writer<'_> {
    /// Stores what the model gets on a turn.
    pub fn put_turn_context(&self, turn: TurnId, rows: &[ContextRow]) -> Result<(), StoreError> {
        let mut insert = self.sql(
            "INSERT INTO turn_context (turn_id, ordinal, path, category, visibility, status, source_turn, tokens)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        for (ordinal, row) in rows.iter().enumerate() {
            insert.execute((
                turn.0,
                i64::try_from(ordinal).unwrap_or(i64::MAX),
                &row.path,
                &row.category,
                row.visibility.code(),
                row.status,
                row.source_turn,
                row.tokens,
            ))?;
        }
        Ok(())
    }
}

// Models that were added while the server ran. Keys are never stored.

/// A model under an alias.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRow {
    /// Its alias.
    pub alias: String,
    /// Provider and model, such as `ollama/qwen2.5-coder`.
    pub actual: String,
    /// The address of the provider, if it is not the usual one.
    pub base_url: Option<String>,
    /// How many tokens it can read.
    pub context_length: Option<u32>,
    /// The price of a million input tokens in USD.
    pub input_price: Option<f64>,
    /// The price of a million output tokens in USD.
    pub output_price: Option<f64>,
    /// Whether its answers are bound to a grammar.
    pub constrained: bool,
}

impl Reader<'_> {
    /// The models, by alias.
    pub fn models(&self) -> Result<Vec<ModelRow>, StoreError> {
        let mut found = self.sql(
            "SELECT alias, actual, base_url, context_length, input_price, output_price, constrained
             FROM model ORDER BY alias",
        )?;
        let rows = found.query_map([], |row| {
            Ok(ModelRow {
                alias: row.get(0)?,
                actual: row.get(1)?,
                base_url: row.get(2)?,
                context_length: row.get(3)?,
                input_price: row.get(4)?,
                output_price: row.get(5)?,
                constrained: row.get(6)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer<'_> {
    /// Adds a model, or replaces the one with its alias. Credentials in it are replaced.
    pub fn put_model(&self, row: &ModelRow, now: Timestamp) -> Result<(), StoreError> {
        self.sql(
            "INSERT INTO model (alias, actual, base_url, context_length, input_price, output_price,
                                constrained, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
             ON CONFLICT (alias) DO UPDATE SET actual = excluded.actual, base_url = excluded.base_url,
                 context_length = excluded.context_length, input_price = excluded.input_price,
                 output_price = excluded.output_price, constrained = excluded.constrained",
        )?
        .execute((
            &row.alias,
            secret_guard::redacted(&row.actual),
            row.base_url.as_deref().map(secret_guard::redacted),
            row.context_length,
            row.input_price,
            row.output_price,
            row.constrained,
            now.as_millis(),
        ))?;
        Ok(())
    }

    /// Removes a model; returns whether there was one.
    pub fn remove_model(&self, alias: &str) -> Result<bool, StoreError> {
        Ok(self.sql("DELETE FROM model WHERE alias = ?1")?.execute([alias])? > 0)
    }
}
