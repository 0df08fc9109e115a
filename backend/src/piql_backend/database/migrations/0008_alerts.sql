-- What was found wrong, and what is over again: each to be told to the webhook, and kept as the history of alerts.
CREATE TABLE alerts (
  id           VARCHAR PRIMARY KEY,
  kind         VARCHAR NOT NULL,
  query        VARCHAR NOT NULL,
  state        VARCHAR NOT NULL,
  message      VARCHAR NOT NULL,
  changed_at   TIMESTAMP NOT NULL,
  attempts     INTEGER NOT NULL,
  next_try_at  TIMESTAMP,
  delivered_at TIMESTAMP
);
