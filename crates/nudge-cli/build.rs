//! Links the program at a fixed address.
//!
//! Agents start it for every tool call. Relocating a position-independent program of this size
//! takes about as long as everything else a hook does. See docs/adr/0007.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if target.contains("linux-gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
