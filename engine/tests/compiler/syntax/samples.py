"""Texts that the tests of the front end cut up, mutate and format."""

SCHEMA = """-- SCADr: short thoughts, followed by subscription.
CREATE TABLE users (
  username VARCHAR(32) PRIMARY KEY,
  hometown VARCHAR(64)
);
CREATE TABLE subscriptions (
  owner    VARCHAR(32) REFERENCES users,
  target   VARCHAR(32) REFERENCES users,
  approved BOOLEAN,
  PRIMARY KEY (owner, target),
  CARDINALITY LIMIT 100 (owner)
);
CREATE TABLE thoughts (
  owner  VARCHAR(32) REFERENCES users,
  posted TIMESTAMP,
  text   VARCHAR(140),
  PRIMARY KEY (owner, posted)
);
"""

THOUGHTSTREAM = """CREATE QUERY thoughtstream AS
SELECT t.owner, t.posted, t.text
FROM subscriptions s JOIN thoughts t ON t.owner = s.target
WHERE s.owner = [1: me] AND s.approved = TRUE
ORDER BY t.posted DESC
LIMIT [2: count] MAX 50;
"""

EVERY_CONSTRUCT = """CREATE TABLE item (
  id       UUID,
  title    VARCHAR(60) NOT NULL,
  subject  TEXT NULL,
  price    DECIMAL(10, 2),
  weight   DOUBLE,
  stock    INT UNIQUE,
  sold     BIGINT DEFAULT -1 NOT NULL,
  released DATE,
  picture  BLOB,
  "order"  VARCHAR(8) REFERENCES users MAX 5,
  CONSTRAINT key_of_item PRIMARY KEY (id),
  UNIQUE (title, released),
  CONSTRAINT of_user FOREIGN KEY ("order") REFERENCES users (username),
  CARDINALITY LIMIT 50 (TOKEN(title, subject)) -- words
);
CREATE INDEX by_price ON item (price DESC, TOKEN(title)) COVERING (weight) BUCKETS 8;
CREATE QUERY every AS
SELECT DISTINCT i.id, i.price * 2 + -i.weight AS twice, COUNT(*) AS n, SUM(DISTINCT i.stock) AS total, u.*
FROM item i JOIN users u ON u.username = i."order" LEFT JOIN thoughts t ON t.owner = u.username CROSS JOIN users v,
     (SELECT owner, MAX(posted) AS latest FROM thoughts GROUP BY owner) d
WHERE (i.price BETWEEN 1 AND 9.5 OR i.stock NOT IN (1, 2, :k)) AND NOT i.title LIKE [word]
  AND (i.title, i.subject) CONTAINS 'red' AND i.subject IS NOT NULL AND u.username IN [friends] MAX 20
  AND EXISTS (SELECT 1 FROM subscriptions s WHERE s.owner = u.username)
  AND i.id IN (SELECT id FROM item WHERE stock <> 0 AND sold <= 1e3 AND picture = X'00FF')
GROUP BY i.id, 2 HAVING COUNT(*) > 1 ORDER BY n DESC, i.id PAGINATE 10;
CREATE QUERY both AS SELECT username FROM users WHERE username = 'it''s' UNION ALL SELECT target FROM subscriptions
WHERE owner = :me ORDER BY username LIMIT 3; /* two queries */
CREATE QUERY any AS SELECT NOT EXISTS (SELECT 1 FROM t WHERE a = 1) AS c;
CREATE QUERY named AS SELECT `i`.`order`, [i].[title], i.[order] AS [the order] FROM [item] [i] WHERE i.`id` = [id];
CREATE QUERY put AS INSERT INTO users (username, hometown) VALUES ([1: u], LOWER('Berkeley' || :x)) IF NOT EXISTS;
CREATE QUERY put_plain AS INSERT INTO users (username, hometown) VALUES ([1: u], default), ('x', :x);
CREATE QUERY change AS UPDATE users SET hometown = NULL WHERE username = [1: u] IF hometown = 'x' AND username = 'y';
CREATE QUERY drop_one AS DELETE FROM users WHERE username = [1: u] IF (hometown IS NULL OR hometown > 'x') AND NOT a;
CREATE QUERY chosen AS SELECT CASE WHEN a = 1 OR b THEN 'x' END AS c, CASE a WHEN 1 THEN 2 WHEN -b THEN 3 ELSE
  CASE WHEN NOT a THEN 1 END + 1 END AS d FROM t WHERE a = 1 GROUP BY CASE WHEN a THEN 1 ELSE 0 END;
CREATE QUERY different AS SELECT a IS DISTINCT FROM b AS c FROM t
WHERE a = 1 AND NOT a + 1 is not distinct from (b = 1);
CREATE QUERY topmost AS SELECT id FROM item ORDER BY id FETCH NEXT :n MAX 5 ROWS ONLY;
CREATE QUERY converted AS SELECT cast(a + 1 as decimal(8,2)) AS c, -a::int AS d, (a + b)::varchar(3) AS e FROM t
WHERE a = :a::int AND b = [b]::text::date;
CREATE QUERY filtered AS SELECT COUNT(*) filter (where a = 1 or b) AS c, SUM(distinct a) filter(where not b) AS d
FROM t WHERE a = 1;
CREATE QUERY used AS SELECT * FROM item i JOIN users u USING ("order", id) LEFT OUTER JOIN thoughts USING (owner);
CREATE QUERY drop AS DELETE FROM subscriptions WHERE owner = [1: o] AND target = [2: t];
"""

ENTITIES = """// the older dialect
ENTITY Person {
  string(32) name, int age NOT NULL, /* years */
  UNIQUE (age, name)
  PRIMARY(name)
}
ENTITY Pet {
  int id,
  FOREIGN KEY owner REF Person MAX 10,
  string name,
  CARDINALITY LIMIT 5 (TOKEN(name)),
  PRIMARY(owner, id)
}
ENTITY Visit { int day, FOREIGN KEY pet REF Pet PRIMARY(pet, day) }
QUERY petsOf FETCH Pet OF Person me BY owner WHERE me=[this] AND Pet.name CONTAINS [1: word] LIMIT 10 MAX 10
QUERY visits // of all my pets
FETCH Visit OF Pet BY pet OF Person BY owner WHERE Person = [this] ORDER BY day DESC PAGINATE [1: n] MAX 50
"""

ALL = SCHEMA + THOUGHTSTREAM + EVERY_CONSTRUCT + ENTITIES
