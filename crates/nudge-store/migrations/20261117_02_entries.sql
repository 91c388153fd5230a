-- Why: an entry is one thing, and each project, session and run sees it in its own way. A viewer's
-- row says how much of the entry it sees and in which state the entry is for it. The entry itself
-- stays as it is: a fork of a run copies rows, never bodies.

-- One row for each entry that a viewer has in view; `viewer_id` is a scope. No row: not in view.
-- visibility: 0 archived, 1 summarized, 2 visible. state: 0 proposed, 1 streaming, 2 resolved,
-- 3 failed, 4 cancelled. `outcome` says why it failed or was cancelled. `write_count` counts the
-- viewer's own writes. Tokens are never stored: they follow from the text.
CREATE TABLE entry_view (
    viewer_id   INTEGER NOT NULL REFERENCES scope (id),
    entry_id    INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    visibility  INTEGER NOT NULL,
    state       INTEGER NOT NULL,
    turn        INTEGER NOT NULL,
    loop        INTEGER NOT NULL,
    write_count INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    outcome     TEXT,
    summary     TEXT,
    PRIMARY KEY (viewer_id, entry_id)
) STRICT, WITHOUT ROWID;

-- When an entry goes, its rows here go.
CREATE INDEX entry_view_entry ON entry_view (entry_id);

-- The parts of a body that still grows. Appending to a text costs as much as the whole text, so the
-- parts become the body only when the entry is complete.
CREATE TABLE entry_chunk (
    id       INTEGER PRIMARY KEY,
    entry_id INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    text     TEXT NOT NULL
) STRICT;

CREATE INDEX entry_chunk_entry ON entry_chunk (entry_id, id);

-- Entries as their viewers see them, for people who look into the file. A view cannot be written.
CREATE VIEW known_entries AS
SELECT e.id AS entry_id, v.kind || ':' || v.key AS viewer, s.kind || ':' || s.key AS scope,
       h.name AS scheme, e.path, e.version, w.visibility, w.state, w.outcome, w.turn, w.loop,
       w.write_count, w.summary, e.attributes, e.body, e.updated_at
  FROM entry_view w
  JOIN entry e ON e.id = w.entry_id
  JOIN scope v ON v.id = w.viewer_id
  JOIN scope s ON s.id = e.scope_id
  JOIN scheme h ON h.id = e.scheme_id;
