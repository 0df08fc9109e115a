-- The nine tables of TPC-C, as its specification describes them in clause 1.3, for SQLite.
CREATE TABLE warehouse (
  w_id SMALLINT DEFAULT 0 NOT NULL,
  w_name VARCHAR(10) DEFAULT NULL,
  w_street_1 VARCHAR(20), w_street_2 VARCHAR(20), w_city VARCHAR(20), w_state CHAR(2), w_zip CHAR(9),
  w_tax DECIMAL(4,4), -- sales tax
  w_ytd DECIMAL(12,2),
  CONSTRAINT w_key PRIMARY KEY (w_id)
);
CREATE TABLE district (
  d_id TINYINT NOT NULL,
  d_w_id SMALLINT NOT NULL REFERENCES warehouse (w_id),
  d_name VARCHAR(10), d_street_1 VARCHAR(20), d_street_2 VARCHAR(20), d_city VARCHAR(20), d_state CHAR(2), d_zip CHAR(9),
  d_tax FLOAT, d_ytd FLOAT, d_next_o_id INT,
  PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
  c_id INTEGER NOT NULL, c_d_id TINYINT NOT NULL, c_w_id SMALLINT NOT NULL,
  c_first VARCHAR(16), c_middle CHAR(2), c_last VARCHAR(16),
  c_since TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL,
  c_credit CHAR(2) CHECK (c_credit IN ('GC', 'BC')),
  c_balance DECIMAL(12,2), c_data VARCHAR(500),
  PRIMARY KEY (c_w_id, c_d_id, c_id),
  UNIQUE (c_w_id, c_d_id, c_last, c_first),
  CONSTRAINT c_in_district FOREIGN KEY (c_d_id, c_w_id) REFERENCES district (d_id, d_w_id)
);
CREATE INDEX customer_by_name ON customer (c_w_id, c_d_id, c_last);
CREATE TABLE history ( -- the specification gives it no key
  h_c_id INTEGER, h_c_d_id TINYINT, h_c_w_id SMALLINT, h_d_id TINYINT, h_w_id SMALLINT NOT NULL,
  h_date TIMESTAMP NOT NULL, h_amount FLOAT, h_data VARCHAR(24),
  CONSTRAINT h_of_customer FOREIGN KEY (h_c_id, h_c_d_id, h_c_w_id) REFERENCES customer (c_id, c_d_id, c_w_id),
  CONSTRAINT h_in_district FOREIGN KEY (h_d_id, h_w_id) REFERENCES district (d_id, d_w_id)
);
CREATE TABLE orders (
  o_id INTEGER NOT NULL, o_d_id TINYINT NOT NULL, o_w_id SMALLINT NOT NULL, o_c_id INTEGER,
  o_entry_d TIMESTAMP NOT NULL, o_carrier_id INTEGER, o_ol_cnt INTEGER, o_all_local INTEGER,
  PRIMARY KEY (o_w_id, o_d_id, o_id),
  UNIQUE (o_w_id, o_d_id, o_c_id, o_id),
  FOREIGN KEY (o_c_id, o_d_id, o_w_id) REFERENCES customer (c_id, c_d_id, c_w_id)
);
CREATE TABLE new_order (
  no_o_id INTEGER NOT NULL, no_d_id TINYINT NOT NULL, no_w_id SMALLINT NOT NULL,
  PRIMARY KEY (no_d_id, no_w_id, no_o_id),
  FOREIGN KEY (no_o_id, no_d_id, no_w_id) REFERENCES orders (o_id, o_d_id, o_w_id) ON DELETE CASCADE
);
CREATE TABLE item (i_id INTEGER PRIMARY KEY, i_im_id INTEGER, i_name VARCHAR(24), i_price DECIMAL(5,2), i_data VARCHAR(50));
CREATE TABLE stock (
  s_i_id INTEGER NOT NULL REFERENCES item, s_w_id SMALLINT NOT NULL REFERENCES warehouse,
  s_quantity INTEGER NOT NULL, s_dist_01 CHAR(24), s_ytd INTEGER, s_order_cnt INTEGER, s_data VARCHAR(50),
  PRIMARY KEY (s_w_id, s_i_id)
) WITHOUT ROWID;
CREATE TABLE order_line (
  ol_o_id INTEGER NOT NULL, ol_d_id TINYINT NOT NULL, ol_w_id SMALLINT NOT NULL, ol_number INTEGER NOT NULL,
  ol_i_id INTEGER, ol_supply_w_id SMALLINT, ol_delivery_d TIMESTAMP, ol_quantity INTEGER, ol_amount FLOAT,
  ol_dist_info CHAR(24),
  PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number),
  FOREIGN KEY (ol_o_id, ol_d_id, ol_w_id) REFERENCES orders (o_id, o_d_id, o_w_id),
  FOREIGN KEY (ol_i_id, ol_supply_w_id) REFERENCES stock (s_i_id, s_w_id)
);
CREATE INDEX lines_of_order ON order_line (ol_w_id, ol_d_id, ol_o_id);
CREATE INDEX lines_by_amount ON order_line (ol_amount) WHERE ol_amount > 100;
