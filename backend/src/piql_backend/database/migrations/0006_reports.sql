-- What applications reported, a row for each cell (`piql.reporting.cells`); `minute` counts from 1970, in UTC.
CREATE TABLE reported (
  minute           INTEGER NOT NULL,
  query            VARCHAR NOT NULL,
  version          INTEGER NOT NULL,
  outcome          VARCHAR NOT NULL,
  bound            INTEGER NOT NULL,
  requests_class   TINYINT NOT NULL,
  rows_class       TINYINT NOT NULL,
  bucket           SMALLINT NOT NULL,
  executions       BIGINT NOT NULL,
  operations       BIGINT NOT NULL,
  rows_given       BIGINT NOT NULL,
  repairs          BIGINT NOT NULL,
  statements       BIGINT NOT NULL,
  least_operations INTEGER NOT NULL,
  most_operations  INTEGER NOT NULL,
  least_rows       INTEGER NOT NULL,
  most_rows        INTEGER NOT NULL
);

-- The shipments that are in it: one that comes again is not counted again.
CREATE TABLE shipments_taken (
  client   VARCHAR NOT NULL,
  sequence BIGINT NOT NULL,
  taken_at TIMESTAMP NOT NULL,
  lost     BIGINT NOT NULL,
  PRIMARY KEY (client, sequence)
);
