use super::*;

fn running(response: &str) -> Answers {
    let mut answers = Answers::default();
    answers.ask(Ask::Answer).unwrap();
    assert_eq!(answers.next(), Some(("answer_1".to_owned(), Ask::Answer)));
    assert_eq!(answers.created(response.to_owned()), None);
    answers
}

#[test]
fn one_answer_is_given_at_a_time() {
    let mut answers = running("r1");
    answers.ask(Ask::Say("Hi".to_owned())).unwrap();
    assert_eq!(answers.next(), None);
    assert_eq!(answers.done("r1", Status::Completed), Outcome::Answered);
    assert_eq!(answers.next(), Some(("answer_2".to_owned(), Ask::Say("Hi".to_owned()))));
}

#[test]
fn what_was_cancelled_is_answered_when_the_server_is_done_with_it() {
    let mut answers = running("r1");
    assert!(answers.is_heard("r1") && answers.is_heard("") && !answers.is_heard("r0"));
    assert_eq!(answers.current(), Some("answer_1"));
    assert_eq!(answers.cancel("answer_0"), None, "that is over, and not what is given now");
    assert_eq!(answers.cancel("answer_1"), Some("r1".to_owned()));
    assert_eq!(answers.cancel("answer_1"), None);
    assert!(!answers.is_heard("r1") && answers.is_owed());
    assert_eq!(answers.done("r1", Status::Cancelled), Outcome::Answered);
    assert!(!answers.is_owed());
}

#[test]
fn a_failed_answer_is_tried_once_more() {
    let mut answers = running("r1");
    assert_eq!(answers.done("r1", Status::Failed), Outcome::Again);
    assert!(answers.next().is_some());
    answers.created("r2".to_owned());
    assert_eq!(answers.done("r1", Status::Failed), Outcome::NotOurs, "told twice");
    assert_eq!(answers.done("r2", Status::Failed), Outcome::Failed);
}

#[test]
fn an_answer_that_was_refused_counts_as_failed() {
    let mut answers = Answers::default();
    answers.ask(Ask::Answer).unwrap();
    answers.next();
    assert_eq!(answers.refused("other"), Outcome::NotOurs);
    assert_eq!(answers.refused("answer_1"), Outcome::Again);
    answers.next();
    assert_eq!(answers.refused("answer_2"), Outcome::Failed);
}

#[test]
fn a_response_that_nobody_asked_for_is_named_and_waited_for() {
    let mut answers = Answers::default();
    assert_eq!(answers.created("auto".to_owned()), Some("auto".to_owned()));
    answers.ask(Ask::Answer).unwrap();
    assert_eq!(answers.next(), None);
    assert!(!answers.is_heard("auto") && !answers.is_heard(""));
    assert_eq!(answers.done("auto", Status::Cancelled), Outcome::NotOurs);
    assert!(answers.next().is_some());
}

#[test]
fn an_answer_that_met_another_waits_for_its_end() {
    let mut answers = Answers::default();
    answers.ask(Ask::Answer).unwrap();
    answers.next();
    assert_eq!(answers.busy("answer_1"), None);
    assert_eq!(answers.next(), None);
    assert_eq!(answers.done("whatever", Status::Completed), Outcome::NotOurs);
    assert_eq!(answers.next(), Some(("answer_2".to_owned(), Ask::Answer)));
}

#[test]
fn another_response_that_was_taken_for_ours_is_found_out() {
    let mut answers = running("auto");
    assert_eq!(answers.busy("answer_1"), Some("auto".to_owned()));
    assert!(!answers.is_heard("auto"));
    assert_eq!(answers.done("auto", Status::Cancelled), Outcome::NotOurs);
    assert!(answers.next().is_some());
}

#[test]
fn no_more_wait_than_may_wait() {
    let mut answers = running("r1");
    for _ in 0..MOST_WAITING {
        answers.ask(Ask::Answer).unwrap();
    }
    assert_eq!(answers.ask(Ask::Answer), Err(TooMany));
    answers.lost();
    assert!(!answers.is_owed() && answers.next().is_none());
}
