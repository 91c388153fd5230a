//! `nudge export`: prints hints as JSON, for another machine or a warm start.

use nudge_memory::hints::ExportHints;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use nudge_core::{Context, Fault};
use nudge_memory::hints::wire::{ExportFormat, ExportParams, Payload, Variants};

use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::words::count;
use crate::private_file::write_private;

/// The formats there are.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Output format
    #[arg(long, default_value = "json")]
    format: Format,
    /// Export only this component
    #[arg(long)]
    component: Option<String>,
    /// Include secret values in plain text
    #[arg(long)]
    include_secrets: bool,
    /// Write to this file, readable only by you, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl ExportArgs {
    /// Writes the payload. Files and pipes get the payload alone; `--json` prints it inside the
    /// whole result.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        let Format::Json = self.format;
        let params = ExportParams {
            format: Some(ExportFormat::Json),
            component: self.component,
            include_secrets: self.include_secrets,
        };
        let answer = invocation.call::<ExportHints>(&params, Context::unknown())?;
        let typed = answer.typed()?;
        let text = format!("{:#}\n", answer.json["payload"]);
        match &self.output {
            Some(file) => write_out(invocation, file, &text, &typed.payload)?,
            None if invocation.output.is_json() => invocation.output.answer(&answer.json, |_| {}),
            None => invocation.output.document(&crate::sanitize::sanitize_json(&text)),
        }
        if typed.secrets_left_out > 0 && !invocation.output.is_json() {
            invocation.output.note(|page| {
                let left = count(typed.secrets_left_out, "secret value");
                page.warning("note:")
                    .text(format!(" {left} skipped; --include-secrets writes them too"))
                    .end();
            });
        }
        if typed.not_eligible > 0 && !invocation.output.is_json() {
            invocation.output.note(|page| {
                let left = count(typed.not_eligible, "hint");
                page.warning("note:").text(format!(" {left} skipped because they do not apply here")).end();
            });
        }
        Ok(Exit::Ok)
    }
}

fn write_out(invocation: &Invocation, file: &Path, text: &str, payload: &Payload) -> Result<(), Fault> {
    write_private(file, text.as_bytes())?;
    let hints = number_of_hints(payload);
    let answer = serde_json::json!({"file": file, "hints": hints});
    invocation.output.answer(&answer, |page| {
        page.good("✔").text(format!(" exported {} to {}", count(hints, "hint"), file.display())).end();
    });
    Ok(())
}

fn number_of_hints(payload: &Payload) -> i64 {
    let variants = payload.components.values().flat_map(|component| component.hints.values());
    let counts = variants.map(|hint| match hint {
        Variants::One(_) => 1,
        Variants::Many(many) => many.len(),
    });
    i64::try_from(counts.sum::<usize>()).unwrap_or(i64::MAX)
}
