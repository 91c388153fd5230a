-- Why: what the person stated, only the person changes, and a change can be taken back. So the last versions of what
-- was stated stay readable after it was replaced or deleted.

-- One row for each version that is no longer the current one. Found by path and not by entry: a deleted entry has no
-- row of its own any more, and its path may be taken again by another entry. `ending`: 1 replaced, 2 deleted.
-- `ended_by` is who did that. A secret is never copied here: its row has an empty body and `secret` = 1.
CREATE TABLE past_version (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_id   INTEGER NOT NULL REFERENCES scope (id),
    entry_id   INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    writer_id  INTEGER NOT NULL REFERENCES provenance (id),
    written_at INTEGER NOT NULL,
    ended_by   INTEGER NOT NULL REFERENCES provenance (id),
    ended_at   INTEGER NOT NULL,
    ending     INTEGER NOT NULL,
    secret     INTEGER NOT NULL,
    path       TEXT NOT NULL,
    attributes TEXT NOT NULL CHECK (json_valid(attributes)),
    body       TEXT NOT NULL
) STRICT;

-- The versions of one path, newest last, and how many there are.
CREATE INDEX past_version_path ON past_version (path, scope_id, id);

-- What nobody can want back any more is found by age.
CREATE INDEX past_version_age ON past_version (ended_at);
