-- Why: a session is more than what was captured in it. It is busy or idle, has a name, holds what
-- its agent marked as relevant and what it is trying to find out, and whoever follows the feed
-- hears of each change. Sessions and projects become entries, and a row of the feed names its
-- scope, so that also the change of a deleted entry can be attributed.

-- NULL in rows from before this step.
ALTER TABLE feed ADD COLUMN scope_id INTEGER;

-- The entries of a scope. Observations and prompts are found by their own tables, and would make
-- this as large as the store.
CREATE TABLE entry_scope (
    entry_id INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    scope_id INTEGER NOT NULL
) STRICT;

CREATE INDEX entry_scope_of ON entry_scope (scope_id, entry_id);

-- '0' follows '/': these are all paths but those of observations and prompts.
INSERT INTO entry_scope (entry_id, scope_id)
SELECT id, scope_id FROM entry WHERE path < 'obs://'
UNION ALL
SELECT id, scope_id FROM entry WHERE path >= 'obs:/0' AND path < 'prompt://'
UNION ALL
SELECT id, scope_id FROM entry WHERE path >= 'prompt:/0';

-- `entry_id` is the session's own entry; a session from before this step gets one when it next
-- changes. state: 0 idle, 1 busy, 2 taken up again and not yet spoken to. `active_at` is when
-- something last happened that left no row; `idle_at` when the agent last ended a turn;
-- `observed_at` when the person last looked. `tool_count` counts tool calls since the last check-in.
ALTER TABLE agent_session ADD COLUMN entry_id INTEGER;
ALTER TABLE agent_session ADD COLUMN state INTEGER NOT NULL DEFAULT 0;
ALTER TABLE agent_session ADD COLUMN active_at INTEGER;
ALTER TABLE agent_session ADD COLUMN idle_at INTEGER;
ALTER TABLE agent_session ADD COLUMN observed_at INTEGER;
ALTER TABLE agent_session ADD COLUMN tool_count INTEGER NOT NULL DEFAULT 0;

-- Sessions that the person has not looked at since their agent stopped.
CREATE INDEX agent_session_unobserved ON agent_session (id)
    WHERE idle_at IS NOT NULL AND (observed_at IS NULL OR observed_at < idle_at);

ALTER TABLE project ADD COLUMN entry_id INTEGER;

-- What an agent tries to find out. The record itself is in the entry; here is what it is found by.
-- status: 0 active, 1 confirmed, 2 falsified, 3 abandoned. domain, strategy and root_cause are the
-- numbers of the program's lists.
CREATE TABLE hypothesis (
    entry_id    INTEGER PRIMARY KEY REFERENCES entry (id) ON DELETE CASCADE,
    project_id  INTEGER NOT NULL,
    session_id  INTEGER NOT NULL,
    status      INTEGER NOT NULL,
    domain      INTEGER NOT NULL,
    strategy    INTEGER NOT NULL,
    root_cause  INTEGER,
    created_at  INTEGER NOT NULL,
    resolved_at INTEGER
) STRICT;

-- One active hypothesis per session.
CREATE UNIQUE INDEX hypothesis_active ON hypothesis (session_id) WHERE status = 0;
CREATE INDEX hypothesis_session ON hypothesis (session_id, created_at);
CREATE INDEX hypothesis_project ON hypothesis (project_id, status, created_at);
