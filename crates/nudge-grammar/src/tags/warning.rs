//! What the parser recovered, so that nothing is recovered in silence.

nudge_core::named_enum! {
    /// What kind of recovery a warning tells of.
    pub enum WarningKind {
        /// A call in a training format was translated, or a token of one was taken away.
        NativeFormat => "native_format",
        /// A fence around the whole answer was taken off.
        FencedAnswer => "fenced_answer",
        /// A tag inside back-ticks, a fence or a comment was left as text.
        CodeSpan => "code_span",
        /// A tool name in a sentence was left as text.
        Mention => "mention",
        /// A close tag of another tool closed the call.
        MismatchedClose => "mismatched_close",
        /// An attribute value had no closing quote.
        UnclosedQuote => "unclosed_quote",
        /// An attribute value held its own kind of quote.
        RawQuote => "raw_quote",
        /// An attribute value was quoted with other characters than `"` and `'`.
        OddQuote => "odd_quote",
        /// A value stood in the tag without a name.
        BareValue => "bare_value",
        /// The open tag had no `>`, or the call no close tag.
        UnclosedTag => "unclosed_tag",
        /// A tool was opened inside an empty call: the empty call ended there.
        EmptyBody => "empty_body",
        /// A close tag had no open tag.
        OrphanClose => "orphan_close",
        /// The tag had another name than the tool.
        RenamedTag => "renamed_tag",
        /// An attribute had another name than the tool gives it.
        RenamedAttribute => "renamed_attribute",
        /// Parameters were written as elements inside the tag.
        ChildElements => "child_elements",
        /// An attribute was there twice; the first one counts.
        DuplicateAttribute => "duplicate_attribute",
        /// A number was no number.
        BadNumber => "bad_number",
        /// The call has no target.
        MissingTarget => "missing_target",
        /// The target has several lines.
        MultiLineTarget => "multi_line_target",
        /// A bare line was taken for a call.
        BareLine => "bare_line",
        /// What looked like a call could not be read.
        BrokenCall => "broken_call",
        /// The output ended inside a tag.
        Truncated => "truncated",
        /// Calls over the limit were dropped.
        DroppedOverCap => "dropped_over_cap",
        /// There were more warnings than the parser keeps.
        MoreWarnings => "more_warnings",
    }
}

impl WarningKind {
    /// Whether something that the model meant was lost. Everything else was recovered.
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::BrokenCall | Self::Truncated | Self::DroppedOverCap | Self::MissingTarget)
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
