//! Attempts to get out, as data: a script, how one sees from outside that it got out, and what it
//! hears when it does not. The drill `attempts` takes them, too.

use std::time::Duration;

use nudge_sandbox::{Limits, Plan, Stop};

use super::scene::{User, is_root};

/// What is seen outside when an attempt succeeds. Paths are those of the scene; `$MARK` in a path
/// of the machine is that of the scene.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Out {
    /// A file no longer says "untouched".
    Changed(&'static str),
    /// A file has come into being.
    Exists(&'static str),
    /// One of the machine has.
    OnMachine(&'static str),
    /// A file of the machine says something else.
    MachineChanged(&'static str),
    /// A file is no longer there.
    Gone(&'static str),
    /// A directory has become a link.
    Link(&'static str),
    /// A file runs as its owner, whoever starts it.
    RunsAsOwner(&'static str),
    /// The output has the secret.
    Secret,
    /// The output has the first line of a file of the machine.
    Text(&'static str),
    /// The output has this.
    Printed(&'static str),
    /// Somebody connected or sent.
    Reached(Listener),
    /// A process outside is dead.
    VictimDead,
    /// A process with the mark is alive afterwards.
    Alive,
    /// There were more processes with the mark at once.
    Processes(usize),
    /// Processes with the mark had more memory.
    Memory(u64),
    /// A file or directory is larger.
    Larger(&'static str, u64),
    /// One of the machine is.
    LargerOnMachine(&'static str, u64),
    /// More output came.
    Output(usize),
    /// It ran longer.
    Longer(Duration),
    /// The mark was typed into the caller's terminal.
    Typed,
    /// The clock of the machine was set.
    Clock,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Listener {
    Tcp,
    Tcp6,
    Udp,
    Named,
    Server,
    Abstract,
}

/// How a command or its caller hears what was denied.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Says {
    /// The system's usual words.
    Words,
    /// It was stopped.
    Stopped(Stop),
    /// The words, or it was stopped.
    WordsOr(Stop),
    /// The result names it.
    Refused,
    /// Output was cut.
    Cut,
    /// Nothing, as there is nothing to deny, for this reason.
    Silent(&'static str),
}

/// Where the same script without the sandbox is seen to get out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unheld {
    Everywhere,
    /// Only as root; the system holds others.
    AsRoot,
    /// Nowhere: it would hurt the machine, or the machine may hold even root.
    Never,
}

pub(crate) struct Attempt {
    pub(crate) name: &'static str,
    pub(crate) script: &'static str,
    pub(crate) out: Out,
    pub(crate) says: Says,
    pub(crate) unheld: Unheld,
    pub(crate) limits: fn(&mut Limits),
    /// Landlock alone holds it, too.
    pub(crate) landlock: bool,
}

impl Attempt {
    const fn says(mut self, says: Says) -> Self {
        self.says = says;
        self
    }

    const fn unheld(mut self, unheld: Unheld) -> Self {
        self.unheld = unheld;
        self
    }

    const fn limits(mut self, limits: fn(&mut Limits)) -> Self {
        self.limits = limits;
        self
    }

    /// Only an own file system or own processes hold it.
    const fn full(mut self) -> Self {
        self.landlock = false;
        self
    }

    /// Whether it gets out when nothing holds it and this user makes it.
    pub(crate) fn gets_out(&self, user: User) -> bool {
        match self.unheld {
            Unheld::Everywhere => true,
            Unheld::AsRoot => is_root() && user == User::Own,
            Unheld::Never => false,
        }
    }

    /// How long it may go on when nothing holds it.
    pub(crate) fn time_unheld(&self) -> Duration {
        match self.out {
            Out::Longer(time) => time + Duration::from_millis(100),
            _ => Duration::from_secs(30),
        }
    }

    pub(crate) fn limit(&self, plan: &mut Plan) {
        (self.limits)(&mut plan.limits);
    }
}

const fn attempt(name: &'static str, script: &'static str, out: Out) -> Attempt {
    Attempt {
        name,
        script,
        out,
        says: Says::Words,
        unheld: Unheld::Everywhere,
        limits: |_| (),
        landlock: true,
    }
}

const CANARY: Out = Out::Changed("outside/canary");
const EMPTY: &str = "no error: the place is its own, or empty";

pub(crate) const ATTEMPTS: &[Attempt] = &[
    // Writing where it must not.
    attempt("write outside the project", "echo changed > $OUTSIDE/canary", CANARY),
    attempt("leave the project by ..", "echo changed > ../../outside/canary", CANARY),
    attempt("follow a link that leads out", "echo changed > link-out/canary", CANARY),
    attempt("make a link that leads out", "ln -s $OUTSIDE out && echo changed > out/canary", CANARY),
    attempt("link a file from outside", "ln $OUTSIDE/canary hard && echo changed > hard", CANARY),
    attempt("link a git hook", "ln .git/hooks/there hard && echo changed > hard", Out::Changed("home/project/.git/hooks/there")).full(),
    attempt("go through the own root", "echo changed > /proc/self/root$OUTSIDE/canary", CANARY),
    attempt("go through the root of the first process", "echo changed > /proc/1/root$OUTSIDE/canary", CANARY).unheld(Unheld::Never),
    attempt(
        "go through the directories of others",
        "for p in /proc/[0-9]*; do (cd $p/cwd && [ \"$(readlink $p/cwd)\" = $OUTSIDE ] && echo changed > $p/cwd/canary); done",
        CANARY,
    ),
    attempt(
        "write to what others have open",
        "for f in /proc/[0-9]*/fd/9; do ls -l $f >&2; [ \"$(readlink $f)\" = $OUTSIDE/canary ] && echo changed > $f; done; [ -e $OUTSIDE ] || ls $OUTSIDE",
        CANARY,
    ),
    attempt("write to a file that was left open", "echo changed >&9", CANARY),
    attempt("add to a start file", "echo changed >> $PERSON/.bashrc; grep untouched $PERSON/.bashrc || echo it was not found", Out::Changed("home/.bashrc")),
    attempt("replace a tool", "echo changed > $PERSON/.cargo/bin/tool", Out::Changed("home/.cargo/bin/tool")),
    attempt("set git up for the person", "git config --file $PERSON/.gitconfig core.hooksPath /tmp", Out::Exists("home/.gitconfig")).says(Says::Silent(EMPTY)),
    attempt("write to the machine's /tmp", "echo x > /tmp/$MARK", Out::OnMachine("/tmp/$MARK")).says(Says::Silent(EMPTY)),
    attempt("write to the machine's shared memory", "echo x > /dev/shm/$MARK", Out::OnMachine("/dev/shm/$MARK")).says(Says::Silent(EMPTY)),
    attempt("remove the person's keys", "rm -r $PERSON/.ssh", Out::Gone("home/.ssh/id_ed25519")),
    // Protected files of the project.
    attempt("add a git hook", "echo x > .git/hooks/pre-commit", Out::Exists("home/project/.git/hooks/pre-commit")).full(),
    attempt("change git's settings",
        "git config core.fsmonitor changed",
        Out::Changed("home/project/.git/config"),
    )
    .full(),
    attempt("change an agent's settings", "echo changed > .claude/settings.json", Out::Changed("home/project/.claude/settings.json")).full(),
    attempt("make an .envrc", "echo x > .envrc", Out::Exists("home/project/.envrc")).says(Says::Refused),
    attempt("make a task of an editor", "mkdir -p .vscode; echo x > .vscode/tasks.json", Out::Exists("home/project/.vscode/tasks.json")).says(Says::Refused),
    attempt("make a server for agents", "echo x > made; mv made .mcp.json; sleep 0.2; echo y > .mcp.json", Out::Exists("home/project/.mcp.json")).says(Says::Refused),
    attempt("make it a link", "ln -s README .envrc", Out::Exists("home/project/.envrc")).says(Says::Refused),
    attempt("rename the git directory", "mv .git .git2; mkdir -p .git/hooks; echo x > .git/hooks/new", Out::Exists("home/project/.git/hooks/new")).full(),
    attempt("rename a directory above one", "mv sub sub2; mkdir -p sub/.git/hooks; echo x > sub/.git/hooks/new", Out::Exists("home/project/sub/.git/hooks/new")).full(),
    attempt("replace the project by a link", "cd ..; mv project project2 && ln -s $OUTSIDE project", Out::Link("home/project")),
    attempt("mount the git directory to be written", "mount -o remount,rw,bind .git .git; echo x > .git/hooks/new", Out::Exists("home/project/.git/hooks/new")).full(),
    attempt("unmount the git directory", "umount -l .git; echo x > .git/hooks/new", Out::Exists("home/project/.git/hooks/new")).full(),
    attempt("enter further namespaces", "unshare -Urm sh -c 'umount -l .git; mount -o remount,rw,bind .git'; echo x > .git/hooks/new", Out::Exists("home/project/.git/hooks/new")).full(),
    // Reading what it must not.
    attempt("read a key", "cat $PERSON/.ssh/id_ed25519", Out::Secret),
    attempt("read passwords for the network", "cat $PERSON/.netrc", Out::Secret),
    attempt("read the token of npm", "cat $PERSON/.npmrc", Out::Secret),
    attempt("read the keys of a cloud", "cat $PERSON/.aws/credentials", Out::Secret),
    attempt("read the token of GitHub", "cat $PERSON/.config/gh/hosts.yml", Out::Secret),
    attempt("read the token of cargo", "cat $PERSON/.cargo/credentials.toml", Out::Secret),
    attempt("read a token in cargo's settings", "cat $PERSON/.cargo/config.toml", Out::Secret),
    attempt("read Nudge's store", "cat $PERSON/.local/share/nudge/memory.db", Out::Secret),
    attempt("read Nudge's token", "cat $PERSON/.local/share/nudge/run/token", Out::Secret),
    attempt("read what is hidden in the project", "cat nudge-home/token", Out::Secret).full(),
    attempt("read another project", "cat ../other/notes", Out::Secret),
    attempt("read the machine's passwords", "cat /etc/shadow", Out::Text("/etc/shadow")).unheld(Unheld::AsRoot),
    attempt("read the environment of others", "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep ^SECRET=CANARY || cat /proc/1/environ", Out::Secret),
    attempt("read the inherited environment", "env | grep ^SECRET=CANARY || echo no such variable: not found", Out::Secret),
    // Talking to others.
    attempt("connect to the machine", "python3 -c \"import socket,os; socket.create_connection(('127.0.0.1', int(os.environ['TCP'])), 2).send(b'x')\"", Out::Reached(Listener::Tcp)),
    attempt("connect to the machine by its other address", "python3 -c \"import socket,os; socket.create_connection(('::1', int(os.environ['TCP6'])), 2).send(b'x')\"", Out::Reached(Listener::Tcp6)),
    attempt("send a packet", "python3 -c \"import socket,os; s=socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.connect(('127.0.0.1', int(os.environ['UDP']))); s.send(b'x'); s.settimeout(0.2); s.send(b'x')\"", Out::Reached(Listener::Udp)),
    attempt("ask for a name", "python3 -c \"import socket; print(socket.getaddrinfo('example.org', 80), 'was done')\"", Out::Printed("was done")).unheld(Unheld::Never),
    attempt("connect to a named socket", "python3 -c \"import socket,os; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['OUTSIDE']+'/socket')\"", Out::Reached(Listener::Named)),
    attempt("connect to Nudge's server", "python3 -c \"import socket,os; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['PERSON']+'/.local/share/nudge/run/nudge.sock')\"", Out::Reached(Listener::Server)),
    attempt("connect to a socket without a file", "python3 -c \"import socket,os; s=socket.socket(socket.AF_UNIX); s.connect('\\0'+os.environ['MARK'])\"", Out::Reached(Listener::Abstract)),
    attempt("open a socket to the machine's host", "python3 -c \"import socket; socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); print('was done')\"", Out::Printed("was done")).unheld(Unheld::Never),
    // Other processes.
    attempt("kill a process outside", "kill -9 $VICTIM", Out::VictimDead),
    attempt("kill everything", "kill -9 -1; sleep 0.1; kill -0 $VICTIM", Out::VictimDead).unheld(Unheld::Never).says(Says::Silent("it reaches only its own")),
    attempt("kill the first process", "kill -9 1; kill -0 $VICTIM", Out::VictimDead).unheld(Unheld::Never),
    attempt("trace a process outside", "python3 -c \"import ctypes,os; l=ctypes.CDLL(None, use_errno=True); v=int(os.environ['VICTIM']); r=l.ptrace(16, v, 0, 0); e=ctypes.get_errno(); assert r == 0, os.strerror(e); os.waitpid(v, 0x40000000); l.ptrace(8, v, 0, 0)\"; sleep 0.1", Out::VictimDead),
    attempt("leave a daemon", "setsid nohup sh -c \"sleep 600; : $MARK\" >/dev/null 2>&1 &", Out::Alive).says(Says::Silent("it is ended with the command")),
    attempt("leave a grandchild", "python3 -c \"import os,time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.closerange(0, 99); time.sleep(600)\" $MARK; sleep 0.1", Out::Alive).says(Says::Silent("it is ended with the command")),
    // Using too much.
    attempt("start many processes", "python3 -c \"import os,time; [os.fork() or (time.sleep(5), os._exit(0)) for _ in range(900)]; time.sleep(1)\" $MARK", Out::Processes(450))
        .says(Says::WordsOr(Stop::Processes))
        .limits(|limits| limits.processes = 100).full(),
    attempt("start many quickly", "python3 -c \"import os,time; t=time.time()\nwhile time.time()-t<2:\n try: os.fork()\n except OSError as e: print(e); time.sleep(0.3)\n if len(os.listdir('/proc')) > 900: time.sleep(5)\" $MARK", Out::Processes(500))
        .says(Says::WordsOr(Stop::Processes))
        .unheld(Unheld::Never)
        .limits(|limits| limits.processes = 100),
    attempt("use much memory", "python3 -c \"import time; a=[]\nfor _ in range(70): a.append(bytearray(10_000_000)); time.sleep(0.02)\ntime.sleep(0.3)\" $MARK", Out::Memory(550_000_000))
        .says(Says::Stopped(Stop::Memory))
        .limits(|limits| limits.memory_bytes = 200_000_000),
    attempt("fill /tmp", "head -c 200000000 /dev/zero > /tmp/$MARK", Out::LargerOnMachine("/tmp/$MARK", 150_000_000)).limits(|limits| limits.temporary_bytes = 50_000_000),
    attempt("fill shared memory", "head -c 60000000 /dev/zero > /dev/shm/$MARK", Out::LargerOnMachine("/dev/shm/$MARK", 50_000_000)).limits(|limits| limits.temporary_bytes = 50_000_000),
    attempt("write a large file", "head -c 200000000 /dev/zero > large; echo $?; ls -l large; false", Out::Larger("home/project/large", 150_000_000))
        .says(Says::WordsOr(Stop::Growth))
        .limits(|limits| { limits.growth_bytes = 50_000_000; limits.temporary_bytes = 50_000_000; }),
    attempt("write many files", "mkdir many; for i in $(seq 60); do head -c 10000000 /dev/zero > many/$i; sleep 0.02; done", Out::Larger("home/project/many", 500_000_000))
        .says(Says::Stopped(Stop::Growth))
        .limits(|limits| limits.growth_bytes = 100_000_000),
    attempt("write to removed files", "python3 -c \"import os,time; k=[]\nfor i in range(60): f=open('gone%d'%i,'wb'); os.unlink(f.name); f.write(b'x'*10_000_000); f.flush(); k.append(f); time.sleep(0.05)\nopen('done','w')\"", Out::Exists("home/project/done"))
        .says(Says::Stopped(Stop::Growth))
        .limits(|limits| limits.growth_bytes = 50_000_000),
    attempt("print much", "head -c 20000000 /dev/zero", Out::Output(10_000_000)).says(Says::Cut),
    attempt("never end", "while :; do :; done", Out::Longer(Duration::from_secs(3))).says(Says::Stopped(Stop::Time)).limits(|limits| limits.time = Duration::from_secs(1)),
    attempt("never end, and hold on", "trap '' TERM INT HUP; while :; do sleep 1; done", Out::Longer(Duration::from_secs(3))).says(Says::Stopped(Stop::Time)).limits(|limits| limits.time = Duration::from_secs(1)),
    // The machine.
    attempt("leave a program that runs as the person", "cp /bin/sh shell && chmod u+s shell", Out::RunsAsOwner("home/project/shell")),
    attempt("copy one with its mode", "python3 -c \"import os; os.close(os.open('shell', os.O_CREAT|os.O_WRONLY, 0o4755))\"", Out::RunsAsOwner("home/project/shell")),
    attempt("mount over the system", "mount -o remount,rw /usr; mount -t tmpfs none /usr/share; echo x > /usr/share/$MARK", Out::OnMachine("/usr/share/$MARK")).unheld(Unheld::Never),
    attempt("change root in a root", "python3 -c \"import os\nos.mkdir('j'); os.chroot('j')\nfor _ in range(50): os.chdir('..')\nopen(os.environ['OUTSIDE'][1:]+'/canary','w').write('changed')\"", CANARY).unheld(Unheld::AsRoot),
    attempt("make a disk", "mknod disk b 254 0", Out::Exists("home/project/disk")).unheld(Unheld::AsRoot),
    attempt("set what runs on a crash", "echo '|/bin/true' > /proc/sys/kernel/core_pattern", Out::MachineChanged("/proc/sys/kernel/core_pattern")).unheld(Unheld::Never),
    attempt("raise the number of processes", "echo 4000000 > /proc/sys/kernel/pid_max", Out::MachineChanged("/proc/sys/kernel/pid_max")).unheld(Unheld::Never),
    attempt("set a device up", "echo never > /sys/kernel/mm/transparent_hugepage/enabled", Out::MachineChanged("/sys/kernel/mm/transparent_hugepage/enabled")).unheld(Unheld::Never),
    attempt("rename the machine", "hostname renamed-by-nudge", Out::MachineChanged("/proc/sys/kernel/hostname")).unheld(Unheld::Never),
    attempt("load a module", "python3 -c \"import ctypes,os; l=ctypes.CDLL(None, use_errno=True); r=l.syscall(175, b'x'*64, 64, b''); print(r, os.strerror(ctypes.get_errno()))\"", Out::MachineChanged("/proc/modules")).unheld(Unheld::Never),
    attempt("set the clock", "date -s '2031-01-01'", Out::Clock).unheld(Unheld::Never),
    attempt("type into the caller's terminal", "python3 -c \"import fcntl,os\nt=os.open('/dev/tty', os.O_RDWR)\n[fcntl.ioctl(t, 0x5412, bytes([c])) for c in os.environ['MARK'].encode()]\"", Out::Typed).unheld(Unheld::AsRoot),
];
