//! The text index by itself: what queries find in a handful of entries.
