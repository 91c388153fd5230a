//! Lists on the command line: `a,b` and repeated flags mean the same.

/// All items of a repeatable flag, split at commas.
///
/// A comma inside braces or brackets belongs to a glob (`**/{api,web}/**`) and does not split.
pub(crate) fn items(given: &[String]) -> Vec<String> {
    given.iter().flat_map(|text| split(text)).collect()
}

/// Parses `NAME=VALUE`, for flags that accept pairs.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is always a part").push(c);
    }
    parts.into_iter().map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_split_outside_of_globs() {
        let given = ["build, docker".to_owned(), "**/{api,web}/**,[a,b]c".to_owned(), ",".to_owned()];
        assert_eq!(items(&given), ["build", "docker", "**/{api,web}/**", "[a,b]c"]);
    }

    #[test]
    fn pairs_split_at_the_first_sign() {
        assert_eq!(pair("A=b=c"), Ok(("A".to_owned(), "b=c".to_owned())));
        assert_eq!(pair("A="), Ok(("A".to_owned(), String::new())));
        assert!(pair("=b").is_err());
        assert!(pair("A").is_err());
    }
}
