"""From the shape of a read to SELECTs, one or few for many keys."""
