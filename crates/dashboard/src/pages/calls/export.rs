//! The list as a file of comma-separated values (RFC 4180), written as it is read.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::web::Bytes;
use domain::call::{BoardCall, BoardQuery, CallCursor};
use domain::timestamp::rfc3339;
use futures_util::stream::unfold;

use super::filter::Filter;
use crate::error::PageError;
use crate::moment::Moments;
use crate::request::Inside;
use crate::turns::Turn;

/// Calls that are read at a time: all of the list that is ever held.
const BATCH: u32 = 500;

/// After so many batches the session is looked up again.
const CHECK: u32 = 20;

/// The names of the interface, whatever the reader's language: programs read this, too.
const COLUMNS: [&str; 19] = [
    "id",
    "createdAt",
    "callType",
    "status",
    "state",
    "endedReason",
    "agentName",
    "agentTeam",
    "number",
    "userName",
    "userNumber",
    "startedAt",
    "endedAt",
    "duration",
    "userPrimaryIntent",
    "userSentiment",
    "outcome",
    "summary",
    "summaryFr",
];

/// Without it, spreadsheets take UTF-8 for something else.
const BYTE_ORDER_MARK: &str = "\u{feff}";

struct Export {
    inside: Inside,
    query: Arc<BoardQuery>,
    after: Option<CallCursor>,
    batches: u32,
    over: bool,
    _turn: Turn,
}

/// `GET /o/{organization}/calls.csv`: all calls of the list, newest first, or oldest first if it is.
pub(super) async fn send(inside: Inside) -> Result<HttpResponse, PageError> {
    let moments = Moments::new(inside.language, inside.organization.profile.timezone);
    let query = Arc::new(Filter::read(&inside.query, &moments).query(inside.id()));
    let day = moments.civil(inside.now()).date();
    let name = format!("attachment; filename=\"calls-{day}.csv\"");
    let mut answer = HttpResponse::Ok();
    answer
        .insert_header((CONTENT_TYPE, "text/csv; charset=utf-8"))
        .insert_header((CONTENT_DISPOSITION, name));
    if inside.asks_for_the_head() {
        return Ok(answer.finish());
    }
    // What was dropped on the way gives its turn back, too.
    let turn = inside.dashboard.exports.take(inside.user.id).ok_or(PageError::OneAtATime)?;
    let mut export = Export { inside, query, after: None, batches: 0, over: false, _turn: turn };
    // What fails at once is a page that says so, and not a file that was cut off.
    let first = export.batch().await?;
    let head = format!("{BYTE_ORDER_MARK}{}\r\n{first}", COLUMNS.join(","));
    let rest = unfold(export, async |mut export| {
        if export.over {
            return None;
        }
        let batch = export.batch().await.map(Bytes::from);
        export.over |= batch.is_err();
        if batch.as_ref().is_ok_and(Bytes::is_empty) {
            return None;
        }
        Some((batch, export))
    });
    let first = futures_util::stream::iter([Ok::<_, PageError>(Bytes::from(head))]);
    Ok(answer.streaming(futures_util::StreamExt::chain(first, rest)))
}

impl Export {
    /// The next lines; none at the end.
    async fn batch(&mut self) -> Result<String, PageError> {
        let (inside, service) = (&self.inside, &self.inside.service);
        self.batches += 1;
        if self.batches.is_multiple_of(CHECK) {
            let found = service.sessions.look_up(inside.session.digest(), inside.now()).await?;
            let found = found.ok_or(PageError::SignedOut)?;
            if found.user.scope() != inside.scope() {
                return Err(PageError::SignedOut);
            }
        }
        let calls = service.board.through(inside.scope(), &self.query, self.after, BATCH).await?;
        let calls = calls.ok_or(PageError::NotFound)?;
        self.after = calls.last().map(BoardCall::cursor);
        self.over = calls.len() < usize::try_from(BATCH).unwrap_or(usize::MAX);
        Ok(calls.iter().map(line).collect())
    }
}

