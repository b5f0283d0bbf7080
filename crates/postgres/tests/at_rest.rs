//! What lies in the tables: ciphertext for secrets, digests for keys.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panic")]

use std::error::Error;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use domain::assistant::{Assistant, ProviderKey, ProviderRole};
use domain::at_rest::AtRestKeys;
use domain::ids::{NewId, SigningSecretId, UserId};
use domain::password::PasswordHash;
use domain::ports::{
    Accounts, Admission, Assistants, Callbacks, Directory, KeyRing, Sessions, Settled, SignIn, Signing,
    TryOutcome, TryRecord,
};
use domain::scope::Reach;
use domain::secret::Secret;
use domain::session::{Link, LinkDigest, NewSession, SessionDigest};
use domain::testing::{Ground, World, deed, moment};
use domain::user::{Role, User};
use postgres::{Options, SealingKey, Store};
use test_database::TestDatabase;

async fn open(database: &TestDatabase, key: u8) -> Store {
    Store::connect(database.url(), SealingKey::from_bytes([key; 32]), Options::default()).await.unwrap()
}

/// A key file that is changed while the store is open.
struct Turning(Mutex<Arc<AtRestKeys>>);

impl Turning {
    fn to(&self, keys: AtRestKeys) {
        *self.0.lock().unwrap() = Arc::new(keys);
    }
}

impl KeyRing for Turning {
    fn keys(&self) -> Arc<AtRestKeys> {
        self.0.lock().unwrap().clone()
    }

    fn keys_anew(&self) -> Arc<AtRestKeys> {
        self.keys()
    }
}

fn told(error: &dyn Error) -> String {
    let cause = error.source().map(told).unwrap_or_default();
    format!("{error}: {cause}")
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_and_signing_secrets_are_not_readable_in_the_tables() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let ground = Ground::lay(&World::new(store, ()), None).await.unwrap();
    for (table, column, secret) in
        [("trunks", "password", "pässword"), ("signing_secrets", "secret", "first secret")]
    {
        let stored = database.value(&format!("SELECT encode({column}, 'hex') FROM {table}")).await.unwrap();
        let plain = database.value(&format!("SELECT encode(convert_to('{secret}', 'UTF8'), 'hex')")).await;
        let plain = plain.unwrap();
        // Key id, nonce, ciphertext, tag.
        assert_eq!(stored.len(), 2 * (1 + 24 + secret.len() + 16));
        assert!(stored.starts_with("01") && !stored.contains(&plain));
        let whole = database.rows(&format!("SELECT row_to_json(t)::text FROM {table} t")).await;
        assert!(!format!("{whole:?}").contains(secret));
    }
    assert_eq!(ground.trunk.credentials.unwrap().password.reveal(), "pässword");
}

/// An AI assistant of three services, each behind a stored key of its own.
async fn with_keys(store: &Store, ground: &Ground) -> Assistant {
    let made = ground.cascade().unwrap();
    store.add_assistant(Reach::Everything, made.clone(), deed(moment(0))).await.unwrap();
    let mut assistant = made;
    for (role, key) in [
        (ProviderRole::Chat, "sk-chat-key"),
        (ProviderRole::Transcription, "sk-hearing-key"),
        (ProviderRole::Speech, "sk-voice-key"),
    ] {
        let key = Some(Secret::new(key.to_owned()));
        assistant = store
            .set_provider_key(Reach::Everything, assistant.id, Some(role), key, deed(moment(0)))
            .await
            .unwrap();
    }
    assistant
}

#[tokio::test(flavor = "multi_thread")]
async fn providers_keys_are_not_readable_in_the_tables() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let assistant = with_keys(&store, &ground).await;
    assert_eq!(store.assistant(Reach::Everything, assistant.id).await.unwrap(), Some(assistant.clone()));
    for (column, secret) in
        [("chat_key", "sk-chat-key"), ("transcription_key", "sk-hearing-key"), ("speech_key", "sk-voice-key")]
    {
        let query = format!("SELECT encode({column}, 'hex') FROM assistants WHERE id = '{}'", assistant.id);
        let stored = database.value(&query).await.unwrap();
        let plain = database.value(&format!("SELECT encode('{secret}', 'hex')")).await.unwrap();
        // The origin is sealed with the key, on a line of its own.
        assert!(stored.len() > 2 * (1 + 24 + "https://h\n".len() + secret.len() + 16));
        assert!(stored.starts_with("01") && !stored.contains(&plain));
    }
    let rows = database.rows("SELECT row_to_json(a)::text FROM assistants a").await;
    assert!(!format!("{rows:?}").contains("sk-"), "{rows:?}");
    // Opened in memory, they still show in no message.
    assert!(!format!("{assistant:?}").contains("sk-"));
}

