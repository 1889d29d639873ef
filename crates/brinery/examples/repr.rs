//! Prints what a pickle holds.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: repr FILE")?;
    let bytes = std::fs::read(path)?;
    println!("{}", brinery::Document::from_slice(&bytes)?.root().repr());
    Ok(())
}
