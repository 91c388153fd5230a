//! Another user of the same machine: occupies ports, poses as our server, connects to our socket.
//!
//! Only root can act as two users, so these are `None` for anyone else.

use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A uid that is neither the user's nor `nobody`'s.
pub const STRANGER: u32 = 65_533;

/// Accepts every connection, greets as PRIMARY would, and records what it receives.
const LISTENER_SCRIPT: &str = r#"
import os, socket, sys, threading
kind, where, record = sys.argv[1:4]
if kind == "tcp":
    door = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    door.bind(("127.0.0.1", int(where)))
else:
    if os.path.lexists(where):
        os.remove(where)
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind(where)
    os.chmod(where, 0o777)
door.listen(64)
print("ready", flush=True)

def listen(peer):
    with open(os.path.join(record, "connections"), "ab") as file:
        file.write(b".")
    if kind == "unix":
        peer.sendall(b'{"nudge":1,"version":"0.1.0","instance":"stranger","pid":1,"port":1}\n')
    while True:
        try:
            heard = peer.recv(65536)
        except OSError:
            return
        if not heard:
            return
        with open(os.path.join(record, "heard"), "ab") as file:
            file.write(heard)

while True:
    threading.Thread(target=listen, args=(door.accept()[0],), daemon=True).start()
"#;

/// Connects, sends something, and prints what it receives.
const CLIENT_SCRIPT: &str = r#"
import socket, sys
door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
door.settimeout(20)
try:
    door.connect(sys.argv[1])
except OSError as error:
    print("refused", error.errno)
    sys.exit(0)
heard = b""
try:
    door.sendall(sys.argv[2].encode() + b"\n")
    while True:
        piece = door.recv(65536)
        if not piece:
            break
        heard += piece
        if b"\n" in heard and heard.count(b"\n") >= 2:
            break
except OSError:
    pass
print("heard", heard.hex())
"#;

/// What a stranger got at our socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Knock {
    /// The system did not let them connect.
    Refused {
        /// The system's error number.
        errno: i32,
    },
    /// They could connect, and received this.
    Heard(Vec<u8>),
}

/// A process of another user, killed when dropped.
pub struct Stranger {
    child: Child,
    dir: TempDir,
}

impl Stranger {
    /// Occupies a loopback port and listens there. `None` unless run by root.
    pub fn squat(port: u16) -> Option<Self> {
        Self::listen("tcp", &port.to_string())
    }

    /// Puts its own socket at this path, replacing anything there. The directory must allow that.
    pub fn pose(path: &Path) -> Option<Self> {
        Self::listen("unix", path.to_str().expect("test paths are text"))
    }

    /// How many connections came, and every byte they sent.
    pub fn record(&self) -> (usize, Vec<u8>) {
        let read = |name: &str| fs::read(self.dir.path().join(name)).unwrap_or_default();
        (read("connections").len(), read("heard"))
    }

    fn listen(kind: &str, place: &str) -> Option<Self> {
        let dir = tempfile::Builder::new().prefix("ns").tempdir().expect("a temporary directory can be made");
        let mut command = command(dir.path(), LISTENER_SCRIPT)?;
        fs::set_permissions(dir.path(), Permissions::from_mode(0o777)).expect("it is ours");
        command.args([kind, place]).arg(dir.path()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("setpriv and python3 start");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("standard output is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the stranger speaks text");
        assert_eq!(line, "ready\n", "the stranger could not take {kind} {place}");
        Some(Self { child, dir })
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Connects to a socket as the stranger and sends one line. `None` unless run by root.
pub fn knock(socket: &Path, say: &str) -> Option<Knock> {
    let dir = tempfile::Builder::new().prefix("ns").tempdir().expect("a temporary directory can be made");
    let output =
        command(dir.path(), CLIENT_SCRIPT)?.arg(socket).arg(say).output().expect("setpriv and python3 start");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match said.trim_end().split_once(' ').unwrap_or((said.trim_end(), "")) {
        ("refused", errno) => Some(Knock::Refused { errno: errno.parse().expect("a number") }),
        ("heard", hex) => Some(Knock::Heard(bytes(hex))),
        _ => panic!("the stranger failed: {said} {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// Runs this script as the stranger.
fn command(dir: &Path, script: &str) -> Option<Command> {
    if !crate::unprivileged::two_users(fs::metadata(dir).expect("a fresh directory can be read").uid()) {
        return None;
    }
    fs::set_permissions(dir, Permissions::from_mode(0o755)).expect("it is ours");
    let file: PathBuf = dir.join("stranger.py");
    fs::File::create(&file).and_then(|mut file| file.write_all(script.as_bytes())).expect("it is ours");
    fs::set_permissions(&file, Permissions::from_mode(0o644)).expect("it is ours");
    let id = STRANGER.to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--", "python3", "-B"]).arg(file);
    // The system's own interpreter, because the tester's may be in a private directory.
    command.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/").stdin(Stdio::null());
    Some(command)
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<char> = hex.chars().collect();
    let pairs = digits.chunks(2).map(|pair| pair.iter().collect::<String>());
    pairs.map(|pair| u8::from_str_radix(&pair, 16).expect("hex digits")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_squatter_records_every_byte() {
        let port = crate::raw_http::free_port();
        let Some(stranger) = Stranger::squat(port) else { return };
        let mut stream = crate::raw_http::connect(port).expect("the stranger listens");
        stream.write_all(b"hello").expect("the stranger reads");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while stranger.record() != (1, b"hello".to_vec()) {
            assert!(std::time::Instant::now() < deadline, "{:?}", stranger.record());
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}
