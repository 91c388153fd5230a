//! Every integration test of this crate, in one binary. They need Linux; as root they try
//! everything as an ordinary user, too.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "in a test the place says what went wrong")]

mod attempts;
mod ends;
mod escapes;
mod levels;
mod scene;
mod watch;
mod work;
