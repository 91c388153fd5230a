//! `nudge entry scan`: stores a list of the project's files.

use clap::Args;
use nudge_memory::entries::ScanAnswer;
use serde_json::json;

use crate::context_args::here;
use crate::exit::{Exit, Failure};
use crate::flags::RunFlag;
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::count;

// The arguments. The summary is with the other verbs.
#[derive(Debug, Args)]
pub(crate) struct ScanArgs {
    #[command(flatten)]
    run: RunFlag,
}

impl ScanArgs {
    /// Lists the files that git does not ignore, and stores the list.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let answer = invocation.call("scan_files", &json!({"run": self.run.run}), here())?;
        invocation.show::<ScanAnswer>(&answer, page)
    }
}

fn page(page: &mut Page, answer: &ScanAnswer) {
    let number = |n: u64, noun: &str| count(i64::try_from(n).unwrap_or(i64::MAX), noun);
    page.good("✔").text(format!(
        " listed {} with {}",
        number(answer.files, "file"),
        number(answer.tokens, "token")
    ));
    page.text(" in ").strong(&answer.path);
    page.text(format!(" ({})", number(u64::from(answer.list_tokens), "token"))).end();
    if answer.left_out > 0 {
        let left = number(answer.left_out, "file");
        page.text("  ").faint(format!("{left} left out: binary, too large or over the limit")).end();
    }
}
