//! The text of a page: what people read of it, without a browser.

/// Elements whose content nobody reads.
const UNREAD: [&str; 9] =
    ["script", "style", "head", "noscript", "template", "svg", "nav", "iframe", "select"];

/// Elements that begin a line.
const LINES: [&str; 22] = [
    "p",
    "div",
    "br",
    "li",
    "ul",
    "ol",
    "tr",
    "table",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "section",
    "article",
    "pre",
    "blockquote",
    "dt",
    "dd",
    "hr",
    "main",
];

/// The text of a page in HTML, a line for each block. Broken pages lose text, nothing else.
pub(super) fn of_html(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        push(&mut out, &rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            continue;
        }
        let after = &rest[1..];
        let is_tag = after.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        if !is_tag {
            push(&mut out, "<");
            rest = after;
            continue;
        }
        let name = name_of(after);
        rest = after_tag(after);
        if LINES.contains(&name.as_str()) {
            end_line(&mut out);
        } else if matches!(name.as_str(), "td" | "th") {
            push(&mut out, " ");
        }
        if !after.starts_with('/') && UNREAD.contains(&name.as_str()) {
            rest = after_close(rest, &name);
        }
    }
    push(&mut out, rest);
    out.trim().to_owned()
}

/// The name of the element of a tag.
fn name_of(after: &str) -> String {
    let name = after.trim_start_matches('/');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    name[..end.min(20)].to_ascii_lowercase()
}

/// What follows a tag. A `>` in a quoted value does not end it.
fn after_tag(text: &str) -> &str {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => return &text[at + 1..],
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    ""
}

/// What follows the end of an element; nothing if it has none.
fn after_close<'t>(text: &'t str, name: &str) -> &'t str {
    let mut rest = text;
    while let Some(at) = rest.find("</") {
        rest = &rest[at + 2..];
        if name_of(rest) == name {
            return after_tag(rest);
        }
    }
    ""
}

/// Adds text: white space becomes one space, entities their characters.
fn push(out: &mut String, text: &str) {
    let text = entities(text);
    let begins_blank = text.starts_with(char::is_whitespace);
    for (index, word) in text.split_whitespace().enumerate() {
        let is_apart = index > 0 || begins_blank;
        if is_apart && !out.is_empty() && !out.ends_with([' ', '\n']) {
            out.push(' ');
        }
        out.push_str(word);
    }
    if text.ends_with(char::is_whitespace) && !out.is_empty() && !out.ends_with([' ', '\n']) {
        out.push(' ');
    }
}

fn end_line(out: &mut String) {
    while out.ends_with(' ') {
        out.pop();
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// The longest entity that is read.
const MAX_ENTITY: usize = 10;

fn entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(MAX_ENTITY).position(|byte| byte == b';');
        match end.and_then(|end| Some((entity(&rest[1..end])?, end))) {
            Some((c, end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn entity(name: &str) -> Option<char> {
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "mdash" => '\u{2014}',
        "ndash" => '\u{2013}',
        "hellip" => '\u{2026}',
        "copy" => '\u{a9}',
        _ => {
            let digits = name.strip_prefix('#')?;
            let read = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => digits.parse(),
            };
            char::from_u32(read.ok()?)?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_like_people_read_it() {
        let page = "<!doctype html><html><head><title>T</title></head><body><nav><a>Home</a></nav>\
            <h1>Green&nbsp;tea</h1><!-- not <b>this</b> --><p>It is <b>made</b> at\n 70&#8239;&deg;C &lt; 80.</p>\
            <script>if (a < b) { alert('</p>') }</script><ul><li>one<li>two</ul>\
            <table><tr><td>a</td><td>b</td></tr></table><a title='x > y'>link</a> 1 < 2";
        let text = of_html(page);
        assert_eq!(text, "Green tea\nIt is made at 70 &deg;C < 80.\none\ntwo\na b\nlink 1 < 2");
    }

    #[test]
    fn a_broken_page_ends_somewhere() {
        for broken in
            ["<", "<a", "<!--", "<script>", "&#x110000;", "&", "</", "<a b='", "\u{e9}<\u{e9}&\u{e9}", "<p"]
        {
            let _ = of_html(broken);
        }
        assert_eq!(of_html("a&#x110000;b &unknown; &"), "a&#x110000;b &unknown; &");
        assert_eq!(of_html("text <style>x"), "text");
    }
}
