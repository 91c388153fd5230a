-- Why: before a command runs, and after it failed, memory says what happened the last time. A hook
-- waits for that, so what is known of a command or of an error is found by one look at an index.

-- One row for each mark of a command whose end is known. `mark` is a hash of the command without
-- what changes in it, of the part of it that an error names, or of an error line. outcome: 1 it
-- passed, 2 it failed.
CREATE TABLE attempt (
    project_id INTEGER NOT NULL REFERENCES project (id),
    mark       INTEGER NOT NULL,
    at         INTEGER NOT NULL,
    entry_id   INTEGER NOT NULL REFERENCES observation (entry_id) ON DELETE CASCADE,
    session_id INTEGER NOT NULL,
    outcome    INTEGER NOT NULL,
    PRIMARY KEY (project_id, mark, at, entry_id)
) STRICT, WITHOUT ROWID;

-- When an observation goes, its rows here go.
CREATE INDEX attempt_entry ON attempt (entry_id);
