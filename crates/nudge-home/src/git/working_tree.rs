//! Whether files of a working tree are committed, read from git's index and objects without running
//! git.
//!
//! The answer is exact or [`FileState::Unknown`]: packed objects, filters and the rarer kinds of
//! index are not read. Right after a commit, what it changed is never packed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Instant, UNIX_EPOCH};

use flate2::read::ZlibDecoder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use sha1::{Digest, Sha1};

use super::config::{self, Layout};
use super::{commit_id, head_of, ignore_list, read_small};

/// A larger index takes longer to read than a hook has.
const MAX_INDEX_BYTES: u64 = 32 * 1024 * 1024;

/// Larger files are not hashed.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Larger objects are not unpacked. A tree has some 40 bytes for each name in it.
const MAX_OBJECT_BYTES: u64 = 8 * 1024 * 1024;

const MAX_RULES_BYTES: u64 = 256 * 1024;

/// Attributes with which git stores something else than the file.
const FILTERS: [&str; 3] = ["filter=", "working-tree-encoding", "ident"];

/// A longer path is not read. Those of version 4 of the index can grow with each entry.
const MAX_PATH_BYTES: usize = 4096;

/// The time is looked at after this many entries of the index.
const ENTRIES_PER_LOOK: u32 = 1_024;

/// The length of an object's id. Repositories with longer ones are not read.
const ID: usize = 20;

type ObjectId = [u8; ID];

/// How a file compares with the last commit.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FileState {
    /// It is as it was committed, or ignored, or neither there nor committed.
    Clean,
    /// It differs from the last commit, or is not part of it.
    Changed,
    /// Git's files do not say, or there is no repository.
    Unknown,
}

/// The working trees that one caller asks about. The index and the lists of ignored files are read
/// once for each.
pub struct WorkingTrees {
    until: Instant,
    read: HashMap<PathBuf, Option<WorkingTree>>,
}

impl WorkingTrees {
    /// What takes longer than `until` is unknown.
    pub fn new(until: Instant) -> Self {
        Self { until, read: HashMap::new() }
    }

    /// How files compare with the last commit of the repository around `dir`. Paths are absolute,
    /// or relative to `dir`.
    pub fn states(&mut self, dir: &Path, files: &[PathBuf]) -> Vec<FileState> {
        let until = self.until;
        let tree = self.read.entry(dir.to_owned()).or_insert_with(|| WorkingTree::around(dir, until));
        let Some(tree) = tree else { return vec![FileState::Unknown; files.len()] };
        let state = |file: &PathBuf| if is_late(until) { None } else { tree.state(file) };
        files.iter().map(|file| state(file).unwrap_or(FileState::Unknown)).collect()
    }
}

fn is_late(until: Instant) -> bool {
    Instant::now() >= until
}

struct WorkingTree {
    /// The directory asked about, as given and as it really is.
    dir: (PathBuf, PathBuf),
    layout: Layout,
    git_dir: PathBuf,
    index: Index,
    head: Head,
    /// Lists of ignored files; `None` where there is none.
    lists: RefCell<HashMap<PathBuf, Option<Gitignore>>>,
    until: Instant,
}

/// The commit that is checked out.
enum Head {
    /// There is no commit yet.
    Unborn,
    /// Its tree.
    Tree(ObjectId),
    /// It is packed, or not as expected.
    Unread,
}

