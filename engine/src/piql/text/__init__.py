"""Texts and what is said about them: `source` has `Source` and `Span`; `diagnostics/` has messages, codes and pages."""
