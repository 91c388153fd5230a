//! The limits on the number of hints, and the current counts.

use std::collections::HashMap;

use nudge_core::{Fault, FaultKind};

use crate::operation::OpContext;
use nudge_home::Settings;

/// The counts that are checked against the limits, updated as hints are added.
///
/// Counting is expensive, so an import counts once and not once per record.
pub(super) struct Quota {
    total: i64,
    components: i64,
    in_component: HashMap<String, i64>,
}

impl Quota {
    /// Counts what matters for one component.
    pub(super) fn for_component(ctx: &OpContext<'_>, component: &str) -> Result<Self, Fault> {
        let counts = ctx.store().hint_counts(component, ctx.now())?;
        let in_component = HashMap::from([(component.to_owned(), counts.in_component)]);
        Ok(Self { total: counts.total, components: counts.components, in_component })
    }

    /// Counts everything.
    pub(super) fn for_all(ctx: &OpContext<'_>) -> Result<Self, Fault> {
        let in_component: HashMap<_, _> =
            ctx.store().components(ctx.now())?.into_iter().map(|row| (row.name, row.hints)).collect();
        let total = in_component.values().sum();
        let components = i64::try_from(in_component.len()).unwrap_or(i64::MAX);
        Ok(Self { total, components, in_component })
    }

    /// Counts one more hint, or fails with the limit that it would exceed.
    pub(super) fn admit(&mut self, settings: &Settings, component: &str) -> Result<(), Fault> {
        let here = self.in_component.get(component).copied().unwrap_or(0);
        check("hints", "max_hints", self.total, settings.max_hints)?;
        check("hints in this component", "max_hints_per_component", here, settings.max_hints_per_component)?;
        if here == 0 {
            check("components", "max_components", self.components, settings.max_components)?;
            self.components += 1;
        }
        self.total += 1;
        self.in_component.insert(component.to_owned(), here + 1);
        Ok(())
    }
}

fn check(what: &str, setting: &str, count: i64, limit: i64) -> Result<(), Fault> {
    if count < limit {
        return Ok(());
    }
    Err(Fault::new(
        FaultKind::Quota,
        setting,
        format!("the limit of {limit} {what} is reached ({count} are stored)"),
    )
    .with("limit", limit)
    .next(format!("delete what is no longer needed, or raise `{setting}` in config.toml")))
}
