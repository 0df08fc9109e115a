-- Where the time of sampled executions went, a row for each cell (`piql.reporting.operator_cells`); `minute` is that of
-- the sample while its hour goes on, and then the first of the hour.
CREATE TABLE operator_times (
  minute         INTEGER NOT NULL,
  source         VARCHAR NOT NULL,
  query          VARCHAR NOT NULL,
  version        INTEGER NOT NULL,
  requests_class TINYINT NOT NULL,
  rows_class     TINYINT NOT NULL,
  whole_bucket   SMALLINT NOT NULL,
  path           VARCHAR NOT NULL,
  operator       VARCHAR NOT NULL,
  bucket         SMALLINT NOT NULL,
  samples        BIGINT NOT NULL,
  operations     BIGINT NOT NULL,
  rows_given     BIGINT NOT NULL,
  microseconds   BIGINT NOT NULL
);
