"""The rules of Phase I, one file each; their order stands in `optimizer.RULES`."""
