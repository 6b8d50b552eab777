//! Recorded cases of swarms, templates and agents.
