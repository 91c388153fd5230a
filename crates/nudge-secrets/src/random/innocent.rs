//! Text that looks random and is not a credential: digests, identifiers of things, encoded files.

use super::super::placeholder::is_sealed;
use super::super::token::{distinct, find};

/// Prefixes of identifiers that programs print all the time and that open nothing.
///
/// First those of the agents and models that Nudge records, then of services with objects that
/// appear in logs.
#[rustfmt::skip]
const IDENTIFIERS: &[&str] = &[
    "toolu_", "srvtoolu_", "mcptoolu_", "msg_", "msgbatch_", "req_", "call_", "resp_", "chatcmpl-", "cmpl-",
    "asst_", "thread_", "run_", "step_", "file-", "file_", "item_", "rs_", "fc_", "ws_", "org-", "proj_",
    "ses_", "sess_", "prt_", "conv_", "batch_", "ft-", "ftjob-", "vs_", "modelcmpl-", "gen-", "evt_",
    "cus_", "pi_", "pm_", "ch_", "sub_", "in_", "ii_", "si_", "price_", "prod_", "plan_", "acct_", "seti_",
    "txn_", "re_", "po_", "tr_", "cs_test_", "cs_live_", "pk_test_", "pk_live_", "user_", "dpl_", "prj_",
    "team_", "phc_", "_ZN", "_RNv", "_RIN", "bafy", "bafk", "bc1", "npub1", "AAAAB3NzaC1", "AAAAC3NzaC1",
    "AAAAE2VjZHNh", "AAAAG", "age1", "addr1", "stake1", "cosmos1", "osmo1", "ltc1", "tb1", "lnbc1", "xpub", "ypub", "zpub", "tpub",
];

/// Words directly before a digest, or at its beginning.
#[rustfmt::skip]
const DIGESTS: &[&str] = &[
    "sha1-", "sha224-", "sha256-", "sha384-", "sha512-", "md5-", "blake3-", "sha1:", "sha224:", "sha256:",
    "sha384:", "sha512:", "md5:", "blake3:", "h1:", "sha1=", "sha256=", "sha512=", "go.sum ", "integrity=",
    "etag:", "etag: ", "etag: \"", "etag: w/\"", "checksum=", "digest=", "digest: ", "hash=", "hash: ",
    "nonce-", "fingerprint: ", "narhash\": \"", "hash\": \"", "integrity\": \"", "checksum\": \"",
    "checksum: ", "integrity: ", "digest\": \"", "hash = \"", "sha256 = \"", "checksum = \"", "cid: ",
    "boundary=", "s/n: ",
];

/// Acronyms that make the name of an algorithm or a protocol look random.
const ACRONYMS: [&[u8]; 10] =
    [b"SHA1", b"SHA256", b"SHA384", b"SHA512", b"AES128", b"AES256", b"IPv4", b"IPv6", b"UUID", b"Utf8"];

/// The first characters of files in base 64: images, fonts, archives, documents, certificates,
/// public keys.
#[rustfmt::skip]
const ENCODED_FILES: &[&str] = &[
    "iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "AAABAA", "PHN2Zy", "PD94bWw", "JVBERi0", "H4sI", "UEsDB",
    "d09G", "AAEAAAA", "AGFzbQ", "T2dnUw", "SUQz", "AAAAIGZ0", "AAAAHGZ0", "AAAAGGZ0", "MIIB", "MIIC",
    "MIID", "KLUv",
    // Public keys without a certificate: RSA, elliptic curves.
    "MIGfMA0G", "MIGJAoGB", "MFkwEwYH", "MHYwEAYH", "MCowBQYD",
];

/// Whether the text around the token shows that it is a digest, a file or an identifier.
pub(super) fn is_harmless_by_context(text: &[u8], start: usize, end: usize) -> bool {
    let before = &text[start.saturating_sub(24)..start];
    let announced = DIGESTS.iter().any(|digest| ends_with_ignoring_case(before, digest.as_bytes()));
    announced
        || is_published(text, start)
        || is_signed_mail(text, start)
        || is_public_key_of(text, start)
        || is_named_innocent(text, start)
        || is_public_part_of_key(text, start, end)
        || before.ends_with(b";base64,")
        || [&b"/ipfs/"[..], b"/ipns/", b"DerivedData/"].iter().any(|place| find(before, place, 0).is_some())
        || find(&text[start.saturating_sub(40)..start], b"/nix/store/", 0).is_some()
        || in_document_address(text, start)
        || text[end..].starts_with(b".onion")
        || text[end..].starts_with(b".apps.googleusercontent.com")
        // A call: a function can have any name, however strange.
        || text.get(end) == Some(&b'(') && before.last().is_some_and(|b| b" \t.:".contains(b))
        || in_public_block(text, start)
        || in_encoded_lines(text, start, end)
}

