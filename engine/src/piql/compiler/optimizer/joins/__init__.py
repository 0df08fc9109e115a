"""The search for a join order: the orders of the legs, and the conditions under which each leg is joined."""
