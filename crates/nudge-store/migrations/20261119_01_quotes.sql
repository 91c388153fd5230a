-- Why: an agent may quote a rule that the person typed, and the quote has to be checked: against what
-- the person certainly typed, and not in a session whose agent has read text from outside.

-- `outside_at` is when its agent first read text from outside: a web page, the answer of another MCP
-- server. `asked_at` is the time of the last prompt at which its agent was asked for a rule.
ALTER TABLE agent_session ADD COLUMN outside_at INTEGER;
ALTER TABLE agent_session ADD COLUMN asked_at INTEGER;

-- heard: 1 if it is certain that the person typed it. `quoted` is what the agent quoted from it before
-- that was certain, as a list in JSON.
ALTER TABLE prompt ADD COLUMN heard INTEGER NOT NULL DEFAULT 0;
ALTER TABLE prompt ADD COLUMN quoted TEXT;

-- Calls of other MCP servers, web fetches and web searches. Commands are not read again.
UPDATE agent_session
   SET outside_at = o.at
  FROM (SELECT session_id, min(at) AS at FROM observation WHERE kind IN (10, 15, 16) GROUP BY session_id) o
 WHERE o.session_id = agent_session.id;
