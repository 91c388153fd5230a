-- Why: hints are found by component and key, end by the clock or with the session, and are counted
-- against limits on every write. Those are typed, indexed columns, so hints get a side table; what
-- they say stays in the entry, which remains the identity.
--
-- The rows are kept thin: counting and listing thousands of hints reads this table alone, however
-- many million other entries there are.

-- How long a hint lives: until `expires_at`, or while `session` is the memory session, or for ever
-- when both are NULL. `session` is the one the hint was last set in.
CREATE TABLE hint (
    entry_id     INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    component    TEXT NOT NULL,
    key          TEXT NOT NULL,
    expires_at   INTEGER,
    session      TEXT,
    use_count    INTEGER NOT NULL CHECK (use_count >= 0),
    last_used_at INTEGER,
    CHECK (expires_at IS NULL OR session IS NULL)
) STRICT;

-- All variants of a key in one probe, the keys of a component in order, the components in order.
CREATE INDEX hint_name ON hint (component, key);

-- The sweep looks only at hints that can end.
CREATE INDEX hint_expiry ON hint (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX hint_session ON hint (session) WHERE session IS NOT NULL;

-- Tags, so that a hint is found by any of its words; the order they were given in is in the entry.
CREATE TABLE hint_tag (
    entry_id INTEGER NOT NULL REFERENCES hint (entry_id) ON DELETE CASCADE,
    tag      TEXT NOT NULL,
    PRIMARY KEY (entry_id, tag)
) STRICT, WITHOUT ROWID;

CREATE INDEX hint_by_tag ON hint_tag (tag, entry_id);
