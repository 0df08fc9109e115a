-- How many intervals of its SLO a query kept in each day of which no minutes are kept (`reports/slo_days.py`); `version`
-- is the newest that ran in it.
CREATE TABLE reported_slo_days (
  minute     INTEGER NOT NULL,
  query      VARCHAR NOT NULL,
  version    INTEGER NOT NULL,
  executions BIGINT NOT NULL,
  kept       BIGINT NOT NULL,
  unsure     BIGINT NOT NULL,
  judged     BIGINT NOT NULL,
  judged_kept BIGINT NOT NULL,
  too_few    BIGINT NOT NULL
);

INSERT INTO reported_slo_days
WITH intervals AS (
  SELECT minute // 1440 * 1440 AS day, query, any_value(quantile) AS quantile, max(version) AS version,
         sum(executions)::BIGINT AS executions, sum(kept)::BIGINT AS kept, sum(unsure)::BIGINT AS unsure
  FROM reported_slos JOIN slos USING (query)
  WHERE width = 60 AND minute < (SELECT minutes_from // 1440 * 1440 FROM reported_until)
    AND (interval_seconds <= 3600 OR 86400 % interval_seconds = 0)
  GROUP BY day, query, floor(minute * 60 / interval_seconds)
)
SELECT day, query, max(version), sum(executions), sum(kept), sum(unsure),
       count(*) FILTER (WHERE executions >= ceil(round(1 / (1 - quantile), 6))),
       count(*) FILTER (WHERE executions >= ceil(round(1 / (1 - quantile), 6)) AND kept >= quantile * executions - 1e-9),
       count(*) FILTER (WHERE executions < ceil(round(1 / (1 - quantile), 6)))
FROM intervals GROUP BY day, query ORDER BY day, query;
