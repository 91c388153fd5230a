//! Moves messages over one WebSocket: reads, answers in order, writes, and closes politely.
//!
//! Three futures share the connection. The reader puts requests into a bounded queue and stops
//! reading when it is full. The worker answers them one after the other. The writer sends answers,
//! notifications and pings. No client waits for another.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message, Utf8Bytes};
use tokio_util::sync::CancellationToken;

use super::outbox::Outbox;
use crate::http::body::MAX_BODY;

/// How many requests of a connection wait. Together they are no longer than one body may be.
const MAX_QUEUED: usize = 32;

/// How often a ping is sent.
const PING_EVERY: Duration = Duration::from_secs(30);

/// How long a peer may be silent. It has had two pings to answer by then.
const DEAD_AFTER: Duration = Duration::from_secs(75);

/// How long a client may take to accept one message.
const WRITE_WITHIN: Duration = Duration::from_secs(30);

/// How long the closing handshake may take.
const CLOSE_WITHIN: Duration = Duration::from_secs(1);

/// How long requests that were read may take when the server ends or hands over.
const LEAVE_WITHIN: Duration = Duration::from_secs(10);

/// How long a sender is listened to after its message was too large, so that it can read why.
const DRAIN_WITHIN: Duration = Duration::from_secs(2);

/// How long such a sender may pause.
const DRAIN_PAUSE: Duration = Duration::from_millis(250);

/// The buffer for reading.
const READ_BUFFER: usize = 16 * 1024;

/// Answers the texts of one client.
pub(super) trait Talk: Send {
    /// Whether the client may still call.
    fn is_admitted(&self) -> bool;
    /// The answer to a text, if it gets one.
    fn answer(&mut self, text: &str) -> impl Future<Output = Option<String>> + Send;
    /// The answer to a message that is not text.
    fn refuse_binary(&self) -> String;
    /// The answer is on its way to the client.
    fn answered(&mut self);
}

/// What the reader passes to the worker.
enum Incoming {
    /// A request, with its share of the queue, which is freed when dropped.
    Text(Utf8Bytes, OwnedSemaphorePermit),
    /// Nothing more comes.
    End(Ending),
}

/// Why the reader stopped.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Ending {
    /// The client closed the connection, or is gone.
    Closed,
    /// The server closes it.
    Goodbye(Goodbye),
}

/// What the worker passes to the writer.
enum Outgoing {
    Text(String),
    Close(Goodbye),
}

/// A WebSocket.
pub(super) struct Link<S> {
    sink: SplitSink<WebSocketStream<S>, Message>,
    stream: SplitStream<WebSocketStream<S>>,
    stop: CancellationToken,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Link<S> {
    /// A WebSocket over a stream after the handshake. It closes when `stop` is cancelled.
    pub(super) async fn new(stream: S, stop: CancellationToken) -> Self {
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER)
            .max_message_size(Some(MAX_BODY))
            .max_frame_size(Some(MAX_BODY));
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        let (sink, stream) = socket.split();
        Self { sink, stream, stop }
    }

    /// Greets the client and serves it until the connection is closed.
    pub(super) async fn run(mut self, hello: String, talk: impl Talk, outbox: Outbox) {
        let (queue, requests) = mpsc::channel(MAX_QUEUED);
        let (answers, to_send) = mpsc::channel(1);
        let over = CancellationToken::new();
        let writing = async {
            let goodbye = write(&mut self.sink, hello, to_send, outbox).await;
            over.cancel();
            goodbye
        };
        let reading = read(&mut self.stream, queue, &self.stop, &over);
        let working = work(talk, requests, answers);
        let served = async { tokio::join!(reading, working, writing) };
        let late = async {
            self.stop.cancelled().await;
            tokio::time::sleep(LEAVE_WITHIN).await;
        };
        let (ending, (), goodbye) = tokio::select! {
            served = served => served,
            () = late => return,
        };
        match (ending, goodbye) {
            (_, None) => {}
            (Ending::Goodbye(Goodbye::TooLarge | Goodbye::Protocol | Goodbye::NotText), _) => {
                self.drain().await;
            }
            // The client confirms the close.
            _ => {
                let confirmed = async { while let Some(Ok(_)) = self.stream.next().await {} };
                let _ = timeout(CLOSE_WITHIN, confirmed).await;
            }
        }
    }

    /// Reads and drops what a client still sends. Closing at once would reset the connection, and
    /// the client would not see why.
    async fn drain(self) {
        let Ok(socket) = self.sink.reunite(self.stream) else { return };
        let mut stream = socket.into_inner();
        let mut bytes = vec![0; READ_BUFFER];
        let dropped =
            async { while let Ok(Ok(1..)) = timeout(DRAIN_PAUSE, stream.read(&mut bytes)).await {} };
        let _ = timeout(DRAIN_WITHIN, dropped).await;
    }
}

