//! Finds runs by their names, with the rights of the caller.

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_memory::operation::OpContext;
use nudge_memory::projects::CallerPlace;
use nudge_memory::statements::project_to_write;
use nudge_store::{ProjectRow, RunRow};

/// The project of a call that only reads; `None` if nothing was ever stored for its place.
fn project_to_read(ctx: &OpContext<'_>, asked: Option<&str>) -> Result<Option<ProjectRow>, Fault> {
    if let Some(name) = asked {
        return ctx.project(name).map(Some);
    }
    match CallerPlace::of(ctx.store(), ctx.caller)?.project {
        Some(id) => Ok(ctx.store().project_uncounted(id)?),
        None => Ok(None),
    }
}

/// A run that the caller may read.
pub(super) fn run_to_read(ctx: &OpContext<'_>, alias: &str, project: Option<&str>) -> Result<RunRow, Fault> {
    let found = match project_to_read(ctx, project)? {
        Some(project) => ctx.store().run_by_alias(project.id, alias)?,
        None => None,
    };
    found.ok_or_else(|| no_run(alias))
}

/// A run that the caller may change: one of its own project, or of any for the user.
pub(super) fn run_to_change(
    ctx: &OpContext<'_>,
    alias: &str,
    project: Option<&str>,
) -> Result<RunRow, Fault> {
    let project = project_to_write(ctx, project)?;
    ctx.store().run_by_alias(project.id, alias)?.ok_or_else(|| no_run(alias))
}

/// The run as it is now.
pub(super) fn fresh(ctx: &OpContext<'_>, run: &RunRow) -> Result<RunRow, Fault> {
    ctx.store().run(run.id)?.ok_or_else(|| no_run(&run.alias))
}

pub(super) fn no_run(alias: &str) -> Fault {
    let shown = without_controls(alias, 80);
    Fault::new(FaultKind::NotFound, "no_run", format!("there is no run `{shown}` in this project"))
        .next("run `nudge run ls` to see the runs")
}
