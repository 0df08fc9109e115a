"""What somebody may send who means no good, or does not know better."""

NAMES = (
    *('a"b', "; DROP TABLE settings; --", "it's", "select", "[x]", "{x}", "{0.__class__}", "\\", "a\\", "%s", "/* x"),
    *("?town", "'?town", "é", "😀", "ﬀ", " ", "a b", '"', "__class__", "r", "p"),
    *("k0", "t1", "None", "lambda: 1", "1", "token(a)", "`", "$1", ":x", "@x", "users", "settings", "rowid", "_rowid_"),
    *("\u202e", "x" * 300, "x" * 3000, "sqlite_master", "table users", "index users", "ON CONFLICT"),
)
REFUSED = ("#bucket", "#write", "#", "a\0b", "\ud800", "\x1b[2J", "\t", "\x7f", "\x85")
TEXTS = (
    *("'; DROP TABLE t; --", "' OR '1'='1", '"', "''", "\\'", "a\0b", "\0", "%", "_", "?", "[p]", ":p", "{p}", "NULL"),
    *("\U0010ffff", "\ufffe", "e\u0301", "\u202ex", "x" * 10_000_000, "", " ", "\n", "\r\n", "\x1b[31m", "Infinity"),
)
BROKEN_TEXTS = ("\ud800", "a\udfffb", "\udc80")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