impl WorkingTree {
    fn around(dir: &Path, until: Instant) -> Option<Self> {
        if is_late(until) {
            return None;
        }
        let real = fs::canonicalize(dir).ok()?;
        let layout = config::find(&real)?;
        let git_dir = layout.git_dir.clone()?;
        let file = git_dir.join("index");
        // Without an index nothing was ever added.
        let index = match fs::symlink_metadata(&file) {
            Ok(facts) if facts.is_file() && facts.len() <= MAX_INDEX_BYTES => {
                Index::parse(&fs::read(&file).ok()?, modified(&facts)?.0, until)?
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Index::default(),
            _ => return None,
        };
        let head = head(&layout, &git_dir);
        let dir = (dir.to_owned(), real);
        Some(Self { dir, layout, git_dir, index, head, lists: RefCell::default(), until })
    }

    fn state(&self, file: &Path) -> Option<FileState> {
        let below = file.strip_prefix(&self.dir.0).unwrap_or(file);
        let path = self.dir.1.join(below);
        let path = path.strip_prefix(&self.layout.root).ok()?.to_str()?;
        if path.is_empty() || path.split('/').any(|part| part == "..") {
            return None;
        }
        if self.leads_elsewhere(path) {
            return None;
        }
        let found = fs::symlink_metadata(self.layout.root.join(path)).ok();
        match (self.index.get(path), found) {
            (None, None) => self.compare_with_head(path, None),
            (None, Some(facts)) if facts.is_dir() => None,
            (None, Some(_)) if self.is_ignored(path)? => Some(FileState::Clean),
            (None, Some(_)) | (Some(_), None) => Some(FileState::Changed),
            (Some(entry), Some(facts)) => {
                if entry.is_unmerged() || entry.is_intended() {
                    return Some(FileState::Changed);
                }
                if entry.is_unwatched() {
                    return None;
                }
                match self.is_as_added(path, entry, &facts)? {
                    true => self.compare_with_head(path, Some(entry.id)),
                    false => Some(FileState::Changed),
                }
            }
        }
    }

    /// Whether a link or another repository, such as a submodule, is on the way to a file.
    fn leads_elsewhere(&self, path: &str) -> bool {
        let dirs = Path::new(path).ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
        let mut dirs = dirs.map(|dir| self.layout.root.join(dir));
        dirs.any(|dir| {
            fs::symlink_metadata(&dir).is_ok_and(|facts| facts.is_symlink())
                || fs::symlink_metadata(dir.join(".git")).is_ok()
        })
    }

    /// Whether the file is what the index has; `None` if that takes a filter or too long to tell.
    fn is_as_added(&self, path: &str, entry: &Entry, facts: &fs::Metadata) -> Option<bool> {
        let (seconds, nanos) = modified(facts)?;
        let has_size = facts.len() & u64::from(u32::MAX) == u64::from(entry.size);
        let has_time = entry.seconds == seconds && (entry.nanos == 0 || entry.nanos == nanos);
        // A file that was changed in the second in which the index was written may have kept both.
        if has_size && has_time && seconds < self.index.written {
            return Some(true);
        }
        if !facts.is_file() || facts.len() > MAX_FILE_BYTES {
            return None;
        }
        let bytes = fs::read(self.layout.root.join(path)).ok()?;
        if blob_id(&bytes) == entry.id || blob_id(&without_carriage_returns(&bytes)) == entry.id {
            return Some(true);
        }
        (!self.may_be_filtered(path)).then_some(false)
    }

    /// Whether git may store something else than the file: through a filter, such as git-lfs, or in
    /// another encoding.
    fn may_be_filtered(&self, path: &str) -> bool {
        let dirs = Path::new(path).ancestors().skip(1);
        let lists = dirs.map(|dir| self.layout.root.join(dir).join(".gitattributes"));
        lists.chain([self.layout.common_dir.join("info/attributes")]).any(|file| {
            let text = read_small(&file, MAX_RULES_BYTES);
            text.is_some_and(|text| FILTERS.iter().any(|filter| text.contains(filter)))
        })
    }

    /// Compares what the index has under a path with the last commit.
    fn compare_with_head(&self, path: &str, added: Option<ObjectId>) -> Option<FileState> {
        let committed = match self.head {
            Head::Unborn => None,
            Head::Unread => return None,
            Head::Tree(tree) => match self.object_at(tree, path) {
                Some(committed) => committed,
                None => return (self.index.tree == Some(tree)).then_some(FileState::Clean),
            },
        };
        Some(if committed == added { FileState::Clean } else { FileState::Changed })
    }

    /// The object under a path of a tree, if there is one; `None` if a tree on the way is packed.
    fn object_at(&self, mut tree: ObjectId, path: &str) -> Option<Option<ObjectId>> {
        for name in path.split('/') {
            match entry_of(&self.object(tree, "tree")?, name.as_bytes())? {
                Some(next) => tree = next,
                None => return Some(None),
            }
        }
        Some(Some(tree))
    }

    fn object(&self, id: ObjectId, kind: &str) -> Option<Vec<u8>> {
        loose_object(&self.layout.common_dir, &hex(id), kind)
    }

    /// `None` if there is no time to tell.
    fn is_ignored(&self, path: &str) -> Option<bool> {
        let root = &self.layout.root;
        let dirs: Vec<&Path> = Path::new(path).ancestors().skip(1).collect();
        // The deepest list that says something decides.
        let lists = dirs.iter().map(|dir| (*dir, root.join(dir).join(".gitignore")));
        let exclude = (Path::new(""), self.git_dir.join("info/exclude"));
        let shared = (Path::new(""), self.layout.common_dir.join("info/exclude"));
        let own = ignore_list().map(|file| (Path::new(""), file));
        for (dir, list) in lists.chain([exclude, shared]).chain(own) {
            if is_late(self.until) {
                return None;
            }
            if let Some(is_ignored) = self.is_in_list(path, dir, list) {
                return Some(is_ignored);
            }
        }
        Some(false)
    }

    /// What a list of ignored files in a directory says of a path.
    fn is_in_list(&self, path: &str, dir: &Path, list: PathBuf) -> Option<bool> {
        let mut lists = self.lists.borrow_mut();
        let read = |list: &PathBuf| read_small(list, MAX_RULES_BYTES).map(|text| rules(&text));
        let rules = lists.entry(list).or_insert_with_key(read).as_ref()?;
        let path = Path::new(path).strip_prefix(dir).ok()?;
        match rules.matched_path_or_any_parents(path, false) {
            ignore::Match::None => None,
            ignore::Match::Ignore(_) => Some(true),
            ignore::Match::Whitelist(_) => Some(false),
        }
    }
}

fn rules(text: &str) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    for line in text.lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// When a file was changed: seconds, and the nanoseconds after them.
fn modified(facts: &fs::Metadata) -> Option<(u32, u32)> {
    let since = facts.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((u32::try_from(since.as_secs()).ok()?, since.subsec_nanos()))
}

// The index: one entry for each file, and extensions.

#[derive(Default)]
struct Index {
    entries: Vec<Entry>,
    /// The second in which it was written.
    written: u32,
    /// The tree of all entries, if nothing was added since that tree was written, which a commit
    /// does.
    tree: Option<ObjectId>,
}

struct Entry {
    path: Vec<u8>,
    id: ObjectId,
    seconds: u32,
    nanos: u32,
    size: u32,
    flags: u16,
    more_flags: u16,
}

impl Entry {
    const fn is_unmerged(&self) -> bool {
        self.flags & 0x3000 != 0
    }

