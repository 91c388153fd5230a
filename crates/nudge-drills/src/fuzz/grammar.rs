//! The grammar of the verbs: tags, patterns and edits in damaged outputs of models.
//!
//! Nothing panics, every place that is reported lies in the text, and the time stays linear.

use std::path::Path;
use std::time::Duration;

use nudge_grammar::{Edit, Pattern, TagLimits, apply_patch, parse_tags, unified_diff};

use super::damage::{self, Random};
use super::text_of;

/// The cases that the parser is tested with, from the repository.
const CASES: &str = "crates/nudge-grammar/tests/tags/cases";

/// Outputs of real models, where they lie beside the repository.
const OUTPUTS: &str = "../shared/harness/model-outputs";

/// What any input may take of the processor, and what each of its bytes adds. Generous: this is a
/// build without optimization.
const BASE_TIME: Duration = Duration::from_millis(400);
const EACH_BYTE: Duration = Duration::from_micros(5);

/// A glob with `!(…)` may take as long as an input of this size.
const NEGATED_GLOB_BYTES: usize = 2_000_000;

/// Pieces that the grammar gives a meaning.
const PIECES: &[&str] = &[
    "<get path=\"",
    "<get>",
    "<set path='a'>",
    "<set path=\"known://a\" owner=“x”>",
    "</set>",
    "</ get>",
    "<set",
    "</",
    "/>",
    ">",
    "<",
    "\"",
    "'",
    "`",
    "```",
    "```tool_code\n",
    "\n```\n",
    "<!--",
    "-->",
    "<think>",
    "</think>",
    "<update status=\"200\">",
    "<tool_call>{\"name\": \"get\", \"arguments\": {\"path\": \"a\"",
    "</tool_call>",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<function=set>",
    "<parameter=path>",
    "{\"name\":\"set\",\"arguments\":",
    "get(path='a')",
    "&quot;",
    "&#x1F980;",
    "<<SEARCH\n",
    "\nSEARCH",
    "<<REPLACE",
    "REPLACE\n",
    "<<APPEND1 x APPEND1",
    "<<NEW",
    "<<<<<<< SEARCH\n",
    "\n=======\n",
    ">>>>>>> REPLACE",
    "@@ -1,3 +1,2 @@\n",
    "--- a\n+++ b\n",
    "s/a/b/g",
    "\r\n",
    "\t",
    "\n",
];

/// Pieces of patterns.
const SIGNS: &[&str] = &[
    "*",
    "**",
    "**/",
    "?",
    "[a-z]",
    "[!",
    "]",
    "{a,b}",
    "{",
    "}",
    ",",
    "!(a|b)",
    "!(",
    ")",
    "|",
    "/",
    "/i",
    "known://",
    "src/",
    ".rs",
    "$",
    "$..",
    "[?(@.a>1)]",
    "[*]",
    "//",
    "//a[",
    "child::",
    "text()",
    "s/",
    "(a+)+",
    ".*",
    "\\",
    "\\d{1,999}",
    "(?i)",
    "^",
    "é",
    "a",
    "a",
    "b",
];

/// The texts that are damaged.
pub(super) struct Outputs(Vec<String>);

impl Outputs {
    /// Reads the cases, and the real outputs if they are there.
    pub(super) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut texts = Vec::new();
        for file in files(&root.join(CASES))? {
            texts.extend(cases(&text_of(&file)?));
        }
        anyhow::ensure!(!texts.is_empty(), "no cases in {CASES}");
        let real = root.join(OUTPUTS);
        if real.is_dir() {
            for file in files(&real)? {
                texts.push(text_of(&file)?);
            }
        }
        Ok(Self(texts))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn any(&self, random: &mut Random) -> &str {
        &self.0[random.below(self.0.len())]
    }

    /// The damaged output with this number.
    pub(super) fn output(&self, number: u64) -> String {
        let mut random = Random::new(number);
        let mut text = damage::damaged(self.any(&mut random), self.any(&mut random), &mut random);
        for _ in 0..random.below(6) {
            let piece = PIECES[random.below(PIECES.len())];
            let piece =
                if random.below(12) == 0 { piece.repeat(random.below(5_000)) } else { piece.to_owned() };
            let at = text.floor_char_boundary(random.below(text.len() + 1));
            text.insert_str(at, &piece);
        }
        text
    }
}

/// The files of a directory, in order.
fn files(dir: &Path) -> anyhow::Result<Vec<std::path::PathBuf>> {
    let mut files =
        std::fs::read_dir(dir)?.map(|file| Ok(file?.path())).collect::<anyhow::Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}

/// The cases of one file: each begins with a line `=== name`; `@repeat N text` stands for N times
/// the text.
fn cases(file: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in file.lines() {
        if line.starts_with("=== ") {
            found.push(String::new());
            continue;
        }
        let Some(case) = found.last_mut() else { continue };
        let repeated = line.strip_prefix("@repeat ").and_then(|rest| rest.split_once(' '));
        match repeated.and_then(|(times, text)| Some((times.parse::<usize>().ok()?, text))) {
            Some((times, text)) => case.push_str(&text.repeat(times.min(5_000))),
            None => case.push_str(line),
        }
        case.push('\n');
    }
    found
}

