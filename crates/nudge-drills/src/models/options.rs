//! The arguments of `cargo xtask models`.

use std::path::PathBuf;
use std::time::Duration;

/// The turns of each model in each mode.
const TURNS: usize = 30;
const SHORT_TURNS: usize = 5;

/// How long one loop may take. A small model without a grammar may fill its whole context.
const DEADLINE: Duration = Duration::from_secs(900);

const USAGE: &str = "models takes --bin FILE, --smol GGUF, --qwen GGUF, --serve CMD, --url URL, --turns N, \
                     --deadline SECONDS, --only free|grammar, --keep DIR, --short and --json";

/// The model that the server of `--url` is asked for.
const MODEL_VARIABLE: &str = "NUDGE_TEST_MODEL";

/// The parsed arguments.
#[derive(Debug)]
pub(super) struct Options {
    /// The product, if it is built already.
    pub(super) built: Option<String>,
    pub(super) smol: Option<PathBuf>,
    pub(super) qwen: Option<PathBuf>,
    /// The command that serves a model, with `{model}` and `{port}` in it.
    pub(super) serve: Option<String>,
    /// A server that runs already.
    pub(super) url: Option<String>,
    /// The model that this server is asked for.
    pub(super) model: Option<String>,
    /// Where the memory of each sitting stays, with all its runs.
    pub(super) keep: Option<PathBuf>,
    pub(super) turns: usize,
    pub(super) deadline: Duration,
    /// Only free, or only with the grammar.
    pub(super) only: Option<bool>,
    pub(super) short: bool,
    pub(super) json: bool,
}

impl Options {
    /// The modes to measure: whether answers are bound to the grammar.
    pub(super) fn modes(&self) -> Vec<bool> {
        self.only.map_or_else(|| vec![false, true], |only| vec![only])
    }

    /// An end for a model whose loops have no turn at all.
    pub(super) const fn most_questions(&self) -> usize {
        self.turns * 2 + 10
    }
}

/// Reads the arguments.
pub(super) fn parse(args: &[String]) -> anyhow::Result<Options> {
    let mut options = Options {
        built: None,
        smol: None,
        qwen: None,
        serve: None,
        url: None,
        model: std::env::var(MODEL_VARIABLE).ok().filter(|name| !name.is_empty()),
        keep: None,
        turns: 0,
        deadline: DEADLINE,
        only: None,
        short: false,
        json: false,
    };
    let mut args = args.iter().map(String::as_str);
    while let Some(name) = args.next() {
        match name {
            "--short" => options.short = true,
            "--json" => options.json = true,
            _ => {
                let value = args.next().ok_or_else(|| anyhow::anyhow!("{name} needs a value; {USAGE}"))?;
                set(&mut options, name, value)?;
            }
        }
    }
    if options.turns == 0 {
        options.turns = if options.short { SHORT_TURNS } else { TURNS };
    }
    Ok(options)
}

fn set(options: &mut Options, name: &str, value: &str) -> anyhow::Result<()> {
    match (name, value) {
        ("--bin", _) => options.built = Some(value.to_owned()),
        ("--smol", _) => options.smol = Some(value.into()),
        ("--qwen", _) => options.qwen = Some(value.into()),
        ("--serve", _) => options.serve = Some(value.to_owned()),
        ("--url", _) => options.url = Some(value.trim_end_matches('/').to_owned()),
        ("--keep", _) => options.keep = Some(value.into()),
        ("--turns", _) => options.turns = value.parse()?,
        ("--deadline", _) => options.deadline = Duration::from_secs(value.parse()?),
        ("--only", "free") => options.only = Some(false),
        ("--only", "grammar") => options.only = Some(true),
        _ => anyhow::bail!(USAGE),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> anyhow::Result<Options> {
        let args: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        parse(&args)
    }

    #[test]
    fn the_short_form_has_few_turns_unless_asked() {
        assert_eq!(parsed("").unwrap().turns, TURNS);
        assert_eq!(parsed("--short").unwrap().turns, SHORT_TURNS);
        assert_eq!(parsed("--turns 7 --short").unwrap().turns, 7);
    }

    #[test]
    fn both_modes_are_measured_unless_one_is_named() {
        assert_eq!(parsed("").unwrap().modes(), [false, true]);
        assert_eq!(parsed("--only grammar").unwrap().modes(), [true]);
        assert!(
            parsed("--only other").is_err() && parsed("--turns").is_err() && parsed("--nothing 1").is_err()
        );
    }
}
