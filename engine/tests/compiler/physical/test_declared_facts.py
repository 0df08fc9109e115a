"""A limit or a UNIQUE that is declared makes none of these queries dearer. Each of them has been dearer once.

Random worlds are held against the same law in `oracle/metamorphic/declaring.py`, which found these.
"""

from __future__ import annotations

import piql
import pytest
from piql.compiler.bounds.queries import section_cost
from piql.compiler.optimizer.analysis.effort import Cost
from piql.compiler.physical.write_plan import WritePlan

AN_OR_NAMES_TWO_ROWS = (
    "CARDINALITY LIMIT 2 (day)",
    """
    CREATE TABLE posts (author INT, slug VARCHAR(20), day INT NOT NULL, PRIMARY KEY (author, slug) {declared});
    CREATE QUERY q AS SELECT slug FROM posts
    WHERE day IN [days] MAX 5 AND ((author = [a] AND slug = 'news') OR (author = [b] AND slug = 'blog'));
    """,
)
A_CASE_OF_PARAMETERS_READS_LESS = (
    "CARDINALITY LIMIT 200 (town)",
    """
    CREATE TABLE users (town INT, score BIGINT, rank INT, PRIMARY KEY (town, score) {declared});
    CREATE QUERY q AS SELECT score FROM users
    WHERE town = [town] AND (rank IS NOT DISTINCT FROM [a] OR rank IS NOT DISTINCT FROM [b])
    ORDER BY score DESC LIMIT 2;
    """,
)
THE_FIRST_OF_ITS_GROUP_IS_THE_ONLY_ONE = (
    "UNIQUE (owner)",
    """
    CREATE TABLE users (id INT PRIMARY KEY);
    CREATE TABLE posts (id INT PRIMARY KEY, owner INT REFERENCES users, note INT {declared});
    CREATE QUERY q AS SELECT t.id FROM users u JOIN posts t ON t.owner = u.id
    WHERE u.id IN [ids] MAX 5
      AND t.id = (SELECT x.id FROM posts x WHERE x.owner = t.owner ORDER BY x.note, x.id LIMIT 1);
    """,
)
A_KEY_HAS_ONE_VALUE = (
    "CARDINALITY LIMIT 60 (day)",
    """
    CREATE TABLE users (id INT PRIMARY KEY, day INT NULL {declared});
    CREATE TABLE posts (id INT PRIMARY KEY, owner INT REFERENCES users, CARDINALITY LIMIT 6000 (owner));
    CREATE QUERY q AS SELECT s.id, v.id AS more
    FROM users t JOIN posts s ON s.owner = t.id JOIN posts v ON v.owner = t.id
    WHERE t.id = [id] AND t.day = [day] PAGINATE 3;
    """,
)
LEVELS_OF_FEW_ROWS = (
    "CARDINALITY LIMIT 50 (parent)",
    """
    CREATE TABLE parts (parent INT, id INT, kind INT NOT NULL, PRIMARY KEY (parent, id) {declared});
    CREATE QUERY q AS WITH RECURSIVE walk (parent, id) AS (
      SELECT parent, id FROM parts WHERE parent = [root] AND id = [id]
      UNION
      SELECT t.parent, t.id FROM parts t JOIN walk s ON t.parent = s.parent
      WHERE t.id IN (SELECT u.id FROM parts u WHERE u.parent = [other] AND u.id IN [ids] MAX 3)
    ) MAX 2 LEVELS SELECT parent, id FROM walk;
    """,
)
A_SUBQUERY_HAS_FEW_VALUES = (
    "CARDINALITY LIMIT 5 (kind, count)",
    """
    CREATE TABLE users (id INT PRIMARY KEY, note VARCHAR(8), CARDINALITY LIMIT 7 (note));
    CREATE TABLE posts (owner INT REFERENCES users, score INT, data INT, PRIMARY KEY (owner, score));
    CREATE TABLE tags (
      day INT PRIMARY KEY, kind INT NULL, count INT NULL, FOREIGN KEY (kind, count) REFERENCES posts {declared}
    );
    CREATE TABLE orders (id INT PRIMARY KEY, tag INT REFERENCES tags, CARDINALITY LIMIT 100 (tag));
    CREATE QUERY q AS SELECT p.data, t.note, s.day
    FROM posts p JOIN users t ON t.id = p.owner JOIN tags s ON s.kind = p.owner AND s.count = p.score
    WHERE s.day IN (SELECT u.tag FROM orders u WHERE u.tag IN [tags] MAX 5)
      AND t.note IN [notes] MAX 3 AND t.id < 1 AND p.score = [score] LIMIT 3;
    """,
)
THE_ORDER_ENDS_WITH_THE_MATCHES = (
    "CARDINALITY LIMIT 10 (parent)",
    """
    CREATE TABLE users (id INT PRIMARY KEY, age INT);
    CREATE TABLE posts (id INT PRIMARY KEY, owner INT, parent INT, CARDINALITY LIMIT 4 (owner) {declared});
    CREATE QUERY q AS SELECT t.id, answer.id AS answer FROM posts t LEFT JOIN posts answer ON answer.parent = t.id
    WHERE t.owner = [owner] AND (SELECT u.age FROM users u WHERE u.id = [me]) > 18 ORDER BY t.id DESC LIMIT 1;
    """,
)
TWO_READS_NEED_NOT_WAIT = (
    "UNIQUE (day)",
    """
    CREATE TABLE posts (id INT, day INT, kind INT, PRIMARY KEY (id, day), UNIQUE (id));
    CREATE TABLE tags (
      name VARCHAR(8) PRIMARY KEY, post INT NOT NULL, day INT NOT NULL, FOREIGN KEY (post, day) REFERENCES posts,
      CARDINALITY LIMIT 70 (post, day) {declared}
    );
    CREATE QUERY q AS SELECT p.kind, t.name FROM posts p JOIN tags t ON t.post = p.id AND t.day = p.day
    WHERE p.id = [id] ORDER BY p.day LIMIT 10;
    """,
)
A_SECTION_THAT_IS_FOLLOWED_INSTEAD = (
    "CARDINALITY LIMIT 3000 (name)",
    """
    CREATE TABLE users (name VARCHAR(20), kind INT, PRIMARY KEY (name, kind) {declared});
    CREATE TABLE posts (
      author VARCHAR(20), kind INT, score INT, title VARCHAR(20) NOT NULL, UNIQUE (title), PRIMARY KEY (author, kind),
      CARDINALITY LIMIT 7 (author)
    );
    CREATE QUERY q AS SELECT p.title FROM posts p
    WHERE p.title IN [titles] MAX 2 AND (p.score > 5 OR NOT EXISTS (
      SELECT u.name FROM users u JOIN posts o ON o.author = u.name AND o.kind = u.kind
      WHERE u.name = 'ada' AND u.name = p.author AND u.kind = p.kind));
    """,
)
A_STOP_BOUNDS_ANOTHER_ORDER = (
    "CARDINALITY LIMIT 3 (kind)",
    """
    CREATE TABLE users (name INT, kind INT, note INT, PRIMARY KEY (name, kind) {declared});
    CREATE TABLE posts (
      id INT PRIMARY KEY, author INT, kind INT, score INT NOT NULL, FOREIGN KEY (author, kind) REFERENCES users
    );
    CREATE QUERY q AS SELECT p.id FROM users u JOIN posts p ON p.author = u.name AND p.kind = u.kind
    WHERE u.kind = 7 AND (p.kind, p.score) <= ([kind], 5) LIMIT 5;
    """,
)
A_JOINED_TABLE_IS_READ_BY_BRANCH = (
    "CARDINALITY LIMIT 700 (author)",
    """
    CREATE TABLE users (id INT PRIMARY KEY, mail VARCHAR(20) NOT NULL, photo BLOB, UNIQUE (mail));
    CREATE TABLE posts (slug VARCHAR(20), part INT, author INT REFERENCES users, PRIMARY KEY (slug, part) {declared});
    CREATE QUERY q AS SELECT u.id, u.photo FROM users u
    WHERE u.mail = [mail] AND EXISTS (
      SELECT p.slug FROM posts p JOIN users v ON v.id = p.author
      WHERE p.author = u.id AND ((p.slug = [a] AND p.part IN (1, 2)) OR (p.slug = [b] AND p.part = 3)));
    """,
)
NOTHING_IS_ASKED_FOR = (
    "FOREIGN KEY (author) REFERENCES users",
    """
    CREATE TABLE users (id INT PRIMARY KEY, town VARCHAR(20), CARDINALITY LIMIT 5 (town));
    CREATE TABLE posts (id INT PRIMARY KEY, author INT {declared});
    CREATE QUERY q AS SELECT p.id, u.town FROM posts p JOIN users u ON p.author = u.id
    WHERE p.author = [me] ORDER BY p.author LIMIT 0;
    """,
)

