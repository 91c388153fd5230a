//! `cargo xtask models`: real small models answer questions through `nudge ask`.
//!
//! Each model is asked twice: free, and bound to the grammar of the tags. Every loop must end in a
//! verdict. The rest is counted and has no aim: how many answers have a usable call with and
//! without healing, how many questions are answered rightly, and what that costs.

mod asked;
mod report;
mod scene;
mod server;

use std::path::{Path, PathBuf};
use std::time::Duration;

use asked::Asked;
use report::{Report, Sitting};
use scene::{Scene, Served};
use server::ModelServer;

use crate::stage::Programs;

/// A model to measure, and where it is.
struct Candidate {
    name: String,
    place: Place,
}

/// Where a model is.
enum Place {
    /// In a file; a command serves it.
    File { gguf: PathBuf, serve: String },
    /// On a server that runs already.
    Url(String),
}

/// Measures all models, and returns whether every loop ended.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let options = parse(args)?;
    let candidates = match candidates(&options)? {
        Ok(candidates) => candidates,
        Err(why) => {
            println!("not run: {why}");
            return Ok(true);
        }
    };
    let built = options.built.as_deref();
    let nudge = built.map_or_else(Programs::product, |built| Ok(std::fs::canonicalize(built)?))?;
    let mut report = Report::default();
    for candidate in &candidates {
        let server = match ModelServer::start(&candidate.place) {
            Ok(server) => server,
            Err(error) if options.short => {
                println!("not run: {} is not served: {error:#}", candidate.name);
                return Ok(true);
            }
            Err(error) => return Err(error),
        };
        for constrained in options.modes() {
            let name = options.model.as_deref().unwrap_or(scene::MODEL);
            let served = Served { url: &server.url, name, constrained };
            report.add(sit(&nudge, &candidate.name, served, &options)?);
        }
    }
    report.print(options.json)
}

/// The models to measure, or why there is none.
fn candidates(options: &Options) -> anyhow::Result<Result<Vec<Candidate>, String>> {
    if let Some(url) = &options.url {
        let name = options.model.clone().unwrap_or_else(|| "served".to_owned());
        return Ok(Ok(vec![Candidate { name, place: Place::Url(url.clone()) }]));
    }
    let (mut smol, mut serve) = (options.smol.clone(), options.serve.clone());
    if smol.is_none() && (options.short || options.qwen.is_none()) {
        match server::smol() {
            Ok(file) => smol = Some(file),
            Err(error) => return Ok(Err(format!("SmolLM2 cannot be had: {error:#}"))),
        }
    }
    if serve.is_none() {
        match server::server() {
            Ok(command) => serve = Some(command),
            Err(error) => return Ok(Err(format!("no llama.cpp server can be had: {error:#}"))),
        }
    }
    let qwen = options.qwen.clone().filter(|_| !options.short);
    let named = [("SmolLM2-135M", smol), ("Qwen2.5-Coder-1.5B", qwen)];
    let serve = serve.unwrap_or_default();
    let one = |(name, gguf): (&str, Option<PathBuf>)| {
        let place = Place::File { gguf: gguf?, serve: serve.clone() };
        Some(Candidate { name: name.to_owned(), place })
    };
    Ok(Ok(named.into_iter().filter_map(one).collect()))
}

/// Asks one model until it has had its turns: first what memory knows, then everything else.
fn sit(nudge: &Path, model: &str, served: Served<'_>, options: &Options) -> anyhow::Result<Sitting> {
    let scene = Scene::set(nudge, served)?;
    let mut sitting = Sitting::new(model, served.constrained);
    let (graded, other) = (scene::GRADED.iter(), scene::VARIED.iter());
    let all = graded.map(|question| (question, true)).chain(other.cycle().map(|question| (question, false)));
    for (number, (question, is_graded)) in all.enumerate() {
        let has_enough = sitting.turns() >= options.turns && (!is_graded || options.short);
        if has_enough || number >= options.most_questions() {
            break;
        }
        let asked = Asked::ask(&scene, &format!("q{}", number + 1), question, is_graded, options.deadline)?;
        eprintln!("{model} {}: {}: {asked}", sitting.mode(), question.text);
        sitting.add(asked);
    }
    sitting.survived = scene.is_alive();
    if let Some(dir) = &options.keep {
        scene.keep(dir, &format!("{model}-{}", sitting.mode()))?;
    }
    Ok(sitting)
}

// The arguments of `cargo xtask models`.

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
struct Options {
    /// The product, if it is built already.
    built: Option<String>,
    smol: Option<PathBuf>,
    qwen: Option<PathBuf>,
    /// The command that serves a model, with `{model}` and `{port}` in it.
    serve: Option<String>,
    /// A server that runs already.
    url: Option<String>,
    /// The model that this server is asked for.
    model: Option<String>,
    /// Where the memory of each sitting stays, with all its runs.
    keep: Option<PathBuf>,
    turns: usize,
    deadline: Duration,
    /// Only free, or only with the grammar.
    only: Option<bool>,
    short: bool,
    json: bool,
}

impl Options {
    /// The modes to measure: whether answers are bound to the grammar.
    fn modes(&self) -> Vec<bool> {
        self.only.map_or_else(|| vec![false, true], |only| vec![only])
    }

    /// An end for a model whose loops have no turn at all.
    const fn most_questions(&self) -> usize {
        self.turns * 2 + 10
    }
}

/// Reads the arguments.
fn parse(args: &[String]) -> anyhow::Result<Options> {
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