/// Whatever the row says of the endpoint, the key goes where it was stored for.
#[tokio::test(flavor = "multi_thread")]
async fn stored_key_stays_bound_when_its_row_names_another_endpoint() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let assistant = with_keys(&store, &ground).await;
    database
        .rows(
            "UPDATE assistants SET agent = jsonb_set(agent, '{cascade,chat,endpoint}', '\"https://evil.example/v1\"') \
             WHERE engine = 'cascade'",
        )
        .await;
    let read = store.assistant(Reach::Everything, assistant.id).await.unwrap().unwrap();
    let (_, chat) = read.providers()[0];
    assert_eq!(chat.endpoint.host_str(), Some("evil.example"));
    let ProviderKey::Stored(key) = &chat.key else { panic!("{:?}", chat.key) };
    assert!(key.for_endpoint(&chat.endpoint).is_err());
    assert_eq!(key.parts().1.to_string(), "https://chat.example.com");
}

/// An earlier release sealed the key alone; it is bound to the endpoint that it is read with.
#[tokio::test(flavor = "multi_thread")]
async fn key_of_an_earlier_release_is_bound_to_its_rows_endpoint() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let assistant = with_keys(&store, &ground).await;
    let sealed = sealed_by_an_earlier_release("chat_key", assistant.id.uuid().as_bytes(), b"sk-old");
    let set = format!("UPDATE assistants SET chat_key = '\\x{sealed}' WHERE id = '{}'", assistant.id);
    database.rows(&set).await;
    let read = store.assistant(Reach::Everything, assistant.id).await.unwrap().unwrap();
    let (_, chat) = read.providers()[0];
    let ProviderKey::Stored(key) = &chat.key else { panic!("{:?}", chat.key) };
    assert_eq!(key.for_endpoint(&chat.endpoint).unwrap().reveal(), "sk-old");
    assert_eq!(key.parts().1.to_string(), "https://chat.example.com");
}

