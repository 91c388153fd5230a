-- Why: everything an agent remembers is an entry, and everything that follows entries (search
-- structures, live events, replication) follows one ordered feed of changes. This step makes both.
--
-- It is laid out for ten million entries, several writing processes and readers that lag:
-- * Words that repeat in every row (scope, scheme, provenance) are interned. An index entry then
--   costs a small integer instead of a string, which is most of the size at that scale. Interned
--   rows are never deleted, so no index on the referring side is kept for them.
-- * The small columns of an entry come first and the texts last: a query that needs only ids,
--   versions or times never touches the overflow pages of a long body.
-- * All times are milliseconds since the epoch, UTC.

-- The namespaces a path can live in. `key` is empty for the global one.
CREATE TABLE scope (
    id   INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('global', 'project', 'session', 'run', 'team')),
    key  TEXT NOT NULL,
    UNIQUE (kind, key)
) STRICT;

-- What stands before `://`. A typed kind has a side table of its own, keyed by the entry's id.
CREATE TABLE scheme (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- The surface, session, project and machine something came through. Empty means not known; not
-- NULL, because NULLs differ from each other and the same provenance would be interned for ever.
CREATE TABLE provenance (
    id      INTEGER PRIMARY KEY,
    source  TEXT NOT NULL,
    tier    TEXT NOT NULL,
    client  TEXT NOT NULL,
    session TEXT NOT NULL,
    project TEXT NOT NULL,
    machine TEXT NOT NULL,
    UNIQUE (session, project, client, source, tier, machine)
) STRICT;

-- AUTOINCREMENT: an id names one entry for ever, also after that entry is gone, because feed rows,
-- search structures, per-viewer rows (`(viewer, entry_id)`) and other machines hold on to it.
CREATE TABLE entry (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    scope_id   INTEGER NOT NULL REFERENCES scope (id),
    scheme_id  INTEGER NOT NULL REFERENCES scheme (id),
    version    INTEGER NOT NULL CHECK (version >= 1),
    origin_id  INTEGER NOT NULL REFERENCES provenance (id),
    writer_id  INTEGER NOT NULL REFERENCES provenance (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    path       TEXT NOT NULL,
    attributes TEXT NOT NULL CHECK (json_valid(attributes)),
    body       TEXT NOT NULL
) STRICT;

-- The identity. Path first: one probe finds an entry in its scope, and the same probe without the
-- scope finds every scope that holds the path, which is how shadowing across scopes is noticed.
CREATE UNIQUE INDEX entry_path ON entry (path, scope_id);

-- "The newest of a kind", read backwards without sorting; the id breaks ties within a millisecond.
CREATE INDEX entry_newest ON entry (scheme_id, updated_at, id);

-- One row per change, no bodies: a secret must not live on here, and a reader fetches what it wants.
-- Writers take the write lock before they draw a position, so positions become visible in order and
-- a reader that has seen P never misses a smaller one. AUTOINCREMENT: a position is not drawn again
-- after trimming. No reference to `entry`, because a deletion's row outlives the entry.
-- kind: 1 created, 2 updated, 3 deleted, 4 used (numbers, so that a later kind needs no rebuild).
CREATE TABLE feed (
    position  INTEGER PRIMARY KEY AUTOINCREMENT,
    entry_id  INTEGER NOT NULL,
    scheme_id INTEGER NOT NULL,
    kind      INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    at        INTEGER NOT NULL
) STRICT;

-- Who follows the feed, and how far each has come. The slowest holds back the trimming.
CREATE TABLE feed_reader (
    name     TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    seen_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Finished writes by the id their caller gave them, for as long as a retry may still come.
CREATE TABLE operation (
    id     TEXT PRIMARY KEY,
    at     INTEGER NOT NULL,
    result TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What has outlived its retry is found by age.
CREATE INDEX operation_age ON operation (at);

-- Single facts of the store itself: `session` (the memory session), `feed_floor` (the position up
-- to which the feed was trimmed).
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
