//! `cargo xtask models`: real small models answer questions through `nudge ask`, or with `--act`
//! work on tasks through `nudge act`.
//!
//! Each model is asked twice: free, and bound to the grammar of the tags. Every loop must end in a
//! verdict. The rest is counted and has no aim: how many answers have a usable call with and
//! without healing, how many questions are answered rightly, and what that costs.

mod acted;
mod asked;
mod report;
mod scene;
mod server;

use std::path::{Path, PathBuf};
use std::time::Duration;

use acted::{Acted, TASKS};
use anyhow::Context;
use asked::Asked;
use report::{Report, Sitting};
use scene::{Scene, Served};
use server::ModelServer;

use crate::args::{Product, Size};

/// A model to measure, and where it is.
struct Candidate {
    name: String,
    source: ModelSource,
}

/// Where a model is.
enum ModelSource {
    /// In a file; a command serves it.
    File { gguf: PathBuf, serve: String },
    /// On a server that runs already.
    Url(String),
}

/// Measures all models, and returns whether every loop ended.
pub(crate) fn run(mut options: Options) -> anyhow::Result<bool> {
    options.url = options.url.map(|url| url.trim_end_matches('/').to_owned());
    let candidates = match candidates(&options)? {
        Ok(candidates) => candidates,
        Err(why) => {
            println!("not run: {why}");
            return Ok(true);
        }
    };
    let nudge = options.product.path()?;
    let mut report = Report::default();
    for candidate in &candidates {
        let server = ModelServer::start(&candidate.source)
            .with_context(|| format!("{} is not served", candidate.name))?;
        let model = model();
        for constrained in options.modes() {
            let name = model.as_deref().unwrap_or(scene::MODEL);
            let served = Served { url: &server.url, name, constrained };
            report.add(sit(&nudge, &candidate.name, served, &options)?);
        }
    }
    report.print(options.json)
}

/// The models to measure, or why there is none.
fn candidates(options: &Options) -> anyhow::Result<Result<Vec<Candidate>, String>> {
    if let Some(url) = &options.url {
        let name = model().unwrap_or_else(|| "served".to_owned());
        return Ok(Ok(vec![Candidate { name, source: ModelSource::Url(url.clone()) }]));
    }
    let (mut smol, mut serve) = (options.smol.clone(), options.serve.clone());
    if smol.is_none() && (options.size.short || options.qwen.is_none()) {
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
    let qwen = options.qwen.clone().filter(|_| !options.size.short);
    let named = [("SmolLM2-135M", smol), ("Qwen2.5-Coder-1.5B", qwen)];
    let serve = serve.unwrap_or_default();
    let one = |(name, gguf): (&str, Option<PathBuf>)| {
        let source = ModelSource::File { gguf: gguf?, serve: serve.clone() };
        Some(Candidate { name: name.to_owned(), source })
    };
    Ok(Ok(named.into_iter().filter_map(one).collect()))
}

/// Asks one model until it has had its turns: first what memory knows, then everything else.
fn sit(nudge: &Path, model: &str, served: Served<'_>, options: &Options) -> anyhow::Result<Sitting> {
    let (mut scene, deadline) = (Scene::set(nudge, served)?, Duration::from_secs(options.deadline));
    let mut sitting = Sitting::new(model, served.constrained);
    for task in TASKS.iter().take(if options.act { TASKS.len() } else { 0 }) {
        let acted = Acted::on(&mut scene, task, deadline)?;
        eprintln!("{model} {}: {acted}", sitting.mode());
        sitting.add_acted(acted);
    }
    let (graded, other) = (scene::GRADED.iter(), scene::VARIED.iter());
    let all = graded.map(|question| (question, true)).chain(other.cycle().map(|question| (question, false)));
    for (number, (question, is_graded)) in all.enumerate() {
        let has_enough =
            options.act || sitting.turns() >= options.turns() && (!is_graded || options.size.short);
        if has_enough || number >= options.max_questions() {
            break;
        }
        let asked = Asked::ask(&scene, &format!("q{}", number + 1), question, is_graded, deadline)?;
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
const TURNS_PER_MODE: usize = 30;

const SHORT_TURNS: usize = 5;

/// The arguments.
#[derive(Debug, clap::Parser)]
pub(crate) struct Options {
    #[command(flatten)]
    product: Product,
    #[command(flatten)]
    size: Size,
    /// The file of SmolLM2; by default it is downloaded.
    #[arg(long, value_name = "GGUF")]
    smol: Option<PathBuf>,
    /// The file of Qwen2.5-Coder.
    #[arg(long, value_name = "GGUF")]
    qwen: Option<PathBuf>,
    /// The command that serves a model, with `{model}` and `{port}` in it.
    #[arg(long, value_name = "CMD")]
    serve: Option<String>,
    /// A server that runs already; NUDGE_TEST_MODEL names the model that it is asked for.
    #[arg(long)]
    url: Option<String>,
    /// Where the memory of each sitting stays, with all its runs.
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// The turns of each model in each mode.
    #[arg(long, value_name = "N")]
    turns: Option<usize>,
    /// How many seconds one loop may take. A small model without a grammar may fill its whole
    /// context.
    #[arg(long, value_name = "SECONDS", default_value_t = 900)]
    deadline: u64,
    /// Measures one mode.
    #[arg(long)]
    only: Option<Mode>,
    /// Tasks that change something, instead of questions.
    #[arg(long)]
    act: bool,
    /// Prints the report as JSON.
    #[arg(long)]
    json: bool,
}

/// Whether answers are bound to the grammar.
#[derive(Copy, Clone, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Mode {
    Free,
    Grammar,
}

impl Options {
    /// The modes to measure: whether answers are bound to the grammar.
    fn modes(&self) -> Vec<bool> {
        self.only.map_or_else(|| vec![false, true], |only| vec![only == Mode::Grammar])
    }

    fn turns(&self) -> usize {
        self.turns.unwrap_or(self.size.pick((TURNS_PER_MODE, SHORT_TURNS)))
    }

    /// An end for a model whose loops have no turn at all.
    fn max_questions(&self) -> usize {
        self.turns() * 2 + 10
    }
}

/// The model that the server of `--url` is asked for.
fn model() -> Option<String> {
    std::env::var("NUDGE_TEST_MODEL").ok().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn parsed(line: &str) -> Options {
        Options::try_parse_from(std::iter::once("models").chain(line.split_whitespace()))
            .expect("known flags")
    }

    #[test]
    fn the_short_form_has_few_turns_unless_asked() {
        assert_eq!(parsed("").turns(), TURNS_PER_MODE);
        assert_eq!(parsed("--short").turns(), SHORT_TURNS);
        assert_eq!(parsed("--turns 7 --short").turns(), 7);
    }

    #[test]
    fn both_modes_are_measured_unless_one_is_named() {
        assert_eq!(parsed("").modes(), [false, true]);
        assert_eq!(parsed("--only grammar").modes(), [true]);
    }
}
