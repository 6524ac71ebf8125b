"""The chapters' own trials, plans and tables, a module a chapter."""
