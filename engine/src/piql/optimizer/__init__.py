"""Phase I: inserts data-stops, pushes stops down, orders joins."""
