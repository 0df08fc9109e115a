"""The protocols of *Building a Database on S3* (SIGMOD 2008), over the wire: pages in a bucket, updates in queues.

    Client.read, insert, update  ──▶  pages in its cache  ──commit──▶  queues  ──checkpoint──▶  pages in the bucket

server        the two services on this machine: S3's protocol and that of SQS
services      their requests, each counted when it is made
bill          what requests take and cost, in the paper's seconds and $
pages         what lies in a page, and what in a message
client        a client: its cache, its transaction
commits       how a client commits, by level: naive, basic, monotonicity, atomicity
checkpoints   updates go from the queues into the pages
bookstore     the transaction that is measured
database      puts the first pages there, and reads all of them
kills         a client ends before each of its requests, and others go on

An index has one inner node here, which at 57 KB names some hundred pages. Writers make checkpoints, readers none: the
paper's readers do by chance, where a page was updated once and never again. These are not stores of the engine: a store
`s3://` has conditional puts instead, and no queues (decision 0044).
"""
