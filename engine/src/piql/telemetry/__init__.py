"""Executions as other systems count them: OpenTelemetry and Prometheus; with nothing but Python until one is asked for.

executed.py     one execution, as those see it who watch it
opting_in.py    whether OpenTelemetry is asked for, and its package is there
spans.py        a span for each execution, by OpenTelemetry's conventions for databases
instruments.py  its histograms: time, rows and requests
exporter.py     counts for Prometheus, in memory; what an application mounts to show them
exposition.py   these counts as Prometheus' text
"""
