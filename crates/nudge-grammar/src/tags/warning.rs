//! What the parser recovered, so that nothing is recovered in silence.

/// What kind of recovery a warning tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WarningKind {
    /// A call in a training format was translated, or a token of one was taken away.
    NativeFormat,
    /// A fence around the whole answer was taken off.
    FencedAnswer,
    /// A tag inside back-ticks, a fence or a comment was left as text.
    CodeSpan,
    /// A tool name in a sentence was left as text.
    Mention,
    /// A close tag of another tool closed the call.
    MismatchedClose,
    /// An attribute value had no closing quote.
    UnclosedQuote,
    /// An attribute value held its own kind of quote.
    RawQuote,
    /// An attribute value was quoted with other characters than `"` and `'`.
    OddQuote,
    /// A value stood in the tag without a name.
    BareValue,
    /// The open tag had no `>`, or the call no close tag.
    UnclosedTag,
    /// A tool was opened inside an empty call: the empty call ended there.
    EmptyBody,
    /// A close tag had no open tag.
    OrphanClose,
    /// The tag had another name than the tool.
    RenamedTag,
    /// An attribute had another name than the tool gives it.
    RenamedAttribute,
    /// Parameters were written as elements inside the tag.
    ChildElements,
    /// An attribute was there twice; the first one counts.
    DuplicateAttribute,
    /// A number was no number.
    BadNumber,
    /// The call has no target.
    MissingTarget,
    /// The target has several lines.
    MultiLineTarget,
    /// A bare line was taken for a call.
    BareLine,
    /// What looked like a call could not be read.
    BrokenCall,
    /// The output ended inside a tag.
    Truncated,
    /// Calls over the limit were dropped.
    DroppedOverCap,
    /// There were more warnings than the parser keeps.
    MoreWarnings,
}

impl WarningKind {
    /// Whether something that the model meant was lost. Everything else was recovered.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::BrokenCall | Self::Truncated | Self::DroppedOverCap | Self::MissingTarget)
    }

    /// Its stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::NativeFormat => "native_format",
            Self::FencedAnswer => "fenced_answer",
            Self::CodeSpan => "code_span",
            Self::Mention => "mention",
            Self::MismatchedClose => "mismatched_close",
            Self::UnclosedQuote => "unclosed_quote",
            Self::RawQuote => "raw_quote",
            Self::OddQuote => "odd_quote",
            Self::BareValue => "bare_value",
            Self::UnclosedTag => "unclosed_tag",
            Self::EmptyBody => "empty_body",
            Self::OrphanClose => "orphan_close",
            Self::RenamedTag => "renamed_tag",
            Self::RenamedAttribute => "renamed_attribute",
            Self::ChildElements => "child_elements",
            Self::DuplicateAttribute => "duplicate_attribute",
            Self::BadNumber => "bad_number",
            Self::MissingTarget => "missing_target",
            Self::MultiLineTarget => "multi_line_target",
            Self::BareLine => "bare_line",
            Self::BrokenCall => "broken_call",
            Self::Truncated => "truncated",
            Self::DroppedOverCap => "dropped_over_cap",
            Self::MoreWarnings => "more_warnings",
        }
    }
}

/// One recovery.
///
/// The message is prose: it never holds a literal tag, so that it can be shown to a model again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagWarning {
    /// What kind of recovery.
    pub kind: WarningKind,
    /// The byte of the output where it happened.
    pub at: usize,
    /// What happened, for a person or a model.
    pub message: String,
}

impl TagWarning {
    /// Makes a warning; angle brackets leave the message.
    pub(super) fn new(kind: WarningKind, at: usize, message: impl Into<String>) -> Self {
        let mut message: String = message.into();
        if message.contains(['<', '>']) {
            message.retain(|c| c != '<' && c != '>');
        }
        Self { kind, at, message }
    }
}
