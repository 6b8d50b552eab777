//! Recorded cases of upkeep commands.
