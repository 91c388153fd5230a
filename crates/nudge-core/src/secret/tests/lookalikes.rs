//! What must be left alone: texts that look like credentials and are none.

use super::generator::{base62, base64, digits, from, hex, lower, upper, uuid};
use super::{redact, scan};

/// How many seeds the generated ones are tried with.
const SEEDS: u64 = 25;

#[test]
fn look_alikes_are_left_alone() {
    let mut touched = Vec::new();
    let mut count = WRITTEN.len();
    let mut check = |text: &str| {
        let clean = redact(text);
        if clean != text {
            let rules: Vec<_> = scan(text).iter().map(|finding| finding.rule).collect();
            touched.push(format!("{rules:?}: {text:?} became {clean:?}"));
        }
    };
    WRITTEN.iter().for_each(|text| check(text));
    for seed in 1..=SEEDS {
        let texts = generated(seed);
        count = WRITTEN.len() + texts.len();
        texts.iter().for_each(|text| check(text));
    }
    assert!(count >= 80, "{count} look-alikes");
    assert!(touched.is_empty(), "{} touched:\n{}", touched.len(), touched.join("\n"));
}

const WRITTEN: &[&str] = &[
    // Commands and hints as people leave them.
    "docker compose build router",
    "cargo test -p nudge-core --lib secret::tests -- --nocapture",
    "kubectl get secret my-app-tls -o jsonpath='{.data.tls}'",
    "docker run -u 1000:1000 -p 8080:80 -e TZ=Europe/Berlin nginx:1.25",
    "mysql -u root -p app_production",
    "psql postgres://postgres:postgres@localhost:5432/test",
    "curl -u $USER:$PASS https://host/x",
    "git clone git@github.com:owner/some-long-repository-name.git",
    "git remote add origin ssh://git@github.com:22/owner/repository.git",
    "https://user@host.example.com:8443/path/to@2x.png",
    "http://localhost:8080/static/image@2x.png",
    "https://user:password@example.com/path",
    "ssh -i ~/.ssh/id_ed25519 -p 2222 deploy@host",
    "sk-learn-pipeline-with-many-words-in-it",
    "task-runner-with-a-rather-long-name",
    "npm_config_registry=https://registry.test npm_lifecycle_event=postinstall",
    // Placeholders.
    "API_KEY=your_api_key_here",
    "password: changeme",
    "password=<your password>",
    "token: ${GITHUB_TOKEN}",
    "token: ${{ secrets.GITHUB_TOKEN }}",
    "export TOKEN=$(gh auth token)",
    "export API_KEY=\"$API_KEY\"",
    "api_key = process.env.OPENAI_API_KEY",
    "api_key = os.environ[\"OPENAI_API_KEY\"]",
    "password = os.getenv(\"DB_PASSWORD\")",
    "\"token\": \"xxxxxxxxxxxxxxxxxxxxxxxx\"",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "-H \"Authorization: Bearer ${TOKEN}\"",
    "password: ********",
    "password=[REDACTED]",
    "secret: my-secret-key",
    "token = \"access_token\"",
    "PASSWORD={{ vault_password }}",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AKIAXXXXXXXXXXXXXXXX",
    "password = var.database_password",
    "%DB_PASSWORD%",
    // Code that speaks of credentials.
    "let token = parser.next_token();",
    "fn password(&self) -> SecretString {",
    "pub password: Option<SecretString>,",
    "interface Login { password: string; token?: string }",
    "password: z.string().min(8).max(128),",
    "const { password, token } = req.body;",
    "token = response.data.accessToken;",
    "if user.password != hashed_password { return Err(AuthError::InvalidCredentials) }",
    "self.token = token2vector",
    "max_tokens: 4096, token_count: 123456789",
    "tokenizer = cl100k_base",
    "auth: { type: 'oauth2', flow: 'authorization_code' }",
    "credentials: 'same-origin'",
    "<input type=\"password\" name=\"password\" autocomplete=\"current-password\">",
    "password must be at least 8 characters long",
    "The password is base64-encoded and then hashed",
    "token is required for authentication",
    "Error: invalid token at line 12: unexpected identifier",
    "next_page_token: CAUQAA",
    "secretName: letsencrypt-production-tls",
    "PASSWORD_FILE=/run/secrets/db_password",
    "ssh_private_key_path = \"/home/me/.ssh/id_ed25519\"",
    "key: value-with-dashes-and-numbers-123",
    "cache_key: linux-cargo-v2-9f86d081",
    "primary key (id), foreign key (user_id)",
    "PWD=/home/me/code/nudge",
    "grep -rn 'BEGIN RSA PRIVATE KEY' src/",
    "look for -----BEGIN RSA PRIVATE KEY----- in the logs",
    "Bearer authentication is described in the specification",
    "basic auth: see chapter twelve",
    "author: Jane Doe <jane@example.com>",
    "passed: 128, failed: 0, ignored: 12",
    "token bucket: 100req/s burst 250",
    "pub fn_token: Token![fn],",
    "crate::Pat::Slice(v0) => crate::Pat::Tuple(v1),",
    "fn set_password(this: &HtmlAnchorElement, value: &str);",
    "pub Password: super::super::Win32::Foundation::UNICODE_STRING,",
    "const STATUS_WRONG_PASSWORD: NTSTATUS = 0xC000006A_u32;",
    "tip: to pass '--unknown' as a value, use '-- --unknown'",
    "pass -march=x86-64 to the compiler; a two-pass memchr2+SWAR search",
    "force_pass: true/false",
    "{\"_meta\": {\"progressToken\": \"c985e808-102a-4056-830c-abc8de170ef9\"}}",
    "{\"text\": \"after a password change in the admin.\", \"gold\": [\"9e7f86b890a7\"]}",
    "'PKPaymentToken', 'PKPushCredentials', 'PKPushPayload'",
    "connect(host,\n    key_password=certs[0][2],\n    proxy_password=options[\"password\"])",
    "CHALLENGE_PASSWORD = ObjectIdentifier(\"1.2.840.113549.1.9.7\")",
    "AttributeOID.CHALLENGE_PASSWORD: \"challengePassword\",",
    "http://username:password@host.com:80/path?query#fragment",
    "socks5h://<username>:<password>@proxy-host",
    "PBESv2SHA256AndAES256CBC",
    "&signature::ECDSA_P384_SHA384_ASN1_SIGNING,",
    "/path/data?key=value&key2=value2#fragid1",
    "let pat = r\"^[A-Z]{2}[0-9]{4}-x86$\";",
    "<path d=\"M1767 207v123h210v40h-256V13h248v40h-202v114h194v40zm393 134q27\"/>",
    "classv8_1_1_isolate.html#a6079122af17612ef54ef3348ce170866",
    "0.0000000000000000000000000000000000000000000000000123e50",
    // Long names, versions, triples, paths.
    "getElementsByClassNameAndAttributeValueWithFallback",
    "AbstractSingletonProxyFactoryBeanConfigurationProvider",
    "test_recall_prefers_project_over_global_when_both_match_v2",
    "x86_64-unknown-linux-gnu-1.95.0-nightly-2026-10-01",
    "manylinux_2_17_x86_64.manylinux2014_x86_64.whl",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "v0.0.0-20231010123456-abcdef123456",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
    "node_modules/.pnpm/@babel+core@7.23.2_supports-color@8.1.1/node_modules",
    "C:\\Users\\dev\\AppData\\Local\\Programs\\Python\\Python311\\python.exe",
    "com.example.project.module.service.impl.UserAccountServiceImplementation",
    "the-quick-brown-fox-jumps-over-the-lazy-dog-1234",
    "!function(e,t){\"object\"==typeof exports&&\"undefined\"!=typeof module?t(exports):e.x={}}(this,function(e){var n=1;",
    "const a=\"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/\";",
    "\"mappings\":\"AAAA,SAASA,EAAEC,GAAG,OAAOA,EAAE,CAAC;AACA,SAASC,EAAEF,GAAG\"",
    "_ZN4core3fmt9Formatter9write_str17h05af221e174051e9E",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0",
    "2026-10-01T12:34:56.789Z INFO nudge_server::http request_id=42 status=200",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "ссылка на пароль: пароль не указан",
];

