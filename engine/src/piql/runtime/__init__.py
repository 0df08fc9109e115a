"""What runs against a store: queries (`execution`), writes (`writing`), and the deployment that both follow."""
