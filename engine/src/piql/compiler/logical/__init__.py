"""What a query asks for: bound expressions and the operators of the logical plan."""
