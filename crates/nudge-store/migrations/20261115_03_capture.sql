-- Why: what agents do is kept as observations and prompts, millions of them, written by short-lived
-- hooks and read by session, by prompt, by file, by kind and by age. Those are typed, indexed columns,
-- so both get a side table; what they say stays in the entry, which remains the identity.
--
-- Laid out for ten million rows: words that repeat (files, tools, subagents) are kept once, and what only
-- has to be compared (identities, targets, turns) is kept as a 64-bit hash.

-- What people call a place of work. One project may have several keys: a checkout that moved gets a
-- new one, and `merge` brings the two together by changing one row.
CREATE TABLE project (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    root       TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- `key` is the key of the project's scope.
CREATE TABLE project_key (
    key        TEXT PRIMARY KEY,
    project_id INTEGER NOT NULL REFERENCES project (id)
) STRICT, WITHOUT ROWID;

CREATE INDEX project_key_of ON project_key (project_id);

-- The session of an agent's program, under that program's own id. Not the memory session of `meta`.
-- `summarised_at` is the time of the newest observation that the session's summary takes in, and
-- `summarised_entry` the newest entry: what is told late has an older time, but never an older entry.
CREATE TABLE agent_session (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    name            TEXT NOT NULL UNIQUE,
    harness         TEXT NOT NULL,
    harness_version TEXT,
    project_id      INTEGER NOT NULL REFERENCES project (id),
    parent          TEXT,
    headless        INTEGER,
    started_at      INTEGER NOT NULL,
    ended_at        INTEGER,
    end_reason      TEXT,
    summarised_at   INTEGER,
    summarised_entry INTEGER
) STRICT;

-- The sessions of a project, newest first.
CREATE INDEX agent_session_newest ON agent_session (project_id, started_at);

-- What was said. speaker: 1 the person, 2 the agent, 3 the agent's program. `turn` is a hash of the
-- program's own id of the prompt.
CREATE TABLE prompt (
    entry_id   INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL REFERENCES agent_session (id),
    at         INTEGER NOT NULL,
    speaker    INTEGER NOT NULL,
    identity   INTEGER NOT NULL,
    turn       INTEGER
) STRICT;

CREATE INDEX prompt_session ON prompt (session_id, at);
CREATE INDEX prompt_identity ON prompt (identity);

-- The person's prompt that an action belongs to: by the program's id of it, or the newest one.
CREATE INDEX prompt_turn ON prompt (session_id, turn) WHERE turn IS NOT NULL AND speaker = 1;
CREATE INDEX prompt_by_person ON prompt (session_id, at) WHERE speaker = 1;

-- The event and the tool that an observation came from.
CREATE TABLE tool (
    id    INTEGER PRIMARY KEY,
    event TEXT NOT NULL,
    name  TEXT NOT NULL,
    UNIQUE (event, name)
) STRICT;

CREATE TABLE subagent (
    id         INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL REFERENCES agent_session (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    kind       TEXT NOT NULL,
    parent     TEXT NOT NULL,
    UNIQUE (session_id, name, kind, parent)
) STRICT;

CREATE TABLE file (
    id   INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE
) STRICT;

-- What an agent did. kind: the numbers of the program's list. outcome: 0 not known, 1 success, 2 failed.
-- `target` is what a read or a search was of, for the window in which another one says nothing new.
CREATE TABLE observation (
    entry_id    INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    session_id  INTEGER NOT NULL REFERENCES agent_session (id),
    prompt_id   INTEGER REFERENCES prompt (entry_id) ON DELETE SET NULL,
    kind        INTEGER NOT NULL,
    at          INTEGER NOT NULL,
    identity    INTEGER NOT NULL,
    tool_id     INTEGER NOT NULL REFERENCES tool (id),
    subagent_id INTEGER REFERENCES subagent (id),
    outcome     INTEGER NOT NULL,
    exit_status INTEGER,
    pinned      INTEGER NOT NULL DEFAULT 0,
    target      INTEGER
) STRICT;

CREATE INDEX observation_session ON observation (session_id, at);
CREATE INDEX observation_identity ON observation (identity);
CREATE INDEX observation_prompt ON observation (prompt_id) WHERE prompt_id IS NOT NULL;
CREATE INDEX observation_kind ON observation (kind, at);
CREATE INDEX observation_target ON observation (session_id, target, at) WHERE target IS NOT NULL;
-- So that a subagent can go without a look at every observation.
CREATE INDEX observation_subagent ON observation (subagent_id) WHERE subagent_id IS NOT NULL;
CREATE INDEX observation_pinned ON observation (entry_id) WHERE pinned = 1;

-- How an observation ended may be told later, by the transcript; these still wait for it.
CREATE INDEX observation_open ON observation (session_id) WHERE outcome = 0 AND kind IN (4, 10);

-- The files of an observation, in order; the first is the one it is about.
CREATE TABLE observation_file (
    entry_id INTEGER NOT NULL REFERENCES observation (entry_id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    file_id  INTEGER NOT NULL REFERENCES file (id),
    PRIMARY KEY (entry_id, position)
) STRICT, WITHOUT ROWID;

CREATE INDEX observation_by_file ON observation_file (file_id, entry_id);

-- Counts of what was not kept because it was there already.
CREATE TABLE tally (
    name  TEXT PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How far files that are read piece by piece have been read: transcripts, imports.
CREATE TABLE cursor (
    name     TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    detail   TEXT NOT NULL,
    at       INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Hints learn from the commands that agents run: a hash of the command a hint holds, and how often that
-- command failed since it was last set or last worked.
ALTER TABLE hint ADD COLUMN command INTEGER;
ALTER TABLE hint ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
CREATE INDEX hint_command ON hint (command) WHERE command IS NOT NULL;