    /// Added with `git add --intent-to-add`, so without its content.
    const fn is_intended(&self) -> bool {
        self.more_flags & 0x2000 != 0
    }

    /// Git does not look whether it changed: `--assume-unchanged`, `--skip-worktree`.
    const fn is_unwatched(&self) -> bool {
        self.flags & 0x8000 != 0 || self.more_flags & 0x4000 != 0
    }
}

impl Index {
    /// Reads versions 2 to 4; `None` for anything else, and for one that is split or sparse.
    fn parse(bytes: &[u8], written: u32, until: Instant) -> Option<Self> {
        let mut rest = Bytes(bytes.get(..bytes.len().checked_sub(ID)?)?);
        if rest.take(4)? != b"DIRC" {
            return None;
        }
        let (version, count) = (rest.number()?, rest.number()?);
        if !(2..=4).contains(&version) {
            return None;
        }
        let mut entries: Vec<Entry> = Vec::new();
        for number in 0..count {
            if number % ENTRIES_PER_LOOK == 0 && is_late(until) {
                return None;
            }
            let entry = rest.entry(version, entries.last().map_or(&[], |last| last.path.as_slice()))?;
            entries.push(entry);
        }
        let mut tree = None;
        while !rest.0.is_empty() {
            let name = rest.take(4)?;
            let length = usize::try_from(rest.number()?).ok()?;
            let content = rest.take(length)?;
            match name {
                b"TREE" => tree = whole_tree(content),
                b"link" | b"sdir" => return None,
                _ => {}
            }
        }
        Some(Self { entries, written, tree })
    }

