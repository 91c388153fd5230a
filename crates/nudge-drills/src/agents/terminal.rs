//! A terminal, run by tmux, in which a program runs and keys are pressed.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use tempfile::TempDir;

/// Longer than any screen takes to appear, unless the machine is stuck.
const SCREEN_TIMEOUT: Duration = Duration::from_secs(40);

/// How often the screen is checked, and how long a key takes to arrive.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
const KEY_DELAY: Duration = Duration::from_millis(250);

/// A running terminal; dropping it ends the program in it.
pub(crate) struct Terminal {
    dir: TempDir,
}

impl Terminal {
    /// Starts a command in a new terminal.
    pub(crate) fn start(command: &Command) -> anyhow::Result<Self> {
        Self::start_sized(command, 160, 50)
    }

    /// Starts a command in a new terminal of this size.
    pub(crate) fn start_sized(command: &Command, columns: u16, rows: u16) -> anyhow::Result<Self> {
        let terminal = Self { dir: tempfile::Builder::new().prefix("nudge-tmux-").tempdir()? };
        let script = terminal.dir.path().join("run");
        std::fs::write(&script, script_of(command)?)?;
        let script = script.to_string_lossy().into_owned();
        let (columns, rows) = (columns.to_string(), rows.to_string());
        terminal.tmux(&["new-session", "-d", "-x", &columns, "-y", &rows, &format!("sh {script}")])?;
        Ok(terminal)
    }

    fn socket(&self) -> PathBuf {
        self.dir.path().join("socket")
    }

    fn tmux(&self, args: &[&str]) -> anyhow::Result<String> {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").arg("-S").arg(self.socket()).args(["-f", "/dev/null"]).args(args);
        let output = command.output().context("tmux is needed")?;
        let said = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
        anyhow::ensure!(output.status.success(), "tmux {args:?}: {}", said());
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// The contents of the screen.
    pub(crate) fn screen(&self) -> anyhow::Result<String> {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The contents of the screen, with colour sequences.
    pub(crate) fn coloured_screen(&self) -> anyhow::Result<String> {
        self.tmux(&["capture-pane", "-e", "-p"])
    }

    /// Changes the terminal's size.
    pub(crate) fn resize(&self, columns: u16, rows: u16) -> anyhow::Result<()> {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.tmux(&["resize-window", "-x", &columns, "-y", &rows]).map(drop)
    }

    /// Pastes a text, with paste markers if the program asked for them.
    pub(crate) fn paste(&self, text: &str) -> anyhow::Result<()> {
        self.tmux(&["set-buffer", text])?;
        self.tmux(&["paste-buffer", "-p"]).map(drop)
    }

    /// The id of the process that runs in it.
    pub(crate) fn process(&self) -> anyhow::Result<u32> {
        Ok(self.tmux(&["list-panes", "-F", "#{pane_pid}"])?.trim().parse()?)
    }

    /// Types a text without Enter.
    pub(crate) fn write(&self, text: &str) -> anyhow::Result<()> {
        self.tmux(&["send-keys", "-l", text])?;
        std::thread::sleep(KEY_DELAY * 2);
        Ok(())
    }

    /// Presses keys, by tmux's names for them.
    pub(crate) fn press(&self, keys: &[&str]) -> anyhow::Result<()> {
        for key in keys {
            self.tmux(&["send-keys", key])?;
            std::thread::sleep(KEY_DELAY);
        }
        Ok(())
    }

    /// Types a line and presses Enter.
    pub(crate) fn enter(&self, text: &str) -> anyhow::Result<()> {
        self.write(text)?;
        self.press(&["Enter"])
    }

    /// Waits until the screen shows a text.
    pub(crate) fn wait_for(&self, text: &str) -> anyhow::Result<()> {
        let began = Instant::now();
        loop {
            let screen = self.screen()?;
            if screen.contains(text) {
                return Ok(());
            }
            anyhow::ensure!(began.elapsed() < SCREEN_TIMEOUT, "the screen never showed {text:?}:\n{screen}");
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Moves down to the choice that contains a text.
    pub(crate) fn choose(&self, text: &str) -> anyhow::Result<()> {
        for _ in 0..8 {
            let screen = self.screen()?;
            if screen.lines().any(|line| line.contains('❯') && line.contains(text)) {
                return Ok(());
            }
            self.press(&["Down"])?;
        }
        anyhow::bail!("there is no choice {text:?}:\n{}", self.screen()?)
    }

    /// Waits until the program, and with it the terminal, has ended.
    pub(crate) fn wait_for_end(&self) -> anyhow::Result<()> {
        let began = Instant::now();
        while self.tmux(&["has-session"]).is_ok() {
            anyhow::ensure!(
                began.elapsed() < SCREEN_TIMEOUT,
                "the program does not end:\n{}",
                self.screen()?
            );
            std::thread::sleep(POLL_INTERVAL);
        }
        Ok(())
    }
}

/// The output of a command in a separate terminal, outside the process tree of this program. Fails
/// if the command fails.
pub(crate) fn run_in_terminal(command: &Command) -> anyhow::Result<String> {
    let dir = tempfile::Builder::new().prefix("nudge-printed-").tempdir()?;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg("\"$@\" >\"$0/out\" 2>\"$0/err\"; echo $? >\"$0/status\"").arg(dir.path());
    shell.arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().context("a program needs a directory")?);
    for (name, value) in command.get_envs() {
        value.map(|value| shell.env(name, value));
    }
    Terminal::start(&shell)?.wait_for_end()?;
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name));
    anyhow::ensure!(read("status")?.trim() == "0", "{command:?} failed: {}", read("err")?);
    Ok(read("out")?)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.tmux(&["kill-server"]);
    }
}

/// A shell script that runs a command with its own environment and no other.
fn script_of(command: &Command) -> anyhow::Result<String> {
    let text = |text: &std::ffi::OsStr| text.to_str().map(quoted).context("a word that is no text");
    let mut words = vec!["exec env -i".to_owned()];
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!("{}={}", name.to_string_lossy(), text(value)?));
        }
    }
    words.push(text(command.get_program())?);
    for arg in command.get_args() {
        words.push(text(arg)?);
    }
    let dir = command.get_current_dir().context("a program needs a directory")?;
    Ok(format!("cd {} || exit 1\n{}\n", text(dir.as_os_str())?, words.join(" ")))
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_keeps_every_word() {
        let mut command = Command::new("/bin/x");
        command.arg("it's").env_clear().env("A", "b c").current_dir("/tmp");
        let script = script_of(&command).expect("a script");
        assert_eq!(script, "cd '/tmp' || exit 1\nexec env -i A='b c' '/bin/x' 'it'\\''s'\n");
    }
}
