//! Links the program at a fixed address.
//!
//! Agents start it for every tool call. A position-independent program of this size spends about as long on being moved to a random
//! address, page by page, as on everything else a hook does. See docs/adr/0007.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if target.contains("linux-gnu") {
        println!("cargo:rustc-link-arg-bins=-no-pie");
    }
}
