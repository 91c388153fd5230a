//! Opens the connections of a store: the first one, and further ones to the same file.
//!
//! The common case does little: open the file and read the schema version from its header.
//! Everything else handles a missing database, one that is older or newer than this program, and a
//! directory that cannot be written.

use crate::db::access::{Access, ReadOnlyReason};
use crate::db::connection::DbConnection;
use crate::db::error::StoreError;
use crate::db::file_id::FileId;
use crate::db::options::{Location, OpenOptions};
use crate::db::{made, open, open_read, open_write, retry};

/// Opens the first connection of a store and returns its access.
pub(crate) fn first(options: &OpenOptions) -> Result<(DbConnection, Access), StoreError> {
    let asked = Access::ReadOnly { reason: ReadOnlyReason::Asked };
    refuse_lost(&options.location)?;
    match &options.location {
        Location::Memory => {
            let connection = in_memory(options)?;
            Ok((connection, if options.read_only { asked } else { Access::ReadWrite }))
        }
        Location::File(path) if options.read_only => open_read::reading(path, options),
        Location::File(path) => match open_write::upgraded(path, options) {
            Ok(Some(connection)) => Ok((connection, Access::ReadWrite)),
            Ok(None) => open_read::reading(path, options),
            Err(error) if error.is_unwritable() => {
                let connection = open_read::without_writing(path, options)?;
                let access = open_read::access_of(&connection, ReadOnlyReason::HomeNotWritable)?;
                Ok((connection, access))
            }
            Err(error) => Err(error),
        },
    }
}

/// Opens the first connection of a store for a caller in a hurry: nothing is upgraded or copied,
/// and a database that cannot be written as it is gives an error. Only a missing database is
/// created, which takes milliseconds.
pub(crate) fn promptly(options: &OpenOptions) -> Result<DbConnection, StoreError> {
    refuse_lost(&options.location)?;
    match &options.location {
        Location::Memory => in_memory(options),
        Location::File(path) => open_write::as_it_is(path, options),
    }
}

/// Opens another connection to the file of an open store.
pub(crate) fn another(
    options: &OpenOptions,
    access: &Access,
    file: Option<FileId>,
) -> Result<DbConnection, StoreError> {
    let Location::File(path) = &options.location else {
        return in_memory(options);
    };
    if let Some(file) = file {
        made::ensure_same_file(file, path)?;
    }
    match access {
        Access::ReadWrite => {
            retry::while_busy(options.busy, || open::read_write(path, options.busy).map(DbConnection::live))
        }
        Access::ReadOnly { reason: ReadOnlyReason::HomeNotWritable } => {
            open_read::without_writing(path, options)
        }
        Access::ReadOnly { .. } => open_read::reading(path, options).map(|(connection, _)| connection),
    }
}

/// Fails if the database existed and is gone, before SQLite creates an empty one in its place.
fn refuse_lost(location: &Location) -> Result<(), StoreError> {
    match location {
        Location::Memory => Ok(()),
        Location::File(path) => made::is_made(path).map(|_| ()),
    }
}

fn in_memory(options: &OpenOptions) -> Result<DbConnection, StoreError> {
    let mut connection = DbConnection::live(open::memory(options.busy)?);
    open_write::upgrade(&mut connection, None, options)?;
    Ok(connection)
}
