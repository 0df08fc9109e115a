-- The version whose indexes are being built, at most one: what becomes a row of `deployments` once it is in force.
CREATE TABLE deployment_on_its_way (
  deployment VARCHAR NOT NULL
);
