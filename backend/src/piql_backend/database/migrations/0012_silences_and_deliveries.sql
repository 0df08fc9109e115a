-- To whom an alert has to be told, 'webhook' or 'mail', and how often that was tried. NULL: it is not tried again.
CREATE TABLE alert_deliveries (
  alert        VARCHAR NOT NULL,
  destination  VARCHAR NOT NULL,
  attempts     INTEGER NOT NULL,
  next_try_at  TIMESTAMP,
  delivered_at TIMESTAMP
);
INSERT INTO alert_deliveries SELECT id, 'webhook', attempts, next_try_at, delivered_at FROM alerts;

-- Nothing of a kind and query is told until then; NULL stands for all kinds, and for all queries.
CREATE TABLE silences (
  id         VARCHAR NOT NULL,
  kind       VARCHAR,
  query      VARCHAR,
  reason     VARCHAR NOT NULL,
  person     VARCHAR,
  created_at TIMESTAMP NOT NULL,
  until      TIMESTAMP NOT NULL
);

-- `silence`: the one because of which an alert was not told.
CREATE TABLE alerts_with_silence AS
SELECT id, kind, query, state, message, changed_at, NULL::VARCHAR AS silence FROM alerts;
DROP TABLE alerts;
ALTER TABLE alerts_with_silence RENAME TO alerts;
