//! Filling placeholders takes no more memory than the filled texts may have. Alone in its process, because
//! it measures the heap.

#![allow(clippy::unwrap_used, reason = "tests fail by panic")]

use std::collections::BTreeMap;

use domain::assistant::filling::{FilledText, Filling, TOTAL_MAX, ValueSource};
use domain::assistant::{Assistant, Awaited, CallLimits, Conduct, Engine, Language, Script, Step};
use domain::ids::{AssistantId, OrganizationId, TenantId};
use domain::variables::Variables;
use time::OffsetDateTime;
use uuid::Uuid;

#[global_allocator]
static COUNTED: dhat::Alloc = dhat::Alloc;

/// An assistant that says this in 100 steps.
fn assistant(line: &str) -> Assistant {
    let say = Some(line.to_owned());
    let steps = vec![Step { wait_for: Awaited::Digits(1), replies: BTreeMap::new(), say }; 100];
    let first_message = "Hello.".to_owned();
    Assistant {
        id: AssistantId::from_uuid(Uuid::nil()),
        tenant: TenantId::from_uuid(Uuid::nil()),
        organization: OrganizationId::from_uuid(Uuid::nil()),
        name: "Reception".to_owned(),
        team: None,
        engine: Engine::Builtin(Script { first_message, steps, closing_line: None, reprompt: None }),
        language: Language::EnglishUnitedStates,
        limits: CallLimits::default(),
        conduct: Conduct { recording_notice: None, ..Conduct::default() },
        variables: Variables::new(),
        created_at: OffsetDateTime::UNIX_EPOCH,
    }
}

/// The most bytes that were on the heap at a time during `work`, beyond those that were there before.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let _profiler = dhat::Profiler::builder().testing().build();
    let done = work();
    (done, dhat::HeapStats::get().max_bytes)
}

#[test]
fn filling_takes_no_more_memory_than_the_limit() {
    let long = assistant(&"{{v}}".repeat(800));
    let values = |length: usize| Variables::from([("v".to_owned(), "x".repeat(length))]);
    let unused = Variables::from([("unused".to_owned(), "x".repeat(32_768))]);

    // 800 placeholders in 100 lines with a value of 32,768 characters: 2.6 GB if they were filled.
    let hostile = values(32_768);
    let (refused, taken) = peak(|| Filling::for_call(&long, None, &hostile));
    let error = refused.unwrap_err();
    assert_eq!((error.text, error.values), (FilledText::Line, ValueSource::Variables));
    assert!(taken < 16_384, "{taken} bytes were taken to refuse");

    let (unneeded, taken) = peak(|| Filling::for_call(&long, None, &unused).unwrap());
    assert_eq!(unneeded.text("{{unused}}"), "");
    assert!(taken < 16_384, "{taken} bytes were taken for a value that no text uses");

    // What is allowed takes as much as it may have.
    let short = assistant("{{v}}");
    let allowed = values(1_999);
    let (spoken, taken) = peak(|| {
        let filling = Filling::for_call(&short, None, &allowed).unwrap();
        let spoken: Vec<String> = (0..100).map(|_| filling.text("{{v}}")).collect();
        spoken.iter().map(String::len).sum::<usize>()
    });
    assert_eq!(spoken, 199_900);
    // A string may have grown to twice its length.
    assert!(taken < 2 * TOTAL_MAX, "{taken} bytes were taken for {spoken} characters");
}
