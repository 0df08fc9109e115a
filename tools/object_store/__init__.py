"""A server of S3's protocol on this machine, for tests.

running    starts it, and stops it
fixture    the fixture of pytest that gives a test the server
"""
