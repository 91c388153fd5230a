//! Compares versions.

/// A version as three numbers. A suffix, as in `1.2.0-rc.1`, does not count.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    major: u64,
    minor: u64,
    patch: u64,
}

impl Version {
    /// Parses a version such as `0.2.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next()?;
        let mut numbers = numbers.split('.').map(|number| number.parse().ok());
        let version = Self { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? };
        numbers.next().is_none().then_some(version)
    }
}

/// Whether `one` is newer than `other`. Text that is not a version is never newer, and nothing is
/// newer than it.
pub fn is_newer(one: &str, other: &str) -> bool {
    match (Version::parse(one), Version::parse(other)) {
        (Some(one), Some(other)) => one > other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_compared_as_numbers() {
        for (newer, older) in
            [("0.1.1", "0.1.0"), ("0.10.0", "0.9.9"), ("1.0.0", "0.99.99"), ("0.2.0-rc.1", "0.1.0+x")]
        {
            assert!(is_newer(newer, older), "{newer} {older}");
            assert!(!is_newer(older, newer), "{newer} {older}");
        }
    }

    #[test]
    fn equal_versions_and_other_texts_are_not_newer() {
        for (one, other) in
            [("0.1.0", "0.1.0"), ("0.1.0-rc.2", "0.1.0-rc.1"), ("1.0", "0.1.0"), ("9.9.9", "?")]
        {
            assert!(!is_newer(one, other), "{one} {other}");
        }
        assert_eq!(Version::parse("1.2.3.4"), None);
        assert_eq!(Version::parse(""), None);
    }
}