/// Key 1 of these tests, as the column was written before origins were sealed with keys.
fn sealed_by_an_earlier_release(column: &str, row: &[u8], key: &[u8]) -> String {
    let associated = [format!("assistants.{column}:").as_bytes(), row].concat();
    let cipher = XChaCha20Poly1305::new(&Key::from([1; 32]));
    let payload = Payload { msg: key, aad: &associated };
    let sealed = cipher.encrypt(&XNonce::from([7; 24]), payload).unwrap();
    let whole = [&[1][..], &[7; 24], &sealed].concat();
    whole.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_providers_key_opens_in_its_own_column_and_under_its_own_key_alone() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let assistant = with_keys(&store, &ground).await;
    let stranger = open(&database, 2).await;
    let error = stranger.assistant(Reach::Everything, assistant.id).await.unwrap_err();
    let text = told(&error);
    assert!(text.contains("assistants") && text.contains(&assistant.id.to_string()), "{text}");
    // A script has no key to open.
    assert_eq!(
        stranger.assistant(Reach::Everything, ground.assistant.id).await.unwrap(),
        Some(ground.assistant)
    );
    let key = Some(Secret::new("x".to_owned()));
    assert!(
        stranger.set_provider_key(Reach::Everything, assistant.id, None, key, deed(moment(0))).await.is_err()
    );
    database.rows("UPDATE assistants SET speech_key = chat_key WHERE engine = 'cascade'").await;
    assert!(store.assistant(Reach::Everything, assistant.id).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_key_opens_nothing_and_the_error_names_table_and_row() {
    let database = TestDatabase::create().await;
    let ground = Ground::lay(&World::new(open(&database, 1).await, ()), None).await.unwrap();
    let stranger = open(&database, 2).await;
    let error = stranger
        .placeable(ground.scope(), ground.assistant.id, ground.number.id)
        .await
        .map(|_| ())
        .unwrap_err();
    let text = told(&error);
    assert!(text.contains("trunks") && text.contains(&ground.trunk.id.to_string()), "{text}");
    assert!(stranger.trunks().await.is_err());
    assert!(
        stranger.show_signing_secrets(Reach::Everything, ground.organization, deed(moment(0))).await.is_err()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_key_is_noticed_and_seals_nothing_beside_what_it_cannot_open() {
    let database = TestDatabase::create().await;
    let (store, stranger) = (open(&database, 1).await, open(&database, 2).await);
    assert!(store.key_fits().await.unwrap() && stranger.key_fits().await.unwrap(), "nothing is sealed yet");
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    assert!(store.key_fits().await.unwrap());
    assert!(!stranger.key_fits().await.unwrap());
    assert!(Ground::lay(&World::new(stranger.clone(), ()), None).await.is_err());
    let (reach, id, until) = (Reach::Everything, ground.organization, moment(9));
    let current = store.signing_overview(reach, id, moment(1)).await.unwrap().current;
    for replacing in [None, Some(current)] {
        let (fresh, deed) = (Secret::new(b"another".to_vec()), deed(moment(1)));
        let rotated = stranger.rotate_signing_secret(reach, id, replacing, fresh, until, deed).await;
        assert!(rotated.is_err());
    }
    let counted = database.value("SELECT count(*)::text FROM signing_secrets").await;
    assert_eq!(counted.unwrap(), "1");
    let shown = store.show_signing_secrets(reach, id, deed(moment(1))).await.unwrap();
    assert_eq!(shown.current.reveal(), b"first secret");
}

#[tokio::test(flavor = "multi_thread")]
async fn anothers_key_that_comes_while_we_run_seals_nothing_either() {
    let database = TestDatabase::create().await;
    let first = |byte| AtRestKeys::first(Secret::new([byte; 32]));
    let ring = Arc::new(Turning(Mutex::new(Arc::new(first(1)))));
    let key = SealingKey::of(ring.clone());
    let store = Store::connect(database.url(), key, Options::default()).await.unwrap();
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, None).await.unwrap();
    let (reach, id) = (Reach::Everything, ground.organization);
    let rotate = async |byte: u8| {
        let fresh = Secret::new(vec![byte]);
        store.rotate_signing_secret(reach, id, None, fresh, moment(9), deed(moment(1))).await
    };
    rotate(10).await.unwrap();

    // Of another installation; its number is the same.
    ring.to(first(2));
    assert!(!store.key_fits().await.unwrap());
    assert!(told(&rotate(11).await.unwrap_err()).contains("another key file"));
    assert!(Ground::lay(&world, None).await.is_err());
    let chat = Some(Secret::new("sk-chat-key".to_owned()));
    let given = store.set_provider_key(reach, ground.assistant.id, None, chat, deed(moment(1))).await;
    assert!(told(&given.unwrap_err()).contains("another key file"));

    // What a change of keys puts there is ours, also when it comes at once.
    ring.to(first(1).with_next(Secret::new([3; 32])).unwrap().newest_seals());
    rotate(12).await.unwrap();
    let sealed =
        "SELECT encode(substring(secret FROM 1 FOR 1), 'hex') FROM signing_secrets WHERE expires_at IS NULL";
    assert_eq!(database.value(sealed).await.unwrap(), "02");
    let shown = store.show_signing_secrets(reach, id, deed(moment(1))).await.unwrap();
    assert_eq!(shown.current.reveal(), &[12]);
    assert_eq!(open(&database, 1).await.trunks().await.unwrap().len(), 1, "nothing else was sealed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trunks_password_alone_is_enough_to_notice_another_key() {
    let database = TestDatabase::create().await;
    let (store, stranger) = (open(&database, 1).await, open(&database, 2).await);
    Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    database.rows("DELETE FROM signing_secrets").await;
    assert!(store.key_fits().await.unwrap());
    assert!(!stranger.key_fits().await.unwrap());
    assert!(Ground::lay(&World::new(stranger, ()), None).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_signing_secret_bears_the_time_when_it_was_made() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let (reach, id, week) = (Reach::Everything, ground.organization, Duration::from_hours(168));
    for made in [moment(60), moment(120)] {
        let fresh = Secret::new(b"another".to_vec());
        store.rotate_signing_secret(reach, id, None, fresh, made + week, deed(made)).await.unwrap();
        let current = store.signing_overview(reach, id, made).await.unwrap().current;
        let first = SigningSecretId::from(NewId::at(made, [0; 10]));
        let next = SigningSecretId::from(NewId::at(made + Duration::from_secs(1), [0; 10]));
        assert!((first..next).contains(&current), "{current}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ciphertext_that_was_moved_to_another_row_does_not_open() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let world = World::new(store.clone(), ());
    let (one, two) = (Ground::lay(&world, None).await.unwrap(), Ground::lay(&world, None).await.unwrap());
    database
        .rows(&format!(
            "UPDATE trunks SET password = (SELECT password FROM trunks WHERE id = '{}') WHERE id = '{}'",
            one.trunk.id, two.trunk.id
        ))
        .await;
    let find =
        async |ground: &Ground| store.placeable(ground.scope(), ground.assistant.id, ground.number.id).await;
    assert!(find(&one).await.unwrap().is_some());
    assert!(told(&find(&two).await.map(|_| ()).unwrap_err()).contains(&two.trunk.id.to_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_unreadable_secret_does_not_hold_up_the_callbacks_of_others() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let world = World::new(store.clone(), ());
    let (good, bad) = (Ground::lay(&world, None).await.unwrap(), Ground::lay(&world, None).await.unwrap());
    bad.ended(&world, moment(0)).await.unwrap();
    let (call, _) = good.ended(&world, moment(0)).await.unwrap();
    database
        .rows(&format!(
            "UPDATE signing_secrets SET secret = '\\x01' WHERE organization_id = '{}'",
            bad.organization
        ))
        .await;
    let lease = Duration::from_secs(20);
    let claimed = store.claim(good.boot, moment(60), lease, &[], 10).await.unwrap();
    assert_eq!(claimed.iter().map(|one| one.call).collect::<Vec<_>>(), [call.id]);
    // Alone it is the caller's failure, and it says which.
    let record = TryRecord { began_at: moment(61), took: Duration::ZERO, outcome: TryOutcome::Answered(200) };
    assert!(store.settle(good.boot, call.id, 0, record, Settled::Delivered).await.unwrap());
    let error = store.claim(good.boot, moment(120), lease, &[], 10).await.unwrap_err();
    assert!(told(&error).contains("signing_secrets"), "{}", told(&error));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callback_that_nothing_can_sign_is_not_begun_by_hand() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let world = World::new(store.clone(), ());
    let ground = Ground::lay(&world, None).await.unwrap();
    let (call, _) = ground.ended(&world, moment(0)).await.unwrap();
    let lease = Duration::from_secs(20);
    store.claim_fresh(ground.boot, call.id, moment(0), lease).await.unwrap().unwrap();
    let record = TryRecord { began_at: moment(1), took: Duration::ZERO, outcome: TryOutcome::TimedOut };
    assert!(store.settle(ground.boot, call.id, 0, record, Settled::GivenUp).await.unwrap());
    for spoiling in ["UPDATE signing_secrets SET secret = '\\x01'", "DELETE FROM signing_secrets"] {
        database.rows(spoiling).await;
        let deed = deed(moment(60));
        let error = store.claim_again(ground.scope(), call.id, ground.boot, lease, &deed).await.unwrap_err();
        assert!(told(&error).contains("secret"), "{}", told(&error));
        let begun = database
            .value(
                "SELECT (SELECT sum(manual_tries) FROM callbacks) + \
                    (SELECT count(*) FROM audit_entries WHERE action = 'callback.redeliver')",
            )
            .await;
        assert_eq!(begun.unwrap(), "0", "{spoiling}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sessions_and_links_only_digests_lie_in_the_tables_and_none_with_a_removed_user() {
    let database = TestDatabase::create().await;
    let store = open(&database, 1).await;
    let ground = Ground::lay(&World::new(store.clone(), ()), None).await.unwrap();
    let hash = PasswordHash::from_phc("$argon2id$stored".to_owned());
    let admin = User {
        id: UserId::from_uuid(ground.tenant.uuid()),
        tenant: ground.tenant,
        organization: Some(ground.organization),
        email: "ada@clinic.example".to_owned(),
        role: Role::Admin,
        active: true,
        created_at: moment(0),
        signed_in_at: None,
    };
    store.add(admin.clone(), Admission::Password(hash.clone()), deed(moment(1))).await.unwrap();
    let session = NewSession::new(SessionDigest([0xab; 32]), None, None, moment(1));
    let sign_in = SignIn { user: admin.id, proved: hash, rehashed: None, session };
    assert!(store.begin(sign_in).await.unwrap().is_some());
    let link = Link { digest: LinkDigest([0xcd; 32]), created_at: moment(1), expires_at: moment(9) };
    store.invite(admin.scope(), admin.id, link, deed(moment(1))).await.unwrap();
    let stored = async |query: &str| database.value(query).await.unwrap();
    assert_eq!(stored("SELECT encode(digest, 'hex') FROM sessions").await, "ab".repeat(32));
    assert_eq!(stored("SELECT encode(digest, 'hex') FROM one_time_links").await, "cd".repeat(32));
    let told = database.rows("SELECT row_to_json(a)::text FROM audit_entries a").await;
    assert!(!format!("{told:?}").contains("argon2"), "{told:?}");
    store.remove(admin.scope(), admin.id, deed(moment(1))).await.unwrap();
    let left =
        "SELECT count(*)::text FROM (SELECT digest FROM sessions UNION ALL SELECT digest FROM one_time_links
        UNION ALL SELECT ''::bytea FROM users WHERE password IS NOT NULL) AS left_behind";
    assert_eq!(stored(left).await, "0");
}