    fn get(&self, path: &str) -> Option<&Entry> {
        let at = self.entries.partition_point(|entry| entry.path.as_slice() < path.as_bytes());
        self.entries.get(at).filter(|entry| entry.path == path.as_bytes())
    }
}

/// The id of the root of the cached trees, which comes first, if it stands for all entries: its
/// name is empty, and the number of its entries is not -1.
fn whole_tree(content: &[u8]) -> Option<ObjectId> {
    let content = content.strip_prefix(b"\0").filter(|rest| rest.first().is_some_and(u8::is_ascii_digit))?;
    let end = content.iter().position(|byte| *byte == b'\n')?;
    content.get(end + 1..end + 1 + ID)?.try_into().ok()
}

/// The part of the index that is not read yet.
struct Bytes<'b>(&'b [u8]);

impl<'b> Bytes<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().ok()?))
    }

    fn short(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().ok()?))
    }

    fn up_to_zero(&mut self) -> Option<&'b [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let taken = self.take(end)?;
        self.take(1)?;
        Some(taken)
    }

    fn entry(&mut self, version: u32, previous: &[u8]) -> Option<Entry> {
        let length = self.0.len();
        self.take(8)?;
        let (seconds, nanos) = (self.number()?, self.number()?);
        self.take(20)?;
        let size = self.number()?;
        let id = self.take(ID)?.try_into().ok()?;
        let flags = self.short()?;
        let is_extended = version > 2 && flags & 0x4000 != 0;
        let more_flags = if is_extended { self.short()? } else { 0 };
        let path = if version == 4 {
            let shared = previous.len().checked_sub(self.offset()?)?;
            [&previous[..shared], self.up_to_zero()?].concat()
        } else {
            let path = self.up_to_zero()?.to_owned();
            // Zeros up to a multiple of eight bytes; one is read already.
            let taken = length - self.0.len();
            self.take(taken.next_multiple_of(8) - taken)?;
            path
        };
        (path.len() <= MAX_PATH_BYTES).then_some(Entry { path, id, seconds, nanos, size, flags, more_flags })
    }

    /// A number in seven bits a byte, the highest first.
    fn offset(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 127);
        while byte & 128 != 0 {
            byte = self.take(1)?[0];
            value = value.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        }
        Some(value)
    }
}

// Objects that are not packed: commits, trees and files.

fn head(layout: &Layout, git_dir: &Path) -> Head {
    let Some(commit) = head_of(layout) else {
        // A repository with a reftable keeps its branches in there.
        let is_plain = read_small(&git_dir.join("HEAD"), MAX_RULES_BYTES).is_some()
            && !layout.common_dir.join("reftable").exists();
        return if is_plain { Head::Unborn } else { Head::Unread };
    };
    let tree = loose_object(&layout.common_dir, &commit, "commit").and_then(|text| {
        let text = String::from_utf8_lossy(&text).into_owned();
        from_hex(&commit_id(text.strip_prefix("tree ")?)?)
    });
    tree.map_or(Head::Unread, Head::Tree)
}

/// An object of this kind that lies in a file of its own.
fn loose_object(common_dir: &Path, id: &str, kind: &str) -> Option<Vec<u8>> {
    let file = common_dir.join("objects").join(id.get(..2)?).join(id.get(2..)?);
    let facts = fs::symlink_metadata(&file).ok().filter(fs::Metadata::is_file)?;
    if facts.len() > MAX_OBJECT_BYTES {
        return None;
    }
    let mut text = Vec::new();
    let unpacked = ZlibDecoder::new(fs::File::open(&file).ok()?);
    unpacked.take(MAX_OBJECT_BYTES).read_to_end(&mut text).ok()?;
    let end = text.iter().position(|byte| *byte == 0)?;
    let is_kind = text[..end].strip_prefix(kind.as_bytes()).is_some_and(|rest| rest.starts_with(b" "));
    is_kind.then(|| text.split_off(end + 1))
}

/// The object with a name in a tree, if there is one; `None` if this is no tree.
fn entry_of(tree: &[u8], name: &[u8]) -> Option<Option<ObjectId>> {
    let mut rest = Bytes(tree);
    while !rest.0.is_empty() {
        let line = rest.up_to_zero()?;
        let id = rest.take(ID)?.try_into().ok()?;
        let space = line.iter().position(|byte| *byte == b' ')?;
        if &line[space + 1..] == name {
            return Some(Some(id));
        }
    }
    Some(None)
}

