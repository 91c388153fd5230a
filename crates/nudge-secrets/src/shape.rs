//! Credentials with a structure: each rule is a pattern with keywords.
//!
//! A pattern is compiled the first time one of its keywords occurs, never before: most texts
//! compile none.

use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::finding::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::token::{begins, ends, entropy};

/// Finds credentials by pattern.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut wanted = [false; SHAPES.len()];
    KEYWORD_INDEX.each(text, |number, _| wanted[OWNERS[number]] = true);
    for (number, shape) in SHAPES.iter().enumerate().filter(|(number, _)| wanted[*number]) {
        if let Some(pattern) = COMPILED_SHAPES[number].get_or_init(|| shape.compile()) {
            shape.apply(pattern, text, found);
        }
    }
}

/// One rule of the table.
pub(super) struct Shape {
    /// The rule's stable name.
    pub id: &'static str,
    /// The pattern is tried only if one of these occurs, in any case.
    pub keywords: &'static [&'static str],
    /// ASCII only; group 1 is the credential itself.
    pub pattern: &'static str,
    /// The least entropy of the credential, in bits per character.
    pub min_entropy: f32,
    /// Who publishes the form.
    #[cfg_attr(not(test), expect(dead_code, reason = "for whoever reviews the table"))]
    pub source: &'static str,
    /// A made-up value of that form.
    #[cfg(test)]
    pub sample: &'static str,
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

