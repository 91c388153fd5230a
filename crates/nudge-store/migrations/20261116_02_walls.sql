-- Why: a project can be private, which outlives its directory, and a directory can claim a name that another place
-- already has. A claim joins nothing by itself, so it is kept beside the key it came with.

-- Whether nothing of the project is shown outside it.
ALTER TABLE project ADD COLUMN private INTEGER NOT NULL DEFAULT 0;

-- What the directory behind a key calls itself in its own settings.
ALTER TABLE project_key ADD COLUMN claim TEXT;
