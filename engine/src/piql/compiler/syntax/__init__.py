"""Text to tree and back: the lexer, the parser with recovery, the printer."""
