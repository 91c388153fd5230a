//! Tokens that announce their vendor in their first characters.
//!
//! These are most of the credentials in the world, and the cheapest to find: a prefix at the
//! beginning of a word, and enough varied characters of one alphabet behind it.

use Alphabet::{Base64, Dotted, Groups, Hex, Plain, Url};

use super::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::random::is_random;
use super::token::{Classes, begins, distinct};

/// Finds tokens by their prefix.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    // A prefix inside a run that was tried with the same prefix has been judged with it.
    let mut tried = (usize::MAX, 0);
    INDEX.each(text, |number, at| {
        let prefix = &PREFIXES[number];
        if !begins(text, at) || tried.0 == number && at < tried.1 {
            return;
        }
        let run = prefix.run(text, at);
        tried = (number, run);
        if let Some(end) = prefix.judge(text, at, run) {
            found.push(Finding { rule: prefix.rule, start: at, end });
        }
    });
}

/// Longest token of any vendor, with room to spare; it bounds the work on hostile text.
const LONGEST: usize = 2048;

/// A vendor's prefix and what follows it.
struct Prefix {
    rule: &'static str,
    /// In the vendor's own spelling.
    prefix: &'static str,
    alphabet: Alphabet,
    /// Fewest characters behind the prefix, a little under what the vendor issues today.
    least: usize,
}

/// What the part behind the prefix is written in.
#[derive(Copy, Clone)]
enum Alphabet {
    /// Letters and digits.
    Plain,
    /// Hexadecimal digits.
    Hex,
    /// Hexadecimal digits in groups, as UUIDs and pairs of digests have them.
    Groups,
    /// Letters, digits, `_` and `-`.
    Url,
    /// As `Url`, with dots between parts.
    Dotted,
    /// Letters, digits, `+`, `/`, `_`, `-` and closing `=`.
    Base64,
}

impl Alphabet {
    fn has(self, b: u8) -> bool {
        match self {
            Self::Plain => b.is_ascii_alphanumeric(),
            Self::Hex => b.is_ascii_hexdigit(),
            Self::Groups => b.is_ascii_hexdigit() || b == b'_' || b == b'-',
            Self::Url => b.is_ascii_alphanumeric() || b == b'_' || b == b'-',
            Self::Dotted => b.is_ascii_alphanumeric() || b"_-.".contains(&b),
            Self::Base64 => b.is_ascii_alphanumeric() || b"+/_-=".contains(&b),
        }
    }
}

impl Prefix {
    /// Where the characters of the alphabet behind the prefix at `at` end.
    fn run(&self, text: &[u8], at: usize) -> usize {
        let body = at + self.prefix.len();
        body + text[body..].iter().take(LONGEST).take_while(|&&b| self.alphabet.has(b)).count()
    }

    /// The end of the token from `at` to `run`, if it is one.
    fn judge(&self, text: &[u8], at: usize, run: usize) -> Option<usize> {
        let body = at + self.prefix.len();
        let closing = text[body..run].iter().rev().take_while(|b| b".-".contains(b)).count();
        let end = run - closing;
        let token = &text[body..end];
        (token.len() >= self.least && is_issued(token) && !is_placeholder(&text[at..end])).then_some(end)
    }
}

/// Whether a program issued this: not one character repeated, not words joined by dashes.
fn is_issued(token: &[u8]) -> bool {
    let classes = Classes::of(token);
    let cased = classes.lower >= 2 && classes.upper >= 2 && distinct(token) >= 10;
    let mixed = classes.digits >= 2 && classes.letters() > 0 || classes.digits >= 12;
    distinct(token) >= 6 && (mixed || cased || is_random(token))
}

const fn p(rule: &'static str, prefix: &'static str, alphabet: Alphabet, least: usize) -> Prefix {
    Prefix { rule, prefix, alphabet, least }
}

