"""What an editor asks about the names and the shape of a text; all of it is answered by `piql.editor.service`."""
