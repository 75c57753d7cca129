"""``report.html``: the page, its sections, and the samples packed into it."""
