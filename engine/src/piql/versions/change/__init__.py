"""How one version of a schema follows another while readers and writers go on.

    announced ──▶ filling ──▶ checking ──▶ [tried] ──▶ in force    the version before stays whole until the last step
        │            │            │           │
        └────────────┴────────────┴───────────┴──▶ withdrawn       cancelled, or refused by the data

1. `composition` puts the new texts together with what was deployed and is not named again.
   `canary_rules` refuses what cannot be tried beside the version in force.
2. `schema.table_changes` refuses what no data could bear: another primary key, another type, a column left out.
3. *announced*: new columns and empty indexes are made, and the change is written where every writer looks at the
   beginning of its transaction. From now on all writers, of whatever process, keep the new indexes up.
4. *filling*: `filling` copies existing rows into the new indexes, a few at a time, in primary-key order.
   Without transactions, writers learn of a phase one after another. So each phase waits until all have looked, and
   there is one phase more, in which they only delete from the new indexes. `units_before` ends the units that began
   before.
5. *checking*: writers enforce the new constraints, too, and `checking` checks existing rows.
   On a store without transactions `placing` then gives them their places under new limits.
   A change with a canary then stays: executions are tried on it until somebody promotes or withdraws it.
6. *in force*: one step makes the new version the one that queries and writers follow. `left_views` says which views of
   the version before nobody keeps up from then on.

`state` is what the store keeps of this, `progress` how far a change has come, `steps` takes one bounded step in one
transaction, `build` drives the steps in a thread, at a limited pace, and can be paused, resumed and cancelled. A
process that dies leaves a change that any other process resumes where it was.
"""
