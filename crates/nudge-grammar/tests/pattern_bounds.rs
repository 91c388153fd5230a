//! No pattern takes long, whatever the pattern and the body.

use std::time::{Duration, Instant};

use nudge_grammar::pattern::{MAX_PATTERN_CHARS, Pattern, PatternError};

/// A bound that an optimised build keeps by far; a test build is several times slower.
const PATIENCE: Duration =
    if cfg!(debug_assertions) { Duration::from_secs(8) } else { Duration::from_secs(1) };

/// Runs a pattern over a body, and fails when it takes too long three times in a row. Once may be
/// the machine.
fn run(text: &str, body: &str) -> Result<bool, PatternError> {
    let mut attempts = 0;
    loop {
        let start = Instant::now();
        let result = Pattern::parse(text).and_then(|pattern| pattern.found_in(body));
        let took = start.elapsed();
        attempts += 1;
        if took < PATIENCE {
            return result;
        }
        let name: String = text.chars().take(60).collect();
        assert!(attempts < 3, "{name} took {took:?} on {} bytes: {result:?}", body.len());
    }
}

/// @pattern_bounds: a pattern has a longest text.
#[test]
fn the_text_is_bounded() {
    let long = "a".repeat(MAX_PATTERN_CHARS);
    assert!(Pattern::parse(&long).is_ok());
    assert_eq!(
        Pattern::parse(&format!("{long}a")).unwrap_err(),
        PatternError::TooLong { chars: MAX_PATTERN_CHARS + 1 }
    );
}

/// @pattern_bounds: a regex that multiplies is refused, and a slow one stays linear.
#[test]
fn regexes_are_bounded() {
    let error = Pattern::parse("/(((a{100}){100}){100})/").unwrap_err();
    assert!(matches!(error, PatternError::TooCostly { .. }), "{error}");
    assert!(Pattern::parse(&format!("/{}a{}/", "(".repeat(500), ")".repeat(500))).is_err());
    assert_eq!(run("/(a*)*b/", &"a".repeat(1 << 20)), Ok(false));
    assert_eq!(run(r"/(\w+\s?)*$x/", &"word ".repeat(1 << 17)), Ok(false));
}

/// @pattern_bounds: globs with negation and alternatives are bounded.
#[test]
fn globs_are_bounded() {
    let path = "a".repeat(2048);
    for text in
        ["!(!(!(!(a*b)*b)*b)*b)", "!(*a*a*a*a*b)!(*a*b)!(*b)!(a)*x", "*a*a*a*a*a*a*a*a*a*a*b", "**a**a**a**b"]
    {
        let _ = run(text, &path);
    }
    let deep = format!("{}a{}", "{x,".repeat(100), "}".repeat(100));
    assert!(Pattern::parse(&deep).is_err());
    let _ = run(&"{a,b}".repeat(800), &path);
    let _ = run(&"[!a]*".repeat(800), &"b".repeat(1 << 20));
    let _ = run("!(a)*", &"line\n".repeat(1 << 18));
    for text in ["{".repeat(4096), "[".repeat(4096), "!(".repeat(2048), "{a,".repeat(1300), "[!".repeat(2000)]
    {
        let _ = run(&text, &path);
    }
}

/// @pattern_bounds: a query over JSON is refused before it repeats values without end.
#[test]
fn jsonpath_is_bounded() {
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let wide = format!("[{}1]", "1,".repeat((2 << 20) - 10));
    let nested = format!("[{}1]", "[[[[1]]]],".repeat(100_000));
    for query in
        ["$..*..*..*..*..*..*", "$[*,*][*,*][*,*][*,*][*,*][*,*]..[*,*,*]..[*,*]", "$..[?@==@]..[?@==@]"]
    {
        for body in [&deep, &wide, &nested] {
            let _ = run(query, body);
        }
    }
    for query in ["$[?$ == $]", "$[?count($..*) > 1]", "$..[?@..* == 2]", "$[?@ == 2]", "$..x", "$.x"] {
        for body in [&deep, &wide, &nested] {
            let _ = run(query, body);
        }
    }
    let choices = format!("${}", "[*,*]".repeat(90));
    assert!(matches!(run(&choices, &deep), Err(PatternError::TooCostly { .. })));
    assert!(matches!(run("$..*..*..*..*..*", &deep), Err(PatternError::TooCostly { .. })));
    let brackets = format!("$[?{}@.a{}]", "(".repeat(2000), ")".repeat(2000));
    assert!(matches!(run(&brackets, "{}"), Err(PatternError::TooCostly { .. })));
    let _ = run("$[?((((@.a)))) ]", "{}");
    let _ = run("$[?!(!(!(!(@.a)))) ]", "{}");
    let _ = run("$[?@[?@[?@[?@.a]]]]", &nested);
    let chain = vec!["@.a == 1"; 300].join(" && ");
    let names = "['a']".repeat(800);
    for query in [
        "$[?(((((@.a)))))]",
        "$[?!(!(!(!(!(@.a == 1)))))]",
        "$[?(@[?(@[?(@.a)])])]",
        "$[?length(value(@[?length(@.a) == 1])) == 1]",
        "$[-9007199254740991:9007199254740991:1]",
        "$[::-1]",
        &format!("$[?{chain}]"),
        &format!("${}", ".a".repeat(2_000)),
        &format!("${names}"),
        &format!("$[{}1]", "1,".repeat(2_000)),
        &format!("$[?{}@.a]", "!".repeat(4_000)),
    ] {
        for body in [&deep, &wide, &nested] {
            let _ = run(query, body);
        }
    }
}

