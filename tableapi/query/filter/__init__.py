"""The filter grammar: parser, syntax tree, and the cache of parsed filters."""
