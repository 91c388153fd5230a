//! One write transaction. What can be written of each noun is in that noun's file.

use std::cell::RefCell;
use std::ops::Deref;

use rusqlite::Connection;

use crate::db::open::OpenOptions;
use crate::db::reader::Reader;
use crate::tables::intern::Interned;

/// Writes in one transaction, and reads what it has written.
pub struct Writer<'s> {
    reader: Reader<'s>,
    pub(crate) interned: RefCell<Interned>,
}

impl<'s> Writer<'s> {
    pub(crate) fn new(conn: &'s Connection, options: &'s OpenOptions) -> Self {
        Self { reader: Reader::new(conn, options), interned: RefCell::default() }
    }
}

impl<'s> Deref for Writer<'s> {
    type Target = Reader<'s>;

    fn deref(&self) -> &Reader<'s> {
        &self.reader
    }
}
