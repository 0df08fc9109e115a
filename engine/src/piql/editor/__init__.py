"""For people who write PIQL: answers about a text, and a server that gives them to any editor."""
