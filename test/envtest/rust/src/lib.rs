//! Has nothing of its own.
