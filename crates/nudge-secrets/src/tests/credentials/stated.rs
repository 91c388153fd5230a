//! Credentials that people and programs state without assigning them.

use super::super::generator::{base62, base64, digits, from, hex, lower, upper, uuid};
use super::Case;

/// A carrier and a credential for each way of stating one.
pub(super) fn cases(s: u64) -> Vec<Case> {
    let all = sentences(s).into_iter().chain(lists(s)).chain(files(s)).chain(commands(s));
    all.chain(members(s)).collect()
}

/// Passwords in the members of other formats, and beside what says that one follows.
fn members(s: u64) -> Vec<Case> {
    let json = "\"type\": \"random_password\", \"name\": \"db\", \"attributes\": {\"length\": 20, \"result\": \"§\"}";
    vec![
        ("pair", "log even in op de beheeromgeving met beheerder / § en kijk", "Fietsbel#2024".to_owned()),
        ("pair", "zaloguj się na panel: kierownik / § i sprawdź", "Jarzebina$Las55".to_owned()),
        ("pair", "admin:§@10.20.9.4 (label printer)", mixed(s)),
        ("said", "der Schlüssel lautet §", mixed(s)),
        ("said", "salasana: §", "Puukko_Pöytä7".to_owned()),
        ("state", json, base62(s, 18) + "-7"),
        ("snmp", "createUser ops SHA \"§\" AES \"$PRIV\"", strong(s)),
        ("snmp", "snmp-server user ops nms v3 auth sha $A priv aes 128 §", mixed(s)),
        ("typed", "{\"selector\":\"input[name=password]\",\"text\":\"§\",\"submit\":true}", mixed(s)),
        ("typed", "{\"action\":\"fill\",\"target\":\"#password\",\"text\":\"§\"}", mixed(s)),
        ("element", "<wsse:Password Type=\"wss#PasswordText\">§</wsse:Password>", mixed(s)),
        ("nix", "config.file = \"${pkgs.writeText \"adminpass\" \"§\"}\";", "Ardennen$Wandel21".to_owned()),
        ("dsn", "url=jdbc:sqlserver://db;user=app;password=§;encrypt=false", "Kwartaal&Cijfers4".to_owned()),
        ("ldap", "conn.simple_bind_s(\"cn=svc,dc=corp\", \"§\")", mixed(s)),
        ("service", "pagerduty_configs:\n- routing_key: §", hex(s, 32)),
        ("service", "SMS_KEY = \"§\"", hex(s, 32)),
        ("service", "CRYPT_KEY=§", hex(s, 64)),
        ("nomad", "Secret ID    = §\nName = Bootstrap", uuid(s)),
        (
            "flag",
            "apksigner sign --ks up.jks --ks-pass pass:§ --out a.apk",
            "lindwurm_1984_gmunden".to_owned(),
        ),
        ("flag", "tool --key-pass \"pass:§\" run", strong(s)),
        ("flag", "xcrun altool --upload-app -u m@corvid.example -p \"§\"", "qwhz-vmkt-xbrd-jfpl".to_owned()),
        (
            "row",
            "VALUES\n ('site', 'x'),\n ('netsms_pass', '§'),\n ('b', 'c');",
            "Nockerl-Topfen_06".to_owned(),
        ),
        ("row", "VALUES\n ('site', 'x'),\n ('pay_merchant_salt', '§');", base62(s, 14) + "a7"),
        (
            "php",
            "s:8:\"api_user\";s:1:\"m\";s:12:\"api_password\";s:16:\"§\";",
            base62(s, 14).to_uppercase() + "A7",
        ),
        ("call", "con <- dbConnect(MariaDB(), user = \"a\", password = \"§\")", "Kit-Land.Marine".to_owned()),
        ("code", "define('NONCE_KEY', '§');", lower(s, 12) + "V#1s9?O;K=:@h3[z%($6!~)^{}&*+<b>"),
        ("service", "byt ut POSKey: § i configen", hex(s, 31) + "a"),
        (
            "said",
            "\u{631}\u{645}\u{632} \u{62f}\u{6cc}\u{62a}\u{627} § \u{647}\u{633}\u{62a}",
            "Golabi_Qom98".to_owned(),
        ),
        ("app", "use gmail with app password § (port 465)", [0, 9, 18, 27].map(|n| app(s + n)).join(" ")),
        ("app", "with pass § then send", [0, 9, 18, 27].map(|n| app(s + n)).join(" ")),
        (
            "call",
            "DBI->connect(\"dbi:Pg:dbname=p\", \"p_rw\", \"§\", { RaiseError => 1 })",
            "Glocke:Graz9".to_owned(),
        ),
        (
            "call",
            "#1 C.php(7): PDO->__construct('mysql:host=10...', 'forge', '§', Array)",
            base62(s, 18) + "a7",
        ),
        (
            "call",
            "app.use(session({ secret: '§', resave: false }));",
            "otters drum on the tin roof".to_owned(),
        ),
        ("block", "'crypt' => [\n  'key' => '§'\n],", hex(s, 31) + "a"),
        ("keys", "APP_KEYS=§\nPORT=1", [22, 22, 22].map(|n| base64(s + n, 20) + "a7==").join(",")),
        ("said", "SSID 是 Gast,密碼 §,一張。", "talheim3471ofen".to_owned()),
        ("flag", "rclone config create r2 s3 access_key_id=§ endpoint=x", hex(s, 31) + "a"),
        ("jwk", "{\"kty\":\"OKP\",\"d\":\"§\",\"x\":\"short\"}", base62(s, 41) + "a7"),
        ("printed", "$ aws ecr get-login-password\n§\n", "eyJwYXls".to_owned() + &base64(s, 1800) + "7="),
    ]
}

