//! What must be found: for each case the text with `§` in place of the credential, and the
//! credential.

use super::generator::{base62, base64, base64url, digits, hex, lower, upper, uuid};
use super::{redact, scan, scan_keyed};

mod stated;

/// A kind, a carrier with `§` in place of the credential, and the credential.
type Case = (&'static str, &'static str, String);

/// How many seeds each case is tried with, to expose a rule that passes by luck.
const SEEDS: u64 = 25;

#[test]
fn every_credential_is_found_whole() {
    let mut missed = Vec::new();
    let mut kinds = std::collections::BTreeSet::new();
    let mut count = 0;
    for seed in 1..=SEEDS {
        let cases: Vec<Case> = vendors(seed)
            .into_iter()
            .chain(carriers(seed))
            .chain(unnamed(seed))
            .chain(stated::cases(seed))
            .collect();
        count = cases.len();
        for (kind, carrier, secret) in cases {
            kinds.insert(kind);
            let text = carrier.replace('§', &secret);
            let clean = redact(&text);
            if clean.contains(&secret) || left_over(&clean, carrier) > 0 {
                missed.push(format!("{kind} (seed {seed}): {text:?} became {clean:?}"));
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
    assert!(count >= 80 && kinds.len() >= 25, "{count} cases of {} kinds", kinds.len());
}

/// Characters that belong neither to the carrier nor to a mark: remains of a credential.
fn left_over(clean: &str, carrier: &str) -> usize {
    let own = carrier.replace('§', "");
    clean.replace("[REDACTED]", "").len().saturating_sub(own.len())
}

#[test]
fn a_name_makes_any_value_suspicious() {
    let value = "correct-horse-7";
    assert_eq!(scan(value), []);
    assert_eq!(scan_keyed("db/password", value).len(), 1);
    assert_eq!(scan_keyed("env.DB_PASSWORD", &format!("'{value}'")).len(), 1);
    assert_eq!(scan_keyed("build", value), []);
    assert_eq!(scan_keyed("client_secret", &uuid(1)).len(), 1);
    assert_eq!(scan_keyed("seed phrase", &["legal"; 12].join(" ")).len(), 1);
}

fn vendors(s: u64) -> Vec<Case> {
    let cat = |parts: &[&str]| parts.concat();
    vec![
        ("aws", "aws configure set x §", cat(&["AK", "IA", &upper(s, 16)])),
        ("aws", "key is § ok", cat(&["AS", "IA", &upper(s, 16)])),
        ("aws", "AWS_SECRET_ACCESS_KEY=§", base64(s, 40)),
        ("aws", "aws_secret_access_key = §", base64(s, 40)),
        ("github", "git clone https://§@github.com/o/r.git", cat(&["gh", "p_", &base62(s, 36)])),
        ("github", "token: §", cat(&["gh", "o_", &base62(s, 36)])),
        ("github", "ghu: §,", cat(&["gh", "u_", &base62(s, 36)])),
        ("github", "(§)", cat(&["gh", "s_", &base62(s, 36)])),
        ("github", "{\"t\":\"§\"}", cat(&["gh", "r_", &base62(s, 36)])),
        ("github", "§", cat(&["github", "_pat_", &base62(s, 22), "_", &base62(s + 1, 59)])),
        ("gitlab", "PRIVATE: §", cat(&["gl", "pat-", &base64url(s, 19), "A"])),
        ("gitlab", "runner § registered", cat(&["gl", "rt-", &base64url(s, 19), "A"])),
        ("slack", "§", cat(&["xo", "xb-", &digits(s, 12), "-", &digits(s, 12), "-", &base62(s, 24)])),
        ("slack", "§", cat(&["xa", "pp-1-A", &upper(s, 10), "-", &digits(s, 13), "-", &hex(s, 64)])),
        (
            "slack",
            "curl https://hooks.slack.com/services/§ -d x",
            cat(&["T", &upper(s, 9), "/B", &upper(s + 1, 9), "/", &base62(s, 24)]),
        ),
        ("stripe", "stripe listen --api-key §", cat(&["sk", "_live_", &base62(s, 24)])),
        ("stripe", "x = '§'", cat(&["rk", "_test_", &base62(s, 24)])),
        ("stripe", "§\n", cat(&["wh", "sec_", &base62(s, 32)])),
        ("google", "https://maps.test/api?key=§&v=3", cat(&["AI", "za", &base64url(s, 34), "A"])),
        ("google", "got § from gcloud", cat(&["ya", "29.", &base64url(s, 119), "A"])),
        ("google", "secret §", cat(&["GOC", "SPX-", &base64url(s, 27), "A"])),
        ("openai", "echo § | pbcopy", cat(&["s", "k-", &base62(s, 48)])),
        ("openai", "OPENAI=§", cat(&["s", "k-proj-", &base64url(s, 73), "A"])),
        ("anthropic", "use § here", cat(&["s", "k-ant-api03-", &base64url(s, 92), "A"])),
        ("npm", "§", cat(&["np", "m_", &base62(s, 36)])),
        ("npm", "//registry.npmjs.org/:_authToken=§", uuid(s)),
        ("pypi", "twine upload -p §", cat(&["py", "pi-AgEIcHlwaS5vcmc", &base64url(s, 120), "A"])),
        ("huggingface", "login § done", cat(&["h", "f_", &base62(s, 34)])),
        ("digitalocean", "doctl §", cat(&["do", "p_v1_", &hex(s, 64)])),
        ("sendgrid", "§ ", cat(&["S", "G.", &base64url(s, 21), "A.", &base64url(s + 1, 42), "A"])),
        ("twilio", "sid §", cat(&["S", "K", &hex(s, 32)])),
        ("mailgun", "api:§", cat(&["ke", "y-", &hex(s, 32)])),
        ("mailgun", "mg §", cat(&[&hex(s, 32), "-", &hex(s + 1, 8), "-", &hex(s + 2, 8)])),
        ("mailchimp", "mc §", cat(&[&hex(s, 32), "-us", "12"])),
        (
            "telegram",
            "https://api.telegram.org/bot§/getMe",
            cat(&["7", &digits(s, 9), ":A", "A", &base64url(s, 32), "A"]),
        ),
        ("telegram", "bot §", cat(&["7", &digits(s, 9), ":A", "A", &base64url(s, 32), "A"])),
        (
            "discord",
            "client.login('§')",
            cat(&["MT", &base62(s, 22), ".G", &base62(s, 5), ".", &base62(s + 1, 38)]),
        ),
        ("discord", "https://discord.com/api/webhooks/112233445566778899/§", base64url(s, 67) + "A"),
        ("heroku", "HEROKU_API_KEY=§", uuid(s)),
        ("heroku", "§", cat(&["HR", "KU-", &uuid(s)])),
        (
            "azure",
            "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=§;EndpointSuffix=core.windows.net",
            base64(s, 86) + "==",
        ),
        (
            "azure",
            "https://a.blob.core.windows.net/c?sv=2022&se=2024-01-01&sig=§&sp=r",
            base64url(s, 43) + "%3D",
        ),
        ("azure", "client §", cat(&[&base62(s, 3), "8", "Q~", &base62(s, 34)])),
        ("jwt", "Authorization: Bearer §", jwt(s)),
        ("jwt", "cookie jar has § in it", jwt(s)),
        ("age", "# public\n§\n", cat(&["AGE-SEC", "RET-KEY-1", &upper(s, 58)])),
        ("docker", "§", cat(&["dc", "kr_pat_", &base64url(s, 26), "A"])),
        ("databricks", "§", cat(&["da", "pi", &hex(s, 32)])),
        ("vault", "VAULT §", cat(&["hv", "s.", &base62(s, 90)])),
        ("shopify", "§", cat(&["sh", "pat_", &hex(s, 32)])),
        ("linear", "§", cat(&["lin", "_api_", &base62(s, 40)])),
        ("airtable", "§", cat(&["p", "at", &base62(s, 14), ".", &hex(s, 64)])),
        ("atlassian", "§", cat(&["ATA", "TT3", &base64url(s, 180), "=", &upper(s, 8)])),
        ("grafana", "§", cat(&["gl", "sa_", &base62(s, 32), "_", &hex(s, 8)])),
    ]
}

fn jwt(s: u64) -> String {
    ["ey", "JhbGciOiJIUzI1NiJ9.", "ey", "Jzd", &base62(s, 40), ".", &base64url(s + 7, 42), "A"].concat()
}

fn carriers(s: u64) -> Vec<Case> {
    let key = |kind: &str| {
        let body: Vec<String> = (0..6).map(|line| base64(s * 10 + line, 64)).collect();
        let (dashes, private) = ("-----", "PRIVATE KEY");
        format!(
            "{dashes}BEGIN {kind}{private}{dashes}\n{}\n{dashes}END {kind}{private}{dashes}",
            body.join("\n")
        )
    };
    let chosen = ["Tr0ub4dor&3x", "hunter2hunter2", "S0mmer-2024!", "correct7horse", "pa$$w0rd-prod"]
        [s as usize % 5]
        .to_owned();
    vec![
        ("pem", "cat id_rsa\n§\n$", key("RSA ")),
        ("pem", "§", key("OPENSSH ")),
        ("pem", "key: \"§\",", key("").replace('\n', "\\n")),
        ("pem", "§", key("EC ").rsplit_once('\n').map(|(head, _)| head.to_owned()).unwrap_or_default()),
        ("url", "postgres://app:§@db.internal:5432/app", chosen.clone()),
        ("url", "redis://:§@cache:6379/0", base62(s, 20)),
        ("url", "DATABASE_URL=\"mysql://root:§@10.0.0.5/x\"", lower(s, 12)),
        ("url", "git remote add o https://oauth2:§@git.test/o/r.git", base62(s, 20)),
        ("url", "https://api.test/v1?token=§&page=2", hex(s, 32)),
        ("url", "GET /login?user=x&api_key=§ HTTP/1.1", lower(s, 24)),
        ("header", "-H 'Authorization: Bearer §'", hex(s, 40)),
        ("header", "Authorization: Basic §", base64(s, 28)),
        ("header", "Authorization: token §\n", hex(s, 40)),
        ("header", "x-api-key: §", base62(s, 32)),
        ("header", "headers: { 'X-Auth-Token': '§' }", hex(s, 32)),
        ("cookie", "Cookie: theme=dark; session=§; lang=en", base62(s, 32)),
        ("cookie", "Set-Cookie: sid=§; Path=/; HttpOnly", hex(s, 40)),
        ("cookie", "PHPSESSID=§", lower(s, 26)),
        ("command", "curl -u admin:§ https://host/x", lower(s, 12)),
        ("command", "curl --user 'me:§' -sS https://host/x", chosen.clone()),
        ("command", "mysql -uroot -p§ app", chosen.replace(['&', '!', '$'], "x")),
        ("command", "mysqldump -h db -p'§' app > x.sql", chosen.clone()),
        ("command", "sshpass -p '§' ssh root@host", chosen.clone()),
        ("command", "redis-cli -h r -a § ping", lower(s, 16)),
        ("command", "docker login -u me -p '§' registry.test", chosen.clone()),
        ("command", "tool --password '§' run", chosen.clone()),
        ("command", "tool --db-password=§ run", lower(s, 16)),
        ("command", "tool --token § run", hex(s, 40)),
        ("command", "kubectl create secret generic x --from-literal=password=§", lower(s, 16)),
        ("command", "openssl rsa -in k.pem -passin pass:§", lower(s, 16)),
        ("command", "PGPASSWORD='§' psql -h db", chosen.clone()),
        ("connection", "Server=db;Database=x;User Id=sa;Password=§;Encrypt=true", lower(s, 14)),
        ("connection", "\"Server=db;Uid=sa;Pwd=§;\"", lower(s, 14)),
        ("env", "DB_PASSWORD=§", chosen.clone()),
        ("env", "export STRIPE_SECRET=§\nexport A=b", base62(s, 24)),
        ("env", "A=1\nAPI_KEY_PROD=\"§\"\n", hex(s, 32)),
        ("env", "API_TOKEN=§", "abcdefgh12345678".to_owned()),
        ("env", "CLIENT_SECRET=§", "mysupersecretvalue".to_owned()),
        ("env", "SECRET_KEY_BASE=§", hex(s, 128)),
        ("env", "docker run -e MYSQL_ROOT_PASSWORD=§ mysql:8", lower(s, 12)),
        ("env", "ENV API_TOKEN §", base62(s, 24)),
        ("json", "{\"user\":\"x\",\"password\":\"§\"}", chosen.clone()),
        ("json", "{\"dbPassword\": \"§\", \"port\": 1}", chosen.clone()),
        ("json", "{\\\"client_secret\\\":\\\"§\\\"}", base62(s, 32)),
        ("json", "{\"name\": \"API_TOKEN\", \"value\": \"§\"}", base62(s, 32)),
        ("json", "\"cmd\": \"A=1\\nDB_PASSWORD=§\\nB=2\"", lower(s, 14)),
        ("yaml", "db:\n  password: §\n  port: 5432", chosen.clone()),
        ("yaml", "- name: DB_PASSWORD\n  value: §\n", lower(s, 14)),
        ("yaml", "password: §", "supersecretpony".to_owned()),
        ("toml", "api_key = \"§\"", lower(s, 24)),
        ("ini", "[client]\npassword = §\n", chosen.clone()),
        ("xml", "<password>§</password>", chosen.clone().replace('&', "x")),
        ("xml", "<add key=\"ApiPassword\" value=\"§\" />", chosen.clone()),
        ("netrc", "machine api.test login me password §", lower(s, 10)),
        ("code", "const apiKey = '§';", base62(s, 24)),
        ("code", "let password: &str = \"§\";", chosen.clone()),
        ("code", "auth_token = String::from(\"§\")", hex(s, 40)),
        ("code", "config[\"secret_key\"] = '§'", base62(s, 32)),
        ("code", "client.setHeader(\"X-Api-Key\", \"§\")", base62(s, 32)),
        ("code", "if (password == \"§\") {", chosen.clone()),
        ("code", "ALTER USER x WITH PASSWORD '§';", chosen.clone()),
        ("prose", "the admin password is § for staging", chosen.clone()),
        ("prose", "Use this token for the staging API: §", base62(s, 24)),
        ("prose", "my api key § stopped working", base62(s, 32)),
        ("prose", "Password: §", chosen),
    ]
}

/// Shapes without a vendor rule and without a name.
fn unnamed(s: u64) -> Vec<Case> {
    vec![
        ("random", "run it with § and see", base62(s, 32)),
        ("random", "deploy.sh § --now", base62(s, 40)),
        ("random", "§", base62(s, 64)),
        ("random", "acme_live_§", base62(s, 32)),
        ("random", "[\"§\"]", lower(s, 40)),
        ("random", "x: §", upper(s, 40)),
        ("random", "blob § end", base64(s, 43) + "="),
        ("random", "printf %s § | base64 -d", base64url(s, 43) + "A"),
        ("random", "/tmp/cache/§/session.json", base62(s, 40)),
        ("random", "https://hook.test/in/§", base62(s, 40)),
        ("hex", "licence § ok", hex(s, 48)),
        ("hex", "0x§", hex(s, 50)),
        ("hex", "call with § ok", ["acme", "_live_", &hex(s, 32)].concat()),
        ("hex", "X=§", ["tool", "-sk-", &hex(s, 40)].concat()),
        ("prose", "FYI password: § thanks", "Tr0ub4dor&3x".to_owned()),
    ]
}
