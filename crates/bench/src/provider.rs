//! The double of a Realtime server, on a thread of its own, and an assistant that talks with it.

use test_realtime::{Double, Options};

/// Starts a double, which ends with the process, and gives the file of an assistant that uses it.
pub(crate) fn start(options: Options) -> String {
    let (sender, address) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let double = Double::start(options).await;
            sender.send(double.url()).unwrap();
            std::future::pending::<()>().await;
        });
    });
    let endpoint = address.recv().unwrap();
    format!(
        "name = \"Talker\"\nengine = \"realtime\"\ninstructions = \"Talk with whoever answers.\"\n\n\
         [realtime]\nmodel = \"gpt-realtime\"\nendpoint = \"{endpoint}\"\n\n[limits]\nsilence_seconds = 300\n"
    )
}
