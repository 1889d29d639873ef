//! `cargo xtask cookbook`: the codec's cookbook against the programs that it is about.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use brinery::py::{List, Tuple};
use brinery::{Pickler, Value};
use serde::{Deserialize, Serialize};

use crate::oracle::hex;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct User {
    id: u32,
    name: String,
    groups: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename = "shop.Order")]
struct Order {
    number: u32,
    price: Decimal,
    at: Point,
    colour: Colour,
}

#[derive(Serialize)]
#[serde(rename = "decimal.Decimal")]
struct Decimal(&'static str);

#[derive(Serialize)]
#[serde(rename = "shop.Point()")]
struct Point {
    x: i64,
    y: i64,
}

#[derive(Serialize)]
#[serde(rename = "shop.Colour", rename_all = "lowercase")]
enum Colour {
    Green,
}

/// A message with its length before it.
fn framed<T: Serialize>(pickler: &mut Pickler, value: &T, out: &mut Vec<u8>) -> Result<()> {
    let start = out.len();
    out.extend([0; 4]);
    pickler.extend(out, value)?;
    let length = u32::try_from(out.len() - start - 4)?.to_be_bytes();
    out[start..start + 4].copy_from_slice(&length);
    Ok(())
}

/// What is written for each program, by the recipes' types.
fn replies(protocol: u8) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let mut pickler = Pickler::new();
    pickler.protocol(protocol);
    let user = User { id: 7, name: "Ada".into(), groups: vec!["staff".into(), "editors".into()] };
    let mut cachelib = vec![0; 4];
    pickler.extend(&mut cachelib, &user)?;
    let nothing: HashMap<&str, Value> = HashMap::new();
    // the order of a dict is looked at as well
    let embed = [("callbacks", Value::None), ("errbacks", Value::None), ("chain", Value::None), ("chord", Value::None)];
    let body = List((Tuple(vec![2, 3]), HashMap::from([("unit", "mm")]), Ordered(&embed)));
    let batch = vec![("servers.web1.load", (1_700_000_000.0, 0.5)), ("servers.web2.load", (1_700_000_060.0, 2.0))];
    let mut carbon = Vec::new();
    framed(&mut pickler, &batch, &mut carbon)?;
    let mut messages = Vec::new();
    framed(&mut pickler, &("resize", Some(7), HashMap::from([("width", 640)])), &mut messages)?;
    framed(&mut pickler, &("stop", None::<u32>, nothing), &mut messages)?;
    let session = [
        ("_auth_user_id", brinery::to_value("7")?),
        ("_auth_user_hash", brinery::to_value(&"x".repeat(64))?),
        ("cart", brinery::to_value(&vec![(12, 2)])?),
        ("visits", Value::Int(3)),
    ];
    let order = Order { number: 7, price: Decimal("4.50"), at: Point { x: 1, y: 2 }, colour: Colour::Green };
    Ok(vec![
        ("cachelib_file", cachelib),
        ("kombu_body", pickler.to_vec(&body)?),
        ("carbon_batch", carbon),
        ("shelve_value", pickler.to_vec(&user)?),
        ("multiprocessing_messages", messages),
        ("django_session", pickler.to_vec(&Ordered(&session))?),
        ("classes", pickler.to_vec(&order)?),
    ])
}

/// Pairs as a dict, in their order.
struct Ordered<'p>(&'p [(&'static str, Value)]);

impl Serialize for Ordered<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A Python that has the programs; none where they cannot be installed.
fn environment(root: &Path) -> Option<PathBuf> {
    let folder = root.join("target/cookbook");
    let python = folder.join("bin/python");
    let quiet = |command: &mut Command| command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !python.exists() && !quiet(Command::new("python3").args(["-m", "venv"]).arg(&folder)) {
        return None;
    }
    let requirements = root.join("corpus/cookbook/requirements.txt");
    let is_installed = quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--requirement"]).arg(requirements));
    is_installed.then_some(python)
}

/// Makes the files of the cookbook again, and has the programs read what is written for them; whether all is well. Nothing where they cannot be installed.
pub fn cookbook(root: &Path) -> Result<Option<bool>> {
    let Some(python) = environment(root) else { return Ok(None) };
    let scripts = root.join("corpus/cookbook");
    let mut is_well = Command::new(&python).arg(scripts.join("make.py")).arg("--check").status()?.success();
    for protocol in 2..=5 {
        let questions: Vec<String> = replies(protocol)?.iter().map(|(what, bytes)| format!("{what} {}\n", hex(bytes))).collect();
        let mut child =
            Command::new(&python).arg(scripts.join("judge.py")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("judge.py")?;
        child.stdin.take().context("stdin")?.write_all(questions.concat().as_bytes())?;
        let output = child.wait_with_output()?;
        let answers = String::from_utf8_lossy(&output.stdout);
        if answers.lines().count() != questions.len() {
            bail!("judge.py: {answers}");
        }
        println!("protocol {protocol}: {}", answers.lines().collect::<Vec<_>>().join(", "));
        is_well &= output.status.success();
    }
    Ok(Some(is_well))
}
