//! The bucket in which recordings and transcripts are kept: set whole, or not at all.

use domain::secret::Secret;
use url::Url;

use super::S3;
use super::check::{self, Kind};
use super::known::Reader;

const BUCKET: Kind<String> = Kind {
    allowed: "a bucket's name: 3 to 63 lower-case letters, digits, dots and hyphens",
    read: |text| {
        let fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte);
        ((3..=63).contains(&text.len()) && text.bytes().all(fit)).then(|| text.to_owned())
    },
};

const REGION: Kind<String> = Kind {
    allowed: "a region of lower-case letters, digits and hyphens, e.g. ca-central-1",
    read: |text| {
        let fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        (!text.is_empty() && text.bytes().all(fit)).then(|| text.to_owned())
    },
};

/// Parts that stand for themselves in an address, so that signed and stored names are the same.
const PREFIX: Kind<String> = Kind {
    allowed: "parts of letters, digits, dots, hyphens and underscores, separated by slashes, e.g. voice/calls",
    read: |text| {
        let fit = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        let part = |part: &str| !matches!(part, "" | "." | "..") && part.bytes().all(fit);
        text.split('/').all(part).then(|| text.to_owned())
    },
};

const ACCESS_KEY_ID: Kind<String> = Kind {
    allowed: "the id of an access key: letters, digits, hyphens and underscores",
    read: |text| {
        let fit = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        (!text.is_empty() && text.bytes().all(fit)).then(|| text.to_owned())
    },
};

const SECRET_ACCESS_KEY: Kind<Secret<String>> =
    Kind { allowed: "the secret of an access key, in visible characters", read: secret };

const SECRET_ACCESS_KEY_FILE: Kind<Secret<String>> = Kind {
    allowed: "the path of a file that can be read and holds one line of visible characters",
    read: |path| secret(std::fs::read_to_string(path).ok()?.trim()),
};

fn secret(text: &str) -> Option<Secret<String>> {
    let fit = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
    fit.then(|| Secret::new(text.to_owned()))
}

impl Reader<'_> {
    /// The bucket with all that it takes to reach it.
    pub(super) fn s3(&mut self) -> Option<S3> {
        let before = self.problems.len();
        let bucket = self.one_or_none("artifacts.s3.bucket", &BUCKET);
        let region = self.one_or_none("artifacts.s3.region", &REGION);
        let endpoint: Option<Url> = self.one_or_none("artifacts.s3.endpoint", &check::PUBLIC_URL);
        let path_style = self.one_or_none("artifacts.s3.path_style", &check::SWITCH);
        let prefix = self.one_or_none("artifacts.s3.prefix", &PREFIX);
        let access_key_id = self.one_or_none("artifacts.s3.access_key_id", &ACCESS_KEY_ID);
        let secret = self.one_or_none("artifacts.s3.secret_access_key", &SECRET_ACCESS_KEY);
        let from_file = self.one_or_none("artifacts.s3.secret_access_key_file", &SECRET_ACCESS_KEY_FILE);
        let authorities = self.one_or_none("artifacts.s3.tls.authorities", &check::FILE);
        if self.problems.len() == before {
            self.complete();
        }
        Some(S3 {
            bucket: bucket?,
            region: region.unwrap_or_else(|| "us-east-1".to_owned()),
            // Stores of one's own are seldom given a host name for each bucket.
            path_style: path_style.unwrap_or(endpoint.is_some()),
            endpoint,
            prefix,
            access_key_id: access_key_id?,
            secret_access_key: secret.or(from_file)?,
            authorities,
        })
    }

    /// Tells what is missing beside what is there.
    fn complete(&mut self) {
        let bucket = "artifacts.s3.bucket";
        let (id, secret) = ("artifacts.s3.access_key_id", "artifacts.s3.secret_access_key");
        let file = "artifacts.s3.secret_access_key_file";
        let others = ["region", "endpoint", "path_style", "prefix", "tls.authorities"];
        let others = others.map(|name| format!("artifacts.s3.{name}"));
        let mut any = others.iter().map(String::as_str).chain([id, secret, file]);
        let problem = match [bucket, id, secret, file].map(|path| self.is_set(path)) {
            [false, ..] => {
                any.find(|path| self.is_set(path)).map(|path| (path, "needs", "BUCKET", " beside it"))
            }
            [true, _, true, true] => Some((file, "may not stand beside", "SECRET_ACCESS_KEY", "")),
            [true, false, ..] => Some((bucket, "needs", "ACCESS_KEY_ID", " beside it")),
            [true, true, false, false] => {
                Some((bucket, "needs", "SECRET_ACCESS_KEY", ", or its _FILE, beside it"))
            }
            [true, true, ..] => None,
        };
        if let Some((path, before, name, after)) = problem {
            self.refuse_path(path, format!("{before} CALLWRIGHT__ARTIFACTS__S3__{name}{after}"));
        }
    }
}
