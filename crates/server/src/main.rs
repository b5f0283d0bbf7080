//! The program `callwright`.

use std::process::ExitCode;

fn main() -> ExitCode {
    // `FAILPOINTS` names the places in a call's life where a test lets this process die.
    #[cfg(feature = "failpoints")]
    let _scenario = fail::FailScenario::setup();
    callwright::cli::run(&callwright::environment::Environment::of_process())
}
