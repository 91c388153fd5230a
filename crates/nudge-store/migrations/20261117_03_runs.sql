-- Why: a run works on a question with a model, over many turns, and outlives the process that drives
-- it. Each step is stored before it is taken, so that a successor can go on, or say what was lost,
-- and no request is sent to a model twice.

-- A run, under its alias. Its entries live in the scope `scope_id`, and `entry_id` is its own entry
-- `run://<alias>`. state: 0 queued, 1 running, 2 proposed, 3 completed, 4 failed, 5 aborted.
CREATE TABLE run (
    id            INTEGER PRIMARY KEY,
    project_id    INTEGER NOT NULL REFERENCES project (id),
    scope_id      INTEGER NOT NULL UNIQUE REFERENCES scope (id),
    entry_id      INTEGER NOT NULL UNIQUE REFERENCES entry (id) ON DELETE CASCADE,
    parent_id     INTEGER REFERENCES run (id) ON DELETE SET NULL,
    alias         TEXT NOT NULL,
    model         TEXT NOT NULL,
    state         INTEGER NOT NULL,
    next_turn     INTEGER NOT NULL,
    next_loop     INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    outcome       TEXT,
    root          TEXT,
    session       TEXT,
    temperature   REAL,
    persona       TEXT,
    context_limit INTEGER
) STRICT;

CREATE INDEX run_alias ON run (project_id, alias);
CREATE INDEX run_newest ON run (updated_at);
CREATE INDEX run_parent ON run (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX run_open ON run (id) WHERE state < 3;

-- The prompts of a run, in the order in which they are answered. One of them is active at a time.
-- `config` has its flags; `result` has the answer and the reason for the end.
CREATE TABLE run_loop (
    id         INTEGER PRIMARY KEY,
    run_id     INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    mode       TEXT NOT NULL,
    model      TEXT NOT NULL,
    prompt     TEXT NOT NULL,
    state      INTEGER NOT NULL,
    config     TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    first_turn INTEGER,
    ended_at   INTEGER,
    outcome    TEXT,
    result     TEXT,
    UNIQUE (run_id, seq)
) STRICT;

CREATE INDEX run_loop_open ON run_loop (run_id, seq) WHERE state < 3;

-- One request to a model and its answer. state: 0 sent, 1 answered, 2 ended, 3 failed, 4 lost. The row
-- is there before the request is sent. `cost` is in millionths of a dollar; NULL if it is not known.
CREATE TABLE run_turn (
    id                INTEGER PRIMARY KEY,
    run_id            INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    loop_id           INTEGER NOT NULL REFERENCES run_loop (id) ON DELETE CASCADE,
    seq               INTEGER NOT NULL,
    state             INTEGER NOT NULL,
    estimate          INTEGER NOT NULL,
    errors            INTEGER NOT NULL,
    strikes           INTEGER NOT NULL,
    healed            INTEGER NOT NULL,
    created_at        INTEGER NOT NULL,
    fingerprint       TEXT,
    context_tokens    INTEGER,
    cached_tokens     INTEGER,
    completion_tokens INTEGER,
    reasoning_tokens  INTEGER,
    cost              INTEGER,
    ended_at          INTEGER,
    UNIQUE (run_id, seq)
) STRICT;

CREATE INDEX run_turn_loop ON run_turn (loop_id, seq);

-- What the model got on a turn, row by row. The messages themselves are entries `system://N` and
-- `user://N`.
CREATE TABLE turn_context (
    turn_id     INTEGER NOT NULL REFERENCES run_turn (id) ON DELETE CASCADE,
    ordinal     INTEGER NOT NULL,
    path        TEXT NOT NULL,
    category    TEXT NOT NULL,
    visibility  INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    source_turn INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    PRIMARY KEY (turn_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Models that were added while the server ran. Keys are never stored.
CREATE TABLE model (
    alias          TEXT PRIMARY KEY,
    actual         TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    base_url       TEXT,
    context_length INTEGER
) STRICT, WITHOUT ROWID;

-- The table of states holds for every program that writes here.
CREATE TRIGGER run_state BEFORE UPDATE OF state ON run
WHEN NEW.state <> OLD.state AND NOT (
       (OLD.state = 0 AND NEW.state IN (1, 5))
    OR (OLD.state = 1 AND NEW.state IN (2, 3, 4, 5))
    OR (OLD.state = 2 AND NEW.state IN (1, 3, 5))
    OR (OLD.state IN (3, 4) AND NEW.state IN (1, 5))
    OR (OLD.state = 5 AND NEW.state = 1))
BEGIN
    SELECT RAISE(ABORT, 'a run cannot change from this state to that');
END;

CREATE TRIGGER run_turn_state BEFORE UPDATE OF state ON run_turn
WHEN NEW.state <> OLD.state AND NOT (
       (OLD.state = 0 AND NEW.state IN (1, 3, 4))
    OR (OLD.state = 1 AND NEW.state IN (2, 3)))
BEGIN
    SELECT RAISE(ABORT, 'a turn only goes forward');
END;