/// Whether the token is the value of a name that announces a digest or an identifier:
/// `X-Amz-Id-2: …`, `sha-256=…`, `"requestId": "…"`, `--type sha256 …`.
fn is_named_innocent(text: &[u8], start: usize) -> bool {
    #[rustfmt::skip]
    const NAMES: [&[u8]; 40] = [
        b"challenge", b"signature",
        b"gclid", b"fbclid", b"msclkid", b"verification", b"sitekey", b"bh",
        b"kid", b"peer", b"pubkey", b"public", b"recipient",
        b"sha", b"md", b"blake", b"digest", b"digestvalue", b"hash", b"checksum", b"integrity", b"etag", b"cid", b"fingerprint", b"id", b"uuid",
        b"guid", b"commit", b"revision", b"rev", b"accept", b"boundary", b"trace", b"nonce", b"signaturevalue", b"publickey",
        b"ciphervalue", b"x509certificate", b"certificate", b"serial",
    ];
    /// Longer than a name and the separator before its value, in bytes.
    const MAX_BYTES: usize = 64;
    let before = &text[start.saturating_sub(MAX_BYTES)..start];
    let marks = before.iter().rev().take(6).take_while(|b| b"\"'\\ :=><".contains(b)).count();
    let name = &before[..before.len() - marks];
    let length = name.iter().rev().take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b)).count();
    let name = &name[name.len() - length..];
    if marks == 0 || name.is_empty() {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let word = lower
        .rsplit(|b| b"_-".contains(b))
        .find(|word| word.iter().any(u8::is_ascii_alphabetic))
        .unwrap_or(&lower);
    let word = &word[..word.iter().rposition(u8::is_ascii_alphabetic).map_or(0, |at| at + 1)];
    let camel = name.len() > 2
        && (name.ends_with(b"Id")
            || name.ends_with(b"ID")
            || name.ends_with(b"Hash")
            || name.ends_with(b"Digest"));
    let session = find(&lower, b"sess", 0).is_some() || find(&lower, b"auth", 0).is_some();
    let public = find(&lower, b"public", 0).is_some() || find(&lower, b"pubkey", 0).is_some();
    (camel || public || NAMES.contains(&word)) && !session
}

/// Whether it is a public number of a JSON web key; the other numbers of a private one are not.
fn is_public_part_of_key(text: &[u8], start: usize, end: usize) -> bool {
    /// Longer than the other public members, in bytes.
    const MAX_BYTES: usize = 640;
    let before = &text[..start];
    let before = before.strip_suffix(b"\"").unwrap_or(before);
    let before = before.strip_suffix(b"\\").unwrap_or(before).trim_ascii_end();
    let Some(before) = before.strip_suffix(b":") else { return false };
    let name = before.trim_ascii_end();
    let name = name.strip_suffix(b"\"").unwrap_or(name);
    let name = name.strip_suffix(b"\\").unwrap_or(name);
    let [.., mark, b'n' | b'x' | b'y'] = name else { return false };
    !mark.is_ascii_alphanumeric()
        && find(&text[start.saturating_sub(MAX_BYTES)..text.len().min(end + MAX_BYTES)], b"kty", 0).is_some()
}

/// Whether it is in a DNS record, a list of known hosts, an encrypted value or a site ownership
/// mark.
fn is_published(text: &[u8], start: usize) -> bool {
    const PLACES: [(&[u8], usize); 8] = [
        (b"v=DKIM1", 640),
        (b"k=ed25519", 40),
        (b"_domainkey", 120),
        (b"DNSKEY ", 40),
        (b"|1|", 40),
        (b"ENC[AES", 240),
        (b"site-verification", 48),
        (b"BEGIN SSH SIGNATURE", 400),
    ];
    PLACES.iter().any(|(place, reach)| {
        let before = &text[start.saturating_sub(*reach)..start];
        let line =
            if *reach > 300 { before } else { before.rsplit(|b| *b == b'\n').next().unwrap_or_default() };
        find(line, place, 0).is_some()
    })
}