/// Sorted by trade: hosting and code, cloud, models, money, messages, the rest.
const PREFIXES: &[Prefix] = &[
    p("github-token", "ghp_", Plain, 24),
    p("github-token", "gho_", Plain, 24),
    p("github-token", "ghu_", Plain, 24),
    p("github-token", "ghs_", Plain, 24),
    p("github-token", "ghr_", Plain, 24),
    p("github-token", "github_pat_", Url, 22),
    p("gitlab-token", "glpat-", Dotted, 18),
    p("gitlab-token", "gldt-", Dotted, 18),
    p("gitlab-token", "glrt-", Dotted, 18),
    p("gitlab-token", "glcbt-", Dotted, 18),
    p("gitlab-token", "glptt-", Dotted, 18),
    p("gitlab-token", "glft-", Dotted, 18),
    p("gitlab-token", "glimt-", Dotted, 18),
    p("gitlab-token", "glagent-", Dotted, 18),
    p("gitlab-token", "glsoat-", Dotted, 18),
    p("gitlab-token", "gloas-", Dotted, 18),
    p("gitlab-token", "glffct-", Dotted, 18),
    p("gitlab-token", "glwt-", Dotted, 18),
    p("gitlab-token", "GR1348941", Url, 18),
    p("bitbucket-token", "ATBB", Plain, 28),
    p("atlassian-token", "ATATT3", Base64, 60),
    p("atlassian-token", "ATCTT3", Base64, 60),
    p("npm-token", "npm_", Plain, 30),
    p("pypi-token", "pypi-AgE", Url, 40),
    p("rubygems-token", "rubygems_", Hex, 40),
    p("crates-token", "cio", Plain, 32),
    p("docker-token", "dckr_pat_", Url, 20),
    p("docker-token", "dckr_oat_", Url, 20),
    p("nuget-key", "oy2", Plain, 43),
    p("jfrog-token", "AKCp", Plain, 60),
    p("sonar-token", "squ_", Hex, 40),
    p("sonar-token", "sqp_", Hex, 40),
    p("sonar-token", "sqa_", Hex, 40),
    p("buildkite-token", "bkua_", Plain, 36),
    p("circleci-token", "CCIPAT_", Url, 30),
    p("postman-key", "PMAK-", Url, 40),
    p("sourcegraph-token", "sgp_", Groups, 40),
    p("circleci-token", "CCIPRJ_", Url, 30),
    p("trello-token", "ATTA", Hex, 60),
    p("octopus-key", "API-", Plain, 26),
    p("clojars-token", "CLOJARS_", Hex, 50),
    p("deno-token", "ddp_", Plain, 30),
    p("deno-token", "ddo_", Plain, 30),
    p("jsr-token", "jsrp_", Url, 30),
    p("snyk-token", "snyk_uat.", Dotted, 30),
    p("buildkite-token", "bkpt_", Plain, 36),
    p("aws-access-key", "AKIA", Plain, 16),
    p("aws-access-key", "ASIA", Plain, 16),
    p("aws-access-key", "ABIA", Plain, 16),
    p("aws-access-key", "ACCA", Plain, 16),
    p("aws-bedrock-key", "ABSK", Base64, 100),
    p("google-api-key", "AIza", Url, 30),
    p("google-oauth", "ya29.", Dotted, 20),
    p("google-oauth", "GOCSPX-", Url, 20),
    p("google-oauth", "1//0", Url, 24),
    p("cloudflare-origin-key", "v1.0-", Url, 120),
    p("cloudflare-token", "cfut_", Url, 30),
    p("cloudflare-token", "cfat_", Url, 30),
    p("cloudflare-token", "cfk_", Url, 30),
    p("volcengine-key", "AKLT", Url, 40),
    p("yandex-key", "AQVN", Url, 34),
    p("render-key", "rnd_", Plain, 26),
    p("neon-key", "napi_", Plain, 40),
    p("xata-key", "xau_", Plain, 30),
    p("mongodb-secret", "mdb_sa_sk_", Url, 30),
    p("databricks-token", "dose", Hex, 32),
    p("digitalocean-token", "dop_v1_", Hex, 40),
    p("digitalocean-token", "doo_v1_", Hex, 40),
    p("digitalocean-token", "dor_v1_", Hex, 40),
    p("alibaba-key", "LTAI", Plain, 16),
    p("tencent-key", "AKID", Plain, 32),
    p("heroku-token", "HRKU-", Url, 30),
    p("fly-token", "fo1_", Url, 36),
    p("fly-token", "fm2_", Base64, 60),
    p("netlify-token", "nfp_", Plain, 30),
    p("vercel-token", "vcp_", Plain, 24),
    p("vercel-token", "vercel_blob_rw_", Url, 24),
    p("vercel-token", "vck_", Plain, 24),
    p("vercel-token", "vca_", Plain, 24),
    p("vercel-token", "vci_", Plain, 24),
    p("netlify-token", "nfc_", Plain, 30),
    p("netlify-token", "nfo_", Plain, 30),
    p("netlify-token", "nfu_", Plain, 30),
    p("supabase-token", "sbp_", Hex, 36),
    p("supabase-token", "sb_secret_", Url, 20),
    p("planetscale-token", "pscale_tkn_", Dotted, 30),
    p("planetscale-token", "pscale_pw_", Dotted, 30),
    p("planetscale-token", "pscale_oauth_", Dotted, 30),
    p("databricks-token", "dapi", Hex, 32),
    p("vault-token", "hvs.", Url, 24),
    p("vault-token", "hvb.", Url, 24),
    p("vault-token", "hvr.", Url, 24),
    p("doppler-token", "dp.pt.", Plain, 36),
    p("doppler-token", "dp.st.", Dotted, 36),
    p("doppler-token", "dp.ct.", Plain, 36),
    p("doppler-token", "dp.sa.", Plain, 36),
    p("doppler-token", "dp.scim.", Plain, 36),
    p("doppler-token", "dp.audit.", Plain, 36),
    p("ory-token", "ory_pat_", Url, 24),
    p("ory-token", "ory_at_", Dotted, 24),
    p("ory-token", "ory_st_", Plain, 24),
    p("pulumi-token", "pul-", Hex, 36),
    p("tailscale-key", "tskey-", Url, 24),
    p("onepassword-token", "ops_eyJ", Base64, 100),
    p("openai-key", "sk-proj-", Url, 20),
    p("openai-key", "sk-svcacct-", Url, 20),
    p("openai-key", "sk-admin-", Url, 20),
    p("anthropic-key", "sk-ant-", Url, 20),
    p("openrouter-key", "sk-or-v1-", Hex, 40),
    p("model-key", "sk-", Url, 20),
    p("huggingface-token", "hf_", Plain, 30),
    p("huggingface-token", "api_org_", Plain, 30),
    p("groq-key", "gsk_", Plain, 40),
    p("replicate-token", "r8_", Plain, 30),
    p("perplexity-key", "pplx-", Plain, 32),
    p("xai-key", "xai-", Plain, 60),
    p("langsmith-key", "lsv2_", Url, 36),
    p("tavily-key", "tvly-", Url, 20),
    p("pinecone-key", "pcsk_", Url, 40),
    p("nvidia-key", "nvapi-", Url, 40),
    p("voyage-key", "pa-", Url, 40),
    p("together-key", "tgp_v1_", Url, 30),
    p("fireworks-key", "fw_", Plain, 22),
    p("cerebras-key", "csk-", Plain, 40),
    p("runpod-key", "rpa_", Plain, 36),
    p("langsmith-key", "ls__", Hex, 32),
    p("firecrawl-key", "fc-", Hex, 32),
    p("jina-key", "jina_", Plain, 40),
    p("e2b-key", "e2b_", Hex, 40),
    p("wandb-key", "wandb_v1_", Url, 40),
    p("anyscale-key", "esecret_", Plain, 24),
    p("wakatime-key", "waka_", Groups, 32),
    p("browserbase-key", "bb_live_", Url, 20),
    p("elevenlabs-key", "sk_", Hex, 40),
    p("stripe-key", "sk_live_", Plain, 16),
    p("stripe-key", "sk_test_", Plain, 16),
    p("stripe-key", "rk_live_", Plain, 16),
    p("stripe-key", "rk_test_", Plain, 16),
    p("stripe-key", "whsec_", Base64, 24),
    p("square-token", "sq0atp-", Url, 20),
    p("square-token", "sq0csp-", Url, 40),
    p("square-token", "EAAAE", Url, 55),
    p("shopify-token", "shpat_", Hex, 32),
    p("shopify-token", "shpca_", Hex, 32),
    p("shopify-token", "shppa_", Hex, 32),
    p("shopify-token", "shpss_", Hex, 32),
    p("razorpay-key", "rzp_live_", Plain, 14),
    p("flutterwave-key", "FLWSECK-", Url, 32),
    p("flutterwave-key", "FLWSECK_TEST-", Url, 32),
    p("easypost-key", "EZAK", Plain, 50),
    p("shippo-token", "shippo_live_", Hex, 40),
    p("shippo-token", "shippo_test_", Hex, 40),
    p("easypost-key", "EZTK", Plain, 50),
    p("paddle-key", "pdl_live_", Url, 40),
    p("paddle-key", "pdl_sdbx_", Url, 40),
    p("razorpay-key", "rzp_test_", Plain, 14),
    p("shopify-token", "shptka_", Hex, 32),
    p("stytch-key", "secret-live-", Base64, 30),
    p("stytch-key", "secret-test-", Base64, 30),
    p("slack-token", "xoxb-", Url, 16),
    p("slack-token", "xoxp-", Url, 16),
    p("slack-token", "xoxa-", Url, 16),
    p("slack-token", "xoxr-", Url, 16),
    p("slack-token", "xoxs-", Url, 16),
    p("slack-token", "xoxo-", Url, 16),
    p("slack-token", "xoxc-", Url, 16),
    p("slack-token", "xoxd-", Base64, 16),
    p("slack-token", "xoxe-", Url, 16),
    p("slack-token", "xoxe.xox", Dotted, 24),
    p("slack-token", "xapp-", Url, 16),
    p("sendgrid-key", "SG.", Dotted, 40),
    p("brevo-key", "xkeysib-", Url, 64),
    p("resend-key", "re_", Url, 30),
    p("mandrill-key", "md-", Plain, 22),
    p("mailersend-key", "mlsn.", Hex, 60),
    p("brevo-key", "xsmtpsib-", Url, 64),
    p("hubspot-token", "pat-na1-", Groups, 32),
    p("hubspot-token", "pat-eu1-", Groups, 32),
    p("facebook-token", "EAAC", Plain, 60),
    p("facebook-token", "EAAG", Plain, 60),
    p("linear-key", "lin_api_", Plain, 30),
    p("linear-key", "lin_oauth_", Plain, 30),
    p("notion-token", "ntn_", Plain, 36),
    p("notion-token", "secret_", Plain, 40),
    p("figma-token", "figd_", Url, 36),
    p("contentful-token", "CFPAT-", Url, 36),
    p("dropbox-token", "sl.", Url, 60),
    p("dropbox-token", "sl.u.", Url, 60),
    p("typeform-token", "tfp_", Url, 36),
    p("readme-key", "rdme_", Plain, 60),
    p("sentry-token", "sntrys_", Base64, 60),
    p("sentry-token", "sntryu_", Hex, 60),
    p("grafana-token", "glc_", Base64, 30),
    p("grafana-token", "glsa_", Url, 36),
    p("newrelic-key", "NRAK-", Plain, 24),
    p("newrelic-key", "NRJS-", Plain, 16),
    p("newrelic-key", "NRII-", Url, 30),
    p("newrelic-key", "NRIQ-", Url, 30),
    p("launchdarkly-key", "sdk-", Groups, 36),
    p("launchdarkly-key", "api-", Groups, 36),
    p("axiom-token", "xaat-", Groups, 36),
    p("axiom-token", "xapt-", Groups, 36),
    p("honeycomb-key", "hcaik_", Plain, 50),
    p("dbt-token", "dbtu_", Url, 30),
    p("dbt-token", "dbtc_", Url, 30),
    p("prefect-key", "pnb_", Plain, 32),
    p("dynatrace-token", "dt0c01.", Dotted, 60),
    p("posthog-key", "phx_", Plain, 32),
    p("prefect-key", "pnu_", Plain, 32),
    p("infracost-key", "ico-", Plain, 30),
    p("duffel-token", "duffel_live_", Base64, 40),
    p("mapbox-token", "sk.eyJ", Dotted, 60),
    p("yandex-token", "y0_", Url, 50),
    // From the rules of Betterleaks (THIRD_PARTY.md).
    p("alibaba-key", "STS.", Plain, 20),
    p("lichess-token", "lip_", Plain, 20),
    p("settlemint-token", "sm_pat_", Plain, 16),
    p("settlemint-token", "sm_aat_", Plain, 16),
    p("settlemint-token", "sm_sat_", Plain, 16),
    p("openshift-token", "sha256~", Url, 40),
    p("devcycle-key", "dvc_server_", Url, 30),
    p("endorlabs-key", "endr+", Url, 16),
    p("midtrans-key", "Mid-server-", Url, 20),
    p("persona-key", "persona_production_", Groups, 30),
    p("onfido-token", "api_live_us.", Url, 30),
    p("onfido-token", "api_live_ca.", Url, 30),
    p("aikido-token", "AIK_CI_", Plain, 20),
    p("aikido-token", "AIK_SECRET_", Plain, 40),
    p("apify-token", "apify_api_", Plain, 30),
    p("bitbucket-token", "BBDC-", Base64, 32),
    p("brave-key", "BSA", Url, 24),
    p("buildkite-token", "bkaa_", Url, 40),
    p("canva-secret", "cnvca", Url, 48),
    p("cloudsmith-key", "csa_", Hex, 30),
    p("cockroachdb-key", "CCDB1_", Plain, 22),
    p("devin-key", "apk_user_", Base64, 80),
    p("devin-key", "apk_", Base64, 80),
    p("devin-key", "cog_", Plain, 50),
    p("docker-swarm-token", "SWMTKN-1-", Url, 50),
    p("docker-swarm-token", "SWMKEY-1-", Base64, 36),
    p("elastic-key", "essu_", Url, 50),
    p("exoscale-key", "EXO", Plain, 24),
    p("google-key", "AQ.Ab8RN6", Url, 40),
    p("ionic-token", "ion_", Plain, 40),
    p("labelbox-key", "lbx_", Url, 40),
    p("labelbox-key", "rma_", Url, 40),
    p("llamacloud-key", "llx-", Plain, 40),
    p("mergify-key", "mergify_application_key_", Url, 36),
    p("nylas-key", "nyk_", Plain, 50),
    p("onfido-token", "api_live.", Url, 30),
    p("pinterest-token", "pina_", Url, 20),
    p("polar-token", "polar_at_", Url, 20),
    p("polar-token", "polar_oat_", Url, 20),
    p("polar-token", "polar_pat_", Url, 20),
    p("ramp-secret", "ramp_sec_", Plain, 40),
    p("rootly-key", "rootly_", Hex, 48),
    p("samsara-token", "samsara_api_", Plain, 26),
    p("scalingo-token", "tk-us-", Url, 40),
    p("thunderstore-token", "tss_", Url, 20),
    p("unkey-key", "unkey_", Plain, 20),
    p("upcloud-token", "ucat_", Plain, 24),
    p("valtown-token", "vtwn_", Url, 20),
    p("vercel-token", "vcr_", Url, 50),
    p("xendit-key", "xnd_production_", Plain, 48),
    p("zuplo-key", "zpka_", Plain, 32),
    p("age-key", "AGE-SECRET-KEY-1", Plain, 50),
    p("age-key", "AGE-PLUGIN-", Url, 50),
];

