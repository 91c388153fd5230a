//! Names of passwords and keys in many languages, as people write them in chat and notes.
//!
//! Many of these scripts have no blanks and every language builds sentences its own way, so the
//! rule is simple: after the name, on the same line or alone on the next, there is a word of ASCII
//! characters that looks like a password.

use super::finding::Finding;
use super::finding::Window;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::strength::{Strength, is_measure, is_technical, is_word_and_number, strength};
use super::strength::{is_mixture, says_where};
use super::surprise::surprise;
use super::token::{Classes, begins};

/// Stems in lower case; capitals outside ASCII are listed separately.
#[rustfmt::skip]
static FOREIGN_NAMES: Index<120> = Index::folded([
    // Slavic and neighbouring languages.
    "парол", "Парол", "ПАРОЛ", "лозинк", "Лозинк", "hasł", "hesl", "lozink", "zaporka", "geslo", "slaptažod", "parole:", "parool", "токен", "Токен",
    "ключ api", "ключ апи", "api ключ", "api-ключ", "секретный ключ", "ключ доступа", "кодовое слово", "пин-код", "пасс:", "парола", "Парола",
    // Germanic and Nordic languages.
    "passwort", "kennwort", "losungswort", "zugangscode", "wachtwoord", "lösenord", "losenord", "passord", "adgangskode", "kodeord", "lykilorð", "aðgangsorð",
    "salasana", "tunnussana", "schlüssel:", "api-schlüssel", "geheimnis:", "sleutel:", "avain:", "nyckel:",
    "schlüssel ist", "schlüssel lautet", "sleutel is", "nyckeln är", "clé est", "clave es", "chiave è",
    // Romance languages.
    "contraseña", "contrasena", "contrasenya", "palabra clave", "la clave", "clave:", "clave secreta", "clave de", "mot de passe", "mot-de-passe", "mdp",
    "clé api", "clé secrète", "clé d'api", "clef api", "jeton", "code secret", "senha", "palavra-passe", "chave de api", "chave api", "chave secreta", "parola", "parolă", "parolei",
    "chiave api", "chiave segreta", "chiave di", "clau secreta",
    // Other languages in Latin and Greek letters.
    "şifre", "Şifre", "sifre", "jelszó", "jelszav", "jelszo", "kata sandi", "katasandi", "sandi:", "mật khẩu", "mật mã", "mat khau", "khóa api", "pasahitz", "fjalëkalim", "nywila",
    "κωδικ", "Κωδικ", "συνθηματικό",
    // Other scripts.
    "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر", "كلمة مرور", "رمز", "پاسورد", "گذرواژه", "الرقم السري", "गुप्त", "पासवर्ड", "รหัสผ่าน", "비밀번호", "암호", "비번", "패스워드",
    "密码", "密碼", "口令",
]);

#[rustfmt::skip]
static MORE_FOREIGN_NAMES: Index<12> = Index::folded([
    "密钥", "密鑰", "令牌", "秘钥", "パスワード", "暗証番号", "合言葉", "apiキー", "api 키", "api키", "токени", "秘密鍵",
]);

/// How far after the name the password may be, in bytes: half a sentence in a script of three bytes
/// a character.
const MAX_DISTANCE: usize = 96;

/// Finds the credentials after such a name.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    let mut done = 0;
    let mut window = Window::new();
    let mut hit = |at: usize, end: usize, wide: bool| {
        if at < done || !(wide || begins(text, at)) || !window.admits(at) {
            return;
        }
        done = end;
        found.extend(stated(text, at, end));
    };
    FOREIGN_NAMES.each(text, |number, at| hit(at, at + FOREIGN_NAMES.length(number), text[at] >= 0x80));
    done = 0;
    window = Window::new();
    let mut hit = |at: usize, end: usize| {
        if at >= done && window.admits(at) {
            done = end;
            found.extend(stated(text, at, end));
        }
    };
    MORE_FOREIGN_NAMES.each(text, |number, at| hit(at, at + MORE_FOREIGN_NAMES.length(number)));
}

