-- When this file was made in the place of one whose observations are lost.
CREATE TABLE beginnings (
  began TIMESTAMP NOT NULL
);
