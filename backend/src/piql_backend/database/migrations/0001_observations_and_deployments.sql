-- Times are UTC. What is never searched is kept as JSON text.
CREATE TABLE deployments (
  version      INTEGER PRIMARY KEY,
  workspace_id VARCHAR NOT NULL,
  created_at   TIMESTAMP NOT NULL,
  run_id       VARCHAR,
  model        VARCHAR,
  files        VARCHAR NOT NULL,
  queries      VARCHAR NOT NULL,
  bounds       VARCHAR NOT NULL,
  indexes      VARCHAR NOT NULL
);

CREATE TABLE observations (
  version     INTEGER NOT NULL,
  query       VARCHAR NOT NULL,
  started_at  TIMESTAMP NOT NULL,
  elapsed_ms  DOUBLE NOT NULL,
  operations  INTEGER NOT NULL,
  bound       INTEGER NOT NULL,
  failed      BOOLEAN NOT NULL
);

CREATE TABLE slos (
  query            VARCHAR PRIMARY KEY,
  quantile         DOUBLE NOT NULL,
  threshold_ms     DOUBLE NOT NULL,
  interval_seconds DOUBLE NOT NULL,
  updated_at       TIMESTAMP NOT NULL
);
