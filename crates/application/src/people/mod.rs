//! People of the dashboard: signing in, invitations, the first set-up, passwords.

pub mod accept_invitation;
pub mod add_user;
pub mod change_password;
pub mod links;
pub mod offer_set_up;
pub mod set_up;
pub mod sign_in;
