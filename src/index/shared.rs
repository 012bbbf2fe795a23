//! The folder of an index, as those who may read the workspace and those who may write to it share it.
#![expect(clippy::disallowed_methods, reason = "the index is a folder of files")]

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    Directory, DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
};

/// Reads and writes as tantivy does, but for two things: a file that is replaced as a whole may be read by
/// whoever may read the others, and a reader who may not write can do without the lock.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    files: MmapDirectory,
    path: PathBuf,
    locks: bool,
}

impl Folder {
    /// An index's folder, which must be there.
    pub(super) fn of(path: &Path) -> tantivy::Result<Self> {
        Ok(Self { files: MmapDirectory::open(path)?, path: path.to_owned(), locks: true })
    }

    /// The same without the lock for which tantivy writes a file. The lock keeps a writer from taking files away
    /// while they are opened; without it, opening may have to be tried again.
    pub(super) fn unlocked(self) -> Self {
        Self { locks: false, ..self }
    }
}

impl Directory for Folder {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }
    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }
    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }
    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }
    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }
    /// Tantivy's own makes a temporary file, which nobody but its owner may read, and leaves it so. Each of these
    /// files has one writer at a time, who holds a lock, so one name aside is enough.
    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let path = self.path.join(path);
        let aside = path.with_extension("part");
        let mut file = File::create(&aside)?;
        file.write_all(data)?;
        file.sync_data()?;
        std::fs::rename(aside, path)
    }
    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        if self.locks { self.files.acquire_lock(lock) } else { Ok(DirectoryLock::from(Box::new(()))) }
    }
    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