/// The table. Vendors with tokens of a prefix and a tail are in [`super::prefix`] instead.
const SHAPES: &[Shape] = &[
    Shape {
        id: "jwt",
        source: "RFC 7519",
        #[cfg(test)]
        sample: concat!("eyJhbGciOiJI.eyJzdWIiOiIx7", "Qz.q7Zk2vXw9L"),
        keywords: &["eyj"],
        pattern: r"(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]+){0,2})",
        min_entropy: 3.0,
    },
    Shape {
        id: "slack-webhook",
        source: "Slack, incoming webhooks",
        #[cfg(test)]
        sample: concat!("https://hooks.slack.com/services/T0A1B2C3D/B4E5F6G7", "H/q7Zk2vXw9LrT4mBn8YcPd3Hs"),
        keywords: &["hooks.slack"],
        pattern: r"hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_+-]{24,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "discord-webhook",
        source: "Discord, webhooks",
        #[cfg(test)]
        sample: concat!(
            "https://discord.com/api/webhooks/123456789012345678/q7Zk2vXw9LrT4m",
            "Bn8YcPd3Hsq7Zk2vXw9LrT4mBn8YcPd3Hs"
        ),
        keywords: &["/api/webhooks/"],
        pattern: r"discord(?:app)?\.com/api/webhooks/[0-9]{15,21}/([A-Za-z0-9_-]{40,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "teams-webhook",
        source: "Microsoft Teams, incoming webhooks",
        #[cfg(test)]
        sample: concat!(
            "https://a.webhook.office.com/webhookb2/3f2a7b1c-9d8e-4f5a-8b7c-1d2e3f4a",
            "5b6c@0a1b2c3d/IncomingWebhook/9f8e7d"
        ),
        keywords: &["webhook.office.com"],
        pattern: r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{40,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "zapier-webhook",
        source: "Zapier, webhooks",
        #[cfg(test)]
        sample: concat!("https://hooks.zapier.com/hooks/cat", "ch/1234567/b7x2k9q"),
        keywords: &["hooks.zapier.com"],
        pattern: r"hooks\.zapier\.com/hooks/catch/([0-9]+/[A-Za-z0-9]{6,})",
        min_entropy: 2.0,
    },
    Shape {
        id: "twitter-token",
        source: "X, app-only authentication",
        #[cfg(test)]
        sample: concat!(
            "AAAAAAAAAAAAAAAAAAAAAq7Zk2vXw9LrT4mBn8YcPd3Hsq7Zk2vXw9",
            "LrT4mBn8YcPd3Hsq7Zk2vXw9L%3D"
        ),
        keywords: &["aaaaaaaaaaaaaaaaaaaa"],
        pattern: r"(A{18,24}[A-Za-z0-9%]{60,110})",
        min_entropy: 3.0,
    },
    Shape {
        id: "telegram-token",
        source: "Telegram, Bot API",
        #[cfg(test)]
        sample: concat!("bot123456789:AAq7Zk2vXw9LrT4mBn", "8YcPd3Hsq7Zk2vXw"),
        keywords: &[":aa"],
        pattern: r"(?:bot)?([0-9]{6,12}:AA[A-Za-z0-9_-]{30,40})",
        min_entropy: 3.0,
    },
    Shape {
        id: "heroku-key",
        source: "Heroku, Platform API",
        #[cfg(test)]
        sample: concat!("HEROKU_API_KEY=3f2a7b1c-9d8e-4f5a-", "8b7c-1d2e3f4a5b6c"),
        keywords: &["heroku"],
        pattern: r#"(?i)heroku[a-z0-9_ .-]{0,24}(?:key|token|secret|auth)?["']?\s{0,3}(?:=|:|=>|:=)\s{0,3}["']?([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})"#,
        min_entropy: 2.5,
    },
    Shape {
        id: "azure-client-secret",
        source: "Microsoft Entra, client secrets",
        #[cfg(test)]
        sample: concat!("q7Z8Q~LrT4mBn8YcPd3Hsq7Zk2", "vXw9LrT4mBn8Yc"),
        keywords: &["q~"],
        pattern: r"([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})",
        min_entropy: 3.0,
    },
    Shape {
        id: "azure-storage-key",
        source: "Azure Storage, connection strings",
        #[cfg(test)]
        sample: concat!("AccountKey=q7Zk2vXw9LrT4mBn8YcPd3Hsq7Zk2", "vXw9LrT4mBn8YcPd3Hs=="),
        keywords: &["accountkey", "sharedaccesskey"],
        pattern: r"(?i)(?:AccountKey|SharedAccessKey)\s{0,2}=\s{0,2}([A-Za-z0-9+/]{40,}={0,2})",
        min_entropy: 3.0,
    },
    Shape {
        id: "terraform-token",
        source: "HCP Terraform, API tokens",
        #[cfg(test)]
        sample: concat!("q7Zk2vXw9LrT4m.atlasv1.q7Zk2vXw9LrT4mBn8YcPd3Hs", "q7Zk2vXw9LrT4mBn8YcPd3Hs"),
        keywords: &[".atlasv1."],
        pattern: r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,})",
        min_entropy: 3.0,
    },
    Shape {
        id: "plaid-token",
        source: "Plaid, access tokens",
        #[cfg(test)]
        sample: concat!("access-sandbox-3f2a7b1c-9d8e-4f5a-", "8b7c-1d2e3f4a5b6c"),
        keywords: &["access-sandbox-", "access-development-", "access-production-"],
        pattern: r"(access-(?:sandbox|development|production)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})",
        min_entropy: 3.0,
    },
    Shape {
        id: "onepassword-key",
        source: "1Password, Secret Key",
        #[cfg(test)]
        sample: concat!("A3-Q7ZK2V-XW9LRT4MBN8-YCPD", "3-HSQ7Z-K2VXW"),
        keywords: &["a3-"],
        pattern: r"(A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})",
        min_entropy: 3.0,
    },
    Shape {
        id: "oracle-logon",
        source: "Oracle, JDBC thin driver",
        #[cfg(test)]
        sample: concat!("jdbc:oracle:thin:app/q7Z", "k2vXw@db:1521"),
        keywords: &["jdbc:oracle"],
        pattern: r"jdbc:oracle:[a-z]{3,5}:[A-Za-z0-9_$#]+/([^@/\s]{4,64})@",
        min_entropy: 1.5,
    },
    Shape {
        id: "wifi-code",
        source: "ZXing, WIFI barcodes",
        #[cfg(test)]
        sample: concat!("WIFI:T:WPA;S:home;P:", "q7Zk2vXw9;;"),
        keywords: &["wifi:"],
        pattern: r"WIFI:(?:[^;\n]{1,80};){1,4}P:([^;\n]{4,80});",
        min_entropy: 1.5,
    },
    Shape {
        id: "putty-key",
        source: "PuTTY, PPK format",
        #[cfg(test)]
        sample: concat!("Private-Lines: 8 q7Zk2vXw9L", "rT4mBn8YcPd3Hs"),
        keywords: &["private-lines:"],
        pattern: r"Private-Lines: [0-9]+\s+((?:[A-Za-z0-9+/=]{8,}\s*)+)",
        min_entropy: 3.0,
    },
];

static COMPILED_SHAPES: [OnceLock<Option<Regex>>; SHAPES.len()] = [const { OnceLock::new() }; SHAPES.len()];

const KEYWORDS: usize = {
    let (mut total, mut number) = (0, 0);
    while number < SHAPES.len() {
        total += SHAPES[number].keywords.len();
        number += 1;
    }
    total
};

/// The shape of each keyword.
const OWNERS: [usize; KEYWORDS] = flat().1;

static KEYWORD_INDEX: Index<KEYWORDS> = Index::folded(flat().0);

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
            let mut found = Vec::new();
            shape.apply(&pattern, shape.sample.as_bytes(), &mut found);
            assert!(!found.is_empty() && !shape.source.is_empty(), "{} does not find its sample", shape.id);
            let known = |word: &&&str| shape.sample.to_ascii_lowercase().contains(**word);
            assert!(shape.keywords.iter().find(known).is_some(), "{} has no keyword in its sample", shape.id);
        }
    }
}
