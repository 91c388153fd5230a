//! Models as text.

use nudge_core::text::width;
use nudge_memory::runs::ModelView;

use super::page::Page;
use super::words::grouped;
use crate::fit::cut;

/// A model, and what is missing before it can be asked here.
pub(crate) struct Listed<'m> {
    /// The model.
    pub(crate) model: &'m ModelView,
    /// What is missing and what to do; `None` if nothing is.
    pub(crate) missing: Option<String>,
}

/// One line for each model, and one for what is missing.
pub(crate) fn list(page: &mut Page, models: &[Listed<'_>]) {
    if models.is_empty() {
        page.text("no models; add one with `nudge model add local ollama/qwen2.5-coder`").end();
        page.text("(docs/models.md explains providers, addresses and keys)").end();
    }
    let column =
        |of: fn(&ModelView) -> &str| models.iter().map(|one| width(of(one.model))).max().unwrap_or(0);
    let (alias, actual) = (column(|model| &model.alias), column(|model| &model.actual));
    for Listed { model, missing } in models {
        page.strong(padded(&model.alias, alias)).text("  ").text(padded(&model.actual, actual));
        let columns = page.columns();
        page.faint(format!("  {}", cut(&facts(model), columns, alias + actual + 4))).end();
        if let Some(missing) = missing {
            page.text("  ").warning(missing).end();
        }
    }
}

/// `http://127.0.0.1:11434, 32,768 tokens, added`.
fn facts(model: &ModelView) -> String {
    let origin = if model.origin == "settings" { "from the settings" } else { &model.origin };
    details(model).into_iter().chain([origin.to_owned()]).collect::<Vec<_>>().join(", ")
}

/// Address and context of a model, if they are stated.
pub(crate) fn details(model: &ModelView) -> Option<String> {
    let context = model.context_length.map(|tokens| format!("{} tokens", grouped(u64::from(tokens))));
    let parts: Vec<String> = [model.base_url.clone(), context].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}
