-- What was reported, put together by the hour and by the day: each holds all counts before `reported_until`.
CREATE TABLE reported_hours AS FROM reported LIMIT 0;
CREATE TABLE reported_days AS FROM reported LIMIT 0;

-- How many of them kept the SLO of their query, by minutes (width 1) and by hours (width 60).
CREATE TABLE reported_slos (
  width      SMALLINT NOT NULL,
  minute     INTEGER NOT NULL,
  query      VARCHAR NOT NULL,
  version    INTEGER NOT NULL,
  executions BIGINT NOT NULL,
  kept       BIGINT NOT NULL
);

-- The minute, a whole hour, up to which the tables above are complete; minutes are kept from `minutes_from` on.
CREATE TABLE reported_until (
  until        INTEGER NOT NULL,
  minutes_from INTEGER NOT NULL
);
INSERT INTO reported_until VALUES (0, 0);

-- Hours of which counts came after they had been put together: their rows may be put together once more.
CREATE TABLE reported_late (
  hour INTEGER NOT NULL
);
