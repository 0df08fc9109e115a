-- Somebody asks for a text to be deployed. Whether that happened is said by the deployment, which names the request.
CREATE TABLE deploy_requests (
  id           VARCHAR NOT NULL,
  number       INTEGER NOT NULL,
  title        VARCHAR NOT NULL,
  why          VARCHAR NOT NULL,
  author       VARCHAR,
  opened_at    TIMESTAMP NOT NULL,
  withdrawn_by VARCHAR,
  withdrawn_at TIMESTAMP
);

-- What a request asked for, the last revision being what it asks for now. `files`, `removes` and `counts` are JSON.
CREATE TABLE deploy_request_revisions (
  request      INTEGER NOT NULL,
  revision     INTEGER NOT NULL,
  author       VARCHAR,
  made_at      TIMESTAMP NOT NULL,
  origin       VARCHAR NOT NULL,
  save         INTEGER,
  base_version INTEGER NOT NULL,
  run_id       VARCHAR,
  files        VARCHAR NOT NULL,
  removes      VARCHAR NOT NULL,
  counts       VARCHAR NOT NULL
);

-- A verdict holds for one revision. Without a login `person` is empty.
CREATE TABLE deploy_request_reviews (
  request  INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  person   VARCHAR NOT NULL,
  verdict  VARCHAR NOT NULL,
  note     VARCHAR NOT NULL,
  given_at TIMESTAMP NOT NULL
);

CREATE TABLE deploy_request_comments (
  request     INTEGER NOT NULL,
  number      INTEGER NOT NULL,
  revision    INTEGER NOT NULL,
  author      VARCHAR,
  made_at     TIMESTAMP NOT NULL,
  text        VARCHAR NOT NULL,
  query       VARCHAR,
  path        VARCHAR,
  line        INTEGER,
  resolved_by VARCHAR,
  resolved_at TIMESTAMP
);

-- The `id` of the request that a version was deployed by; NULL for none.
ALTER TABLE deployments ADD COLUMN request VARCHAR;
