//! A terminal with a simulated user: waits for pages and presses keys.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// How long to wait for a page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(30);

/// A program in a terminal.
pub struct Terminal {
    child: Child,
    keys: File,
    pages: Receiver<Vec<u8>>,
    screen: String,
    seen: usize,
}

impl Terminal {
    /// Starts a command with a terminal as its input and output.
    pub fn start(mut command: Command) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let path = std::ffi::OsStr::from_bytes(name.as_bytes());
        let end = || File::options().read(true).write(true).open(path).expect("the other end opens");
        command.stdin(end()).stdout(end()).stderr(end());
        let child = command.spawn().expect("the binary under test starts");
        // The command keeps the other end open; once it is dropped, the terminal closes with its
        // program.
        drop(command);
        let keys = File::from(master);
        let mut screen = keys.try_clone().expect("a second handle");
        let (send, pages) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(length @ 1..) = screen.read(&mut bytes) {
                if send.send(bytes[..length].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { child, keys, pages, screen: String::new(), seen: 0 }
    }

    /// Waits until a text appears after everything that was waited for before.
    #[track_caller]
    pub fn wait_for(&mut self, text: &str) -> String {
        loop {
            if let Some(place) = self.screen[self.seen..].find(text) {
                let until = self.seen + place + text.len();
                let from = std::mem::replace(&mut self.seen, until);
                return self.screen[from..self.seen].to_owned();
            }
            let Ok(bytes) = self.pages.recv_timeout(PAGE_TIMEOUT) else {
                panic!("`{text}` does not appear: {}", self.screen)
            };
            self.screen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Presses keys.
    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("keys reach the terminal");
    }

    /// Waits for the end, and returns the exit code and everything shown.
    pub fn end(mut self) -> (Option<i32>, String) {
        while let Ok(bytes) = self.pages.recv_timeout(PAGE_TIMEOUT) {
            self.screen.push_str(&String::from_utf8_lossy(&bytes));
        }
        let code = self.child.wait().expect("it ends").code();
        (code, self.screen.replace('\r', ""))
    }
}