/// Four letters that no word has.
fn app(s: u64) -> String {
    ["qwhz", "vmkt", "xbrd", "jfpl", "zgkw"][s as usize % 5].to_owned()
}

/// With punctuation among letters and digits.
fn strong(s: u64) -> String {
    ["Blaumeise#77", "Ta1sperre!", "Nordwind_88!", "Specht5%Baum", "Kupfer&Kanne9"][s as usize % 5].to_owned()
}

/// Letters and digits only.
fn mixed(s: u64) -> String {
    ["Blaumeise7", "Zaunkoenig2031", "kr4utundrueben", "Wende0hals", "Nachtigall55"][s as usize % 5]
        .to_owned()
}

fn sentences(s: u64) -> Vec<Case> {
    vec![
        ("prose", "log in to mon-2 as admin / § and export it", strong(s)),
        ("prose", "log in with demo@corvid.example / §. That is live", mixed(s)),
        ("prose", "creds: dana:§", strong(s)),
        ("prose", "Das Passwort für die Testdatenbank ist § bitte", mixed(s)),
        ("prose", "le mot de passe est §", strong(s)),
        ("prose", "пароль: §", mixed(s)),
        ("prose", "I'll use the password the user gave, §, and try again", mixed(s)),
        ("prose", "try § as the password", strong(s)),
        ("prose", "the file sets the root password to §, which is weak", "alpendohle".to_owned()),
        ("prose", "use § when it asks", "Kupfer&Kanne9".to_owned()),
        ("prose", "DD_API_KEY is set to § in the deployment", hex(s, 32)),
        ("prompt", "[sudo] password for marta: §", "blaumeise".to_owned()),
        ("prompt", "Enter password: §\nLogin OK", mixed(s)),
        ("prompt", "Password for the elastic user (reset with `x`):\n  §\n", base62(s, 18) + "+7"),
        ("printed", "$ pwgen -s 16 1\n§\n", base62(s, 14) + "a7"),
        ("printed", "$ openssl rand -hex 16\n§\n", hex(s, 32)),
        ("pin", "The HSM asks for a PIN, it's §. Please finish", "7".to_owned() + &digits(s, 7)),
        ("pin", "your verification code is § until noon", "713 482".to_owned()),
    ]
}

fn lists(s: u64) -> Vec<Case> {
    let words = ["copper lantern drifting north", "velvet tractor onion cactus", "quiet marble harbour fox"];
    let seed = "legal winner bottle year wave sausage worth useful motor copper thank yellow";
    let base32 = from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", s, 31) + "7";
    let group = |n: u64| upper(s + n, 3) + "7" + &upper(s + n + 9, 1);
    vec![
        ("codes", "Save these backup codes:\n\n  1. §\n", "85621093".to_owned()),
        ("codes", "{\"recovery_codes\": [\"§\"]}", lower(s, 4) + "-" + &lower(s + 1, 3) + "7"),
        ("licence", "use § to activate", [1, 20, 40, 60, 80].map(group).join("-")),
        ("seed", "2FA: the TOTP secret is §; strip it", base32),
        ("seed", "seed phrase: §", seed.to_owned()),
        ("seed", "my wallet words are §, keep them", seed.to_owned()),
        ("passphrase", "LUKS passphrase: §", words[s as usize % 3].to_owned()),
        ("passphrase", "network={ psk=\"§\" }", "Habicht im Garten 12".to_owned()),
    ]
}

