//! The value of a hint, from its text and the flags of its type.

use clap::{Args, ValueEnum};
use nudge_core::hint::{HintValue, Shell, TemplateFormat};
use nudge_core::{Fault, Os};
use nudge_memory::hints::wire::Value;

use crate::context_args::system;
use crate::exit::Failure;
use crate::lists;

/// The types a value can have. A command is never run, a template never rendered.
#[derive(Copy, Clone, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    Text,
    Command,
    Path,
    Template,
    Json,
}

// Flags for the kind of value. A flag of one type implies that type.
// No doc comment: clap would use it as the summary of the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Value")]
pub(crate) struct ValueArgs {
    /// Type of the value [default: text, or implied by the flags below]
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<Kind>,
    /// Shell that runs the command: bash, sh, powershell or cmd
    #[arg(long, value_parser = shell)]
    shell: Option<Shell>,
    /// Systems that the path is for
    #[arg(long, value_name = "OS,…", value_delimiter = ',', value_parser = system)]
    path_os: Vec<Os>,
    /// Template language: mustache, handlebars, jinja or interpolate
    #[arg(long, value_parser = format)]
    format: Option<TemplateFormat>,
    /// Default for a template variable; may be repeated
    #[arg(long = "default", value_name = "NAME=VALUE", value_parser = lists::pair)]
    defaults: Vec<(String, String)>,
}

impl ValueArgs {
    /// Builds the value.
    pub(crate) fn value(self, text: String) -> Result<Value, Failure> {
        let value = match self.kind()? {
            Kind::Text => HintValue::Text(text),
            Kind::Command => HintValue::Command { shell: self.shell, cmd: text },
            Kind::Path => HintValue::Path { os: self.path_os, abs: text },
            Kind::Template => HintValue::Template {
                format: self.format.ok_or_else(|| Failure::Usage("a template needs --format".to_owned()))?,
                body: text,
                defaults: self.defaults.into_iter().collect(),
            },
            Kind::Json => HintValue::Json(serde_json::from_str(&text).map_err(|error| {
                Fault::invalid("not_json", format!("the value is not valid JSON: {error}"))
                    .with("field", "value")
                    .next("check the quotes, or remove `--type json`")
            })?),
        };
        Ok(Value(value))
    }

    /// The named or implied type; an error if the flags belong to two types.
    fn kind(&self) -> Result<Kind, Failure> {
        let implied = [
            (self.shell.is_some(), Kind::Command, "--shell"),
            (!self.path_os.is_empty(), Kind::Path, "--path-os"),
            (self.format.is_some(), Kind::Template, "--format"),
            (!self.defaults.is_empty(), Kind::Template, "--default"),
        ];
        let mut kind = self.kind;
        for (_, implies, flag) in implied.into_iter().filter(|(given, ..)| *given) {
            match kind {
                Some(known) if known != implies => {
                    return Err(Failure::Usage(format!(
                        "{flag} is for a {} value; this is a {} value",
                        implies.name(),
                        known.name()
                    )));
                }
                _ => kind = Some(implies),
            }
        }
        Ok(kind.unwrap_or(Kind::Text))
    }
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Command => "command",
            Self::Path => "path",
            Self::Template => "template",
            Self::Json => "json",
        }
    }
}

fn shell(name: &str) -> Result<Shell, String> {
    match name {
        "bash" => Ok(Shell::Bash),
        "sh" => Ok(Shell::Sh),
        "powershell" | "pwsh" => Ok(Shell::Powershell),
        "cmd" => Ok(Shell::Cmd),
        _ => Err("use bash, sh, powershell or cmd".to_owned()),
    }
}

fn format(name: &str) -> Result<TemplateFormat, String> {
    match name {
        "mustache" => Ok(TemplateFormat::Mustache),
        "handlebars" => Ok(TemplateFormat::Handlebars),
        "jinja" => Ok(TemplateFormat::Jinja),
        "interpolate" => Ok(TemplateFormat::Interpolate),
        _ => Err("use mustache, handlebars, jinja or interpolate".to_owned()),
    }
}
