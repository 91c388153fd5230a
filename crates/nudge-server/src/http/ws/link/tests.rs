//! The link over a pipe, with a clock that the tests advance.

use tokio::io::{DuplexStream, duplex};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::*;
use crate::http::ws::outbox::{self, Notes};

/// Says each text again after a while.
struct Echo;

impl Talk for Echo {
    fn is_admitted(&self) -> bool {
        true
    }

    async fn answer(&mut self, text: &str) -> Option<String> {
        tokio::time::sleep(Duration::from_secs(3)).await;
        Some(text.to_owned())
    }

    fn refuse_binary(&self) -> String {
        "refused".to_owned()
    }

    fn answered(&mut self) {}
}

struct Client {
    socket: WebSocketStream<DuplexStream>,
    stop: CancellationToken,
    _notes: Notes,
    server: tokio::task::JoinHandle<()>,
}

async fn client() -> Client {
    let (near, far) = duplex(64 * 1024);
    let stop = CancellationToken::new();
    let (outbox, notes) = outbox::open();
    let link = Link::new(far, stop.clone()).await;
    let server = tokio::spawn(link.run("hello".to_owned(), Echo, outbox));
    let socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
    let mut client = Client { socket, stop, _notes: notes, server };
    assert_eq!(client.hear().await, Some(Message::text("hello")));
    client
}

impl Client {
    async fn hear(&mut self) -> Option<Message> {
        self.socket.next().await.and_then(Result::ok)
    }

    async fn close_code(&mut self) -> Option<CloseCode> {
        match self.hear().await {
            Some(Message::Close(Some(frame))) => Some(frame.code),
            _ => None,
        }
    }
}

/// @ws_limits: a ping comes every 30 seconds, and a client that answers it stays connected.
#[tokio::test(start_paused = true)]
async fn a_living_client_is_pinged_and_kept() {
    let mut client = client().await;
    let began = Instant::now();
    for count in 1..=10 {
        assert_eq!(client.hear().await, Some(Message::Ping(Bytes::new())));
        assert_eq!(began.elapsed().as_secs(), 30 * count);
    }
}

/// @ws_limits: a peer that does not answer pings is dropped.
#[tokio::test(start_paused = true)]
async fn a_dead_peer_is_dropped() {
    let client = client().await;
    let began = Instant::now();
    client.server.await.expect("it ends");
    assert!((75..=80).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
}

/// @ws_limits: requests that were read are answered in order before the farewell.
#[tokio::test(start_paused = true)]
async fn what_was_read_is_answered_before_the_end() {
    let mut client = client().await;
    for text in ["one", "two", "three"] {
        client.socket.send(Message::text(text)).await.expect("sent");
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    client.stop.cancel();
    for text in ["one", "two", "three"] {
        assert_eq!(client.hear().await, Some(Message::text(text)));
    }
    assert_eq!(client.close_code().await, Some(CloseCode::Away));
    assert_eq!(client.hear().await, None);
    client.server.await.expect("it ends");
}

/// @ws_limits: a client that sends more than the queue holds has to wait, and loses nothing.
#[tokio::test(start_paused = true)]
async fn a_full_queue_slows_the_sender_down() {
    let Client { socket, stop: _stop, _notes, server: _server } = client().await;
    let (mut sink, mut stream) = socket.split();
    let count = 3 * MAX_QUEUED;
    let large = |number: usize| format!("{number:>5}{}", "x".repeat(30_000));
    let sending = tokio::spawn(async move {
        for number in 0..count {
            sink.send(Message::text(large(number))).await.expect("sent");
        }
    });
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!sending.is_finished(), "everything was taken at once");
    let mut heard = 0;
    while heard < count {
        match stream.next().await {
            Some(Ok(Message::Text(text))) => {
                assert_eq!(text.as_str(), large(heard));
                heard += 1;
            }
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// @ws_limits: a binary message is answered with an error, after what came before it.
#[tokio::test(start_paused = true)]
async fn binary_is_refused_in_its_turn() {
    let mut client = client().await;
    client.socket.send(Message::text("one")).await.expect("sent");
    client.socket.send(Message::binary(vec![1])).await.expect("sent");
    assert_eq!(client.hear().await, Some(Message::text("one")));
    assert_eq!(client.hear().await, Some(Message::text("refused")));
    assert_eq!(client.close_code().await, Some(CloseCode::Unsupported));
}