/// Whether "public key" is directly before it.
fn is_public_key_of(text: &[u8], start: usize) -> bool {
    let before = text[start.saturating_sub(24)..start].to_ascii_lowercase();
    find(&before, b"public key", 0).is_some() || find(&before, b"pubkey", 0).is_some()
}

/// Whether the token is in the signature of a mail.
fn is_signed_mail(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(800)..start];
    matches!(before, [.., b' ' | b';' | b'\t', b'b', b'='] | [.., b'b', b'h', b'='])
        && find(before, b"-Signature:", 0).is_some()
}

/// Whether the token's own form shows it.
pub(super) fn is_harmless_by_form(token: &[u8]) -> bool {
    is_harmless_by_prefix(token)
        || is_sealed(token)
        || is_groups_of_hex(token)
        || is_ksuid(token)
        || is_coin_address(token)
        || is_drawing(token)
        || is_board(token)
        || is_alphabet(token)
        || is_address_of_chain(token)
        || ACRONYMS.iter().any(|acronym| find(token, acronym, 0).is_some())
        || token.len() == 46 && token.starts_with(b"Qm")
        || is_encoded_text(token)
}

/// Whether the token's first characters show it.
pub(super) fn is_harmless_by_prefix(token: &[u8]) -> bool {
    // A diff sign before the line, or the end of a path.
    let token = &token[token.iter().take_while(|b| b"+-/".contains(b)).count()..];
    let symbol = token.strip_prefix(b"_R").or_else(|| token.strip_prefix(b"R"));
    let mangled = symbol.is_some_and(|rest| {
        rest.len() > 8
            && b"NIMXY".contains(&rest[0])
            && rest[1].is_ascii_alphabetic()
            && find(rest, b"_", 0).is_some()
            && find(rest, b"Cs", 0).is_some()
    });
    // Public keys of minisign and signify.
    let minisign = (54..=58).contains(&token.len()) && token.starts_with(b"RW");
    // The public key of a captcha service in a page.
    let minisign = minisign || token.len() == 40 && token.starts_with(b"6L");
    // A name before the id of a message or a call: `agent_msg_01…`, `pre-prompt-toolu_01…`.
    let named = [&b"toolu_01"[..], b"msg_01", b"req_01"].iter().any(|id| find(token, id, 0).is_some());
    // Two letters and the number of an account or a message; `SK` is a key.
    let numbered = token.len() == 34
        && token[..2].iter().all(u8::is_ascii_uppercase)
        && !token.starts_with(b"SK")
        && token[2..].iter().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(b));
    if mangled || minisign || named || numbered {
        return true;
    }
    DIGESTS.iter().any(|digest| starts_with_ignoring_case(token, digest.as_bytes()))
        || IDENTIFIERS.iter().chain(ENCODED_FILES).any(|prefix| token.starts_with(prefix.as_bytes()))
}

/// Addresses of shared documents: their identifiers are long and random, and open nothing by
/// themselves.
fn in_document_address(text: &[u8], start: usize) -> bool {
    let before = &text[start.saturating_sub(64)..start];
    let word = before.iter().rposition(|b| b.is_ascii_whitespace()).map_or(before, |at| &before[at..]);
    [&b"://docs."[..], b"://drive.", b"figma.com/", b"youtube.com/", b"notion.so/"]
        .iter()
        .any(|host| find(word, host, 0).is_some())
}

/// UUIDs and other identifiers in groups of hexadecimal digits, and digests, however joined.
fn is_groups_of_hex(token: &[u8]) -> bool {
    token
        .split(|b| b"-_/+".contains(b))
        .map(|group| group.strip_prefix(b"0x").unwrap_or(group))
        .all(|group| group.iter().all(u8::is_ascii_hexdigit))
}

/// Sortable identifiers of 27 characters: a timestamp in base 62, which began at `0` in 2014 and
/// reaches `4` after 2060.
fn is_ksuid(token: &[u8]) -> bool {
    token.len() == 27 && matches!(token[0], b'0'..=b'3') && token.iter().all(u8::is_ascii_alphanumeric)
}

