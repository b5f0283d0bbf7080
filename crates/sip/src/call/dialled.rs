//! What dialling comes to.

use domain::ports::LegEnd;
use rsipstack::sip::{Request, Response};

use crate::dialog::Dialog;
use crate::sdp::Agreed;

/// The outcome of dialling.
pub(super) enum Dialled {
    /// The callee answered.
    Answered(Box<Answer>),
    /// It came to nothing.
    Over(LegEnd),
}

/// A callee's answer.
pub(super) struct Answer {
    /// The dialog that it made.
    pub(super) dialog: Dialog,
    /// Its 2xx.
    pub(super) response: Response,
    /// The INVITE that it answers.
    pub(super) invite: Request,
    /// What both sides agreed on.
    pub(super) agreed: Agreed,
}