A_KEY_OF_FEWER_COLUMNS = (
    "FOREIGN KEY (town, rank) REFERENCES users (town, rank)",
    """
    CREATE TABLE users (is_new BOOLEAN, town INT, rank INT, UNIQUE (is_new), PRIMARY KEY (town, rank));
    CREATE TABLE posts (id INT, is_new BOOLEAN, at INT, CARDINALITY LIMIT 4 (id), PRIMARY KEY (id, is_new));
    CREATE TABLE tags (id INT PRIMARY KEY, town INT, rank INT, UNIQUE (rank) {declared});
    CREATE QUERY q AS SELECT p.id, p.at, t.id AS tag
    FROM posts p JOIN users u ON u.is_new = p.is_new JOIN tags t ON t.town = u.town AND t.rank = u.rank
    WHERE p.id = [id] ORDER BY p.at PAGINATE 10;
    """,
)
THE_FIRST_OF_A_GROUP_AFTER_ANOTHER_JOIN = (
    "FOREIGN KEY (number) REFERENCES users",
    """
    CREATE TABLE users (number INT PRIMARY KEY, name VARCHAR(8));
    CREATE TABLE posts (
      kind INT, number INT, day INT, CARDINALITY LIMIT 7 (kind), PRIMARY KEY (kind, number) {declared}
    );
    CREATE TABLE tags (
      word INT, number INT, kind INT, at INT, CARDINALITY LIMIT 100 (word), PRIMARY KEY (word, number, kind)
    );
    CREATE QUERY q AS SELECT t.at, s.day, u.name
    FROM tags t JOIN posts s ON s.kind = t.kind AND s.number = t.number JOIN users u ON u.number = s.number
    WHERE t.word = [word] AND s.number = (SELECT MIN(w.number) FROM posts w WHERE w.kind = s.kind)
    ORDER BY t.at, t.number PAGINATE 20;
    """,
)


