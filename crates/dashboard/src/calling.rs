//! What pages place calls with, and hang them up.

use std::sync::Arc;

use application::place_call::PlaceCall;
use application::set_up_test_line::SetUpTestLine;
use domain::network::AddressPolicy;
use domain::ports::Nodes;

/// The use cases and ports of placing calls.
pub struct Calling {
    /// Places them; shared with the HTTP interface, so that twins of a request wait for each other.
    pub place_call: Arc<PlaceCall>,
    /// Sets the line to the built-in phone up.
    pub set_up_test_line: SetUpTestLine,
    /// Whether there is a built-in phone.
    pub built_in_phone: bool,
    /// Where callbacks may go.
    pub callback_addresses: AddressPolicy,
    /// Asks whichever node carries a call to hang up.
    pub nodes: Arc<dyn Nodes>,
}
