-- What is live is what the store's document says. A row is made from it, and found again by the deployment's own id;
-- rows of before have none until they are found again by their texts.
ALTER TABLE deployments ADD COLUMN deployment VARCHAR;
ALTER TABLE deployments ADD COLUMN deployed_by VARCHAR;
DROP TABLE deployment_on_its_way;