fn blob_id(bytes: &[u8]) -> ObjectId {
    let header = format!("blob {}\0", bytes.len());
    Sha1::new().chain_update(header).chain_update(bytes).finalize().into()
}

/// The text as git stores it where `core.autocrlf` is set.
fn without_carriage_returns(bytes: &[u8]) -> Vec<u8> {
    let is_kept = |at: &usize| !(bytes[*at] == b'\r' && bytes.get(at + 1) == Some(&b'\n'));
    (0..bytes.len()).filter(is_kept).map(|at| bytes[at]).collect()
}

fn hex(id: ObjectId) -> String {
    id.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<ObjectId> {
    let mut id = [0; ID];
    if text.len() != 2 * ID {
        return None;
    }
    for (at, byte) in id.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(id)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use tempfile::TempDir;

    use super::*;

    /// As much time as a test may take.
    fn in_time() -> Instant {
        Instant::now() + std::time::Duration::from_secs(60)
    }

    fn state_in(dir: &Path, file: &str) -> FileState {
        WorkingTrees::new(in_time()).states(dir, &[file.into()])[0]
    }

    struct Repository(TempDir);

    impl Repository {
        fn new(settings: &[&str]) -> Self {
            let made = Self(TempDir::new().expect("temporary directory"));
            made.git(&[&["init", "--quiet", "--initial-branch=main"], settings].concat());
            made
        }

        fn root(&self) -> &Path {
            self.0.path()
        }

        fn git(&self, args: &[&str]) {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
            let mut git = Command::new("git");
            git.args(identity).args(args).current_dir(self.root());
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
            let done = git.output().expect("git runs");
            assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().expect("has one")).expect("created");
            fs::write(path, text).expect("written");
        }

        fn commit(&self) {
            self.git(&["add", "--all"]);
            self.git(&["commit", "--quiet", "--message", "work"]);
        }

        fn state(&self, path: &str) -> FileState {
            state_in(self.root(), path)
        }

        /// What git itself says.
        #[track_caller]
        fn assert_agrees(&self, path: &str) {
            let mut git = Command::new("git");
            git.args(["status", "--porcelain", "--", path]).current_dir(self.root());
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
            let said = git.output().expect("git runs").stdout;
            let expected = if said.is_empty() { FileState::Clean } else { FileState::Changed };
            assert_eq!(self.state(path), expected, "{path}: {}", String::from_utf8_lossy(&said));
        }
    }

    #[test]
    fn each_step_of_a_change_is_seen_as_git_sees_it() {
        for version in ["2", "3", "4"] {
            let tree = Repository::new(&[]);
            tree.git(&["config", "index.version", version]);
            let files = ["a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/c.rs.orig"];
            let check = || files.iter().for_each(|file| tree.assert_agrees(file));
            tree.write(".gitignore", "*.orig\n");
            tree.write("a.rs", "one");
            tree.write("src/deep/c.rs.orig", "kept");
            check();
            tree.git(&["add", "a.rs"]);
            check();
            tree.commit();
            check();
            tree.write("src/b.rs", "two");
            tree.write("src/deep/c.rs", "three");
            check();
            tree.commit();
            check();
            tree.write("a.rs", "six");
            check();
            tree.git(&["add", "a.rs"]);
            check();
            tree.git(&["commit", "--quiet", "--message", "by hand"]);
            check();
            fs::remove_file(tree.root().join("src/b.rs")).expect("removed");
            check();
            tree.git(&["rm", "--quiet", "--cached", "src/b.rs"]);
            check();
            tree.commit();
            check();
            tree.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
            check();
        }
    }

    #[test]
    fn a_touched_file_is_compared_by_its_content() {
        let tree = Repository::new(&[]);
        tree.write("a.rs", "one");
        tree.commit();
        tree.write("a.rs", "one");
        assert_eq!(tree.state("a.rs"), FileState::Clean);
        tree.write("a.rs", "two");
        assert_eq!(tree.state("a.rs"), FileState::Changed);
    }

    /// The index of a packed commit says what was added, not what was committed.
    #[test]
    fn of_a_packed_commit_only_changes_are_known() {
        let tree = Repository::new(&[]);
        tree.write("a.rs", "one");
        tree.commit();
        tree.git(&["gc", "--quiet"]);
        assert_eq!(tree.state("a.rs"), FileState::Unknown);
        tree.write("a.rs", "staged");
        tree.git(&["add", "a.rs"]);
        tree.git(&["write-tree"]);
        assert_eq!(tree.state("a.rs"), FileState::Unknown);
        tree.write("a.rs", "changed");
        assert_eq!(tree.state("a.rs"), FileState::Changed);
    }

    /// What was committed in a directory is clean, although its tree was packed before.
    #[test]
    fn an_index_written_as_the_tree_of_the_commit_is_clean() {
        let tree = Repository::new(&[]);
        tree.write("src/a.rs", "one");
        tree.write("b.rs", "one");
        tree.commit();
        tree.git(&["gc", "--quiet"]);
        tree.write("b.rs", "two");
        tree.commit();
        assert_eq!(tree.state("src/a.rs"), FileState::Clean);
        tree.write("src/a.rs", "two");
        tree.git(&["add", "src/a.rs"]);
        assert_eq!(tree.state("src/a.rs"), FileState::Unknown);
    }

    #[test]
    fn what_is_elsewhere_or_takes_too_long_is_unknown() {
        let tree = Repository::new(&[]);
        tree.write("a.rs", "one");
        tree.commit();
        tree.write("module/a.rs", "one");
        std::os::unix::fs::symlink(tree.root().join("module"), tree.root().join("link")).expect("linked");
        fs::create_dir(tree.root().join("module/.git")).expect("created");
        assert_eq!(tree.state("module/a.rs"), FileState::Unknown);
        assert_eq!(tree.state("link/a.rs"), FileState::Unknown);
        tree.write("a.rs", "two");
        assert_eq!(tree.state("a.rs"), FileState::Changed);
        assert_eq!(
            WorkingTrees::new(Instant::now()).states(tree.root(), &["a.rs".into()]),
            [FileState::Unknown]
        );
    }

    #[test]
    fn what_cannot_be_compared_is_unknown() {
        let plain = TempDir::new().expect("temporary directory");
        assert_eq!([state_in(plain.path(), "a")], [FileState::Unknown]);
        let tree = Repository::new(&[]);
        tree.write(".gitattributes", "*.bin filter=lfs\n");
        tree.write("a.bin", "one");
        tree.commit();
        tree.write("a.bin", "two");
        assert_eq!(tree.state("a.bin"), FileState::Unknown);
        assert_eq!(tree.state("../outside"), FileState::Unknown);
        fs::write(tree.root().join(".git/index"), "no index at all, but long enough to be one")
            .expect("written");
        assert_eq!(tree.state("a.bin"), FileState::Unknown);
        let other = Repository::new(&["--object-format=sha256"]);
        other.write("a", "one");
        other.commit();
        assert_eq!(other.state("a"), FileState::Unknown);
    }

    #[test]
    fn line_ends_that_git_converts_do_not_count() {
        let tree = Repository::new(&[]);
        tree.git(&["config", "core.autocrlf", "true"]);
        tree.write("a.txt", "one\r\ntwo\r\n");
        tree.commit();
        tree.write("a.txt", "one\r\ntwo\r\n");
        assert_eq!(tree.state("a.txt"), FileState::Clean);
    }

    #[test]
    fn a_linked_worktree_has_its_own_index() {
        let tree = Repository::new(&[]);
        tree.write("a.rs", "one");
        tree.commit();
        let other = TempDir::new().expect("temporary directory");
        let path = other.path().join("linked");
        tree.git(&["worktree", "add", "--quiet", path.to_str().expect("text"), "-b", "side"]);
        fs::write(path.join("a.rs"), "two").expect("written");
        assert_eq!([state_in(&path, "a.rs")], [FileState::Changed]);
        assert_eq!(tree.state("a.rs"), FileState::Clean);
    }

    #[test]
    fn damaged_indexes_are_refused_without_a_panic() {
        let tree = Repository::new(&[]);
        tree.write("src/a.rs", "one");
        tree.commit();
        let bytes = fs::read(tree.root().join(".git/index")).expect("read");
        for end in 0..bytes.len() {
            let _ = Index::parse(&bytes[..end], 0, in_time());
        }
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = Index::parse(&damaged, 0, in_time());
        }
    }
}
