//! Here-documents: where one ends, and its text.

/// The end word of a here-document that begins with `<WORD`, `<-WORD` or `<'WORD'` (after the first
/// `<`), and the text after it.
pub fn document_end(rest: &str) -> (String, &str) {
    let rest = rest.get(1..).unwrap_or_default();
    let rest = rest.trim_start_matches('-').trim_start_matches([' ', '\t']);
    let end = rest.find(|c: char| c.is_whitespace() || ";|&()<>".contains(c)).unwrap_or(rest.len());
    let (word, rest) = rest.split_at(end);
    (word.chars().filter(|c| !"'\"\\".contains(*c)).collect(), rest)
}

/// The text of a here-document up to its end line, and the text after that line.
pub fn document_text<'t>(mut rest: &'t str, end: &str) -> (String, &'t str) {
    let mut text = String::new();
    while !rest.is_empty() {
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = behind;
        if line.trim_start_matches('\t').trim_end() == end {
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    (text, rest)
}
