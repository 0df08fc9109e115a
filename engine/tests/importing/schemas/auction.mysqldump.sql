-- MySQL dump 10.13  Distrib 8.0.36, for Linux (x86_64)
--
-- Host: localhost    Database: rubis
-- ------------------------------------------------------
-- Server version	8.0.36

/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!50503 SET NAMES utf8mb4 */;
/*!40014 SET @OLD_FOREIGN_KEY_CHECKS=@@FOREIGN_KEY_CHECKS, FOREIGN_KEY_CHECKS=0 */;

--
-- Table structure for table `categories`
--

DROP TABLE IF EXISTS `categories`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE TABLE `categories` (
  `id` int unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL COMMENT 'what the seller''s page shows; the "title"',
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=21 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci COMMENT='What is sold';
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `categories`
--

LOCK TABLES `categories` WRITE;
/*!40000 ALTER TABLE `categories` DISABLE KEYS */;
INSERT INTO `categories` VALUES (1,'Antiques; \'old\' things'),(2,'Books -- used'),(3,'it''s (odd'),(4,NULL);
/*!40000 ALTER TABLE `categories` ENABLE KEYS */;
UNLOCK TABLES;

DROP TABLE IF EXISTS `users`;
CREATE TABLE `users` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `nickname` varchar(20) NOT NULL,
  `password` varchar(20) NOT NULL,
  `email` varchar(50) NOT NULL,
  `rating` int(11) DEFAULT '0',
  `balance` float DEFAULT NULL,
  `is_admin` tinyint(1) NOT NULL DEFAULT '0',
  `flags` set('new','paid','banned') DEFAULT NULL,
  `kind` enum('buyer','seller') NOT NULL DEFAULT 'buyer',
  `creation_date` datetime(3) DEFAULT CURRENT_TIMESTAMP(3) ON UPDATE CURRENT_TIMESTAMP(3),
  `settings` json DEFAULT NULL,
  `photo` mediumblob,
  `age` tinyint(3) unsigned GENERATED ALWAYS AS ((year(now()) - 2000)) VIRTUAL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `nickname` (`nickname`),
  KEY `auth` (`nickname`,`password`(8)),
  FULLTEXT KEY `words` (`email`),
  CONSTRAINT `users_chk_1` CHECK ((`rating` >= -100))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

DROP TABLE IF EXISTS `items`;
CREATE TABLE `items` (
  `id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(100) DEFAULT NULL,
  `description` text,
  `initial_price` float unsigned NOT NULL,
  `end_date` datetime DEFAULT NULL,
  `seller` int(10) unsigned NOT NULL,
  `category` int(10) unsigned NOT NULL,
  `bids` bigint unsigned DEFAULT NULL,
  `year` year DEFAULT NULL,
  `place` point DEFAULT NULL,
  PRIMARY KEY (`id`),
  KEY `seller` (`seller`),
  KEY `name` (`category`,`end_date` DESC) USING BTREE,
  CONSTRAINT `items_ibfk_1` FOREIGN KEY (`seller`) REFERENCES `users` (`id`) ON DELETE CASCADE ON UPDATE CASCADE,
  CONSTRAINT `items_ibfk_2` FOREIGN KEY (`category`) REFERENCES `categories` (`id`)
) ENGINE=InnoDB
/*!50100 PARTITION BY HASH (id) PARTITIONS 4 */;

INSERT INTO `items` (`id`, `name`) VALUES
(1,'first
line; and INSERT INTO x'),
(2,'second');

DROP TABLE IF EXISTS `bids`;
CREATE TABLE `bids` (
  `user_id` int(10) unsigned NOT NULL,
  `item_id` int(10) unsigned NOT NULL,
  `bid` decimal(65,30) NOT NULL,
  `date` datetime DEFAULT NULL,
  KEY `name` (`item_id`),
  CONSTRAINT `bids_ibfk_1` FOREIGN KEY (`user_id`) REFERENCES `users` (`id`)
) ENGINE=MyISAM;

DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER `counted` AFTER INSERT ON `bids` FOR EACH ROW BEGIN
  IF NEW.bid > 0 THEN UPDATE items SET bids = bids + 1 WHERE id = NEW.item_id; END IF;
END */;;
DELIMITER ;

/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=`root`@`localhost` SQL SECURITY DEFINER */
/*!50001 VIEW `best` AS select max(`bids`.`bid`) AS `bid` from `bids` */;
/*!40014 SET FOREIGN_KEY_CHECKS=@OLD_FOREIGN_KEY_CHECKS */;

-- Dump completed on 2024-03-01 12:00:00