/// @pattern_bounds: bodies are bounded in size and depth.
#[test]
fn bodies_are_bounded() {
    let json = format!("[{}]", " ".repeat(4 << 20));
    assert!(matches!(run("$", &json), Err(PatternError::BodyTooLarge { limit: 4_194_304, .. })));
    let xml = format!("<a>{}</a>", " ".repeat(1 << 20));
    assert!(matches!(run("//a", &xml), Err(PatternError::BodyTooLarge { limit: 1_048_576, .. })));
    let deep = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    assert_eq!(run("$..*", &deep), Ok(false));
    let deep = format!("{}{}", "<a>".repeat(140_000), "</a>".repeat(140_000));
    assert_eq!(run("//a", &deep), Ok(false));
}

/// Bodies of about a mebibyte: wide, nested, and with much text.
fn large_bodies() -> Vec<String> {
    let tower = format!("{}{}", "<a>".repeat(100), "</a>".repeat(100));
    vec![
        format!("<r>{}</r>", "<a/>".repeat(250_000)),
        format!("<r>{}</r>", tower.repeat(1_400)),
        format!("<r>{}</r>", "<a><b>text</b></a>".repeat(50_000)),
        format!("{}{}{}", "<a>".repeat(120), "x".repeat(1_000_000), "</a>".repeat(120)),
        format!("<r {}/>", (0..70_000).map(|n| format!("a{n}='{n}' ")).collect::<String>()),
    ]
}

/// @pattern_bounds: bodies that are built to slow a reader down do not.
#[test]
fn hostile_xml_is_read_quickly() {
    for body in [
        format!("<r>{}</r>", "&#x41;".repeat(150_000)),
        format!("<r>{}</r>", "&amp;".repeat(190_000)),
        format!("<r>{}</r>", "<!---->".repeat(140_000)),
        format!("<r>{}</r>", "<![CDATA[]]>".repeat(80_000)),
        format!("<r>{}</r>", "<?p?>".repeat(190_000)),
        format!("<r a='{}'/>", "&lt;".repeat(250_000)),
        format!("<r>{}", "<a>".repeat(300_000)),
        format!("<r {}", "a='".repeat(300_000)),
        format!("<{}/>", "a".repeat(1_000_000)),
        format!("<r>{}</r>", (0..60_000).map(|n| format!("<e{n} x{n}=''/>")).collect::<String>()),
        format!(
            "<r>{}</r>",
            format!("<a {}/>", (0..900).map(|n| format!("n{n}='' ")).collect::<String>()).repeat(130)
        ),
        "<".repeat(1_000_000),
        format!("<!DOCTYPE {}", "<".repeat(1_000_000)),
    ] {
        let _ = run("//a[@x='1']", &body);
    }
}

