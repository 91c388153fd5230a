//! Contains no code; see the manifest.
