//! Detects whether an agent stands above a process, by the variables that agents set and by their
//! programs among its ancestors.

use std::net::SocketAddr;
use std::path::Path;

use nudge_harness::ancestors;

/// How many ancestor processes to check: all of them. The number only ends a walk in a circle,
/// which process ids that are used again could make.
const LOOKED_AT: usize = 1024;

/// Debug builds only: tests set this variable to ignore ancestor processes, because an agent may be
/// running the tests. Release builds do not read it.
#[cfg(debug_assertions)]
const WITHOUT_ANCESTORS: &str = "TEST_WITHOUT_ANCESTORS";

/// Who opened a connection on the loopback port.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Opener {
    /// A process below an agent.
    Agent(&'static str),
    /// A process with no agent above it.
    Other,
    /// Its process was not found.
    Unknown,
}

/// The agent whose program is among the ancestors of a process.
pub fn among_ancestors(id: u32) -> Option<&'static str> {
    if ignores_ancestors() {
        return None;
    }
    upward(Process::read(id)?.parent, LOOKED_AT, |_, words| ancestors::agent_program(words))
}

/// The first agent that is found in a process or in those above it, as far as `most` of them.
fn upward(
    from: Option<u32>,
    most: usize,
    agent_in: impl Fn(u32, &[&str]) -> Option<&'static str>,
) -> Option<&'static str> {
    let mut next = from;
    for _ in 0..most {
        let id = next?;
        let process = Process::read(id)?;
        let words: Vec<&str> = process.words.iter().map(String::as_str).collect();
        if let Some(agent) = agent_in(id, &words) {
            return Some(agent);
        }
        next = process.parent.filter(|id| *id > 1);
    }
    None
}

/// Whether a test says that an agent may be running it.
fn ignores_ancestors() -> bool {
    #[cfg(debug_assertions)]
    if std::env::var_os(WITHOUT_ANCESTORS).is_some() {
        return true;
    }
    false
}

/// Who opened a connection from `peer` to `own`. Only Linux says which process that is.
#[cfg(target_os = "linux")]
pub fn opener(peer: SocketAddr, own: SocketAddr) -> Opener {
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let inodes: Vec<u64> = tables.iter().flat_map(|table| inodes_in(table, peer, own)).collect();
    let [inode] = inodes[..] else { return Opener::Unknown };
    let holders = holders_of(inode);
    if holders.is_empty() {
        return Opener::Unknown;
    }
    holders.into_iter().find_map(agent_of).map_or(Opener::Other, Opener::Agent)
}

/// Who opened a connection from `peer` to `own`. Only Linux says which process that is.
#[cfg(not(target_os = "linux"))]
pub fn opener(_: SocketAddr, _: SocketAddr) -> Opener {
    Opener::Other
}

/// Whether the client's end of a connection belongs to this user, or to root, which may forward a
/// port for them. Only Linux says whose it is.
#[cfg(target_os = "linux")]
pub fn is_from_user(peer: SocketAddr, own: SocketAddr) -> bool {
    let us = rustix::process::geteuid().as_raw();
    let tables =
        ["/proc/net/tcp", "/proc/net/tcp6"].map(|path| std::fs::read_to_string(path).unwrap_or_default());
    let owners: Vec<u32> = tables.iter().flat_map(|table| owners_in(table, peer, own)).collect();
    !owners.is_empty() && owners.iter().all(|owner| *owner == us || *owner == 0)
}

/// Whether the client's end of a connection belongs to this user. Only Linux says whose it is, so
/// elsewhere nobody is let in by it.
#[cfg(not(target_os = "linux"))]
pub fn is_from_user(_: SocketAddr, _: SocketAddr) -> bool {
    false
}

/// The agent that a process is, was started by, or is below. The variables of its ancestors count
/// too: a shell in between may have cleared them.
#[cfg(target_os = "linux")]
fn agent_of(id: u32) -> Option<&'static str> {
    let most = if ignores_ancestors() { 1 } else { LOOKED_AT };
    upward(Some(id), most, |id, words| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        ancestors::agent_in_environment(|name| variable_in(&environment, name))
            .or_else(|| ancestors::agent_program(words))
    })
}

#[cfg(target_os = "linux")]
fn variable_in(environment: &[u8], name: &str) -> Option<String> {
    let mut pairs = environment.split(|byte| *byte == 0).map(String::from_utf8_lossy);
    pairs.find_map(|pair| {
        let (its, value) = pair.split_once('=')?;
        (its == name).then(|| value.to_owned())
    })
}

/// The sockets of the client's end of a connection, in a table of the kernel.
#[cfg(target_os = "linux")]
fn inodes_in(table: &str, client: SocketAddr, server: SocketAddr) -> Vec<u64> {
    column_in(table, client, server, 9).filter_map(|inode| inode.parse().ok()).filter(|id| *id != 0).collect()
}

/// The users of the client's end of a connection, in a table of the kernel.
#[cfg(target_os = "linux")]
fn owners_in(table: &str, client: SocketAddr, server: SocketAddr) -> Vec<u32> {
    column_in(table, client, server, 7).filter_map(|owner| owner.parse().ok()).collect()
}

