//! A file that the engine writes: accessible to its owner only, whatever the umask.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tantivy::directory::{AntiCallToken, TerminatingWrite, WritePtr};

/// See the module.
struct Written(File);

/// Creates a file that must not exist yet.
pub(super) fn create(path: &Path) -> io::Result<WritePtr> {
    let file = open_private(File::options().write(true).create_new(true), path)?;
    Ok(BufWriter::new(Box::new(Written(file))))
}

/// Opens a file with these options; a new file is accessible to its owner only.
pub(crate) fn open_private(options: &mut std::fs::OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    let file = options.open(path)?;
    make_private(&file)?;
    Ok(file)
}

#[cfg(unix)]
fn make_private(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata()?.permissions().mode() & 0o777 == 0o600 {
        return Ok(());
    }
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &File) -> io::Result<()> {
    Ok(())
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl TerminatingWrite for Written {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.0.flush()?;
        self.0.sync_data()
    }
}
