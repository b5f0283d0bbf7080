//! How a visitor looks at pages.

use serde_json::{Value, json};

/// Window, colours, language and script of a visitor.
#[derive(Clone, Debug)]
pub struct Look {
    /// Width of the window in CSS pixels.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// Device pixels per CSS pixel.
    pub scale: f64,
    /// Whether dark colours are preferred.
    pub dark: bool,
    /// The `Accept-Language` line.
    pub languages: String,
    /// Whether pages may run scripts.
    pub javascript: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 800,
            scale: 1.0,
            dark: false,
            languages: "en-US,en".to_owned(),
            javascript: true,
        }
    }
}

impl Look {
    /// A telephone, 390 pixels wide.
    pub fn phone() -> Self {
        Self { width: 390, height: 844, ..Self::default() }
    }

    /// The same with dark colours.
    #[must_use]
    pub fn dark(self) -> Self {
        Self { dark: true, ..self }
    }

    /// The same of somebody who reads these languages, e.g. `fr-CA,fr`.
    #[must_use]
    pub fn reading(self, languages: &str) -> Self {
        Self { languages: languages.to_owned(), ..self }
    }

    /// The same without scripts.
    #[must_use]
    pub fn without_javascript(self) -> Self {
        Self { javascript: false, ..self }
    }

    /// The commands that make a page look so.
    pub(crate) fn commands(&self, agent: &str) -> [(&'static str, Value); 4] {
        let scheme = if self.dark { "dark" } else { "light" };
        [
            ("Emulation.setDeviceMetricsOverride", self.metrics(self.height)),
            (
                "Emulation.setEmulatedMedia",
                json!({ "features": [
                    { "name": "prefers-color-scheme", "value": scheme },
                    { "name": "prefers-reduced-motion", "value": "reduce" },
                ] }),
            ),
            (
                "Emulation.setUserAgentOverride",
                json!({ "userAgent": agent, "acceptLanguage": self.languages }),
            ),
            ("Emulation.setScriptExecutionDisabled", json!({ "value": !self.javascript })),
        ]
    }

    /// The window, as high as this.
    pub(crate) fn metrics(&self, height: u32) -> Value {
        json!({
            "width": self.width, "height": height, "deviceScaleFactor": self.scale,
            "mobile": self.width < 600,
        })
    }
}
