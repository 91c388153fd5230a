//! `cargo xtask models`: real small models answer questions through `nudge ask`.
//!
//! Each model is asked twice: free, and bound to the grammar of the tags. Every loop must end in a
//! verdict. The rest is counted and has no aim: how many answers have a usable call with and
//! without healing, how many questions are answered rightly, and what that costs.

mod asked;
mod fetch;
mod options;
mod questions;
mod reading;
mod report;
mod scene;
mod server;

use std::path::{Path, PathBuf};

use crate::stage::Programs;
use asked::Asked;
use options::Options;
use report::{Report, Sitting};
use scene::{Scene, Served};
use server::ModelServer;

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
    let options = options::parse(args)?;
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
        match fetch::smol() {
            Ok(file) => smol = Some(file),
            Err(error) => return Ok(Err(format!("SmolLM2 cannot be had: {error:#}"))),
        }
    }
    if serve.is_none() {
        match fetch::server() {
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
    let (graded, other) = (questions::GRADED.iter(), questions::VARIED.iter());
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
