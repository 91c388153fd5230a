//! The five kinds of hint values on the wire.

use std::borrow::Cow;
use std::collections::BTreeMap;

use nudge_core::hint::{HintValue, Shell, TemplateFormat};
use nudge_core::{Fault, Os, glob};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use crate::hints::limits;

/// A hint's value: text, or an object with a `type`.
#[derive(Clone, Debug, PartialEq)]
pub struct Value(pub HintValue);

impl Value {
    /// The name of its kind.
    pub const fn kind(&self) -> &'static str {
        match self.0 {
            HintValue::Text(_) => "text",
            HintValue::Command { .. } => "command",
            HintValue::Path { .. } => "path",
            HintValue::Template { .. } => "template",
            HintValue::Json(_) => "json",
        }
    }

    /// Checks what the type alone cannot: absolute paths without `..`, nothing empty, nothing too
    /// long or too deep.
    pub fn checked(self) -> Result<HintValue, Fault> {
        limits::check_extent(&self.0)?;
        match self.0 {
            HintValue::Path { os, abs } => Ok(HintValue::Path { os, abs: glob::check_absolute(&abs)? }),
            value if value.text().is_empty() => {
                Err(Fault::invalid("empty_value", "a hint's value cannot be empty").with("field", "value"))
            }
            value => Ok(value),
        }
    }

    /// The wire form.
    pub fn to_json(&self) -> Json {
        match &self.0 {
            HintValue::Text(text) => Json::String(text.clone()),
            HintValue::Command { shell, cmd } => {
                let mut out = typed("command");
                if let Some(shell) = shell {
                    out.insert("shell".into(), shell_name(*shell).into());
                }
                out.insert("cmd".into(), cmd.clone().into());
                out.into()
            }
            HintValue::Path { os, abs } => {
                let mut out = typed("path");
                if !os.is_empty() {
                    out.insert("os".into(), os.iter().map(|os| os.name()).collect::<Vec<_>>().into());
                }
                out.insert("abs".into(), abs.clone().into());
                out.into()
            }
            HintValue::Template { format, body, defaults } => {
                let mut out = typed("template");
                out.insert("format".into(), format_name(*format).into());
                out.insert("body".into(), body.clone().into());
                if !defaults.is_empty() {
                    out.insert("defaults".into(), json!(defaults));
                }
                out.into()
            }
            HintValue::Json(data) => {
                let mut out = typed("json");
                out.insert("data".into(), data.clone());
                out.into()
            }
        }
    }

    /// Reads the wire form; the error says what was expected.
    pub fn from_json(value: Json) -> Result<Self, String> {
        let fields = match value {
            Json::String(text) => return Ok(Self(HintValue::Text(text))),
            Json::Object(fields) => fields,
            _ => return Err(
                "expected text or an object with a `type`; other JSON goes in {\"type\":\"json\",\"data\":…}"
                    .into(),
            ),
        };
        let kind = fields.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        let mut fields = Fields { kind: &kind, fields };
        fields.fields.shift_remove("type");
        let value = match kind.as_str() {
            "command" => HintValue::Command {
                shell: fields.optional("shell")?.map(|name| shell_named(&name)).transpose()?,
                cmd: fields.required("cmd")?,
            },
            "path" => HintValue::Path { os: fields.systems()?, abs: fields.required("abs")? },
            "template" => HintValue::Template {
                format: format_named(&fields.required("format")?)?,
                body: fields.required("body")?,
                defaults: fields.defaults()?,
            },
            "json" => HintValue::Json(fields.fields.shift_remove("data").ok_or("a json value needs `data`")?),
            "" => return Err("an object value needs a `type`: command, path, template or json".into()),
            other => {
                return Err(format!("unknown value type `{other}`: use command, path, template or json"));
            }
        };
        fields.finish()?;
        Ok(Self(value))
    }
}

/// The fields of a typed value, removed one by one, so that leftover fields can be named in an
/// error.
struct Fields<'a> {
    kind: &'a str,
    fields: Map<String, Json>,
}

