"""A server of S3's protocol on this machine, for tests: started by `running`, given to tests by `fixture`."""
