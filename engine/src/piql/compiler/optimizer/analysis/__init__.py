"""What rules derive from a plan: which columns are equal, which are fixed, and what a predicate restricts."""
