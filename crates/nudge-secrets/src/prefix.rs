//! Tokens with a vendor's prefix.
//!
//! These are most of the credentials in the world, and the cheapest to find: a prefix at the
//! beginning of a word, and enough varied characters of one alphabet after it.

use Alphabet::{Base64, Dotted, Groups, Hex, Plain, Url};

use super::finding::Finding;
use super::keyword::Index;
use super::placeholder::is_placeholder;
use super::random::is_random;
use super::token::{Classes, begins, distinct};

/// Finds tokens by their prefix.
pub(super) fn detect(text: &[u8], found: &mut Vec<Finding>) {
    // A prefix inside a run that was checked with the same prefix has been judged with it.
    let mut tried = (usize::MAX, 0);
    PREFIX_INDEX.each(text, |number, at| {
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

/// The longest token of any vendor, with room to spare; it bounds the work on hostile text.
const MAX_TOKEN_BYTES: usize = 2048;

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
    /// The end of the alphabet's characters after the prefix at `at`.
    fn run(&self, text: &[u8], at: usize) -> usize {
        let body = at + self.prefix.len();
        body + text[body..].iter().take(MAX_TOKEN_BYTES).take_while(|&&b| self.alphabet.has(b)).count()
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

const PREFIX_COUNT: usize = PREFIXES.len();

static PREFIX_INDEX: Index<PREFIX_COUNT> = Index::exact(keywords());

const fn keywords() -> [&'static str; PREFIX_COUNT] {
    let mut words = [""; PREFIX_COUNT];
    let mut number = 0;
    while number < PREFIX_COUNT {
        words[number] = PREFIXES[number].prefix;
        number += 1;
    }
    words
}

// The tokens of the vendors: one row for each prefix, with the source of its format.
//
// To add a vendor, add a row. A test generates a value for each row and looks for it; no
// realistic-looking values are written here, because other scanners would find them.

/// A vendor's prefix and what follows it.
struct Prefix {
    rule: &'static str,
    /// In the vendor's own spelling.
    prefix: &'static str,
    alphabet: Alphabet,
    /// The fewest characters after the prefix, a little under what the vendor issues today.
    least: usize,
    /// Who publishes the format, or who found it out.
    #[cfg(test)]
    source: &'static str,
}

/// The characters after the prefix.
#[derive(Copy, Clone)]
enum Alphabet {
    /// Letters and digits.
    Plain,
    /// Hexadecimal digits.
    Hex,
    /// Hexadecimal digits in groups, as in UUIDs and pairs of digests.
    Groups,
    /// Letters, digits, `_` and `-`.
    Url,
    /// Like `Url`, with dots between parts.
    Dotted,
    /// Letters, digits, `+`, `/`, `_`, `-` and trailing `=`.
    Base64,
}

const fn p(
    rule: &'static str,
    prefix: &'static str,
    alphabet: Alphabet,
    least: usize,
    source: &'static str,
) -> Prefix {
    // The source is for readers and the test.
    let _ = source;
    Prefix {
        rule,
        prefix,
        alphabet,
        least,
        #[cfg(test)]
        source,
    }
}

/// Sorted by field: hosting and code, cloud, models, money, messages, the rest.
const PREFIXES: &[Prefix] = &[
    p("nudge-token", "nudge_client_", Plain, 24, "Nudge, `nudge token client`"),
    p("github-token", "ghp_", Plain, 24, "GitHub, token formats"),
    p("github-token", "gho_", Plain, 24, "GitHub, token formats"),
    p("github-token", "ghu_", Plain, 24, "GitHub, token formats"),
    p("github-token", "ghs_", Plain, 24, "GitHub, token formats"),
    p("github-token", "ghr_", Plain, 24, "GitHub, token formats"),
    p("github-token", "github_pat_", Url, 22, "GitHub, token formats"),
    p("gitlab-token", "glpat-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "gldt-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glrt-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glcbt-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glptt-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glft-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glimt-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glagent-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glsoat-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "gloas-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glffct-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "glwt-", Dotted, 18, "GitLab, token prefixes"),
    p("gitlab-token", "GR1348941", Url, 18, "GitLab, token prefixes"),
    p("bitbucket-token", "ATBB", Plain, 28, "Bitbucket, documentation of its tokens"),
    p("atlassian-token", "ATATT3", Base64, 60, "Atlassian, documentation of its tokens"),
    p("atlassian-token", "ATCTT3", Base64, 60, "Atlassian, documentation of its tokens"),
    p("npm-token", "npm_", Plain, 30, "npm, access tokens"),
    p("pypi-token", "pypi-AgE", Url, 40, "PyPI, API tokens"),
    p("rubygems-token", "rubygems_", Hex, 40, "Rubygems, documentation of its tokens"),
    p("crates-token", "cio", Plain, 32, "crates.io, token format"),
    p("docker-token", "dckr_pat_", Url, 20, "Docker, documentation of its tokens"),
    p("docker-token", "dckr_oat_", Url, 20, "Docker, documentation of its tokens"),
    p("nuget-key", "oy2", Plain, 43, "Nuget, documentation of its keys"),
    p("jfrog-token", "AKCp", Plain, 60, "Jfrog, documentation of its tokens"),
    p("sonar-token", "squ_", Hex, 40, "Sonar, documentation of its tokens"),
    p("sonar-token", "sqp_", Hex, 40, "Sonar, documentation of its tokens"),
    p("sonar-token", "sqa_", Hex, 40, "Sonar, documentation of its tokens"),
    p("buildkite-token", "bkua_", Plain, 36, "Buildkite, documentation of its tokens"),
    p("circleci-token", "CCIPAT_", Url, 30, "Circleci, documentation of its tokens"),
    p("postman-key", "PMAK-", Url, 40, "Postman, documentation of its keys"),
    p("sourcegraph-token", "sgp_", Groups, 40, "Sourcegraph, documentation of its tokens"),
    p("circleci-token", "CCIPRJ_", Url, 30, "Circleci, documentation of its tokens"),
    p("trello-token", "ATTA", Hex, 60, "Trello, documentation of its tokens"),
    p("octopus-key", "API-", Plain, 26, "Octopus, documentation of its keys"),
    p("clojars-token", "CLOJARS_", Hex, 50, "Clojars, documentation of its tokens"),
    p("deno-token", "ddp_", Plain, 30, "Deno, documentation of its tokens"),
    p("deno-token", "ddo_", Plain, 30, "Deno, documentation of its tokens"),
    p("jsr-token", "jsrp_", Url, 30, "JSR, tokens"),
    p("snyk-token", "snyk_uat.", Dotted, 30, "Snyk, documentation of its tokens"),
    p("buildkite-token", "bkpt_", Plain, 36, "Buildkite, documentation of its tokens"),
    p("aws-access-key", "AKIA", Plain, 16, "AWS, IAM identifiers"),
    p("aws-access-key", "ASIA", Plain, 16, "AWS, IAM identifiers"),
    p("aws-access-key", "ABIA", Plain, 16, "AWS, IAM identifiers"),
    p("aws-access-key", "ACCA", Plain, 16, "AWS, IAM identifiers"),
    p("aws-bedrock-key", "ABSK", Base64, 100, "AWS, Bedrock API keys"),
    p("google-api-key", "AIza", Url, 30, "Google Cloud, API keys"),
    p("google-oauth", "ya29.", Dotted, 20, "Google Identity, OAuth 2.0"),
    p("google-oauth", "GOCSPX-", Url, 20, "Google Identity, OAuth 2.0"),
    p("google-oauth", "1//0", Url, 24, "Google Identity, OAuth 2.0"),
    p("cloudflare-origin-key", "v1.0-", Url, 120, "Cloudflare Origin, documentation of its keys"),
    p("cloudflare-token", "cfut_", Url, 30, "Cloudflare, documentation of its tokens"),
    p("cloudflare-token", "cfat_", Url, 30, "Cloudflare, documentation of its tokens"),
    p("cloudflare-token", "cfk_", Url, 30, "Cloudflare, documentation of its tokens"),
    p("volcengine-key", "AKLT", Url, 40, "Volcengine, documentation of its keys"),
    p("yandex-key", "AQVN", Url, 34, "Yandex, documentation of its keys"),
    p("render-key", "rnd_", Plain, 26, "Render, documentation of its keys"),
    p("neon-key", "napi_", Plain, 40, "Neon, documentation of its keys"),
    p("xata-key", "xau_", Plain, 30, "Xata, documentation of its keys"),
    p("mongodb-secret", "mdb_sa_sk_", Url, 30, "MongoDB Atlas, service accounts"),
    p("databricks-token", "dose", Hex, 32, "Databricks, documentation of its tokens"),
    p("digitalocean-token", "dop_v1_", Hex, 40, "Digitalocean, documentation of its tokens"),
    p("digitalocean-token", "doo_v1_", Hex, 40, "Digitalocean, documentation of its tokens"),
    p("digitalocean-token", "dor_v1_", Hex, 40, "Digitalocean, documentation of its tokens"),
    p("alibaba-key", "LTAI", Plain, 16, "Alibaba, documentation of its keys"),
    p("tencent-key", "AKID", Plain, 32, "Tencent, documentation of its keys"),
    p("heroku-token", "HRKU-", Url, 30, "Heroku, documentation of its tokens"),
    p("fly-token", "fo1_", Url, 36, "Fly, documentation of its tokens"),
    p("fly-token", "fm2_", Base64, 60, "Fly, documentation of its tokens"),
    p("netlify-token", "nfp_", Plain, 30, "Netlify, documentation of its tokens"),
    p("vercel-token", "vcp_", Plain, 24, "Vercel, documentation of its tokens"),
    p("vercel-token", "vercel_blob_rw_", Url, 24, "Vercel, documentation of its tokens"),
    p("vercel-token", "vck_", Plain, 24, "Vercel, documentation of its tokens"),
    p("vercel-token", "vca_", Plain, 24, "Vercel, documentation of its tokens"),
    p("vercel-token", "vci_", Plain, 24, "Vercel, documentation of its tokens"),
    p("netlify-token", "nfc_", Plain, 30, "Netlify, documentation of its tokens"),
    p("netlify-token", "nfo_", Plain, 30, "Netlify, documentation of its tokens"),
    p("netlify-token", "nfu_", Plain, 30, "Netlify, documentation of its tokens"),
    p("supabase-token", "sbp_", Hex, 36, "Supabase, documentation of its tokens"),
    p("supabase-token", "sb_secret_", Url, 20, "Supabase, documentation of its tokens"),
    p("planetscale-token", "pscale_tkn_", Dotted, 30, "Planetscale, documentation of its tokens"),
    p("planetscale-token", "pscale_pw_", Dotted, 30, "Planetscale, documentation of its tokens"),
    p("planetscale-token", "pscale_oauth_", Dotted, 30, "Planetscale, documentation of its tokens"),
    p("databricks-token", "dapi", Hex, 32, "Databricks, documentation of its tokens"),
    p("vault-token", "hvs.", Url, 24, "HashiCorp Vault, tokens"),
    p("vault-token", "hvb.", Url, 24, "HashiCorp Vault, tokens"),
    p("vault-token", "hvr.", Url, 24, "HashiCorp Vault, tokens"),
    p("doppler-token", "dp.pt.", Plain, 36, "Doppler, documentation of its tokens"),
    p("doppler-token", "dp.st.", Dotted, 36, "Doppler, documentation of its tokens"),
    p("doppler-token", "dp.ct.", Plain, 36, "Doppler, documentation of its tokens"),
    p("doppler-token", "dp.sa.", Plain, 36, "Doppler, documentation of its tokens"),
    p("doppler-token", "dp.scim.", Plain, 36, "Doppler, documentation of its tokens"),
    p("doppler-token", "dp.audit.", Plain, 36, "Doppler, documentation of its tokens"),
    p("ory-token", "ory_pat_", Url, 24, "Ory, documentation of its tokens"),
    p("ory-token", "ory_at_", Dotted, 24, "Ory, documentation of its tokens"),
    p("ory-token", "ory_st_", Plain, 24, "Ory, documentation of its tokens"),
    p("pulumi-token", "pul-", Hex, 36, "Pulumi, documentation of its tokens"),
    p("tailscale-key", "tskey-", Url, 24, "Tailscale, documentation of its keys"),
    p("onepassword-token", "ops_eyJ", Base64, 100, "1Password, service accounts"),
    p("openai-key", "sk-proj-", Url, 20, "OpenAI, API keys"),
    p("openai-key", "sk-svcacct-", Url, 20, "OpenAI, API keys"),
    p("openai-key", "sk-admin-", Url, 20, "OpenAI, API keys"),
    p("anthropic-key", "sk-ant-", Url, 20, "Anthropic, API keys"),
    p("openrouter-key", "sk-or-v1-", Hex, 40, "Openrouter, documentation of its keys"),
    p("model-key", "sk-", Url, 20, "OpenAI and those who took its form over"),
    p("huggingface-token", "hf_", Plain, 30, "Huggingface, documentation of its tokens"),
    p("huggingface-token", "api_org_", Plain, 30, "Huggingface, documentation of its tokens"),
    p("groq-key", "gsk_", Plain, 40, "Groq, documentation of its keys"),
    p("replicate-token", "r8_", Plain, 30, "Replicate, documentation of its tokens"),
    p("perplexity-key", "pplx-", Plain, 32, "Perplexity, documentation of its keys"),
    p("xai-key", "xai-", Plain, 60, "xAI, API keys"),
    p("langsmith-key", "lsv2_", Url, 36, "Langsmith, documentation of its keys"),
    p("tavily-key", "tvly-", Url, 20, "Tavily, documentation of its keys"),
    p("pinecone-key", "pcsk_", Url, 40, "Pinecone, documentation of its keys"),
    p("nvidia-key", "nvapi-", Url, 40, "Nvidia, documentation of its keys"),
    p("voyage-key", "pa-", Url, 40, "Voyage, documentation of its keys"),
    p("together-key", "tgp_v1_", Url, 30, "Together, documentation of its keys"),
    p("fireworks-key", "fw_", Plain, 22, "Fireworks, documentation of its keys"),
    p("cerebras-key", "csk-", Plain, 40, "Cerebras, documentation of its keys"),
    p("runpod-key", "rpa_", Plain, 36, "Runpod, documentation of its keys"),
    p("langsmith-key", "ls__", Hex, 32, "Langsmith, documentation of its keys"),
    p("firecrawl-key", "fc-", Hex, 32, "Firecrawl, documentation of its keys"),
    p("jina-key", "jina_", Plain, 40, "Jina, documentation of its keys"),
    p("e2b-key", "e2b_", Hex, 40, "E2B, API keys"),
    p("wandb-key", "wandb_v1_", Url, 40, "Wandb, documentation of its keys"),
    p("anyscale-key", "esecret_", Plain, 24, "Anyscale, documentation of its keys"),
    p("wakatime-key", "waka_", Groups, 32, "Wakatime, documentation of its keys"),
    p("browserbase-key", "bb_live_", Url, 20, "Browserbase, documentation of its keys"),
    p("elevenlabs-key", "sk_", Hex, 40, "Elevenlabs, documentation of its keys"),
    p("stripe-key", "sk_live_", Plain, 16, "Stripe, API keys"),
    p("stripe-key", "sk_test_", Plain, 16, "Stripe, API keys"),
    p("stripe-key", "rk_live_", Plain, 16, "Stripe, API keys"),
    p("stripe-key", "rk_test_", Plain, 16, "Stripe, API keys"),
    p("stripe-key", "whsec_", Base64, 24, "Stripe, API keys"),
    p("square-token", "sq0atp-", Url, 20, "Square, documentation of its tokens"),
    p("square-token", "sq0csp-", Url, 40, "Square, documentation of its tokens"),
    p("square-token", "EAAAE", Url, 55, "Square, documentation of its tokens"),
    p("shopify-token", "shpat_", Hex, 32, "Shopify, documentation of its tokens"),
    p("shopify-token", "shpca_", Hex, 32, "Shopify, documentation of its tokens"),
    p("shopify-token", "shppa_", Hex, 32, "Shopify, documentation of its tokens"),
    p("shopify-token", "shpss_", Hex, 32, "Shopify, documentation of its tokens"),
    p("razorpay-key", "rzp_live_", Plain, 14, "Razorpay, documentation of its keys"),
    p("flutterwave-key", "FLWSECK-", Url, 32, "Flutterwave, documentation of its keys"),
    p("flutterwave-key", "FLWSECK_TEST-", Url, 32, "Flutterwave, documentation of its keys"),
    p("easypost-key", "EZAK", Plain, 50, "Easypost, documentation of its keys"),
    p("shippo-token", "shippo_live_", Hex, 40, "Shippo, documentation of its tokens"),
    p("shippo-token", "shippo_test_", Hex, 40, "Shippo, documentation of its tokens"),
    p("easypost-key", "EZTK", Plain, 50, "Easypost, documentation of its keys"),
    p("paddle-key", "pdl_live_", Url, 40, "Paddle, documentation of its keys"),
    p("paddle-key", "pdl_sdbx_", Url, 40, "Paddle, documentation of its keys"),
    p("razorpay-key", "rzp_test_", Plain, 14, "Razorpay, documentation of its keys"),
    p("shopify-token", "shptka_", Hex, 32, "Shopify, documentation of its tokens"),
    p("stytch-key", "secret-live-", Base64, 30, "Stytch, documentation of its keys"),
    p("stytch-key", "secret-test-", Base64, 30, "Stytch, documentation of its keys"),
    p("slack-token", "xoxb-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxp-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxa-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxr-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxs-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxo-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxc-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxd-", Base64, 16, "Slack, token types"),
    p("slack-token", "xoxe-", Url, 16, "Slack, token types"),
    p("slack-token", "xoxe.xox", Dotted, 24, "Slack, token types"),
    p("slack-token", "xapp-", Url, 16, "Slack, token types"),
    p("sendgrid-key", "SG.", Dotted, 40, "Sendgrid, documentation of its keys"),
    p("brevo-key", "xkeysib-", Url, 64, "Brevo, documentation of its keys"),
    p("resend-key", "re_", Url, 30, "Resend, documentation of its keys"),
    p("mandrill-key", "md-", Plain, 22, "Mandrill, documentation of its keys"),
    p("mailersend-key", "mlsn.", Hex, 60, "Mailersend, documentation of its keys"),
    p("brevo-key", "xsmtpsib-", Url, 64, "Brevo, documentation of its keys"),
    p("hubspot-token", "pat-na1-", Groups, 32, "Hubspot, documentation of its tokens"),
    p("hubspot-token", "pat-eu1-", Groups, 32, "Hubspot, documentation of its tokens"),
    p("facebook-token", "EAAC", Plain, 60, "Facebook, documentation of its tokens"),
    p("facebook-token", "EAAG", Plain, 60, "Facebook, documentation of its tokens"),
    p("linear-key", "lin_api_", Plain, 30, "Linear, documentation of its keys"),
    p("linear-key", "lin_oauth_", Plain, 30, "Linear, documentation of its keys"),
    p("notion-token", "ntn_", Plain, 36, "Notion, documentation of its tokens"),
    p("notion-token", "secret_", Plain, 40, "Notion, documentation of its tokens"),
    p("figma-token", "figd_", Url, 36, "Figma, documentation of its tokens"),
    p("contentful-token", "CFPAT-", Url, 36, "Contentful, documentation of its tokens"),
    p("dropbox-token", "sl.", Url, 60, "Dropbox, documentation of its tokens"),
    p("dropbox-token", "sl.u.", Url, 60, "Dropbox, documentation of its tokens"),
    p("typeform-token", "tfp_", Url, 36, "Typeform, documentation of its tokens"),
    p("readme-key", "rdme_", Plain, 60, "Readme, documentation of its keys"),
    p("sentry-token", "sntrys_", Base64, 60, "Sentry, documentation of its tokens"),
    p("sentry-token", "sntryu_", Hex, 60, "Sentry, documentation of its tokens"),
    p("grafana-token", "glc_", Base64, 30, "Grafana, documentation of its tokens"),
    p("grafana-token", "glsa_", Url, 36, "Grafana, documentation of its tokens"),
    p("newrelic-key", "NRAK-", Plain, 24, "Newrelic, documentation of its keys"),
    p("newrelic-key", "NRJS-", Plain, 16, "Newrelic, documentation of its keys"),
    p("newrelic-key", "NRII-", Url, 30, "Newrelic, documentation of its keys"),
    p("newrelic-key", "NRIQ-", Url, 30, "Newrelic, documentation of its keys"),
    p("launchdarkly-key", "sdk-", Groups, 36, "Launchdarkly, documentation of its keys"),
    p("launchdarkly-key", "api-", Groups, 36, "Launchdarkly, documentation of its keys"),
    p("axiom-token", "xaat-", Groups, 36, "Axiom, documentation of its tokens"),
    p("axiom-token", "xapt-", Groups, 36, "Axiom, documentation of its tokens"),
    p("honeycomb-key", "hcaik_", Plain, 50, "Honeycomb, documentation of its keys"),
    p("dbt-token", "dbtu_", Url, 30, "dbt Cloud, tokens"),
    p("dbt-token", "dbtc_", Url, 30, "dbt Cloud, tokens"),
    p("prefect-key", "pnb_", Plain, 32, "Prefect, documentation of its keys"),
    p("dynatrace-token", "dt0c01.", Dotted, 60, "Dynatrace, documentation of its tokens"),
    p("posthog-key", "phx_", Plain, 32, "Posthog, documentation of its keys"),
    p("prefect-key", "pnu_", Plain, 32, "Prefect, documentation of its keys"),
    p("infracost-key", "ico-", Plain, 30, "Infracost, documentation of its keys"),
    p("duffel-token", "duffel_live_", Base64, 40, "Duffel, documentation of its tokens"),
    p("mapbox-token", "sk.eyJ", Dotted, 60, "Mapbox, documentation of its tokens"),
    p("yandex-token", "y0_", Url, 50, "Yandex, documentation of its tokens"),
    // From the rules of Betterleaks (THIRD_PARTY.md).
    p("alibaba-key", "STS.", Plain, 20, "Alibaba, documentation of its keys"),
    p("lichess-token", "lip_", Plain, 20, "Lichess, by way of Betterleaks"),
    p("settlemint-token", "sm_pat_", Plain, 16, "Settlemint, by way of Betterleaks"),
    p("settlemint-token", "sm_aat_", Plain, 16, "Settlemint, by way of Betterleaks"),
    p("settlemint-token", "sm_sat_", Plain, 16, "Settlemint, by way of Betterleaks"),
    p("openshift-token", "sha256~", Url, 40, "Openshift, by way of Betterleaks"),
    p("devcycle-key", "dvc_server_", Url, 30, "Devcycle, by way of Betterleaks"),
    p("endorlabs-key", "endr+", Url, 16, "Endorlabs, by way of Betterleaks"),
    p("midtrans-key", "Mid-server-", Url, 20, "Midtrans, by way of Betterleaks"),
    p("persona-key", "persona_production_", Groups, 30, "Persona, by way of Betterleaks"),
    p("onfido-token", "api_live_us.", Url, 30, "Onfido, by way of Betterleaks"),
    p("onfido-token", "api_live_ca.", Url, 30, "Onfido, by way of Betterleaks"),
    p("aikido-token", "AIK_CI_", Plain, 20, "Aikido, by way of Betterleaks"),
    p("aikido-token", "AIK_SECRET_", Plain, 40, "Aikido, by way of Betterleaks"),
    p("apify-token", "apify_api_", Plain, 30, "Apify, by way of Betterleaks"),
    p("bitbucket-token", "BBDC-", Base64, 32, "Bitbucket, documentation of its tokens"),
    p("brave-key", "BSA", Url, 24, "Brave, by way of Betterleaks"),
    p("buildkite-token", "bkaa_", Url, 40, "Buildkite, documentation of its tokens"),
    p("canva-secret", "cnvca", Url, 48, "Canva, by way of Betterleaks"),
    p("cloudsmith-key", "csa_", Hex, 30, "Cloudsmith, by way of Betterleaks"),
    p("cockroachdb-key", "CCDB1_", Plain, 22, "Cockroachdb, by way of Betterleaks"),
    p("devin-key", "apk_user_", Base64, 80, "Devin, by way of Betterleaks"),
    p("devin-key", "apk_", Base64, 80, "Devin, by way of Betterleaks"),
    p("devin-key", "cog_", Plain, 50, "Devin, by way of Betterleaks"),
    p("docker-swarm-token", "SWMTKN-1-", Url, 50, "Docker Swarm, by way of Betterleaks"),
    p("docker-swarm-token", "SWMKEY-1-", Base64, 36, "Docker Swarm, by way of Betterleaks"),
    p("elastic-key", "essu_", Url, 50, "Elastic, by way of Betterleaks"),
    p("exoscale-key", "EXO", Plain, 24, "Exoscale, by way of Betterleaks"),
    p("google-key", "AQ.Ab8RN6", Url, 40, "Google, by way of Betterleaks"),
    p("ionic-token", "ion_", Plain, 40, "Ionic, by way of Betterleaks"),
    p("labelbox-key", "lbx_", Url, 40, "Labelbox, by way of Betterleaks"),
    p("labelbox-key", "rma_", Url, 40, "Labelbox, by way of Betterleaks"),
    p("llamacloud-key", "llx-", Plain, 40, "Llamacloud, by way of Betterleaks"),
    p("mergify-key", "mergify_application_key_", Url, 36, "Mergify, by way of Betterleaks"),
    p("nylas-key", "nyk_", Plain, 50, "Nylas, by way of Betterleaks"),
    p("onfido-token", "api_live.", Url, 30, "Onfido, by way of Betterleaks"),
    p("pinterest-token", "pina_", Url, 20, "Pinterest, by way of Betterleaks"),
    p("polar-token", "polar_at_", Url, 20, "Polar, by way of Betterleaks"),
    p("polar-token", "polar_oat_", Url, 20, "Polar, by way of Betterleaks"),
    p("polar-token", "polar_pat_", Url, 20, "Polar, by way of Betterleaks"),
    p("ramp-secret", "ramp_sec_", Plain, 40, "Ramp, by way of Betterleaks"),
    p("rootly-key", "rootly_", Hex, 48, "Rootly, by way of Betterleaks"),
    p("samsara-token", "samsara_api_", Plain, 26, "Samsara, by way of Betterleaks"),
    p("scalingo-token", "tk-us-", Url, 40, "Scalingo, by way of Betterleaks"),
    p("thunderstore-token", "tss_", Url, 20, "Thunderstore, by way of Betterleaks"),
    p("unkey-key", "unkey_", Plain, 20, "Unkey, by way of Betterleaks"),
    p("upcloud-token", "ucat_", Plain, 24, "Upcloud, by way of Betterleaks"),
    p("valtown-token", "vtwn_", Url, 20, "Valtown, by way of Betterleaks"),
    p("vercel-token", "vcr_", Url, 50, "Vercel, documentation of its tokens"),
    p("xendit-key", "xnd_production_", Plain, 48, "Xendit, by way of Betterleaks"),
    p("zuplo-key", "zpka_", Plain, 32, "Zuplo, by way of Betterleaks"),
    p("age-key", "AGE-SECRET-KEY-1", Plain, 50, "age, C2SP age.md"),
    p("age-key", "AGE-PLUGIN-", Url, 50, "age, C2SP age.md"),
];

#[cfg(test)]
mod tests {
    use super::super::scan;
    use super::super::tests::generator;
    use super::{Alphabet, PREFIXES};

    /// A made-up value of the published form.
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
            assert!(!prefix.source.is_empty(), "{} has no source", prefix.rule);
            let value = value(prefix.prefix, prefix.alphabet, prefix.least, number as u64 + 1);
            let text = format!("use {value} now");
            let found = scan(&text);
            let whole = found.iter().any(|finding| finding.start <= 4 && finding.end >= 4 + value.len());
            assert!(whole, "{} is not found in {text:?}: {found:?}", prefix.rule);
        }
    }
}
