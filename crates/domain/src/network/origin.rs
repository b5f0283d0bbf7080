//! Which server a URL leads to.

use std::fmt;

use url::Url;

/// Scheme, host and port of a URL (RFC 6454 §4). `wss` counts as `https` and `ws` as `http`: a WebSocket
/// opens with a request to the same server, which proves itself with the same certificate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin {
    secure: bool,
    /// As the URL standard serializes it: lower case, punycode, IPv6 in brackets.
    host: String,
    port: u16,
}

impl Origin {
    /// Returns `None` for a URL without a host, or with a scheme other than http, https, ws and wss.
    pub fn of(url: &Url) -> Option<Self> {
        let secure = match url.scheme() {
            "https" | "wss" => true,
            "http" | "ws" => false,
            _ => return None,
        };
        Some(Self { secure, host: url.host_str()?.to_owned(), port: url.port_or_known_default()? })
    }

    /// Reads a URL that is an origin and nothing more. Wildcards are refused, as they match nothing.
    pub fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(text).ok()?;
        let bare = matches!(url.path(), "" | "/")
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        Self::of(&url).filter(|origin| bare && !origin.host.contains('*'))
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, usual) = if self.secure { ("https", 443) } else { ("http", 80) };
        write!(f, "{scheme}://{}", self.host)?;
        if self.port == usual { Ok(()) } else { write!(f, ":{}", self.port) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str) -> Origin {
        Origin::of(&Url::parse(url).unwrap()).unwrap()
    }

    #[test]
    fn origin_is_scheme_host_and_port_in_one_form() {
        for (url, origin) in [
            ("https://api.openai.com/v1?a=b", "https://api.openai.com"),
            ("wss://API.OpenAI.com:443/v1/realtime", "https://api.openai.com"),
            ("ws://10.0.0.7:8000/v1", "http://10.0.0.7:8000"),
            ("http://10.0.0.7/", "http://10.0.0.7"),
            ("https://[2001:DB8::1]:8443/", "https://[2001:db8::1]:8443"),
            ("https://bücher.example/", "https://xn--bcher-kva.example"),
        ] {
            assert_eq!(of(url).to_string(), origin, "{url}");
            assert_eq!(Origin::parse(origin), Some(of(url)), "{origin}");
        }
        for other in [
            "http://api.openai.com",
            "https://api.openai.com:8443",
            "https://api.openai.com.evil.example",
            "https://api.openai.com.",
            "https://openai.com",
        ] {
            assert_ne!(of(other), of("https://api.openai.com"), "{other}");
        }
    }

    #[test]
    fn url_with_more_than_an_origin_is_refused() {
        for text in [
            "",
            "api.openai.com",
            "https://",
            "https://api.openai.com/v1",
            "https://api.openai.com?a",
            "https://api.openai.com#a",
            "https://key@api.openai.com",
            "https://*.openai.com",
            "ftp://api.openai.com",
            "*",
        ] {
            assert_eq!(Origin::parse(text), None, "{text}");
        }
        assert_eq!(Origin::parse("wss://api.openai.com/"), Origin::parse("https://api.openai.com"));
    }
}
