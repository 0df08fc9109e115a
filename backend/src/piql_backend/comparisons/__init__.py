"""Two sets of queries beside each other: what is live and what would be deployed, or two saves.

schemas         what a comparison tells
service         queries, indexes and bounds
table_changes   tables
endpoints       two sets of files from the editor
"""