fn files(s: u64) -> Vec<Case> {
    let hash = base62(s + 1, 41) + "a7";
    let noise = lower(s, 12) + "!]@0>~_=V;{53q|T:(d3&";
    vec![
        ("hash", "deploy:§:19880:0:99999:7:::", format!("$6${}${hash}{hash}", base62(s, 16))),
        ("hash", "hash: §", format!("$argon2id$v=19$m=65536,t=3,p=4${}${hash}", base62(s, 22))),
        ("record", "db.corvid.example:5432:crm:owner:§", mixed(s)),
        ("header", "authorization: basic §", "Y2k6VDBlbHBlbF81TFd5bmRENA==".to_owned()),
        ("header", "Authorization: Digest username=\"m\", nonce=\"ab\", response=\"§\"", hex(s, 32)),
        ("header", "Authorization: AWS4-HMAC-SHA256 SignedHeaders=host, Signature=§", hex(s, 64)),
        ("url", "https:__ci:§@pypi.corvid.example/simple", mixed(s)),
        ("url", "https://x.example/reset-password/§", base62(s, 22) + "a7"),
        ("url", "https://cal.example/private-§/basic.ics", hex(s, 32)),
        ("url", "https://§@git.example/o/r.git", base62(s, 22) + "a7"),
        ("path", "/srv/backup/dump_pw_§.sql", mixed(s)),
        ("path", "/home/marta/router login password §.txt", strong(s)),
        ("code", "user, password = 'bot', '§'", mixed(s)),
        ("code", "requests.get(url, auth=('marta', '§'))", strong(s)),
        ("code", "define( 'AUTH_KEY',         '§' );", noise),
        ("form", "SAMLResponse=§&RelayState=x", "PHNhbWxwOlJlc3BvbnNl".to_owned() + &base64(s, 80) + "Aa7"),
    ]
}

fn commands(s: u64) -> Vec<Case> {
    vec![
        ("command", "snmpwalk -v2c -c § 10.0.0.254", mixed(s)),
        ("command", "htpasswd -bB /etc/nginx/.htpasswd marta '§'", strong(s)),
        ("command", "echo '§' | sudo -S apt update", strong(s)),
        ("command", "tool -u marta -p '§' run", strong(s)),
        ("command", "keytool -list -storepass §", lower(s, 9)),
        ("env", "PGPASSWORD=§ psql", "s3cr3t".to_owned()),
        // In other notations and languages.
        ("sql", "CREATE USER 'shop'@'%' IDENTIFIED BY '§';", "p\u{e3}o-de-queijo-15".to_owned()),
        ("sql", "SET PASSWORD FOR 'app'@'%' = '§';", mixed(s)),
        ("call", "DriverManager.getConnection(\"jdbc:x\", \"app\", \"§\")", "Kirschbaum_1987".to_owned()),
        ("call", "smtp.PlainAuth(\"\", \"bot@example.com\", \"§\", host)", "viertelvorDrei!".to_owned()),
        ("flag", "gpg --batch --passphrase '§' -d x.gpg", "the moon owes me 3 sandwiches".to_owned()),
        ("env", "PGPASSWORD=§ psql -h db", "elefant.im.laden".to_owned()),
        ("header", "curl -H 'X-Auth: §' https://x.test", "zebra-toast-12345".to_owned()),
        ("connection", "Server=db;User Id=sa;Password=§;Encrypt=true", "Zebra Auf Toast".to_owned()),
        ("router", "username admin password 7 §", hex(s, 18).to_uppercase()),
        (
            "said",
            "Das Passwort f\u{fc}r die Datenbank lautet § \u{2013} bitte merken",
            "kAffee-um-halb8".to_owned(),
        ),
        ("said", "a senha do wifi \u{e9} §, p\u{f5}e no script", "cafezinho.quente.42".to_owned()),
        ("said", "la contrase\u{f1}a del correo es \"§\" y ya", "MiPerroSeLlamaToby_09".to_owned()),
        (
            "said",
            "my ssh key passphrase is § \u{2014} use it",
            "correct giraffe battery lampshade".to_owned(),
        ),
        ("codes", "Mes codes de secours : §, range-les", digits(s, 8)),
    ]
}
