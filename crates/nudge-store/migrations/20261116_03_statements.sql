-- Why: what somebody stated is injected at the start of every session of its project, and so is what the person has said
-- in several sessions. A session start waits for that, so it is found by place and stage, without a look at anything else
-- of its scheme.

-- One row for each statement (`known://…`) and for each proposal of one (`proposal://…`). `scope_id` is that of its entry.
-- stage: 0 over (corrected, forgotten, replaced, decided, expired), 1 in force, 2 said in one session and not decided,
-- 3 not decided and never in force before it is. `said_at` is when it was last said.
CREATE TABLE statement (
    entry_id INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    scope_id INTEGER NOT NULL REFERENCES scope (id),
    stage    INTEGER NOT NULL,
    said_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX statement_place ON statement (scope_id, stage, said_at);

-- What the person does not want to see injected any more: in one project, or in all of them (`project_id` 0).
CREATE TABLE silenced (
    project_id INTEGER NOT NULL,
    entry_id   INTEGER NOT NULL REFERENCES entry (id) ON DELETE CASCADE,
    at         INTEGER NOT NULL,
    PRIMARY KEY (project_id, entry_id)
) STRICT, WITHOUT ROWID;

-- When an entry goes, its rows here go.
CREATE INDEX silenced_entry ON silenced (entry_id);
