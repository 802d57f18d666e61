//! RIMIS (E22 §10, RR9459 §4): rewrites a model so that its structure no longer depends on modes.
