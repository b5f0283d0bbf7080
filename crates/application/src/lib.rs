//! The use cases of Callwright, one file each, between the ports of the domain and whoever calls
//! them: placing a call, running it, concluding it, delivering its callback, analysing it, keeping the
//! node among its peers, creating an organization, and replacing its metadata.

pub mod analyse_calls;
pub mod assistant_file;
pub mod authenticate;
pub mod causes;
pub mod conclude_call;
pub mod create_organization;
pub mod deliver_callbacks;
pub mod file_records;
pub mod in_flight;
pub mod keep_house;
pub mod keep_node;
pub mod keys;
pub mod people;
pub mod place_call;
pub mod replace_metadata;
pub mod requests;
pub mod rules;
pub mod run_call;
pub mod set_up_test_line;
pub mod supervisor;
pub mod take_over;
pub mod values;
pub mod watch_trunks;

mod crash_point;
mod journal;
