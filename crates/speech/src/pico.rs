//! One voice of SVOX Pico: the only place that calls the C library.

#![expect(unsafe_code, reason = "Pico is a C library")]

use std::ffi::{CStr, CString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use ttspico_sys as ffi;

use crate::voices::Lingware;

/// Memory that Pico may use for one voice; pages that it does not touch cost nothing.
const MEMORY: usize = 8 << 20;
/// The one voice definition of a system.
const VOICE: &CStr = c"voice";
/// Pico's own level clips; at 35 % of it speech is some 21 dB below full scale (active level as
/// ITU-T P.56 measures it), which telephone networks carry without harm.
const QUIETER: [&str; 2] = ["<volume level=\"35\">", "</volume>"];
/// The longest audio of one text: five minutes of 16-bit samples.
const LONGEST: usize = 300 * 16_000 * 2;

/// Why Pico did not speak.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PicoError {
    /// A function of the library failed.
    #[error("Pico's {function} answered {status}")]
    Status { function: &'static str, status: ffi::pico_Status },
    /// The voice could not be laid down in a file, from which alone Pico reads.
    #[error("the voice cannot be loaded from a temporary file")]
    File(#[from] io::Error),
    /// The engine takes no more text although it has spoken all it had.
    #[error("Pico is stuck")]
    Stuck,
    /// The text makes more audio than a text may.
    #[error("the audio is too long")]
    TooLong,
}

/// A voice that can speak. The raw pointers keep it on the thread that made it, as Pico demands.
pub(crate) struct Voice {
    system: ffi::pico_System,
    engine: ffi::pico_Engine,
    /// Everything that the two pointers point to; it must not move and goes last.
    _memory: Box<[u64]>,
}

impl Voice {
    /// Loads a voice, at 16,000 samples a second.
    pub(crate) fn load(lingware: Lingware) -> Result<Self, PicoError> {
        let mut memory = vec![0_u64; MEMORY / 8].into_boxed_slice();
        let size = ffi::pico_Uint32::try_from(MEMORY).unwrap_or(ffi::pico_Uint32::MAX);
        let mut system = ptr::null_mut();
        // SAFETY: the memory is writable, of that size, and outlives the system (field order).
        let status = unsafe { ffi::pico_initialize(memory.as_mut_ptr().cast(), size, &raw mut system) };
        check("initialize", status)?;
        let mut voice = Self { system, engine: ptr::null_mut(), _memory: memory };

        // SAFETY: the system is initialised, and the name is a C string.
        let status = unsafe { ffi::pico_createVoiceDefinition(system, VOICE.as_ptr().cast()) };
        check("createVoiceDefinition", status)?;
        let folder = tempfile::Builder::new().prefix("callwright-voice-").tempdir()?;
        for data in [lingware.text_analysis, lingware.signal_generation] {
            voice.add_resource(folder.path(), data)?;
        }
        Ok(voice)
    }

    /// Has Pico read a resource into its memory; the file is not needed afterwards.
    fn add_resource(&mut self, folder: &Path, data: &[u8]) -> Result<(), PicoError> {
        // Pico refuses other endings.
        let path = folder.join("resource.bin");
        std::fs::write(&path, data)?;
        let file = CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)?;
        let mut resource = ptr::null_mut();
        // SAFETY: the system is valid, the path is a C string, the answer has its place.
        let status = unsafe { ffi::pico_loadResource(self.system, file.as_ptr().cast(), &raw mut resource) };
        check("loadResource", status)?;

        let mut name: ffi::pico_Retstring = [0; ffi::PICO_RETSTRINGSIZE];
        // SAFETY: the resource is loaded, and the name has the size that Pico asks for.
        let status = unsafe { ffi::pico_getResourceName(self.system, resource, name.as_mut_ptr()) };
        check("getResourceName", status)?;
        // SAFETY: both names are C strings: Pico ended the second one with a NUL within its size.
        let status = unsafe {
            ffi::pico_addResourceToVoiceDefinition(
                self.system,
                VOICE.as_ptr().cast(),
                name.as_ptr().cast::<ffi::pico_Char>(),
            )
        };
        check("addResourceToVoiceDefinition", status)
    }

    /// Speaks a text that holds no markup and no NUL.
    pub(crate) fn speak(&mut self, text: &str) -> Result<Vec<i16>, PicoError> {
        self.renew_engine()?;
        let [prologue, epilogue] = QUIETER;
        // The NUL ends the text, and so its last sentence.
        let text = [prologue, text, epilogue, "\0"].concat().into_bytes();
        let (mut rest, mut audio) = (text.as_slice(), Vec::new());
        while !rest.is_empty() {
            // Pico takes as much as its buffer holds: the rest follows once that is spoken.
            let taken = self.put(rest)?;
            if taken == 0 {
                return Err(PicoError::Stuck);
            }
            rest = rest.get(taken..).unwrap_or_default();
            while self.get(&mut audio)? {
                if audio.len() > LONGEST {
                    return Err(PicoError::TooLong);
                }
            }
        }
        let (samples, _) = audio.as_chunks();
        Ok(samples.iter().copied().map(i16::from_ne_bytes).collect())
    }

    /// Takes a new engine, which costs 0.1 ms: what was spoken before cannot disturb what follows.
    fn renew_engine(&mut self) -> Result<(), PicoError> {
        self.dispose_engine();
        // SAFETY: the system has the voice and no engine, and the engine has its place.
        let status = unsafe { ffi::pico_newEngine(self.system, VOICE.as_ptr().cast(), &raw mut self.engine) };
        check("newEngine", status)
    }

    fn dispose_engine(&mut self) {
        if !self.engine.is_null() {
            // SAFETY: the engine is valid; Pico sets the pointer to null.
            unsafe { ffi::pico_disposeEngine(self.system, &raw mut self.engine) };
            self.engine = ptr::null_mut();
        }
    }

    /// Puts in text, and answers how many bytes were taken.
    fn put(&mut self, text: &[u8]) -> Result<usize, PicoError> {
        let size = ffi::pico_Int16::try_from(text.len()).unwrap_or(ffi::pico_Int16::MAX);
        let mut taken = 0;
        // SAFETY: the engine is valid, and at least so many bytes of text can be read.
        let status = unsafe { ffi::pico_putTextUtf8(self.engine, text.as_ptr(), size, &raw mut taken) };
        check("putTextUtf8", status)?;
        Ok(usize::try_from(taken).unwrap_or(0))
    }

    /// Takes a little audio, and answers whether there is more to come.
    fn get(&mut self, audio: &mut Vec<u8>) -> Result<bool, PicoError> {
        let mut buffer = [0_u8; 1024];
        let size = ffi::pico_Int16::try_from(buffer.len()).unwrap_or(0);
        let (mut received, mut kind) = (0, 0);
        // SAFETY: the engine is valid, the buffer has that size, and the answers have their places.
        let status = unsafe {
            ffi::pico_getData(self.engine, buffer.as_mut_ptr().cast(), size, &raw mut received, &raw mut kind)
        };
        let received = usize::try_from(received).unwrap_or(0);
        audio.extend_from_slice(buffer.get(..received).unwrap_or_default());
        match status {
            ffi::PICO_STEP_BUSY => Ok(true),
            ffi::PICO_STEP_IDLE => Ok(false),
            status => Err(PicoError::Status { function: "getData", status }),
        }
    }
}

impl Drop for Voice {
    fn drop(&mut self) {
        self.dispose_engine();
        // SAFETY: the system is valid, has no engine any more, and is not used again.
        unsafe { ffi::pico_terminate(&raw mut self.system) };
    }
}

fn check(function: &'static str, status: ffi::pico_Status) -> Result<(), PicoError> {
    if status == ffi::PICO_OK { Ok(()) } else { Err(PicoError::Status { function, status }) }
}