/// Reads the calls of an output. Panics if something is wrong.
pub(super) fn tags(outputs: &Outputs, number: u64) {
    let text = outputs.output(number);
    linear("an output", text.len(), || {
        let limits = TagLimits { max_calls: [0, 1, 99, usize::MAX][number as usize % 4] };
        let parsed = parse_tags(&text, limits);
        assert!(parsed.calls.len() <= limits.max_calls, "more calls than allowed");
        for call in &parsed.calls {
            assert!(call.span.start <= call.span.end, "a span that ends before it starts");
            assert!(text.get(call.span.clone()).is_some(), "a span outside of the text");
        }
        let order = parsed.calls.windows(2).all(|pair| pair[0].span.start <= pair[1].span.start);
        assert!(order, "calls out of order");
        for warning in &parsed.warnings {
            assert!(warning.at <= text.len(), "a warning outside of the text");
            assert!(!warning.message.is_empty(), "a warning that says nothing");
        }
    });
}

/// Compiles a pattern and asks it about an output. Panics if something is wrong.
pub(super) fn patterns(outputs: &Outputs, number: u64) {
    let mut random = Random::new(number);
    let mut text = String::new();
    for _ in 0..=random.below(10) {
        text.push_str(SIGNS[random.below(SIGNS.len())]);
    }
    // Negations have a limit of work instead of linear time.
    let negates = text.contains("!(");
    if random.below(10) == 0 {
        text = text.repeat(1 + random.below(if negates { 20 } else { 300 }));
    }
    let whole = outputs.output(number);
    let path = format!("known://{}", whole.lines().next().unwrap_or_default());
    let bytes = if negates { NEGATED_GLOB_BYTES } else { whole.len() + 200 * text.len() };
    linear(&format!("{:?}", super::shown(&text)), bytes, || {
        let Ok(pattern) = Pattern::parse(&text) else { return };
        for subject in [path.as_str(), "known://a/b.rs", "src/a.rs", ""] {
            let Ok(fits) = pattern.matches(subject) else { continue };
            let begins = subject.starts_with(pattern.prefix());
            assert!(!fits || begins, "{text:?} fits {subject:?} without its prefix");
            assert!(!pattern.is_prefix() || fits == begins, "{text:?} is no prefix of {subject:?}");
        }
        let _ = pattern.found_in(&whole);
        let _ = pattern.substitute(&whole);
    });
}

/// Reads edits and applies them. Panics if something is wrong.
pub(super) fn edits(outputs: &Outputs, number: u64) {
    let (body, current) = (outputs.output(number), outputs.output(!number));
    linear("an edit", body.len() + current.len(), || {
        if let Ok(edit) = Edit::parse(&body) {
            assert!(!edit.steps.is_empty(), "an edit without a step");
            for current in [None, Some(""), Some(current.as_str())] {
                let _ = edit.apply(current);
            }
        }
        let _ = apply_patch(&current, &body);
    });
    // A diff is quadratic by nature, and has its own limit of time.
    let (old, new) = (head(&body), head(&current));
    let patch = unified_diff("a", old, new);
    assert_eq!(apply_patch(old, &patch).as_deref(), Ok(new), "a diff leads to the other text");
}

/// The first 8 KiB of a text.
fn head(text: &str) -> &str {
    &text[..text.floor_char_boundary(8 * 1024)]
}

/// Runs `read`, and panics if it took too long for an input of this size. Counts the time of the
/// processor alone, because a machine that others use may stand still.
fn linear(what: &str, bytes: usize, read: impl Fn()) {
    let allowed = BASE_TIME + EACH_BYTE * u32::try_from(bytes).unwrap_or(u32::MAX);
    let began = processor_time();
    read();
    let took = processor_time().saturating_sub(began);
    assert!(took <= allowed, "{what} took {took:?} for {bytes} bytes");
}

/// The time that this thread has had the processor.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_may_repeat_a_text() {
        assert_eq!(cases("=== one\na\n=== two\n@repeat 3 <a>\nb\n"), ["a\n", "<a><a><a>\nb\n"]);
    }

    #[test]
    fn the_same_number_makes_the_same_output() {
        let outputs = Outputs(vec!["<get path=\"a\"/>".to_owned(), "<set>b</set>".to_owned()]);
        assert_eq!(outputs.output(7), outputs.output(7));
    }

    #[test]
    #[should_panic(expected = "took")]
    fn what_takes_too_long_is_reported() {
        linear("it", 10, || {
            let began = processor_time();
            while processor_time() < began + BASE_TIME + Duration::from_millis(50) {}
        });
    }
}
