-- How many buckets below `bucket` a time may lie, too: 0 where it was reported, more where a histogram of OTLP is coarser.
ALTER TABLE reported ADD COLUMN spread SMALLINT DEFAULT 0;
ALTER TABLE reported_hours ADD COLUMN spread SMALLINT DEFAULT 0;
ALTER TABLE reported_days ADD COLUMN spread SMALLINT DEFAULT 0;

-- What was last taken of each series of OTLP: `state` is JSON, as `otlp/series.py` reads it. Of cumulative series there is
-- one for each start, of the others one with the start -1.
CREATE TABLE otlp_series (
  series   VARCHAR NOT NULL,
  start_ns BIGINT NOT NULL,
  state    VARCHAR NOT NULL,
  seen_at  TIMESTAMP NOT NULL
);
