"""What is asked: bound expressions and the operators of the logical plan."""
