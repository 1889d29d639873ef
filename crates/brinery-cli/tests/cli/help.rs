//! Help, usage errors, completions and the manual page.

use super::{Dir, on};

const VERBS: [&str; 7] = ["show", "dis", "check", "stats", "convert", "completions", "man"];

#[test]
fn help_is_as_recorded() {
    let dir = Dir::new();
    let help = dir.run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    super::golden("help.txt", &help.out);
    for verb in VERBS {
        let help = dir.run(&[verb, "--help"]);
        assert_eq!((help.code, help.err.as_str()), (0, ""), "{verb}");
        assert!(help.out.contains("Examples:\n"), "{verb} teaches by example");
        super::golden(&format!("help-{verb}.txt"), &help.out);
        assert_eq!(dir.run(&["help", verb]).out, help.out);
    }
}

/// Every example in the help is one that the command takes.
#[test]
fn examples_are_valid_usage() {
    let dir = Dir::with("a.pkl", b"N.");
    dir.file("raw.bin", b"");
    let mut tried = 0;
    for verb in ["show", "dis", "check", "stats", "convert"] {
        for line in dir.run(&[verb, "--help"]).out.lines() {
            let Some(example) = line.strip_prefix("  brinery ") else { continue };
            let words = example.split("  ").next().unwrap().split(['|', '>', '<']).next().unwrap();
            let words: Vec<_> = words.split_whitespace().map(|word| if word.contains(".pkl") { "a.pkl" } else { word }).collect();
            if words.contains(&"--nth") {
                continue;
            }
            let ran = dir.run_with(&words, b"N.");
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{example}");
            tried += 1;
        }
    }
    assert!(tried > 15, "{tried}");
}

#[test]
fn wrong_usage_is_told_on_stderr() {
    let dir = Dir::new();
    for args in [&[][..], &["shwo", "a.pkl"], &["show"], &["show", "--nth", "x", "a.pkl"], &["show", "--encoding", "ebcdic", "a.pkl"]] {
        let ran = dir.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(!ran.err.is_empty());
    }
    assert!(dir.run(&["shwo"]).err.contains("'show'"), "it suggests what was meant");
    assert_eq!(on(b"N.", &["show", "--all", "--depth", "3"]).code, 2);
}

#[test]
fn completions_know_the_verbs_and_options() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = Dir::new().run(&["completions", shell]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{shell}");
        for word in VERBS.iter().chain(&["shared-memo", "encoding", "lax-frames", "quiet"]) {
            assert!(ran.out.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_manual_page_has_every_verb() {
    let ran = Dir::new().run(&["man"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.contains(".TH brinery 1"), "{}", ran.out.get(..200).unwrap());
    for verb in VERBS {
        assert!(ran.out.contains(&format!("BRINERY {}", verb.to_uppercase())), "{verb}");
    }
    for text in ["shared\\-memo", "a memo slot that was never filled", "model.pkl"] {
        assert!(ran.out.contains(text), "{text}");
    }
    // parts of the page do not bring their own preamble
    assert_eq!(ran.out.matches(".TH ").count(), 1);
}

#[test]
fn the_version_is_the_crates() {
    assert_eq!(Dir::new().run(&["--version"]).out, format!("brinery {}\n", env!("CARGO_PKG_VERSION")));
}
