-- What was decided about versions that are tried on a share of the executions, and what looks at them have shown.
-- What is tried now, and on how much, is in the store.

CREATE TABLE canary_events (
    change VARCHAR NOT NULL,   -- the id of the version, as the store gives it
    number INTEGER NOT NULL,   -- from 1
    version INTEGER NOT NULL,
    request VARCHAR,           -- the id of the deploy request
    made_at TIMESTAMP NOT NULL,
    person VARCHAR,
    act VARCHAR NOT NULL,      -- began, share, promoted or withdrawn
    share DOUBLE NOT NULL,
    why VARCHAR NOT NULL,
    PRIMARY KEY (change, number)
);

CREATE TABLE canary_looks (
    change VARCHAR NOT NULL,
    number INTEGER NOT NULL,   -- from 1
    made_at TIMESTAMP NOT NULL,
    executions BIGINT NOT NULL,
    verdicts VARCHAR NOT NULL, -- JSON: by query and measure
    PRIMARY KEY (change, number)
);