fn stated(text: &[u8], name: usize, end: usize) -> Option<Finding> {
    let limit = text.len().min(end + MAX_DISTANCE);
    let mut at = end;
    // The rest of the word with the name: its endings and attached words.
    while at < limit && (text[at].is_ascii_alphabetic() || text[at] >= 0x80) {
        // In a script without blanks, the password begins where ASCII begins.
        if text[at].is_ascii_alphabetic() && at > end && text[at - 1] >= 0x80 {
            break;
        }
        at += 1;
    }
    if text.get(at).is_some_and(|b| b"_(.[".contains(b)) {
        return None;
    }
    let mut previous: &[u8] = b"";
    // In a script without blanks, even a blank introduces the password.
    let introduced = end - name >= 3 && text[name] >= 0xe3 && text.get(end) == Some(&b' ');
    let (mut marked, mut lines) = (introduced || at > end && text[at - 1] >= 0x80, 0);
    while at < limit {
        match text[at] {
            b':' | b'=' => marked = true,
            b'\n' if marked && lines == 0 => lines += 1,
            b'\n' => return None,
            b if is_word(b) => {
                let start = at;
                while at < text.len() && at - start < 80 && (is_word(text[at]) || is_in_latin(text, at)) {
                    at += 1;
                }
                let closing = text[start..at].iter().rev().take_while(|b| b",.;:)!?".contains(b)).count();
                // A mark that ends the sentence belongs to the password if there is another one in
                // it.
                let whole = &text[start..at];
                let end = if is_password(whole, marked) && !b",.;:)".contains(&whole[whole.len() - 1]) {
                    at
                } else {
                    at - closing
                };
                if end > start && is_password(&text[start..end], marked) {
                    return Some(Finding { rule: "stated", start, end });
                }
                // Without blanks a comma ends the clause.
                let clause = text[start..at].iter().position(|b| *b == b',').filter(|_| introduced);
                if let Some(length) = clause.filter(|length| is_password(&text[start..start + length], true))
                {
                    return Some(Finding { rule: "stated", start, end: start + length });
                }
                let word = &text[start..end.max(start)];
                if word.iter().any(|b| b"{}<>;$\\".contains(b)) || says_where(previous, word) {
                    return None;
                }
                previous = word;
                // "пароль для db.corp: …": the word before the colon is the place, not the
                // password.
                marked |= text[start..at].ends_with(b":");
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn is_word(b: u8) -> bool {
    b.is_ascii_graphic() && !b"\"'`".contains(&b)
}

/// Whether the byte belongs to a Latin letter outside ASCII: `ö`, `ł`.
fn is_in_latin(text: &[u8], at: usize) -> bool {
    const LEADS: std::ops::RangeInclusive<u8> = 0xc3..=0xc5;
    LEADS.contains(&text[at]) || (0x80..0xc0).contains(&text[at]) && at > 0 && LEADS.contains(&text[at - 1])
}

/// Whether a word after such a name is a password; after a colon, weaker signs are enough.
fn is_password(word: &[u8], marked: bool) -> bool {
    let classes = Classes::of(word);
    if !(6..=64).contains(&word.len()) || is_placeholder(word) || word.iter().any(|b| b"{}<>\\".contains(b)) {
        return false;
    }
    let inner_capital =
        word.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let odd_case = classes.letters() == word.len() && inner_capital && surprise(word) >= 4.0;
    strength(word) > Strength::Plain
        || odd_case
        || is_word_and_number(word)
        || marked && !is_technical(word) && !is_measure(word) && (is_mixture(word) || is_joined(word))
}

/// Words and a number joined by punctuation: `kolibri-am-meer-77`.
fn is_joined(word: &[u8]) -> bool {
    let digits = word.iter().any(u8::is_ascii_digit);
    let plain = word.iter().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b));
    digits && plain && word.len() >= 8 && word.iter().filter(|b| b.is_ascii_alphabetic()).count() >= 4
}
