//! Files of settings, changed in place.

pub(crate) mod jsonc;
