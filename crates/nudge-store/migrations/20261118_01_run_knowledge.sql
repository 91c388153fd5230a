-- Why: what a run's model notes belongs to that run until the user keeps it for the project. Before
-- this step it was written into the project, where other runs and sessions found it.

-- What a run wrote and nobody else wrote since, with the run it goes to. The client of a run is
-- `run:` and its model. Of several entries under one path, the newest goes.
CREATE TEMP TABLE noted AS
SELECT max(e.id) AS entry_id, r.scope_id AS scope_id
  FROM entry e
  JOIN scheme h ON h.id = e.scheme_id AND h.name IN ('known', 'unknown', 'skill', 'http', 'https')
  JOIN scope s ON s.id = e.scope_id AND s.kind = 'project'
  JOIN provenance o ON o.id = e.origin_id AND o.client LIKE 'run:%'
  JOIN provenance w ON w.id = e.writer_id AND w.client LIKE 'run:%' AND w.session = o.session
  JOIN run r ON r.session = w.session
 WHERE NOT EXISTS (SELECT 1 FROM statement t WHERE t.entry_id = e.id)
   AND NOT EXISTS (SELECT 1 FROM entry x WHERE x.path = e.path AND x.scope_id = r.scope_id)
 GROUP BY e.path, r.scope_id;

UPDATE entry SET scope_id = (SELECT n.scope_id FROM noted n WHERE n.entry_id = entry.id)
 WHERE id IN (SELECT entry_id FROM noted);
UPDATE entry_scope SET scope_id = (SELECT n.scope_id FROM noted n WHERE n.entry_id = entry_scope.entry_id)
 WHERE entry_id IN (SELECT entry_id FROM noted);
UPDATE past_version SET scope_id = (SELECT n.scope_id FROM noted n WHERE n.entry_id = past_version.entry_id)
 WHERE entry_id IN (SELECT entry_id FROM noted);

-- The run and its forks had them in view; for everybody else they are gone.
DELETE FROM entry_view
 WHERE entry_id IN (SELECT entry_id FROM noted)
   AND viewer_id NOT IN (SELECT n.scope_id FROM noted n WHERE n.entry_id = entry_view.entry_id)
   AND viewer_id NOT IN (SELECT f.scope_id FROM noted n
                           JOIN run p ON p.scope_id = n.scope_id JOIN run f ON f.parent_id = p.id
                          WHERE n.entry_id = entry_view.entry_id);

-- Whoever follows the feed reads them again; the search index drops them.
INSERT INTO feed (entry_id, scheme_id, kind, version, at, scope_id)
SELECT e.id, e.scheme_id, 2, e.version, e.updated_at, e.scope_id
  FROM entry e WHERE e.id IN (SELECT entry_id FROM noted);

DROP TABLE noted;
