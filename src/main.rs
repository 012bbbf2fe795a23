//! The `edgewright` program: everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    edgewright::cli::main()
}
