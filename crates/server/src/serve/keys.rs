//! A running node follows the key file, and tells the others which keys it holds.

use std::sync::Arc;
use std::time::Duration;

use application::causes::causes;
use domain::ids::BootId;
use postgres::Store;

use crate::secrets::KeyFile;

/// Between two looks at the file.
const LOOK: Duration = Duration::from_secs(1);

/// Follows the file until the task is dropped. What a value names is read at once, whenever it is met;
/// this is for keys that no value names yet, and for those that were taken away.
pub(super) async fn follow(keys: Arc<KeyFile>, store: Arc<Store>, boot: BootId) {
    let (mut told, mut failing) = (None, false);
    loop {
        let file = Arc::clone(&keys);
        let looked = tokio::task::spawn_blocking(move || {
            file.follow();
            domain::ports::KeyRing::keys(file.as_ref())
        });
        if let Ok(held) = looked.await
            && told.as_ref() != Some(&held)
        {
            match store.tell_keys(boot).await {
                Ok(_) => (told, failing) = (Some(held), false),
                Err(error) => {
                    if !failing {
                        tracing::warn!(
                            error = causes(&error),
                            "the store was not told which keys this node holds"
                        );
                    }
                    failing = true;
                }
            }
        }
        tokio::time::sleep(LOOK).await;
    }
}
