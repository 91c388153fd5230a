//! Credentials with a structure: each rule is a pattern behind keywords.
//!
//! A pattern is compiled the first time one of its keywords occurs, never before: most texts
//! compile none.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::token::{begins, ends, entropy};

/// Finds credentials by pattern.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut wanted = [false; SHAPES.len()];
    INDEX.each(text, |number, _| wanted[OWNERS[number]] = true);
    for (number, shape) in SHAPES.iter().enumerate().filter(|(number, _)| wanted[*number]) {
        if let Some(pattern) = COMPILED[number].get_or_init(|| shape.compile()) {
            shape.apply(pattern, text, found);
        }
    }
}

/// One rule of the table.
pub(super) struct Shape {
    /// The rule's stable name.
    pub id: &'static str,
    /// The pattern is tried only where one of these occurs, in any case.
    pub keywords: &'static [&'static str],
    /// ASCII only; group 1 is the credential itself.
    pub pattern: &'static str,
    /// Fewest bits per character of the credential.
    pub min_entropy: f32,
}

impl Shape {
    fn compile(&self) -> Option<Regex> {
        RegexBuilder::new(self.pattern).unicode(false).build().ok()
    }

    fn apply(&self, pattern: &Regex, text: &[u8], found: &mut Vec<Finding>) {
        let mut from = 0;
        while let Some(captures) = pattern.captures_at(text, from) {
            let (Some(all), Some(secret)) = (captures.get(0), captures.get(1)) else { return };
            let whole = begins(text, all.start()) && ends(text, secret.end());
            if whole && entropy(secret.as_bytes()) >= self.min_entropy && !is_placeholder(secret.as_bytes()) {
                found.push(Finding { rule: self.id, start: secret.start(), end: secret.end() });
                from = secret.end();
            } else {
                // No other token begins inside the same word.
                let word = text[all.start()..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
                from = all.start() + word.max(1);
            }
        }
    }
}

/// The table. Vendors whose tokens are a prefix and a tail stand in [`super::prefix`] instead.
const SHAPES: &[Shape] = &[
    Shape {
        id: "jwt",
        keywords: &["eyj"],
        pattern: r"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]+){0,2})",
        min_entropy: 3.0,
    },
    Shape {
        id: "slack-webhook",
        keywords: &["hooks.slack"],
        pattern: r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{24,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "discord-webhook",
        keywords: &["/api/webhooks/"],
        pattern: r"discord(?:app)?\.com/api/webhooks/[0-9]{15,21}/([A-Za-z0-9_-]{40,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "teams-webhook",
        keywords: &["webhook.office.com"],
        pattern: r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "zapier-webhook",
        keywords: &["hooks.zapier.com"],
        pattern: r"hooks\.zapier\.com/hooks/catch/([0-9]+/[A-Za-z0-9]{6,})",
        min_entropy: 2.0,
    },
    Shape {
        id: "twitter-token",
        keywords: &["aaaaaaaaaaaaaaaaaaaa"],
        pattern: r"(A{18,24}[A-Za-z0-9%]{60,110})",
        min_entropy: 3.0,
    },
    Shape {
        id: "telegram-token",
        keywords: &[":aa"],
        pattern: r"(?:bot)?([0-9]{6,12}:AA[A-Za-z0-9_-]{30,40})",
        min_entropy: 3.0,
    },
    Shape {
        id: "heroku-key",
        keywords: &["heroku"],
        pattern: r#"(?i)heroku[a-z0-9_ .-]{0,24}(?:key|token|secret|auth)?["']?\s{0,3}(?:=|:|=>|:=)\s{0,3}["']?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"#,
        min_entropy: 2.5,
    },
    Shape {
        id: "azure-client-secret",
        keywords: &["q~"],
        pattern: r"([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})",
        min_entropy: 3.0,
    },
    Shape {
        id: "azure-storage-key",
        keywords: &["accountkey", "sharedaccesskey"],
        pattern: r"(?i)(?:AccountKey|SharedAccessKey)\s{0,2}=\s{0,2}([A-Za-z0-9+/]{40,}={0,2})",
        min_entropy: 3.0,
    },
    Shape {
        id: "terraform-token",
        keywords: &[".atlasv1."],
        pattern: r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "plaid-token",
        keywords: &["access-sandbox-", "access-development-", "access-production-"],
        pattern: r"(access-(?:sandbox|development|production)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
        min_entropy: 3.0,
    },
    Shape {
        id: "onepassword-key",
        keywords: &["a3-"],
        pattern: r"(A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})",
        min_entropy: 3.0,
    },
    Shape {
        id: "oracle-logon",
        keywords: &["jdbc:oracle"],
        pattern: r"jdbc:oracle:[a-z]{3,5}:[A-Za-z0-9_$#]+/([^@/\s]{4,64})@",
        min_entropy: 1.5,
    },
    Shape {
        id: "wifi-code",
        keywords: &["wifi:"],
        pattern: r"WIFI:(?:[^;\n]{1,80};){1,4}P:([^;\n]{4,80});",
        min_entropy: 1.5,
    },
    Shape {
        id: "putty-key",
        keywords: &["private-lines:"],
        pattern: r"Private-Lines: [0-9]+\s+((?:[A-Za-z0-9+/=]{8,}\s*)+)",
        min_entropy: 3.0,
    },
];

static COMPILED: [OnceLock<Option<Regex>>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];

const KEYWORDS: usize = {
    let (mut total, mut number) = (0, 0);
    while number < SHAPES.len() {
        total += SHAPES[number].keywords.len();
        number += 1;
    }
    total
};

/// Which shape each keyword belongs to.
const OWNERS: [usize; KEYWORDS] = flat().1;

static INDEX: Index<KEYWORDS> = Index::folded(flat().0);

const fn flat() -> ([&'static str; KEYWORDS], [usize; KEYWORDS]) {
    let mut words = [""; KEYWORDS];
    let mut owners = [0; KEYWORDS];
    let (mut number, mut placed) = (0, 0);
    while number < SHAPES.len() {
        let mut word = 0;
        while word < SHAPES[number].keywords.len() {
            words[placed] = SHAPES[number].keywords[word];
            owners[placed] = number;
            placed += 1;
            word += 1;
        }
        number += 1;
    }
    (words, owners)
}

#[cfg(test)]
mod tests {
    use super::SHAPES;

    #[test]
    fn every_pattern_compiles_and_captures_the_credential() {
        for shape in SHAPES {
            let pattern = shape.compile().unwrap_or_else(|| panic!("{} does not compile", shape.id));
            assert_eq!(pattern.captures_len(), 2, "{}", shape.id);
        }
    }
}
