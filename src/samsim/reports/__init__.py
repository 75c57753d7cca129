"""Reports for people: tables, figures, the page and the tables for a paper, all from artifacts and without a call."""