/// Who publishes each format. Every rule of the table has its line here.
#[cfg(test)]
const SOURCES: &[(&str, &str)] = &[
    ("age-key", "age, C2SP age.md"),
    ("aikido-token", "Aikido, by way of Betterleaks"),
    ("alibaba-key", "Alibaba, documentation of its keys"),
    ("anthropic-key", "Anthropic, API keys"),
    ("anyscale-key", "Anyscale, documentation of its keys"),
    ("apify-token", "Apify, by way of Betterleaks"),
    ("atlassian-token", "Atlassian, documentation of its tokens"),
    ("aws-access-key", "AWS, IAM identifiers"),
    ("aws-bedrock-key", "AWS, Bedrock API keys"),
    ("axiom-token", "Axiom, documentation of its tokens"),
    ("bitbucket-token", "Bitbucket, documentation of its tokens"),
    ("brave-key", "Brave, by way of Betterleaks"),
    ("brevo-key", "Brevo, documentation of its keys"),
    ("browserbase-key", "Browserbase, documentation of its keys"),
    ("buildkite-token", "Buildkite, documentation of its tokens"),
    ("canva-secret", "Canva, by way of Betterleaks"),
    ("cerebras-key", "Cerebras, documentation of its keys"),
    ("circleci-token", "Circleci, documentation of its tokens"),
    ("clojars-token", "Clojars, documentation of its tokens"),
    ("cloudflare-origin-key", "Cloudflare Origin, documentation of its keys"),
    ("cloudflare-token", "Cloudflare, documentation of its tokens"),
    ("cloudsmith-key", "Cloudsmith, by way of Betterleaks"),
    ("cockroachdb-key", "Cockroachdb, by way of Betterleaks"),
    ("contentful-token", "Contentful, documentation of its tokens"),
    ("crates-token", "crates.io, token format"),
    ("databricks-token", "Databricks, documentation of its tokens"),
    ("dbt-token", "dbt Cloud, tokens"),
    ("deno-token", "Deno, documentation of its tokens"),
    ("devcycle-key", "Devcycle, by way of Betterleaks"),
    ("devin-key", "Devin, by way of Betterleaks"),
    ("digitalocean-token", "Digitalocean, documentation of its tokens"),
    ("docker-swarm-token", "Docker Swarm, by way of Betterleaks"),
    ("docker-token", "Docker, documentation of its tokens"),
    ("doppler-token", "Doppler, documentation of its tokens"),
    ("dropbox-token", "Dropbox, documentation of its tokens"),
    ("duffel-token", "Duffel, documentation of its tokens"),
    ("dynatrace-token", "Dynatrace, documentation of its tokens"),
    ("e2b-key", "E2B, API keys"),
    ("easypost-key", "Easypost, documentation of its keys"),
    ("elastic-key", "Elastic, by way of Betterleaks"),
    ("elevenlabs-key", "Elevenlabs, documentation of its keys"),
    ("endorlabs-key", "Endorlabs, by way of Betterleaks"),
    ("exoscale-key", "Exoscale, by way of Betterleaks"),
    ("facebook-token", "Facebook, documentation of its tokens"),
    ("figma-token", "Figma, documentation of its tokens"),
    ("firecrawl-key", "Firecrawl, documentation of its keys"),
    ("fireworks-key", "Fireworks, documentation of its keys"),
    ("flutterwave-key", "Flutterwave, documentation of its keys"),
    ("fly-token", "Fly, documentation of its tokens"),
    ("github-token", "GitHub, token formats"),
    ("gitlab-token", "GitLab, token prefixes"),
    ("google-api-key", "Google Cloud, API keys"),
    ("google-key", "Google, by way of Betterleaks"),
    ("google-oauth", "Google Identity, OAuth 2.0"),
    ("grafana-token", "Grafana, documentation of its tokens"),
    ("groq-key", "Groq, documentation of its keys"),
    ("heroku-token", "Heroku, documentation of its tokens"),
    ("honeycomb-key", "Honeycomb, documentation of its keys"),
    ("hubspot-token", "Hubspot, documentation of its tokens"),
    ("huggingface-token", "Huggingface, documentation of its tokens"),
    ("infracost-key", "Infracost, documentation of its keys"),
    ("ionic-token", "Ionic, by way of Betterleaks"),
    ("jfrog-token", "Jfrog, documentation of its tokens"),
    ("jina-key", "Jina, documentation of its keys"),
    ("jsr-token", "JSR, tokens"),
    ("labelbox-key", "Labelbox, by way of Betterleaks"),
    ("langsmith-key", "Langsmith, documentation of its keys"),
    ("launchdarkly-key", "Launchdarkly, documentation of its keys"),
    ("lichess-token", "Lichess, by way of Betterleaks"),
    ("linear-key", "Linear, documentation of its keys"),
    ("llamacloud-key", "Llamacloud, by way of Betterleaks"),
    ("mailersend-key", "Mailersend, documentation of its keys"),
    ("mandrill-key", "Mandrill, documentation of its keys"),
    ("mapbox-token", "Mapbox, documentation of its tokens"),
    ("mergify-key", "Mergify, by way of Betterleaks"),
    ("midtrans-key", "Midtrans, by way of Betterleaks"),
    ("model-key", "OpenAI and those who took its form over"),
    ("mongodb-secret", "MongoDB Atlas, service accounts"),
    ("neon-key", "Neon, documentation of its keys"),
    ("netlify-token", "Netlify, documentation of its tokens"),
    ("newrelic-key", "Newrelic, documentation of its keys"),
    ("notion-token", "Notion, documentation of its tokens"),
    ("npm-token", "npm, access tokens"),
    ("nuget-key", "Nuget, documentation of its keys"),
    ("nvidia-key", "Nvidia, documentation of its keys"),
    ("nylas-key", "Nylas, by way of Betterleaks"),
    ("octopus-key", "Octopus, documentation of its keys"),
    ("onepassword-token", "1Password, service accounts"),
    ("onfido-token", "Onfido, by way of Betterleaks"),
    ("openai-key", "OpenAI, API keys"),
    ("openrouter-key", "Openrouter, documentation of its keys"),
    ("openshift-token", "Openshift, by way of Betterleaks"),
    ("ory-token", "Ory, documentation of its tokens"),
    ("paddle-key", "Paddle, documentation of its keys"),
    ("perplexity-key", "Perplexity, documentation of its keys"),
    ("persona-key", "Persona, by way of Betterleaks"),
    ("pinecone-key", "Pinecone, documentation of its keys"),
    ("pinterest-token", "Pinterest, by way of Betterleaks"),
    ("planetscale-token", "Planetscale, documentation of its tokens"),
    ("polar-token", "Polar, by way of Betterleaks"),
    ("posthog-key", "Posthog, documentation of its keys"),
    ("postman-key", "Postman, documentation of its keys"),
    ("prefect-key", "Prefect, documentation of its keys"),
    ("pulumi-token", "Pulumi, documentation of its tokens"),
    ("pypi-token", "PyPI, API tokens"),
    ("ramp-secret", "Ramp, by way of Betterleaks"),
    ("razorpay-key", "Razorpay, documentation of its keys"),
    ("readme-key", "Readme, documentation of its keys"),
    ("render-key", "Render, documentation of its keys"),
    ("replicate-token", "Replicate, documentation of its tokens"),
    ("resend-key", "Resend, documentation of its keys"),
    ("rootly-key", "Rootly, by way of Betterleaks"),
    ("rubygems-token", "Rubygems, documentation of its tokens"),
    ("runpod-key", "Runpod, documentation of its keys"),
    ("samsara-token", "Samsara, by way of Betterleaks"),
    ("scalingo-token", "Scalingo, by way of Betterleaks"),
    ("sendgrid-key", "Sendgrid, documentation of its keys"),
    ("sentry-token", "Sentry, documentation of its tokens"),
    ("settlemint-token", "Settlemint, by way of Betterleaks"),
    ("shippo-token", "Shippo, documentation of its tokens"),
    ("shopify-token", "Shopify, documentation of its tokens"),
    ("slack-token", "Slack, token types"),
    ("snyk-token", "Snyk, documentation of its tokens"),
    ("sonar-token", "Sonar, documentation of its tokens"),
    ("sourcegraph-token", "Sourcegraph, documentation of its tokens"),
    ("square-token", "Square, documentation of its tokens"),
    ("stripe-key", "Stripe, API keys"),
    ("stytch-key", "Stytch, documentation of its keys"),
    ("supabase-token", "Supabase, documentation of its tokens"),
    ("tailscale-key", "Tailscale, documentation of its keys"),
    ("tavily-key", "Tavily, documentation of its keys"),
    ("tencent-key", "Tencent, documentation of its keys"),
    ("thunderstore-token", "Thunderstore, by way of Betterleaks"),
    ("together-key", "Together, documentation of its keys"),
    ("trello-token", "Trello, documentation of its tokens"),
    ("typeform-token", "Typeform, documentation of its tokens"),
    ("unkey-key", "Unkey, by way of Betterleaks"),
    ("upcloud-token", "Upcloud, by way of Betterleaks"),
    ("valtown-token", "Valtown, by way of Betterleaks"),
    ("vault-token", "HashiCorp Vault, tokens"),
    ("vercel-token", "Vercel, documentation of its tokens"),
    ("volcengine-key", "Volcengine, documentation of its keys"),
    ("voyage-key", "Voyage, documentation of its keys"),
    ("wakatime-key", "Wakatime, documentation of its keys"),
    ("wandb-key", "Wandb, documentation of its keys"),
    ("xai-key", "xAI, API keys"),
    ("xata-key", "Xata, documentation of its keys"),
    ("xendit-key", "Xendit, by way of Betterleaks"),
    ("yandex-key", "Yandex, documentation of its keys"),
    ("yandex-token", "Yandex, documentation of its tokens"),
    ("zuplo-key", "Zuplo, by way of Betterleaks"),
];

