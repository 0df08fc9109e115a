-- What an execution found in the store that must not be there: 'limit-passed' or 'dangling-entry'; NULL for nothing.
ALTER TABLE observations ADD COLUMN incident VARCHAR;