impl Fields<'_> {
    fn optional(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.fields.shift_remove(name) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{name}` of a {} value must be text", self.kind)),
        }
    }

    fn required(&mut self, name: &str) -> Result<String, String> {
        let text = self.optional(name)?.ok_or_else(|| format!("a {} value needs `{name}`", self.kind))?;
        if text.is_empty() {
            Err(format!("`{name}` of a {} value cannot be empty", self.kind))
        } else {
            Ok(text)
        }
    }

    fn systems(&mut self) -> Result<Vec<Os>, String> {
        let wrong = "`os` of a path value must be a list of linux, darwin, windows";
        match self.fields.shift_remove("os") {
            None | Some(Json::Null) => Ok(Vec::new()),
            Some(Json::Array(names)) => names
                .iter()
                .map(|name| name.as_str().and_then(Os::from_name).ok_or_else(|| wrong.to_owned()))
                .collect(),
            Some(_) => Err(wrong.into()),
        }
    }

    fn defaults(&mut self) -> Result<BTreeMap<String, String>, String> {
        match self.fields.shift_remove("defaults") {
            None | Some(Json::Null) => Ok(BTreeMap::new()),
            Some(defaults) => serde_json::from_value(defaults)
                .map_err(|_| "`defaults` of a template value must map names to text".to_owned()),
        }
    }

    fn finish(self) -> Result<(), String> {
        match self.fields.keys().next() {
            Some(extra) => Err(format!("a {} value has no field `{extra}`", self.kind)),
            None => Ok(()),
        }
    }
}

fn typed(kind: &str) -> Map<String, Json> {
    Map::from_iter([("type".to_owned(), Json::from(kind))])
}

const SHELLS: [(Shell, &str); 4] =
    [(Shell::Bash, "bash"), (Shell::Sh, "sh"), (Shell::Powershell, "powershell"), (Shell::Cmd, "cmd")];

const FORMATS: [(TemplateFormat, &str); 4] = [
    (TemplateFormat::Mustache, "mustache"),
    (TemplateFormat::Handlebars, "handlebars"),
    (TemplateFormat::Jinja, "jinja"),
    (TemplateFormat::Interpolate, "interpolate"),
];

fn shell_name(shell: Shell) -> &'static str {
    SHELLS.iter().find(|(known, _)| *known == shell).map_or("sh", |(_, name)| name)
}

fn shell_named(name: &str) -> Result<Shell, String> {
    let found = SHELLS.iter().find(|(_, known)| *known == name).map(|(shell, _)| *shell);
    found.ok_or_else(|| format!("unknown shell `{name}`: use bash, sh, powershell or cmd"))
}

fn format_name(format: TemplateFormat) -> &'static str {
    FORMATS.iter().find(|(known, _)| *known == format).map_or("interpolate", |(_, name)| name)
}

fn format_named(name: &str) -> Result<TemplateFormat, String> {
    let found = FORMATS.iter().find(|(_, known)| *known == name).map(|(format, _)| *format);
    found.ok_or_else(|| {
        format!("unknown template format `{name}`: use mustache, handlebars, jinja or interpolate")
    })
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_json(Json::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl JsonSchema for Value {
    fn schema_name() -> Cow<'static, str> {
        "HintValue".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [{"type": "string"}, {"type": "object"}]})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(value: Json) -> String {
        Value::from_json(value).expect_err("must be refused")
    }

    #[test]
    fn every_kind_reads_back() {
        for value in [
            json!("plain"),
            json!({"type": "command", "shell": "bash", "cmd": "make"}),
            json!({"type": "path", "os": ["linux", "darwin"], "abs": "/srv/app"}),
            json!({"type": "template", "format": "jinja", "body": "{{ a }}", "defaults": {"a": "1"}}),
            json!({"type": "json", "data": [1, {"b": null}]}),
        ] {
            assert_eq!(Value::from_json(value.clone()).expect("valid").to_json(), value);
        }
    }

    #[test]
    fn a_refusal_names_the_field() {
        assert_eq!(error_of(json!({"type": "command"})), "a command value needs `cmd`");
        assert_eq!(
            error_of(json!({"type": "command", "cmd": "x", "shell": "fish"})),
            "unknown shell `fish`: use bash, sh, powershell or cmd"
        );
        assert_eq!(
            error_of(json!({"type": "command", "cmd": "x", "args": []})),
            "a command value has no field `args`"
        );
        assert_eq!(
            error_of(json!({"type": "blob"})),
            "unknown value type `blob`: use command, path, template or json"
        );
        assert!(error_of(json!(7)).starts_with("expected text or an object"));
    }

    #[test]
    fn json_may_be_deep_but_not_so_deep_that_an_export_cannot_be_read_back() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inside, _| json!([inside]));
        assert!(Value(HintValue::Json(nested(64))).checked().is_ok());
        let fault = Value(HintValue::Json(nested(65))).checked().expect_err("too deep");
        assert_eq!(fault.reason, "value_too_deep");
    }

    #[test]
    fn a_templates_defaults_count_as_part_of_it() {
        let defaults = BTreeMap::from([("a".to_owned(), "x".repeat(70_000))]);
        let value = HintValue::Template { format: TemplateFormat::Jinja, body: "{{ a }}".into(), defaults };
        assert_eq!(Value(value).checked().expect_err("too large").reason, "value_too_large");
    }

    #[test]
    fn a_path_must_be_absolute_and_must_not_climb() {
        for abs in ["relative/x", "/a/../b", ""] {
            let value = Value(HintValue::Path { os: vec![], abs: abs.into() });
            assert!(value.checked().is_err(), "{abs}");
        }
    }
}