fn line(call: &BoardCall) -> String {
    let (log, listing) = (&call.log, &call.log.listing);
    let named = |text: &Option<String>| text.as_deref().map(words_of_others).unwrap_or_default();
    let moment = |at: Option<time::OffsetDateTime>| at.map(rfc3339).unwrap_or_default();
    let cells = [
        listing.id.to_string(),
        rfc3339(listing.created_at),
        listing.call_type.as_str().to_owned(),
        call.state.status().as_str().to_owned(),
        call.state.as_str().to_owned(),
        log.ended_reason.map(|reason| reason.as_str().to_owned()).unwrap_or_default(),
        listing.agent.as_ref().map(|(_, name)| words_of_others(name)).unwrap_or_default(),
        listing.team.as_ref().map(|(_, name)| words_of_others(name)).unwrap_or_default(),
        listing.number.as_deref().map(telephone_number).unwrap_or_default(),
        named(&log.user_name),
        listing.user_number.as_deref().map(telephone_number).unwrap_or_default(),
        moment(listing.started_at),
        moment(listing.ended_at),
        listing.duration.map(|seconds| seconds.to_string()).unwrap_or_default(),
        named(&log.user_primary_intent),
        named(&log.user_sentiment),
        named(&log.outcome),
        named(&log.summary),
        named(&log.summary_fr),
    ];
    let cells: Vec<_> = cells.into_iter().map(quoted).collect();
    cells.join(",") + "\r\n"
}

/// RFC 4180 §2: quotes around what has commas, quotes or line breaks in it.
fn quoted(cell: String) -> String {
    if cell.contains([',', '"', '\r', '\n']) || cell.starts_with(' ') || cell.ends_with(' ') {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell
    }
}

/// What a spreadsheet would take for a formula becomes a text. The first character of a cell decides, also of
/// one that begins at a semicolon or at a line's end for a spreadsheet that separates cells by these.
fn words_of_others(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut begins = true;
    for character in text.chars() {
        if begins && "=+-@＝＋－＠".contains(character) {
            safe.push('\'');
        }
        let passed_over = character.is_whitespace() || character == '"';
        begins = matches!(character, ';' | '\t' | '\r' | '\n') || (begins && passed_over);
        safe.push(character);
    }
    safe
}

/// A number with its plus is no formula when nothing but digits follows, and stays as it can be dialled.
fn telephone_number(number: &str) -> String {
    match number.trim().strip_prefix('+') {
        Some(rest) if rest.chars().all(|c| c.is_ascii_digit() || " ().-".contains(c)) => {
            let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
            format!("+{digits}")
        }
        _ => words_of_others(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_have_to_be() {
        for (cell, written) in [
            ("plain", "plain"),
            ("", ""),
            ("a,b", "\"a,b\""),
            ("say \"yes\"", "\"say \"\"yes\"\"\""),
            ("two\r\nlines", "\"two\r\nlines\""),
            (" x", "\" x\""),
        ] {
            assert_eq!(quoted(cell.to_owned()), written);
        }
    }

    #[test]
    fn no_text_of_others_is_a_formula_wherever_a_spreadsheet_begins_a_cell() {
        for (text, written) in [
            ("=1+1", "'=1+1"),
            ("+A1", "'+A1"),
            ("-2", "'-2"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("＝1", "'＝1"),
            ("  =1", "  '=1"),
            ("\t=1", "\t'=1"),
            ("\n=cmd|' /C calc'!A0", "\n'=cmd|' /C calc'!A0"),
            ("x;=cmd|'/C calc'!A0;y", "x;'=cmd|'/C calc'!A0;y"),
            ("x; \"=1", "x; \"'=1"),
            ("x\r\n-2", "x\r\n'-2"),
        ] {
            assert_eq!(words_of_others(text), written);
        }
        for text in ["Ada", "a=b", "'=1", "1-2", "", "a; b"] {
            assert_eq!(words_of_others(text), text);
        }
    }

    #[test]
    fn telephone_numbers_can_still_be_dialled() {
        for (number, written) in [
            ("+14155550123", "+14155550123"),
            ("+1 (415) 555-0123", "+14155550123"),
            ("(415) 555-0123", "(415) 555-0123"),
            ("+1+cmd|'x'", "'+1+cmd|'x'"),
            ("-5", "'-5"),
        ] {
            assert_eq!(telephone_number(number), written);
        }
    }
}
