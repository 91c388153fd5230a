-- Why: whether anything is said with a prompt is a decision of its own, and `nudge why` shows what it was made by.

-- One row for each injection that came with a prompt: the score and the figures it was made of, as JSON.
CREATE TABLE injection_decision (
    injection_id INTEGER PRIMARY KEY REFERENCES injection (id) ON DELETE CASCADE,
    decision     TEXT NOT NULL
) STRICT;