/// One column of the rows about the client's end of a connection.
#[cfg(target_os = "linux")]
fn column_in(
    table: &str,
    client: SocketAddr,
    server: SocketAddr,
    column: usize,
) -> impl Iterator<Item = &str> {
    let (client, server) = (in_table(client), in_table(server));
    table.lines().skip(1).filter_map(move |line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let is_it = *columns.get(1)? == client && *columns.get(2)? == server;
        columns.get(column).copied().filter(|_| is_it)
    })
}

/// An address as the kernel's tables have it: words in the machine's order, in hexadecimal.
#[cfg(target_os = "linux")]
fn in_table(address: SocketAddr) -> String {
    let bytes = match address {
        SocketAddr::V4(address) => address.ip().octets().to_vec(),
        SocketAddr::V6(address) => address.ip().octets().to_vec(),
    };
    let words = bytes.chunks_exact(4).map(|word| u32::from_ne_bytes([word[0], word[1], word[2], word[3]]));
    let text: String = words.map(|word| format!("{word:08X}")).collect();
    format!("{text}:{:04X}", address.port())
}

/// The processes that have a socket open.
#[cfg(target_os = "linux")]
fn holders_of(inode: u64) -> Vec<u32> {
    let wanted = format!("socket:[{inode}]");
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let has = |id: &u32| {
        let open = std::fs::read_dir(format!("/proc/{id}/fd")).into_iter().flatten().flatten();
        open.filter_map(|file| std::fs::read_link(file.path()).ok())
            .any(|to| to.as_os_str() == wanted.as_str())
    };
    ids.filter(has).collect()
}

/// A process.
struct Process {
    parent: Option<u32>,
    words: Vec<String>,
}

impl Process {
    /// Reads it from the files under `/proc`.
    #[cfg(target_os = "linux")]
    fn read(id: u32) -> Option<Self> {
        let dir = Path::new("/proc").join(id.to_string());
        let stat = std::fs::read(dir.join("stat")).ok()?;
        let line = std::fs::read(dir.join("cmdline")).unwrap_or_default();
        Some(Self { parent: parent_in(&String::from_utf8_lossy(&stat)), words: words_in(&line) })
    }

    /// Reads it from `ps`, on systems without `/proc`.
    #[cfg(not(target_os = "linux"))]
    fn read(id: u32) -> Option<Self> {
        let asked = ["-ww", "-o", "ppid=", "-o", "command=", "-p", &id.to_string()];
        let ps = if Path::new("/bin/ps").exists() { "/bin/ps" } else { "ps" };
        let said = std::process::Command::new(ps).args(asked).output().ok()?;
        let said = String::from_utf8_lossy(&said.stdout).trim().to_owned();
        let (parent, line) = said.split_once(char::is_whitespace)?;
        Some(Self {
            parent: parent.parse().ok(),
            words: line.split_whitespace().map(str::to_owned).collect(),
        })
    }
}

/// The parent in a line of `stat`: `pid (name) state ppid …`. The name may contain any characters.
#[cfg(target_os = "linux")]
fn parent_in(stat: &str) -> Option<u32> {
    let (_, after) = stat.rsplit_once(')')?;
    after.split_whitespace().nth(1)?.parse().ok()
}

/// The words of a command line. A program that has overwritten its command line has it in one word,
/// with spaces.
#[cfg(target_os = "linux")]
fn words_in(line: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(line);
    let words: Vec<&str> = text.split('\0').filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        [one] if !Path::new(one).is_absolute() => one.split_whitespace().map(str::to_owned).collect(),
        _ => words.into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_parent_is_found_behind_any_name() {
        assert_eq!(parent_in("42 (a) b) (c) S 7 42 42 0"), Some(7));
        assert_eq!(parent_in("42"), None);
    }

    #[test]
    fn a_line_is_words_also_when_its_program_wrote_over_it() {
        assert_eq!(words_in(b"node\0/usr/bin/gemini\0"), ["node", "/usr/bin/gemini"]);
        assert_eq!(words_in(b"claude --resume\0\0\0"), ["claude", "--resume"]);
        assert_eq!(words_in(b"/opt/My App/run\0"), ["/opt/My App/run"]);
        assert!(words_in(b"").is_empty());
    }

    #[test]
    fn the_opener_of_a_connection_is_found() {
        let server = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let own = server.local_addr().expect("an address");
        let client = std::net::TcpStream::connect(own).expect("connected");
        let peer = client.local_addr().expect("an address");
        assert_ne!(opener(peer, own), Opener::Unknown);
        assert!(is_from_user(peer, own) && !is_from_user(SocketAddr::new(peer.ip(), 1), own));
        assert_eq!(opener(SocketAddr::new(peer.ip(), 1), own), Opener::Unknown);
    }

    #[test]
    fn a_table_of_the_kernel_names_the_socket() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
               0: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000 0 111 1\n\
               1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000 0 222 1\n";
        let at = |text: &str| text.parse::<SocketAddr>().expect("an address");
        assert_eq!(inodes_in(table, at("127.0.0.1:50000"), at("127.0.0.1:8080")), [222]);
        assert_eq!(owners_in(table, at("127.0.0.1:50000"), at("127.0.0.1:8080")), [1000]);
        assert!(inodes_in(table, at("127.0.0.2:50000"), at("127.0.0.1:8080")).is_empty());
        assert!(inodes_in(table, at("127.0.0.1:50001"), at("127.0.0.1:8080")).is_empty());
    }
}
