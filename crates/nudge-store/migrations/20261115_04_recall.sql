-- Why: what was kept comes back, by search and unasked. A search index beside the database has to know which database
-- it was made from, and whatever an agent was told unasked is entered in a ledger: what, why, at what price, and
-- whether it was of use.

-- Which database this is. A restored one gets another number: positions and ids mean something else in it.
INSERT INTO meta (key, value) VALUES ('lineage', CAST(abs(random() % 9007199254740991) AS TEXT));

-- What was put into an agent's context, once per time. No text is kept: the entries have it, and go when they go.
-- `cause` is what occasioned it (startup, resume, clear, compact); mode: 1 a fresh start, 2 recovery.
-- `lines` and `tokens` stay when the entries have gone.
CREATE TABLE injection (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES agent_session (id) ON DELETE CASCADE,
    project_id INTEGER NOT NULL REFERENCES project (id),
    at         INTEGER NOT NULL,
    mode       INTEGER NOT NULL,
    cause      TEXT NOT NULL,
    lines      INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    characters INTEGER NOT NULL
) STRICT;

CREATE INDEX injection_session ON injection (session_id, at);
CREATE INDEX injection_project ON injection (project_id, at);
CREATE INDEX injection_newest ON injection (at);

-- One row for each entry that was told (`reason` 0) or was considered and left out (`reason` from 1, the numbers of
-- the program's list). `section` is where it stood; `used_at` is when the session first made use of it.
CREATE TABLE injection_line (
    injection_id INTEGER NOT NULL REFERENCES injection (id) ON DELETE CASCADE,
    entry_id     INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    reason       INTEGER NOT NULL,
    section      INTEGER NOT NULL,
    tokens       INTEGER NOT NULL,
    used_at      INTEGER,
    PRIMARY KEY (injection_id, entry_id)
) STRICT, WITHOUT ROWID;

-- How often an entry was told, and when an entry goes, its lines.
CREATE INDEX injection_line_entry ON injection_line (entry_id, injection_id);

-- Where a session works, when that is not the project's own directory but another worktree of it.
ALTER TABLE agent_session ADD COLUMN worktree TEXT;

-- The canonical address a project is shared under. Projects with one address are copies of one another.
ALTER TABLE project ADD COLUMN remote TEXT;
CREATE INDEX project_remote ON project (remote) WHERE remote IS NOT NULL;
