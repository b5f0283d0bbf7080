//! Session descriptions of a peer: as offers that we answer, and as answers to our offers.
#![no_main]

use std::net::{Ipv4Addr, SocketAddr};

use domain::audio::AudioFormat;
use libfuzzer_sys::fuzz_target;
use media::srtp::Master;
use sip::crypto::Keyed;
use sip::sdp::Local;

const FORMATS: [AudioFormat; 3] = [AudioFormat::G722, AudioFormat::Pcmu, AudioFormat::Pcma];

fn local(keyed: Option<Keyed>) -> Local {
    Local { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 4_000)), id: 1, version: 1, keyed }
}

fuzz_target!(|description: &[u8]| {
    for required in [None, Some(false), Some(true)] {
        let local = local(required.map(|required| Keyed { ours: Master::new(&[7; 30]), required }));
        if let Ok(agreed) = local.accept_answer(description, &FORMATS) {
            assert_ne!(agreed.remote.port(), 0);
            assert!(required != Some(true) || agreed.secured.is_some(), "sound in clear was accepted");
        }
        let Ok((answer, agreed)) = local.answer(description, &FORMATS) else { continue };
        assert_ne!(agreed.remote.port(), 0);
        assert!(FORMATS.contains(&agreed.format));
        assert!(required != Some(true) || agreed.secured.is_some(), "sound in clear was accepted");
        assert!(required.is_some() || agreed.secured.is_none(), "a key was taken that we did not ask for");
        // An offer of the same stream, read again, comes to the same format.
        let (_, again) = local.answer(&answer, &FORMATS).expect("our own answer is read");
        assert_eq!((again.format, again.payload_type), (agreed.format, agreed.payload_type));
    }
});