def cost_of(text: str) -> Cost:
    plan = piql.compile(text).queries["q"].plan
    assert plan is not None
    assert not isinstance(plan, WritePlan)
    return section_cost(plan, {})


AN_INDEX_HOLDS_WHAT_IS_ASKED_FOR = (
    "UNIQUE (owner, is_open)",
    """
    CREATE TABLE notes (owner INT, day UUID, kind BLOB NOT NULL, is_open BOOLEAN NOT NULL, PRIMARY KEY (owner, day)
      {declared});
    CREATE QUERY q AS SELECT kind FROM notes WHERE owner = [me] AND is_open = [open] ORDER BY kind PAGINATE 20;
    """,
)
A_SHORT_TABLE_IS_JOINED_TO_ITSELF = (
    "CARDINALITY LIMIT 600",
    """
    CREATE TABLE posts (count INT NOT NULL, max TEXT, note DOUBLE PRIMARY KEY, CARDINALITY LIMIT 20 (count) {declared});
    CREATE QUERY q AS SELECT posts.max, posts.note, t.max AS t_max FROM posts JOIN posts t USING (count)
    WHERE posts.note = [me] AND posts.count = [p] ORDER BY posts.max DESC LIMIT [n] MAX 1;
    """,
)
A_STOP_PASSES_ONE_LEG_AFTER_ANOTHER = (
    "FOREIGN KEY (author) REFERENCES users",
    """
    CREATE TABLE users (id INT PRIMARY KEY, age INT, CARDINALITY LIMIT 3000);
    CREATE TABLE posts (author INT, score INT, PRIMARY KEY (author) {declared});
    CREATE TABLE tags (post INT REFERENCES posts, word VARCHAR(9), PRIMARY KEY (word, post));
    CREATE QUERY q AS SELECT t.age, s.score, v.word FROM users t, posts s JOIN tags v ON v.post = s.author
    WHERE t.id = s.author LIMIT 2;
    """,
)
ANOTHER_TABLE_IS_READ_FIRST = (
    "CARDINALITY LIMIT 12000 (tag)",
    """
    CREATE TABLE users (id INT, kind INT, CARDINALITY LIMIT 1 (id), PRIMARY KEY (id, kind));
    CREATE TABLE posts (author INT, kind INT, PRIMARY KEY (author, kind), FOREIGN KEY (author, kind) REFERENCES users,
      CARDINALITY LIMIT 100);
    CREATE TABLE tags (id INT PRIMARY KEY, word VARCHAR(8), UNIQUE (word));
    CREATE TABLE orders (author INT, kind INT, number INT, tag INT REFERENCES tags, PRIMARY KEY (author, kind, number),
      FOREIGN KEY (author, kind) REFERENCES posts, CARDINALITY LIMIT 7 (author) {declared});
    CREATE QUERY q AS SELECT p.kind, t.word, o.number
    FROM tags t JOIN orders o ON o.tag = t.id JOIN posts p ON o.author = p.author AND p.kind = o.kind, users u
    WHERE p.kind = u.kind AND t.word = [word] AND p.author = u.id
      AND NOT EXISTS (SELECT w.kind FROM users w WHERE w.id = u.id AND w.kind > u.kind);
    """,
)
TWO_LARGE_LIMITS_COMPETE = (
    "CARDINALITY LIMIT 90000",
    """
    CREATE TABLE users (id INT PRIMARY KEY, town VARCHAR(20) NOT NULL, CARDINALITY LIMIT 120);
    CREATE TABLE posts (id INT PRIMARY KEY, author INT REFERENCES users, note VARCHAR(40),
      CARDINALITY LIMIT 18000 (TOKEN(note)), CARDINALITY LIMIT 20 (author) {declared});
    CREATE QUERY q AS SELECT s.town AS k, t.id AS post, MIN(t.note) AS note FROM posts t JOIN users s ON t.author = s.id
    WHERE (SELECT COUNT(*) FROM posts u WHERE u.author = s.id) >= 2 AND t.note CONTAINS [word]
    GROUP BY s.town, t.id;
    """,
)
A_SHORT_TABLE_IS_READ_BESIDE_ANOTHER = (
    "CARDINALITY LIMIT 300",
    """
    CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(8) NOT NULL);
    CREATE TABLE posts (id INT PRIMARY KEY, amount INT NULL {declared});
    CREATE TABLE tags (number INT PRIMARY KEY, post INT NULL REFERENCES posts, owner INT NULL, kind INT NOT NULL,
      CARDINALITY LIMIT 12000 (post));
    CREATE QUERY q AS SELECT u.id, u.name, t.kind, p.amount
    FROM users u LEFT JOIN tags t ON t.owner = u.id AND u.id <> 2
    JOIN posts p ON p.id = t.post AND p.id IN ([a], 7, [b])
    WHERE u.id = [me] ORDER BY u.id DESC, u.name DESC LIMIT 20;
    """,
)
TWO_LIMITS_ON_THE_SAME_COLUMNS = (
    "CARDINALITY LIMIT 15000 (day)",
    """
    CREATE TABLE posts (day INT, number INT, text INT, PRIMARY KEY (day, number), CARDINALITY LIMIT 3 (day));
    CREATE TABLE tags (day INT, id INT, post_day INT NOT NULL, post INT NOT NULL, PRIMARY KEY (day, id),
      FOREIGN KEY (post_day, post) REFERENCES posts, CARDINALITY LIMIT 18000 (day),
      CARDINALITY LIMIT 9 (post) {declared});
    CREATE QUERY q AS SELECT t.text, s.id FROM posts t, tags s
    WHERE t.day = 4 AND t.number = s.post AND s.day IN [days] MAX 1 AND s.post_day = t.day ORDER BY s.id DESC, t.number;
    """,
)
A_KEY_IS_FOLLOWED_INSTEAD_OF_A_WORD = (
    "CARDINALITY LIMIT 9 (user)",
    """
    CREATE TABLE users (id INT, part INT, text BLOB, name TEXT, PRIMARY KEY (id, part), UNIQUE (name),
      CARDINALITY LIMIT 4 (TOKEN(name)), CARDINALITY LIMIT 10 (id));
    CREATE TABLE tags (user INT NOT NULL, part INT NOT NULL, day INT PRIMARY KEY,
      FOREIGN KEY (user, part) REFERENCES users {declared});
    CREATE QUERY q AS SELECT t.id, t.name, t.text, s.day
    FROM users t JOIN tags s ON s.user = t.id AND t.part = s.part AND s.day IN ([a], 5, [b])
    WHERE t.name CONTAINS [word];
    """,
)
A_SUBQUERY_FINDS_NOTHING = (
    "CARDINALITY LIMIT 4 (count)",
    """
    CREATE TABLE posts (id INT PRIMARY KEY, count INT NOT NULL {declared});
    CREATE QUERY q AS SELECT t.count, p.id
    FROM posts t JOIN posts s USING (id) JOIN posts p ON s.count = p.count
    WHERE t.count = [me] AND p.id = (SELECT u.id FROM posts u WHERE u.id = p.id AND u.count < u.count
      ORDER BY u.count DESC, u.id DESC LIMIT 1)
    ORDER BY t.count DESC LIMIT 1;
    """,
)
AN_INDEX_BEGINS_WITH_WHAT_IS_KNOWN_FIRST = (
    "FOREIGN KEY (kind) REFERENCES posts",
    """
    CREATE TABLE posts (id TEXT PRIMARY KEY, code TIMEUUID NOT NULL);
    CREATE TABLE tags (
      part INT, id UUID, kind TEXT, day BIGINT NOT NULL, owner UUID,
      PRIMARY KEY (part, id), CARDINALITY LIMIT 10 (owner) {declared}
    );
    CREATE QUERY q AS SELECT t.id, tags.id AS tag, tags.day, tags.kind FROM posts t JOIN tags ON t.id = tags.kind
    WHERE t.id = [me] AND t.code = '00000009-0000-1000-bf00-000000000001' AND tags.owner = [owner]
    ORDER BY t.code LIMIT [count] MAX 20;
    """,
)

