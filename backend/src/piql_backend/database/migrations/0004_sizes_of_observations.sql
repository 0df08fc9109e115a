-- With the requests, the rows that an execution gave say how large it was. NULL: written before they were counted.
ALTER TABLE observations ADD COLUMN rows_given INTEGER;
