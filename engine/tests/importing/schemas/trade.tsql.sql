USE [master]
GO
/****** Object:  Database [Trade] ******/
CREATE DATABASE [Trade]
GO
SET ANSI_NULLS ON
GO
SET QUOTED_IDENTIFIER ON
GO
CREATE TYPE [dbo].[Phone] FROM [nvarchar](24) NULL
GO
CREATE TABLE [dbo].[Customers](
	[CustomerID] [nchar](5) NOT NULL,
	[Company Name] [nvarchar](40) NOT NULL,
	[Phone] [dbo].[Phone] NULL,
	[Picture] [varbinary](max) NULL,
	[Notes] [nvarchar](max) NULL,
	[RowGuid] [uniqueidentifier] ROWGUIDCOL NOT NULL,
	[Changed] [rowversion] NOT NULL,
	[IsActive] [bit] NOT NULL,
	[Since] [datetime2](7) NULL,
	[Balance] [money] NULL,
 CONSTRAINT [PK_Customers] PRIMARY KEY CLUSTERED
(
	[CustomerID] ASC
)WITH (PAD_INDEX = OFF, STATISTICS_NORECOMPUTE = OFF, IGNORE_DUP_KEY = OFF) ON [PRIMARY]
) ON [PRIMARY] TEXTIMAGE_ON [PRIMARY]
GO
CREATE TABLE [dbo].[Orders](
	[OrderID] [int] IDENTITY(1,1) NOT FOR REPLICATION NOT NULL,
	[CustomerID] [nchar](5) NULL,
	[OrderDate] [datetime] NULL DEFAULT (getdate()),
	[Freight] [money] NULL CONSTRAINT [DF_Freight] DEFAULT (0),
	[Total]  AS ([Freight]*(2)) PERSISTED,
	[Where] [geography] NULL,
	[Order] [smallint] NULL,
 CONSTRAINT [PK_Orders] PRIMARY KEY NONCLUSTERED ([OrderID] DESC),
 INDEX [IX_Date] NONCLUSTERED ([OrderDate] DESC)
)
GO
SET IDENTITY_INSERT [dbo].[Orders] ON
INSERT [dbo].[Orders] ([OrderID], [CustomerID]) VALUES (10248, N'VINET')
INSERT [dbo].[Orders] ([OrderID], [CustomerID]) VALUES (10249, N'it''s; GO
GO
')
INSERT [dbo].[Orders] ([OrderID], [CustomerID]) VALUES (10250, N'[x')
SET IDENTITY_INSERT [dbo].[Orders] OFF
GO
CREATE TABLE [dbo].[Order Details](
	[OrderID] [int] NOT NULL,
	[ProductID] [int] NOT NULL,
	[Discount] [real] NOT NULL,
	[Price] [decimal](19, 4) NOT NULL,
	CONSTRAINT [PK_Order_Details] PRIMARY KEY ([OrderID], [ProductID])
)
CREATE TABLE [sales].[Orders]([id] [bigint] NOT NULL PRIMARY KEY)
GO
ALTER TABLE [dbo].[Customers] ADD  CONSTRAINT [DF_Guid]  DEFAULT (newid()) FOR [RowGuid]
GO
ALTER TABLE [dbo].[Orders]  WITH CHECK ADD  CONSTRAINT [FK_Orders_Customers] FOREIGN KEY([CustomerID])
REFERENCES [dbo].[Customers] ([CustomerID])
ON DELETE CASCADE
GO
ALTER TABLE [dbo].[Orders] CHECK CONSTRAINT [FK_Orders_Customers]
GO
ALTER TABLE [dbo].[Order Details]  WITH NOCHECK ADD  CONSTRAINT [FK_Details_Orders] FOREIGN KEY([OrderID])
REFERENCES [dbo].[Orders] ([OrderID]);
ALTER TABLE [dbo].[Order Details] ADD CONSTRAINT [CK_Discount] CHECK ([Discount]>=(0) AND [Discount]<=(1));
CREATE UNIQUE NONCLUSTERED INDEX [UX_Company] ON [dbo].[Customers] ([Company Name] ASC) INCLUDE ([Phone]) WITH (FILLFACTOR = 80) ON [PRIMARY]
GO
CREATE VIEW [dbo].[Open] AS
SELECT OrderID FROM Orders
GO
CREATE PROCEDURE [dbo].[Twice] @n int AS
BEGIN
  SELECT @n * 2;
  SELECT 1;
END
GO
EXEC sys.sp_addextendedproperty @name=N'MS_Description', @value=N'x'
GO
