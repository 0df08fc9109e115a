-- How many executions may have kept their SLO besides those that did: their bucket of times holds the threshold.
-- What was counted before stands as it was; it is counted anew when the SLO is saved.
ALTER TABLE reported_slos ADD COLUMN unsure BIGINT DEFAULT 0;
