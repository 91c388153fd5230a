//! Finds out what this machine can do, by doing it.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use crate::ended::Failed;
use crate::level::{Level, Support};
use crate::plan::{Limits, Plan, Program, Rights};

static KNOWN: Mutex<Option<HashMap<Level, Result<Support, String>>>> = Mutex::new(None);

/// The best that works, and not more than this.
pub(crate) fn level(program: &Program, at_most: Level) -> Support {
    let mut why_not = Vec::new();
    for level in [Level::Full, Level::Landlock, Level::None] {
        if level > at_most {
            continue;
        }
        match known(program, level) {
            Ok(mut support) => {
                if !why_not.is_empty() {
                    support.reason = format!("{}, because {}", support.reason, why_not.join(" and "));
                }
                return support;
            }
            Err(why) => why_not.push(why),
        }
    }
    Support::none(format!("commands cannot be run, because {}", why_not.join(" and ")))
}

fn known(program: &Program, level: Level) -> Result<Support, String> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.get_or_insert_default().entry(level).or_insert_with(|| try_it(program, level)).clone()
}

fn try_it(program: &Program, level: Level) -> Result<Support, String> {
    let dir = tempfile::tempdir().map_err(|error| format!("there is no temporary directory ({error})"))?;
    let plan = Plan {
        level,
        command: "exit 0".to_owned(),
        shell: "/bin/sh".into(),
        root: dir.path().to_owned(),
        directory: dir.path().to_owned(),
        home: "/nonexistent".into(),
        hidden: Vec::new(),
        toolchains: Vec::new(),
        rights: Rights::default(),
        env: Vec::new(),
        limits: Limits::default(),
    };
    match super::run(&plan, program, &AtomicBool::new(false), |_, _| ()) {
        Ok(ended) if ended.code == Some(0) => Ok(ended.held_by),
        Ok(ended) => Err(format!("`exit 0` ended with {:?} in it", ended.code.or(ended.signal))),
        Err(Failed::SetUp(why)) => Err(why),
        Err(error) => Err(error.to_string()),
    }
}
