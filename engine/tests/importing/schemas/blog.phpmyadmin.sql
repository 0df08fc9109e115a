-- phpMyAdmin SQL Dump
SET SQL_MODE = "NO_AUTO_VALUE_ON_ZERO";
START TRANSACTION;

CREATE TABLE `order` (
  `key` int(11) NOT NULL,
  `select` varchar(255) DEFAULT NULL,
  `from` datetime NOT NULL,
  `group` tinyint(4) DEFAULT NULL,
  `größe` double(8,2) DEFAULT NULL,
  `a name of more than sixty characters, as only a stranger would ever write it` text
);
CREATE TABLE wp_posts (
  ID bigint(20) unsigned NOT NULL,
  post_author bigint(20) unsigned NOT NULL DEFAULT 0,
  post_date datetime NOT NULL DEFAULT '0000-00-00 00:00:00',
  post_content longtext NOT NULL,
  post_status varchar(20) NOT NULL DEFAULT 'publish',
  post_parent bigint(20) unsigned DEFAULT NULL,
  bits bit(8) DEFAULT b'0',
  flag bit(1) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_520_ci;
CREATE TABLE a (id int, b_id int, PRIMARY KEY (id), KEY (b_id));
CREATE TABLE b (id int, a_id int, PRIMARY KEY (id), KEY (a_id));
# a comment with a ' quote
INSERT INTO `wp_posts` (`ID`, `post_content`) VALUES (1, "say \"; CREATE TABLE x (\n");
ALTER TABLE `order`
  ADD PRIMARY KEY (`key`),
  ADD UNIQUE KEY `from` (`from`,`select`(20)),
  ADD KEY `group` (`group`);
ALTER TABLE wp_posts ADD PRIMARY KEY (ID), ADD KEY type_status_date (post_status,post_date,ID), ADD FULLTEXT KEY content (post_content);
ALTER TABLE `order` MODIFY `key` int(11) NOT NULL AUTO_INCREMENT, AUTO_INCREMENT=7;
ALTER TABLE wp_posts
  ADD CONSTRAINT parent FOREIGN KEY (post_parent) REFERENCES wp_posts (ID) ON DELETE SET NULL,
  ADD COLUMN extra varchar(10) NOT NULL AFTER ID, COMMENT = 'x';
ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id);
ALTER TABLE b ADD FOREIGN KEY (a_id) REFERENCES a (id), ADD FOREIGN KEY (a_id) REFERENCES nowhere (id);
CREATE TABLE copy LIKE a;
CREATE TABLE made AS SELECT * FROM a;
COMMIT;