A_READ_TAKES_THE_INDEX_OF_ANOTHER = (
    "UNIQUE (kind, day)",
    """
    CREATE TABLE users (day TIMESTAMP PRIMARY KEY, kind INT NOT NULL, code BLOB NOT NULL,
      CARDINALITY LIMIT 8 (kind) {declared});
    CREATE QUERY q AS SELECT t.code, t.day, t.kind FROM users t JOIN users u ON u.kind = t.kind
    WHERE t.kind = [kind] AND t.code = [code] ORDER BY t.kind DESC, t.day DESC LIMIT [count] MAX 20;
    """,
)
AN_INDEX_IS_TURNED_AND_READS_MORE_ROWS = (
    "CARDINALITY LIMIT 50 (tag)",
    """
    CREATE TABLE orders (
      part INT, title UUID, text TEXT, day INT NOT NULL, kind UUID NOT NULL, note INT, tag TEXT, id INT PRIMARY KEY,
      CARDINALITY LIMIT 200 (text, note, tag, part) {declared}
    );
    CREATE QUERY q AS SELECT o.tag, o.kind, o.id, o.title FROM orders o WHERE o.tag = 'red'
    UNION ALL
    SELECT t.text, t.kind, t.day, t.title FROM orders t
    WHERE t.part = 4 OR ((t.day = [a] OR t.day = 4) AND t.tag = [tag]) LIMIT [count] MAX 10;
    """,
)
THE_TABLES_OF_A_LIST_ARE_READ_AT_ONCE = (
    "UNIQUE (name)",
    """
    CREATE TABLE users (id BIGINT, name TEXT, note TEXT, PRIMARY KEY (id, name));
    CREATE TABLE posts (
      author BIGINT NULL, name TEXT NULL, day INT PRIMARY KEY,
      FOREIGN KEY (author, name) REFERENCES users, CARDINALITY LIMIT 3 (name) {declared}
    );
    CREATE QUERY q AS SELECT t.note, COUNT(*) AS posts FROM users t JOIN posts s ON t.id = s.author AND s.name = t.name
    WHERE (t.id = [a] OR t.id = [b]) AND t.name = [name] GROUP BY t.note;
    """,
)
THE_FIRST_ROWS_MEET_ANOTHER_TABLE_AT_ONCE = (
    "FOREIGN KEY (author, kind) REFERENCES users",
    """
    CREATE TABLE users (name VARCHAR(20), kind INT, note TIMESTAMP, PRIMARY KEY (name, kind));
    CREATE TABLE posts (
      author VARCHAR(20), kind INT, title VARCHAR(20), PRIMARY KEY (author, kind, title), UNIQUE (author) {declared}
    );
    CREATE QUERY q AS SELECT u.note, u.name, t.title FROM users u JOIN posts t ON t.author = u.name AND t.kind = u.kind
    WHERE u.name = [me] AND u.kind IN [kinds] MAX 2 ORDER BY u.name, u.note LIMIT [count] MAX 1;
    """,
)
THE_INDEX_OF_A_TABLE_STANDS_IN_FOR_NO_OTHER = (
    "CARDINALITY LIMIT 60",
    """
    CREATE TABLE tags (
      id INT PRIMARY KEY, text TEXT NOT NULL, day INT NOT NULL, place INT,
      CARDINALITY LIMIT 7 (TOKEN(text)), CARDINALITY LIMIT 3 (place) {declared}
    );
    CREATE QUERY q AS SELECT EXISTS (
      SELECT t.id FROM tags t
      WHERE ((t.text = 'blue' AND t.day = 2) OR (t.text = [text] AND t.day = [day])) AND t.text LIKE [word]
    ) AS found;
    """,
)
NO_CASE_TAKES_ALL_THAT_ANY_TAKES = (
    "CARDINALITY LIMIT 50 (note)",
    """
    CREATE TABLE users (id VARCHAR(20) PRIMARY KEY);
    CREATE TABLE tags (
      part INT, title VARCHAR(20), amount INT NOT NULL, note VARCHAR(20), PRIMARY KEY (part, title) {declared}
    );
    CREATE QUERY q AS SELECT t.note, EXISTS (SELECT s.id FROM users s WHERE s.id = 'ada' AND s.id = t.note) AS found
    FROM tags t WHERE (t.note = [who] OR [who] IS NULL) AND t.part = [part] AND t.amount IN [amounts] MAX 2
    ORDER BY t.note LIMIT 2;
    """,
)
A_LIMIT_LEFT_OUT_BESIDE_OTHERS_BOUNDS_ANOTHER_READ = (
    "CARDINALITY LIMIT 3000 (score)",
    """
    CREATE TABLE users (kind BOOLEAN PRIMARY KEY, day INT NULL, CARDINALITY LIMIT 21000 (day));
    CREATE TABLE posts (
      note VARCHAR(20), part BOOLEAN REFERENCES users, kind BOOLEAN REFERENCES users, number INT,
      PRIMARY KEY (part, kind, number), UNIQUE (note, part), CARDINALITY LIMIT 3 (kind)
    );
    CREATE TABLE tags (
      name VARCHAR(20), part BOOLEAN, score INT NOT NULL, data INT, PRIMARY KEY (name, part),
      FOREIGN KEY (name, part) REFERENCES posts (note, part) MAX 4,
      CARDINALITY LIMIT 800 (TOKEN(name)), CARDINALITY LIMIT 3 (name) {declared}
    );
    CREATE QUERY q AS SELECT t.data, s.number, u.day, (
      SELECT MIN(v.data) FROM tags v WHERE v.name = t.name AND v.part = t.part AND v.name = [name] AND v.score = 7
    ) AS least
    FROM tags t, posts s, users u
    WHERE u.day IS NOT DISTINCT FROM 5 AND u.kind = s.kind AND t.score = 7 AND t.name LIKE [word]
      AND s.note = t.name AND s.part = t.part ORDER BY t.score;
    """,
)
AN_INDEX_OF_LONG_ENTRIES_IS_THERE = (
    "UNIQUE (author, note)",
    """
    CREATE TABLE posts (id INT PRIMARY KEY, author INT, note TEXT NOT NULL, CARDINALITY LIMIT 3000 (author) {declared});
    CREATE QUERY q AS SELECT t.id, t.note FROM posts t
    WHERE t.author = [me] AND t.id + 3 > [most] ORDER BY t.id LIMIT 3;
    """,
)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        pytest.param(*AN_OR_NAMES_TWO_ROWS, id="an OR names two rows"),
        pytest.param(*A_CASE_OF_PARAMETERS_READS_LESS, id="a case of the parameters reads less"),
        pytest.param(*THE_FIRST_OF_ITS_GROUP_IS_THE_ONLY_ONE, id="the first of its group is the only one"),
        pytest.param(*A_KEY_HAS_ONE_VALUE, id="a key has one value"),
        pytest.param(*LEVELS_OF_FEW_ROWS, id="levels of few rows"),
        pytest.param(*A_SUBQUERY_HAS_FEW_VALUES, id="a subquery has few values"),
        pytest.param(*THE_ORDER_ENDS_WITH_THE_MATCHES, id="the order ends with the matches"),
        pytest.param(*A_SECTION_THAT_IS_FOLLOWED_INSTEAD, id="a section is followed instead of read by the limit"),
        pytest.param(*A_STOP_BOUNDS_ANOTHER_ORDER, id="a stop bounds another order of the join"),
        pytest.param(*A_JOINED_TABLE_IS_READ_BY_BRANCH, id="a joined table is read by each branch of an OR"),
        pytest.param(*NOTHING_IS_ASKED_FOR, id="nothing is asked for"),
        pytest.param(*A_KEY_OF_FEWER_COLUMNS, id="a key of fewer columns is asked for less often"),
        pytest.param(*THE_FIRST_OF_A_GROUP_AFTER_ANOTHER_JOIN, id="the first of a group is found after another join"),
        pytest.param(*TWO_READS_NEED_NOT_WAIT, id="two reads need not wait for one another"),
        pytest.param(*AN_INDEX_HOLDS_WHAT_IS_ASKED_FOR, id="an index holds what is asked for"),
        pytest.param(*A_SHORT_TABLE_IS_JOINED_TO_ITSELF, id="a short table is joined to itself"),
        pytest.param(*A_STOP_PASSES_ONE_LEG_AFTER_ANOTHER, id="a stop passes one leg after another"),
        pytest.param(*ANOTHER_TABLE_IS_READ_FIRST, id="another table is read first"),
        pytest.param(*TWO_LARGE_LIMITS_COMPETE, id="two large limits compete"),
        pytest.param(*A_SHORT_TABLE_IS_READ_BESIDE_ANOTHER, id="a short table is read beside another"),
        pytest.param(*TWO_LIMITS_ON_THE_SAME_COLUMNS, id="two limits on the same columns"),
        pytest.param(*A_KEY_IS_FOLLOWED_INSTEAD_OF_A_WORD, id="a key is followed instead of a word"),
        pytest.param(*A_SUBQUERY_FINDS_NOTHING, id="a subquery finds nothing"),
        pytest.param(*A_READ_TAKES_THE_INDEX_OF_ANOTHER, id="a read takes the index of another"),
        pytest.param(*AN_INDEX_BEGINS_WITH_WHAT_IS_KNOWN_FIRST, id="an index begins with what is known first"),
        pytest.param(*AN_INDEX_IS_TURNED_AND_READS_MORE_ROWS, id="an index is turned and reads more rows"),
        pytest.param(*THE_TABLES_OF_A_LIST_ARE_READ_AT_ONCE, id="the tables of a list are read at once"),
        pytest.param(*THE_FIRST_ROWS_MEET_ANOTHER_TABLE_AT_ONCE, id="the first rows meet another table at once"),
        pytest.param(*THE_INDEX_OF_A_TABLE_STANDS_IN_FOR_NO_OTHER, id="the index of a table stands in for no other"),
        pytest.param(*NO_CASE_TAKES_ALL_THAT_ANY_TAKES, id="no case takes all that any takes"),
        pytest.param(*AN_INDEX_OF_LONG_ENTRIES_IS_THERE, id="an index of long entries is there"),
        pytest.param(
            *A_LIMIT_LEFT_OUT_BESIDE_OTHERS_BOUNDS_ANOTHER_READ, id="a limit left out beside others bounds another read"
        ),
    ],
)
def test_a_query_is_no_dearer_with_what_is_declared(declared: str, text: str) -> None:
    before, now = cost_of(text.format(declared="")), cost_of(text.format(declared=f", {declared}"))
    assert now.nanoseconds <= 1.1 * before.nanoseconds
    assert now.requests <= before.requests or now.step < before.step
