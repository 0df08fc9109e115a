"""Stores in front of a store, for tests and measurements: one answers late, one writes down what it is asked."""
