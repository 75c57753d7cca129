"""The view of one result that ``samsim analyze`` shows, part by part."""
