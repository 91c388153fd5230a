//! A SearXNG server on this machine that finds one page for each word, and has that page.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;

/// The texts of the pages, by word.
type Pages = Arc<Mutex<BTreeMap<String, String>>>;

pub(super) struct Web {
    address: SocketAddr,
    pages: Pages,
}

impl Web {
    /// Starts it. It ends with the drill.
    pub(super) fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let (address, pages) = (listener.local_addr()?, Pages::default());
        let served = pages.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // A client that went away needs no answer.
                let _ = answer(&stream, address, &served);
            }
        });
        Ok(Self { address, pages })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Publishes a page that is found by a word.
    pub(super) fn publish(&self, word: &str, text: &str) {
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        pages.insert(word.to_owned(), text.to_owned());
    }
}

fn answer(stream: &TcpStream, own: SocketAddr, pages: &Pages) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines.map_while(Result::ok) {
        if line.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
    let found = |asked: &str| pages.iter().find(|(word, _)| asked == word.as_str());
    let (kind, body) = match path.strip_prefix("/page/").and_then(found) {
        Some((_, text)) => {
            let text = text.replace('&', "&amp;").replace('<', "&lt;");
            (
                "text/html; charset=utf-8",
                format!("<html><body><h1>Kumquat</h1><pre>{text}</pre></body></html>"),
            )
        }
        None => {
            let asked = path.split(['?', '&']).find_map(|part| part.strip_prefix("q=")).unwrap_or_default();
            let result = |(word, text): (&String, &String)| json!({"title": "Kumquat", "url": format!("http://{own}/page/{word}"), "content": text});
            let results: Vec<_> = found(asked).map(result).into_iter().collect();
            ("application/json", json!({"results": results}).to_string())
        }
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let mut stream = stream;
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
