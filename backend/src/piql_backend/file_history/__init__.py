"""What the files of an application were at each save, and which of them were deployed."""
