"""What ``samsim analyze`` shows of one result, part by part."""
