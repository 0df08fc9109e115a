"""From a section of the logical plan to bounded operators, one file for each kind of section."""
