"""Several servers of one team, on one data folder and one PostgreSQL (docs/decisions/0063).

    request  →  any server  →  is about texts alone, or the page: answered there
                            →  anything else: handed on to the writer, the one server that has the data folder

writer_notice.py    who the writer is, as the database says
one_of_several.py   the application of a server: hands on, until it becomes the writer itself
follower.py         what a server answers by itself while another one is the writer
forwarding.py       hands requests on; forwarded_sockets.py does so with sockets
writer_connections  the connections by which requests are handed on
folder_id.py        tells data folders apart
"""
