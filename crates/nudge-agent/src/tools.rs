//! Which tools a loop has, in the order in which a model reads them.

use nudge_core::run::Mode;
use nudge_grammar::Tool;

/// All tools: gather, reason, act, communicate. What stands first is used first.
pub const TOOL_ORDER: [Tool; 12] = [
    Tool::Get,
    Tool::Search,
    Tool::Think,
    Tool::Set,
    Tool::Env,
    Tool::Sh,
    Tool::Mcp,
    Tool::Rm,
    Tool::Cp,
    Tool::Mv,
    Tool::Update,
    Tool::AskUser,
];

/// What the caller of a loop rules out, and what the user adds.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Nobody can answer a question.
    pub no_interaction: bool,
    /// No search.
    pub no_search: bool,
    /// Nobody can accept a proposal.
    pub no_proposals: bool,
    /// There are plugins with tools for it.
    pub plugins: bool,
}

/// A reason to exclude tools.
struct Exclusion {
    applies: fn(Mode, Flags) -> bool,
    tools: &'static [Tool],
    /// Why, and what to do instead.
    instead: &'static str,
}

/// Every exclusion. Both the list of tools and the policy read this table.
const EXCLUSIONS: &[Exclusion] = &[
    Exclusion {
        applies: |mode, _| matches!(mode, Mode::Ask),
        tools: &[Tool::Env, Tool::Sh, Tool::Rm, Tool::Cp, Tool::Mv],
        instead: "this loop only reads and answers; look with get, and name in the answer what should be done",
    },
    Exclusion {
        applies: |_, flags| flags.no_interaction,
        tools: &[Tool::AskUser],
        instead: "nobody can answer now; decide by yourself, and name the open question in the update",
    },
    Exclusion {
        applies: |_, flags| flags.no_search,
        tools: &[Tool::Search],
        instead: "search is off; use get with a pattern and a body filter",
    },
    Exclusion {
        applies: |_, flags| flags.no_proposals,
        tools: &[Tool::AskUser, Tool::Env, Tool::Sh],
        instead: "nobody can accept a proposal now; do it with the other tools, or name it in the update",
    },
    Exclusion {
        applies: |_, flags| !flags.plugins,
        tools: &[Tool::Mcp],
        instead: "this loop has no plugins; do it with the other tools, or name it in the update",
    },
];

/// The tools of a loop, in their order.
pub fn tools_for(mode: Mode, flags: Flags) -> Vec<Tool> {
    TOOL_ORDER.into_iter().filter(|tool| exclusion(*tool, mode, flags).is_none()).collect()
}

/// Why a tool is excluded and what to do instead; `None` if the loop has it.
pub fn exclusion(tool: Tool, mode: Mode, flags: Flags) -> Option<&'static str> {
    let hit = EXCLUSIONS.iter().find(|each| (each.applies)(mode, flags) && each.tools.contains(&tool));
    hit.map(|each| each.instead)
}

/// Whether an update with this status ends the loop. Every other status goes on.
pub(crate) const fn is_terminal(status: u16) -> bool {
    matches!(status, 200 | 204 | 422)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(mode: Mode, flags: Flags) -> String {
        tools_for(mode, flags).into_iter().map(Tool::name).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_mode_and_flag_excludes_its_tools() {
        let none = Flags::default();
        let (no_interaction, no_search, no_proposals) = (
            Flags { no_interaction: true, ..none },
            Flags { no_search: true, ..none },
            Flags { no_proposals: true, ..none },
        );
        let all = Flags { no_interaction: true, no_search: true, no_proposals: true, plugins: false };
        let plugins = Flags { plugins: true, ..none };
        for (mode, flags, expected) in [
            (Mode::Act, none, "get search think set env sh rm cp mv update ask_user"),
            (Mode::Act, no_interaction, "get search think set env sh rm cp mv update"),
            (Mode::Act, no_search, "get think set env sh rm cp mv update ask_user"),
            (Mode::Act, no_proposals, "get search think set rm cp mv update"),
            (Mode::Act, all, "get think set rm cp mv update"),
            (Mode::Ask, none, "get search think set update ask_user"),
            (Mode::Ask, no_interaction, "get search think set update"),
            (Mode::Ask, no_search, "get think set update ask_user"),
            (Mode::Ask, no_proposals, "get search think set update"),
            (Mode::Ask, all, "get think set update"),
            (Mode::Act, plugins, "get search think set env sh mcp rm cp mv update ask_user"),
            (Mode::Ask, plugins, "get search think set mcp update ask_user"),
        ] {
            assert_eq!(names(mode, flags), expected, "{mode:?} {flags:?}");
        }
    }

    #[test]
    fn the_order_has_every_tool_once() {
        for tool in Tool::ALL {
            assert_eq!(TOOL_ORDER.iter().filter(|each| **each == tool).count(), 1, "{tool:?}");
        }
        assert_eq!((TOOL_ORDER[0], TOOL_ORDER[11]), (Tool::Get, Tool::AskUser));
    }
}
