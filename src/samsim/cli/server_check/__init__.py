"""What ``samsim doctor`` does: ask the engines, measure a server, write down what was measured."""
