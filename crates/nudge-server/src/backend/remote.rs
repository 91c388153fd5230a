//! A PROXY's connection to PRIMARY: one connection, many concurrent calls.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use nudge_core::Fault;
use nudge_home::Home;
use nudge_memory::Caller;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{oneshot, watch};

use nudge_client::connection::{GREETED_WITHIN, Lost, REPLY_WITHIN};
use nudge_client::connection::{check_peer, is_barred};
use nudge_client::frame::{self, Greeting, MAX_FRAME, Reply};

/// The connection to the current PRIMARY.
pub(crate) struct Remote {
    home: Home,
    live: tokio::sync::Mutex<Option<Arc<Connection>>>,
    last: watch::Sender<Option<Greeting>>,
    next_id: AtomicU64,
    barred: AtomicBool,
}

struct Connection {
    writer: tokio::sync::Mutex<OwnedWriteHalf>,
    pending: Pending,
}

/// The calls that wait for a reply. `None` once the connection has ended.
struct Pending(Mutex<Option<HashMap<u64, oneshot::Sender<Reply>>>>);

impl Remote {
    pub(crate) fn new(home: Home) -> Self {
        Self {
            home,
            live: tokio::sync::Mutex::new(None),
            last: watch::Sender::new(None),
            next_id: AtomicU64::new(1),
            barred: AtomicBool::new(false),
        }
    }

    /// The latest PRIMARY's greeting.
    pub(crate) fn last_greeting(&self) -> Option<Greeting> {
        self.last.borrow().clone()
    }

    /// Receives the greeting of every PRIMARY that this process meets.
    pub(crate) fn greetings(&self) -> watch::Receiver<Option<Greeting>> {
        self.last.subscribe()
    }

    /// Whether the system forbade this process to connect. That does not change during its life.
    pub(crate) fn is_barred(&self) -> bool {
        self.barred.load(Ordering::Relaxed)
    }

    /// Connects if there is no connection, so that the greeting is known.
    pub(crate) async fn meet(&self) -> Result<(), Lost> {
        self.connection().await.map(|_| ())
    }

    /// Sends a call and waits for its reply.
    pub(crate) async fn call(
        &self,
        caller: &Caller,
        op: &str,
        params: &Value,
    ) -> Result<Result<Value, Fault>, Lost> {
        let connection = self.connection().await?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let reply = connection.pending.expect(id)?;
        let bytes = frame::call(id, caller, op, params);
        let exchange = async {
            connection.writer.lock().await.write_all(&bytes).await.map_err(|_| Lost)?;
            reply.await.map_err(|_| Lost)
        };
        match tokio::time::timeout(REPLY_WITHIN, exchange).await {
            Ok(Ok(reply)) => Ok(reply.outcome()),
            Ok(Err(Lost)) => {
                self.forget(&connection).await;
                Err(Lost)
            }
            Err(_) => {
                tracing::warn!("PRIMARY left a call without a reply; it is repeated");
                self.forget(&connection).await;
                Err(Lost)
            }
        }
    }

    async fn connection(&self) -> Result<Arc<Connection>, Lost> {
        let mut live = self.live.lock().await;
        if let Some(connection) = &*live
            && connection.pending.is_open()
        {
            return Ok(connection.clone());
        }
        *live = None;
        let connecting = tokio::time::timeout(GREETED_WITHIN, self.connect());
        let (connection, greeting) = connecting.await.map_err(|_| Lost)?.map_err(|error| {
            tracing::debug!(%error, "no PRIMARY at the socket");
            Lost
        })?;
        self.last.send_replace(Some(greeting));
        *live = Some(connection.clone());
        Ok(connection)
    }

    async fn connect(&self) -> std::io::Result<(Arc<Connection>, Greeting)> {
        let socket = self.home.existing_socket().map_err(std::io::Error::other)?;
        let stream = UnixStream::connect(socket.ok_or(std::io::ErrorKind::NotFound)?).await;
        if stream.as_ref().is_err_and(is_barred) {
            self.barred.store(true, Ordering::Relaxed);
        }
        let stream = stream?;
        let stream = stream.into_std()?;
        check_peer(&stream)?;
        let (reader, writer) = UnixStream::from_std(stream)?.into_split();
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        read_frame(&mut reader, &mut line).await?;
        let greeting = Greeting::read(&line)?;
        let pending = Pending(Mutex::new(Some(HashMap::new())));
        let connection = Arc::new(Connection { writer: tokio::sync::Mutex::new(writer), pending });
        tokio::spawn(listen(reader, connection.clone()));
        Ok((connection, greeting))
    }

    async fn forget(&self, lost: &Arc<Connection>) {
        lost.pending.close();
        let mut live = self.live.lock().await;
        if live.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, lost)) {
            *live = None;
        }
    }
}

impl Pending {
    fn expect(&self, id: u64) -> Result<oneshot::Receiver<Reply>, Lost> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.as_mut().ok_or(Lost)?.insert(id, sender);
        Ok(receiver)
    }

    fn deliver(&self, reply: Reply) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = reply.id.and_then(|id| waiting.as_mut()?.remove(&id));
        if let Some(sender) = sender {
            // The caller may have stopped waiting; then nobody needs the reply.
            let _ = sender.send(reply);
        }
    }

    fn is_open(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Informs all waiting calls that no reply will come.
    fn close(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

async fn listen(mut reader: BufReader<OwnedReadHalf>, connection: Arc<Connection>) {
    let mut line = Vec::new();
    while read_frame(&mut reader, &mut line).await.is_ok() {
        match serde_json::from_slice::<Reply>(&line) {
            Ok(reply) if reply.id.is_some() => connection.pending.deliver(reply),
            _ => break,
        }
    }
    connection.pending.close();
}

/// Reads one frame; the end of the stream and a frame over the limit are errors.
async fn read_frame(reader: &mut BufReader<OwnedReadHalf>, line: &mut Vec<u8>) -> std::io::Result<()> {
    line.clear();
    let mut bounded = reader.take(MAX_FRAME as u64);
    bounded.read_until(b'\n', line).await?;
    if line.last() == Some(&b'\n') { Ok(()) } else { Err(std::io::ErrorKind::UnexpectedEof.into()) }
}
