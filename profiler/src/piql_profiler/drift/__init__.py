"""Whether a profile still describes its store: a few of its points are measured again now and then.

    canaries   one cheap point of each operator, measured again        (look)
    judge      how much slower or faster they are than in the profile  → drift.json beside the run
    refresh    a new profile: stale operators measured anew, the others' measurements kept

Nothing is corrected in silence: a profile that is stale is marked, and its predictions say so.
"""