/// @pattern_bounds: no xpath runs for long on any body.
#[test]
fn xpath_is_bounded() {
    let either = format!("//a[{} contains(., 'y')]", "contains(., 'x') or ".repeat(150));
    let minus = format!("//a[{}1]", "-".repeat(4_000));
    let plus = format!("//a[{}1 = 2]", "1+".repeat(1_900));
    let unions = vec!["//a"; 300].join("|");
    let steps = "//*".repeat(400);
    let joined = format!("//a[concat({}.) = 'x']", "/,".repeat(1_000));
    let queries = [
        "//*//*//*//*",
        "//*[.//*[.//*[.//*]]]",
        "//a[.//a[.//b]]//a[.//b]",
        "//a[contains(/, 'x')]",
        "//a[/ = 'x']",
        "//a[. = //a]",
        "//a = //a",
        "//a[count(//a) > 1]",
        "//a[count(preceding::a) > 5]",
        "//a[following::b = 'y']",
        "//a[string-length(string(..)) = 1]",
        "//a[normalize-space(.) = 'y']",
        "//a[last()]/following-sibling::a[last()]/preceding-sibling::*",
        "//a[position() = last()]/ancestor::*",
        "//@*[. = 'x']",
        "//@*/../@*/../@*",
        "//a[not(.//b)]",
        "//a/text()",
        &minus,
        &plus,
        &either,
        &unions,
        &steps,
        &joined,
    ];
    for body in large_bodies() {
        for query in queries {
            let _ = run(query, &body);
        }
    }
}

/// @pattern_bounds: an ordinary query over a large body still answers.
#[test]
fn ordinary_queries_answer() {
    let rows: String = (0..8_000).map(|n| format!("<row id='{n}'><name>name {n}</name></row>")).collect();
    let body = format!("<rows>{rows}</rows>");
    assert_eq!(run("//row[@id='7999']/name", &body), Ok(true));
    assert_eq!(run("//name[. = 'name 4000']", &body), Ok(true));
    assert_eq!(run("//row[contains(name, 'nobody')]", &body), Ok(false));
    assert_eq!(run("/rows/row[8000]", &body), Ok(true));
    let items: Vec<String> = (0..40_000).map(|n| format!(r#"{{"id":{n},"tags":["a","b"]}}"#)).collect();
    let body = format!("[{}]", items.join(","));
    assert_eq!(run("$[?@.id == 39999]", &body), Ok(true));
    assert_eq!(run("$..tags[1]", &body), Ok(true));
    assert_eq!(run("$[*].none", &body), Ok(false));
}

/// @pattern_bounds: entities are neither expanded nor loaded.
#[test]
fn entities_are_harmless() {
    let mut laughs = String::from("<!DOCTYPE r [<!ENTITY l0 'lol'>");
    for n in 1..12 {
        let before = format!("&l{};", n - 1).repeat(10);
        laughs.push_str(&format!("<!ENTITY l{n} '{before}'>"));
    }
    laughs.push_str("]><r>&l11;</r>");
    assert_eq!(run("//r", &laughs), Ok(false));
    let big = format!("<!DOCTYPE r [<!ENTITY a '{}'>]><r>{}</r>", "x".repeat(10_000), "&a;".repeat(10_000));
    assert_eq!(run("//r", &big), Ok(false));
    let external = "<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><r>&x;</r>";
    assert_eq!(run("//r", external), Ok(false));
    let parameter = "<!DOCTYPE r [<!ENTITY % x SYSTEM 'http://localhost:9/x.dtd'> %x;]><r/>";
    assert_eq!(run("//r", parameter), Ok(false));
    assert_eq!(run("//r", "<!DOCTYPE r SYSTEM 'http://localhost:9/x.dtd'><r/>"), Ok(true));
    assert_eq!(run("//r[. = 'a<b']", "<r>a&lt;b</r>"), Ok(true));
    let opens = "(".repeat(400_000);
    for rule in [
        format!("<!ELEMENT r {opens}"),
        format!("<!ELEMENT r {opens}a{}>", ")".repeat(400_000)),
        format!("<!ATTLIST r a {opens}"),
        format!("<![INCLUDE[{}", "<![INCLUDE[".repeat(40_000)),
    ] {
        assert_eq!(run("//r", &format!("<!DOCTYPE r [{rule}]><r/>")), Ok(false));
    }
    assert_eq!(run("//r", "<!DOCTYPE r SYSTEM '[' [<!ELEMENT r ANY>]><r/>"), Ok(false));
    let rules: String = (0..15_000).map(|n| format!("<!ATTLIST r a{n} CDATA 'x'>")).collect();
    let _ = run("//r", &format!("<!DOCTYPE r [{rules}]><r>{}</r>", "<r/>".repeat(80_000)));
}

/// @pattern_bounds: lines that are cheap alone are no long wait together.
#[test]
fn negations_are_bounded_over_all_lines() {
    let body = format!("{}\n", "x".repeat(900)).repeat(2_000);
    let error = run("**!(a|b)!(c)y", &body).unwrap_err();
    assert!(matches!(error, PatternError::TooCostly { .. }), "{error}");
    assert_eq!(run("!(a|b)", "a\nb\nc\n"), Ok(true));
    assert_eq!(run("!(a|b)", "a"), Ok(false));
}
