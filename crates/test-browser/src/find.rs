//! How a test names what it sees: by the words on it, as a person does.

use serde_json::json;

/// Something on a page.
#[derive(Clone, Debug)]
pub struct Element {
    kind: &'static str,
    name: String,
}

/// A link, by its words.
pub fn link(name: &str) -> Element {
    Element { kind: "link", name: name.to_owned() }
}

/// A button, by its words.
pub fn button(name: &str) -> Element {
    Element { kind: "button", name: name.to_owned() }
}

/// A field of a form, by the words of its label.
pub fn field(label: &str) -> Element {
    Element { kind: "field", name: label.to_owned() }
}

/// The first visible element that a CSS selector finds.
pub fn css(selector: &str) -> Element {
    Element { kind: "css", name: selector.to_owned() }
}

impl Element {
    /// An expression whose value is the element, or null when it is not there (yet).
    pub(crate) fn script(&self) -> String {
        format!("({FIND})({}, {})", json!(self.kind), json!(self.name))
    }
}

/// Words are compared as a screen reader would say them; the whole name wins over its beginning.
const FIND: &str = r"(kind, name) => {
    const tidy = text => (text ?? '').replace(/\s+/g, ' ').trim();
    const visible = one => one.checkVisibility({ visibilityProperty: true });
    if (kind === 'css') return [...document.querySelectorAll(name)].find(visible) ?? null;
    const byIds = ids => ids.split(/\s+/).map(id => document.getElementById(id)?.textContent).join(' ');
    const said = one => tidy(
        one.getAttribute('aria-labelledby') ? byIds(one.getAttribute('aria-labelledby'))
        : one.getAttribute('aria-label') ? one.getAttribute('aria-label')
        : one.labels?.length ? [...one.labels].map(label => label.textContent).join(' ')
        : one.tagName === 'INPUT' ? one.value
        : one.textContent || one.querySelector('img')?.alt || one.title);
    const kinds = {
        link: 'a[href]',
        button: 'button, input[type=submit], input[type=button], summary, [role=button]',
        field: 'input:not([type=hidden]), select, textarea, [role=textbox]',
    };
    const all = [...document.querySelectorAll(kinds[kind])].filter(visible);
    const wanted = tidy(name);
    return all.find(one => said(one) === wanted) ?? all.find(one => said(one).startsWith(wanted)) ?? null;
}";
