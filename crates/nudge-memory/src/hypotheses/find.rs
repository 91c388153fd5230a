//! Selects experiences by project and filters.

use nudge_core::Fault;
use nudge_core::hypothesis::{Domain, Status, Strategy};
use nudge_store::HypothesisFilter;

use super::stored::{Stored, all};
use crate::operation::OpContext;
use crate::recall::{ProjectParam, projects_meant};

/// How many of a project's newest experiences are read.
const LOOKED_AT: u32 = 2_000;

/// The filters.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) domain: Option<Domain>,
    pub(super) strategy: Option<Strategy>,
    pub(super) outcome: Option<Status>,
}

/// Resolved hypotheses, newest first.
pub(super) fn experiences(
    ctx: &OpContext<'_>,
    asked: &ProjectParam,
    wanted: Wanted,
) -> Result<Vec<Stored>, Fault> {
    let mut found = Vec::new();
    for project in projects_meant(ctx, asked)? {
        let filter = HypothesisFilter {
            project: Some(project),
            domain: wanted.domain,
            strategy: wanted.strategy,
            status: wanted.outcome,
            ..HypothesisFilter::default()
        };
        found.extend(all(ctx.store(), filter, LOOKED_AT)?);
    }
    found.retain(|stored| stored.record.status() != Status::Active);
    found.sort_by_key(|stored| std::cmp::Reverse((stored.row.created_at, stored.row.entry)));
    Ok(found)
}
