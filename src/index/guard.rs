//! Damage that tantivy does not expect: it trusts what it once wrote, and panics where that reads otherwise.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

use super::Error;

thread_local! {
    /// True while a panic of this thread is caught and answered, and so not to be printed.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Does something with the index in a folder. A panic on the way is the damage that it comes from.
pub fn guarded<T, E: From<Error>>(folder: &Path, act: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let printed = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                printed(panic);
            }
        }));
    });
    let outer = GUARDED.replace(true);
    // Nothing that `act` may have left half done is used after a panic: the index is opened again, or built anew.
    let done = catch_unwind(AssertUnwindSafe(act));
    GUARDED.set(outer);
    done.unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().map(String::as_str);
        let why = why.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it cannot be read");
        let why = why.lines().next().unwrap_or_default().to_owned();
        Err(Error::Damaged { path: folder.display().to_string(), why }.into())
    })
}
