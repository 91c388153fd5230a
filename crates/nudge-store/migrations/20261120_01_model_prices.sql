-- Why: a model that was added can have what a model of the settings can have.
ALTER TABLE model ADD COLUMN input_price REAL;
ALTER TABLE model ADD COLUMN output_price REAL;
ALTER TABLE model ADD COLUMN constrained INTEGER NOT NULL DEFAULT 0;