/// Reads until the connection ends, the server stops, or a message is not acceptable.
async fn read<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut SplitStream<WebSocketStream<S>>,
    queue: mpsc::Sender<Incoming>,
    stop: &CancellationToken,
    over: &CancellationToken,
) -> Ending {
    let room = Arc::new(Semaphore::new(MAX_BODY));
    let ending = loop {
        let received = tokio::select! {
            biased;
            () = stop.cancelled() => break Ending::Goodbye(Goodbye::GoingAway),
            () = over.cancelled() => break Ending::Closed,
            received = timeout(DEAD_AFTER, stream.next()) => received,
        };
        match received {
            Ok(Some(Ok(Message::Text(text)))) => {
                let share = u32::try_from(text.len()).unwrap_or(u32::MAX);
                let Ok(share) = room.clone().acquire_many_owned(share).await else { break Ending::Closed };
                if queue.send(Incoming::Text(text, share)).await.is_err() {
                    break Ending::Closed;
                }
            }
            Ok(Some(Ok(Message::Binary(_)))) => break Ending::Goodbye(Goodbye::Binary),
            // The next read confirms a close and ends.
            Ok(Some(Ok(_))) => {}
            Ok(Some(Err(error))) => {
                break Goodbye::after(&error).map_or(Ending::Closed, Ending::Goodbye);
            }
            Ok(None) | Err(_) => break Ending::Closed,
        }
    };
    let _ = queue.send(Incoming::End(ending)).await;
    ending
}

/// Answers the requests in order. Those that were read before the end are answered too.
async fn work(mut talk: impl Talk, mut requests: mpsc::Receiver<Incoming>, answers: mpsc::Sender<Outgoing>) {
    while let Some(incoming) = requests.recv().await {
        match incoming {
            Incoming::Text(text, _share) => {
                if !talk.is_admitted() {
                    let _ = answers.send(Outgoing::Close(Goodbye::TokenReplaced)).await;
                    return;
                }
                if let Some(answer) = talk.answer(&text).await {
                    // The client may be gone; its other requests are run all the same.
                    let _ = answers.send(Outgoing::Text(answer)).await;
                }
                talk.answered();
            }
            Incoming::End(Ending::Closed) => return,
            Incoming::End(Ending::Goodbye(goodbye)) => {
                if goodbye == Goodbye::Binary {
                    let _ = answers.send(Outgoing::Text(talk.refuse_binary())).await;
                }
                let _ = answers.send(Outgoing::Close(goodbye)).await;
                return;
            }
        }
    }
}

/// Writes until the connection is over. Returns the farewell that was sent, if one was.
async fn write<S: AsyncRead + AsyncWrite + Unpin>(
    sink: &mut SplitSink<WebSocketStream<S>, Message>,
    hello: String,
    mut answers: mpsc::Receiver<Outgoing>,
    mut outbox: Outbox,
) -> Option<Goodbye> {
    let mut pings = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut message = Message::text(hello);
    loop {
        timeout(WRITE_WITHIN, sink.send(message)).await.ok()?.ok()?;
        // Pings first, so that a busy connection has them too; answers before notifications, so
        // that those of a subscription follow its answer.
        message = tokio::select! {
            biased;
            goodbye = outbox.farewell.asked() => return close(sink, goodbye).await,
            _ = pings.tick() => Message::Ping(Bytes::new()),
            answer = answers.recv() => match answer? {
                Outgoing::Text(text) => Message::text(text),
                Outgoing::Close(goodbye) => return close(sink, goodbye).await,
            },
            note = outbox.waiting.next() => Message::text(note),
        };
    }
}

async fn close<S: AsyncRead + AsyncWrite + Unpin>(
    sink: &mut SplitSink<WebSocketStream<S>, Message>,
    goodbye: Goodbye,
) -> Option<Goodbye> {
    let farewell = sink.send(Message::Close(Some(goodbye.frame())));
    timeout(WRITE_WITHIN, farewell).await.ok()?.ok()?;
    Some(goodbye)
}

// Why the server closes a connection: the codes of RFC 6455 and a reason in words.

/// Why the server closes a connection.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Goodbye {
    /// This process ends or hands over.
    GoingAway,
    /// The client broke the protocol.
    Protocol,
    /// The client sent a binary message.
    Binary,
    /// A text is not UTF-8.
    NotText,
    /// The token is no longer valid.
    TokenReplaced,
    /// A message is over the limit.
    TooLarge,
    /// The client does not read its notifications.
    TooSlow,
}

impl Goodbye {
    /// The farewell after an error on reading; `None` when the connection is broken.
    pub(super) fn after(error: &Error) -> Option<Self> {
        match error {
            Error::Capacity(_) => Some(Self::TooLarge),
            Error::Utf8(_) => Some(Self::NotText),
            Error::Protocol(_) => Some(Self::Protocol),
            _ => None,
        }
    }

    /// The frame that says so.
    pub(super) fn frame(self) -> CloseFrame {
        let (code, reason) = match self {
            Self::GoingAway => (CloseCode::Away, "the server ends or hands over; connect again"),
            Self::Protocol => (CloseCode::Protocol, "the WebSocket protocol was broken"),
            Self::Binary => (CloseCode::Unsupported, "only text messages are accepted"),
            Self::NotText => (CloseCode::Invalid, "a text message is not UTF-8"),
            Self::TokenReplaced => (CloseCode::Policy, "the token is no longer valid"),
            Self::TooLarge => (CloseCode::Size, "the message is too large"),
            Self::TooSlow => {
                (CloseCode::Again, "notifications are not read; connect again and subscribe with `since`")
            }
        };
        CloseFrame { code, reason: reason.into() }
    }
}

#[cfg(test)]
mod tests;
