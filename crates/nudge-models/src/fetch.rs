//! Pages of the web: one request without keys, only to public addresses.
//!
//! An address may come from a model or from a page, so it must not reach what only this machine or
//! its network can reach. That is checked for numbers in the address, for what its name stands for
//! when the connection is made, and after each redirect. The one server that the user named may be
//! anywhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::time::Duration;

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderValue, LOCATION, USER_AGENT};
use hyper::{Request, Uri};
use tokio::time::timeout;

use crate::address::Address;
use crate::transport::{Fits, HttpClient, client, config, first_bytes_of, verified};

/// How many redirects are followed.
const MAX_REDIRECTS: usize = 4;

/// Fetches pages.
#[derive(Debug)]
pub struct Fetcher {
    own: Address,
    /// For the server that the user named.
    anywhere: HttpClient,
    /// For all others.
    public: HttpClient,
}

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The status.
    pub status: u16,
    /// The type of the content, in lower case and without parameters.
    pub content_type: String,
    /// The beginning of the body.
    pub body: Vec<u8>,
}

impl Fetcher {
    /// For pages of public addresses, and for everything of the server at `own`.
    pub fn new(own: &str) -> Result<Self, String> {
        let own = Address::parse(own).map_err(|why| format!("the address {why}"))?;
        let made = |fits: Fits| Ok::<_, String>(client(verified(config()?)?, fits));
        Ok(Self { own, anywhere: made(|_| Ok(()))?, public: made(check_public)? })
    }

    /// Fetches at most this much of an address, within this time for all of it.
    pub async fn get(&self, address: &str, most_bytes: usize, within: Duration) -> Result<Fetched, String> {
        let fetched = timeout(within, self.follow(address, most_bytes)).await;
        fetched.unwrap_or_else(|_| Err(format!("no answer within {} s", within.as_secs_f64())))
    }

    async fn follow(&self, address: &str, most_bytes: usize) -> Result<Fetched, String> {
        let mut address = parse(address)?;
        for _ in 0..=MAX_REDIRECTS {
            let client = if self.is_own(&address) { &self.anywhere } else { self.public(&address)? };
            let mut request = Request::new(String::new());
            *request.uri_mut() = address.to_string().parse::<Uri>().map_err(|_| NO_URL.to_owned())?;
            let headers = request.headers_mut();
            let agent = concat!("nudge/", env!("CARGO_PKG_VERSION"));
            headers.insert(USER_AGENT, HeaderValue::from_static(agent));
            headers.insert(ACCEPT, HeaderValue::from_static("text/html, text/plain, application/json"));
            let mut response = client.request(request).await.map_err(|error| why(&error))?;
            let status = response.status();
            let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
            if status.is_redirection()
                && let Some(next) = header(LOCATION)
            {
                address = parse(&redirected(&address, next))?;
                continue;
            }
            let content_type = header(CONTENT_TYPE).unwrap_or_default();
            let content_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            let body = first_bytes_of(&mut response, most_bytes).await;
            return Ok(Fetched { status: status.as_u16(), content_type, body });
        }
        Err("it redirects too often".to_owned())
    }

    /// Whether it is the server that the user named.
    fn is_own(&self, address: &Address) -> bool {
        (address.has_tls(), address.host()) == (self.own.has_tls(), self.own.host())
    }

    /// The client for all others. It looks names up by itself, but not numbers.
    fn public(&self, address: &Address) -> Result<&HttpClient, String> {
        let number = address.host_name().trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        number.map_or(Ok(()), check_public)?;
        Ok(&self.public)
    }
}

const NO_URL: &str = "the address is no URL";

const NOT_PUBLIC: &str = "the address is not public: it is of this machine or of a private network";

fn parse(address: &str) -> Result<Address, String> {
    Address::parse(address).map_err(|why| format!("the address {why}"))
}

/// Where a redirect leads.
fn redirected(from: &Address, to: &str) -> String {
    let scheme = if from.has_tls() { "https" } else { "http" };
    if to.contains("://") {
        return to.to_owned();
    }
    if let Some(rest) = to.strip_prefix("//") {
        return format!("{scheme}://{rest}");
    }
    let base = match to.starts_with('/') {
        true => "",
        false => from.path().rsplit_once('/').map_or("", |(directory, _)| directory),
    };
    let slash = if to.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{}{base}{slash}{to}", from.host())
}

/// Why there is no answer: the deepest cause.
fn why(error: &(dyn std::error::Error + 'static)) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

fn check_public(ip: IpAddr) -> Result<(), &'static str> {
    if is_public(ip) { Ok(()) } else { Err(NOT_PUBLIC) }
}

/// Whether an address is one of the internet, and of one machine.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = match (a, b, c) {
        // This network, carrier networks, protocols, benchmarks, reserved.
        (0, ..) | (100, 64..=127, _) | (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _) | (240.., ..) => true,
        _ => {
            ip.is_private()
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_multicast()
                || ip.is_documentation()
        }
    };
    !is_special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, c, d, e, f, g, h] = ip.segments();
    let v4 = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b, c, d, e, f) {
        // An IPv4 address in other clothes.
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => v4(g, h),
        (0x2002, ..) => v4(b, c),
        // Tunnels and documentation.
        (0x2001, 0..=0x1ff | 0xdb8, ..) | (0x3fff, ..) => false,
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_internet_are_public() {
        for public in
            ["9.9.9.9", "100.63.0.1", "172.32.0.1", "2606:4700::1", "::ffff:9.9.9.9", "64:ff9b::909:909"]
        {
            assert!(is_public(public.parse().expect(public)), "{public}");
        }
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "192.0.0.1",
            "198.18.0.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "2001:db8::1",
            "2001::1",
            "::7f00:1",
        ] {
            assert!(!is_public(private.parse().expect(private)), "{private}");
        }
    }

    #[test]
    fn a_redirect_leads_where_a_browser_would_go() {
        let from = Address::parse("https://a.example:8443/b/c?d").expect("an address");
        for (to, expected) in [
            ("http://x.example/y", "http://x.example/y"),
            ("//x.example/y", "https://x.example/y"),
            ("/y?z=1", "https://a.example:8443/y?z=1"),
            ("y", "https://a.example:8443/b/y"),
        ] {
            assert_eq!(redirected(&from, to), expected);
        }
    }

    #[tokio::test]
    async fn names_and_numbers_of_this_machine_are_not_fetched() {
        let fetcher = Fetcher::new("http://127.0.0.1:9").expect("a fetcher");
        for private in [
            "http://127.0.0.1:8/",
            "http://localhost:9/",
            "http://[::1]:9/",
            "http://127.1:9/",
            "http://0x7f000001:9/",
            "http://2130706433:9/",
            "https://127.0.0.1:9/",
        ] {
            let fetched = fetcher.get(private, 10, Duration::from_secs(5)).await;
            let why = fetched.expect_err(private);
            let is_unknown = why.contains("lookup") || why.contains("not known");
            assert!(why == NOT_PUBLIC || is_unknown, "{private}: {why}");
        }
        for strange in ["file:///etc/passwd", "ftp://x.example/", "http://u:p@x.example/", "x"] {
            assert!(fetcher.get(strange, 10, Duration::from_secs(5)).await.is_err(), "{strange}");
        }
        let own = fetcher.get("http://127.0.0.1:9/x", 10, Duration::from_secs(5)).await;
        assert!(own.is_err_and(|why| why != NOT_PUBLIC), "the server of the user may be anywhere");
    }
}
