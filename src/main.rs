//! The `edgewright` program: everything is in the library.

use std::process::ExitCode;

/// Linking and extraction make and drop many short texts on all cores, at which this allocator is faster than most
/// systems' own.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    edgewright::cli::main()
}
