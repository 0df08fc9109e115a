"""Whether the workbench and its store are well."""