fn generated(s: u64) -> Vec<String> {
    let image = format!("iVBORw0KGgoAAAANSUhEUgAA{}", base64(s, 200));
    vec![
        uuid(s),
        format!("session_id: {}", uuid(s)),
        format!("\"sessionId\":\"{}\",\"uuid\":\"{}\"", uuid(s), uuid(s + 1)),
        format!("0x{}", uuid(s).replace('-', "_")),
        hex(s, 32),
        format!("commit {}", hex(s, 40)),
        format!("git show {}..{}", hex(s, 12), hex(s + 1, 12)),
        format!("checksum = \"{}\"", hex(s, 64)),
        format!("nginx@sha256:{}", hex(s, 64)),
        format!("0x{}", hex(s, 40)),
        format!("sha512: {}", hex(s, 128)),
        format!("etag: \"{}\"", hex(s, 32)),
        format!("traceparent: 00-{}-{}-01", hex(s, 32), hex(s, 16)),
        format!("\"integrity\": \"sha512-{}==\"", base64(s, 86)),
        format!("integrity sha1-{}=", base64(s, 27)),
        format!("golang.org/x/net v0.17.0 h1:{}=", base64(s, 43)),
        format!("SHA256:{}", base64(s, 43)),
        format!("hash = \"sha256-{}=\";", base64(s, 43)),
        format!("/nix/store/{}-openssl-3.0.12", lower(s, 32)),
        format!("<img src=\"data:image/png;base64,{image}\">"),
        image.clone(),
        format!("![x](data:image/gif;base64,R0lGOD{})", base64(s, 60)),
        format!("@font-face{{src:url(data:font/woff2;base64,d09GMg{})}}", base64(s, 180)),
        format!(
            "-----BEGIN CERTIFICATE-----\n{}\n{}\n{}\n-----END CERTIFICATE-----",
            base64(s, 64),
            base64(s + 1, 64),
            base64(s + 2, 44)
        ),
        format!("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} me@host", base64(s, 43)),
        format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{}", base64(s, 200)),
        format!("01{}", upper(s, 24)),
        format!("user snowflake {}", digits(s, 19)),
        format!("c{}", lower(s, 24)),
        format!("nano {}", base62(s, 21)),
        format!("3{}", base62(s, 26)),
        format!("\"tool_use_id\":\"toolu_01{}\"", base62(s, 22)),
        format!("\"id\":\"msg_01{}\"", base62(s, 22)),
        format!("\"request_id\": \"req_011{}\"", base62(s, 21)),
        format!("\"call_id\":\"call_{}\"", base62(s, 24)),
        format!("chatcmpl-{}", base62(s, 29)),
        format!("pi_3{}", base62(s, 23)),
        format!("https://docs.google.com/document/d/1{}/edit", base62(s, 43)),
        format!("https://www.youtube.com/watch?v={}", base62(s, 11)),
        format!("assets/index-{}.js", base62(s, 8)),
        format!("chunk.{}.js", hex(s, 20)),
        format!("pod/router-{}-{}", hex(s, 9), lower(s, 5)),
        format!("Qm{}", base62(s, 44)),
        format!("{}.onion", from("abcdefghijklmnopqrstuvwxyz234567", s, 56)),
        format!("boundary=----WebKitFormBoundary{}", base62(s, 16)),
        format!("testdata/parse_crash-{}", hex(s, 40)),
        format!("{}-worker", uuid(s)),
        format!("https://lists.test/thread/{}/", upper(s, 32)),
        format!("order number {}", digits(s, 40)),
    ]
}
