"""What people look at: tables, figures, the page and the paper's tables, all from artefacts and without a call."""