const COUNT: usize = PREFIXES.len();

static INDEX: Index<COUNT> = Index::exact(keywords());

const fn keywords() -> [&'static str; COUNT] {
    let mut words = [""; COUNT];
    let mut number = 0;
    while number < COUNT {
        words[number] = PREFIXES[number].prefix;
        number += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::super::tests::generator;
    use super::{Alphabet, PREFIXES, SOURCES};

    /// A value of the published form, made up.
    fn value(prefix: &str, alphabet: Alphabet, least: usize, seed: u64) -> String {
        let tail = match alphabet {
            Alphabet::Hex | Alphabet::Groups => generator::hex(seed, least.max(24)),
            _ => generator::base62(seed, least.max(24)),
        };
        format!("{prefix}{tail}")
    }

    #[test]
    fn every_format_has_a_source_and_a_value_of_it_is_found() {
        for (number, prefix) in PREFIXES.iter().enumerate() {
            assert!(
                SOURCES.iter().any(|(rule, source)| *rule == prefix.rule && !source.is_empty()),
                "{}",
                prefix.rule
            );
            let value = value(prefix.prefix, prefix.alphabet, prefix.least, number as u64 + 1);
            let text = format!("use {value} now");
            let found = scan(&text);
            let whole = found.iter().any(|finding| finding.start <= 4 && finding.end >= 4 + value.len());
            assert!(whole, "{} is not found in {text:?}: {found:?}", prefix.rule);
        }
        for (rule, _) in SOURCES {
            assert!(PREFIXES.iter().any(|prefix| prefix.rule == *rule), "{rule} has no format");
        }
    }
}