/// A coin address: `1` or `3`, and letters that cannot be confused with each other.
fn is_coin_address(token: &[u8]) -> bool {
    (26..=35).contains(&token.len())
        && matches!(token[0], b'1' | b'3')
        && token.iter().all(|b| b.is_ascii_alphanumeric() && !b"0OIl".contains(b))
}

/// A path of a vector drawing: numbers and command letters.
fn is_drawing(token: &[u8]) -> bool {
    let numbers = token.iter().filter(|b| b.is_ascii_digit() || **b == b'-').count();
    numbers * 2 > token.len()
        && token.iter().all(|b| b.is_ascii_digit() || b"-MLHVCSQTAZmlhvcsqtaz".contains(b))
}

/// The characters of an encoding in any order: none occurs twice. Thirty-six random characters out
/// of sixty-four achieve that once in twenty thousand times.
fn is_alphabet(token: &[u8]) -> bool {
    token.len() >= 36 && distinct(token) as usize == token.len()
}

/// A position on a chess board: pieces, numbers of empty squares, slashes.
fn is_board(token: &[u8]) -> bool {
    token.iter().filter(|b| **b == b'/').count() >= 7
        && token.iter().all(|b| b"rnbqkpRNBQKP12345678/".contains(b))
}

/// A hash or address of a chain: `0x` and as many digits as a digest has.
fn is_address_of_chain(token: &[u8]) -> bool {
    token.strip_prefix(b"0x").is_some_and(|digits| {
        [40, 64, 130].contains(&digits.len()) && digits.iter().all(u8::is_ascii_hexdigit)
    })
}

/// Inside a public armoured block: a public key, a certificate, a signature.
fn in_public_block(text: &[u8], start: usize) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN ";
    /// Longer blocks are recognised by the lines around each, in bytes.
    const MAX_BYTES: usize = 400;
    let before = &text[start.saturating_sub(MAX_BYTES)..start];
    let Some(at) = before.windows(BEGIN.len()).rposition(|window| window == BEGIN) else { return false };
    let block = &before[at + BEGIN.len()..];
    find(block, b"PRIVATE", 0).is_none() && find(block, b"-----END", 0).is_none()
}

/// A line among lines of the same kind: the inside of a certificate, an image, a source map.
fn in_encoded_lines(text: &[u8], start: usize, end: usize) -> bool {
    /// MIME wraps at 76 characters, PEM at 64.
    const MIN_LINE: usize = 60;
    let is_encoded = |line: &[u8]| {
        let line = line.trim_ascii();
        line.len() >= MIN_LINE && line.iter().all(|b| b.is_ascii_alphanumeric() || b"+/=_-".contains(b))
    };
    /// Deeper than people indent, in bytes; it bounds the work.
    const MAX_DEPTH: usize = 40;
    let indent = text[..start].iter().rev().take(MAX_DEPTH).take_while(|b| b" \t".contains(b)).count();
    let previous = text[..start - indent]
        .strip_suffix(b"\n")
        .map(|rest| rest.rsplit(|&b| b == b'\n').next().unwrap_or(rest));
    let next = text[end..].strip_prefix(b"\n").map(|rest| rest.split(|&b| b == b'\n').next().unwrap_or(rest));
    previous.is_some_and(is_encoded) || next.is_some_and(is_encoded) && end - start >= MIN_LINE
}

/// Base 64 of readable text without a secret: `{"alg":…`, a configuration, a name.
fn is_encoded_text(token: &[u8]) -> bool {
    let Some(decoded) = decode(token) else { return false };
    let readable = decoded.iter().filter(|b| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t')).count();
    readable * 20 >= decoded.len() * 19
        && std::str::from_utf8(&decoded).is_ok_and(|text| super::super::scan(text).is_empty())
}

/// Decodes plain base 64 of either alphabet; `None` for anything else.
pub(in super::super) fn decode(token: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(token.len() * 3 / 4);
    let (mut bits, mut count) = (0u32, 0);
    for b in token {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    Some(decoded)
}

fn ends_with_ignoring_case(text: &[u8], ending: &[u8]) -> bool {
    text.len() >= ending.len() && text[text.len() - ending.len()..].eq_ignore_ascii_case(ending)
}

fn starts_with_ignoring_case(text: &[u8], beginning: &[u8]) -> bool {
    text.len() >= beginning.len() && text[..beginning.len()].eq_ignore_ascii_case(beginning)
}
