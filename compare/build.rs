//! Which compiler builds this.

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version =
        std::process::Command::new(rustc).arg("--version").output().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=COMPARE_RUSTC={}", version.unwrap_or_default().trim_start_matches("rustc "));
}
