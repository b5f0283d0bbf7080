//! Mouse and keyboard: real events, which the browser itself turns into what pages see.

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::find::Element;
use crate::page::Page;
use crate::{PATIENCE, PAUSE};

/// Nothing is further away than so many presses of Tab.
const STEPS_MAX: u32 = 150;

/// A key that is no letter.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Key {
    /// To the next field, link or button.
    Tab,
    /// To the one before.
    BackTab,
    /// Follows a link, presses a button, sends a form.
    Enter,
    /// Presses a button, ticks a box.
    Space,
    /// Closes.
    Escape,
    /// Up in a list.
    Up,
    /// Down in a list.
    Down,
    /// To the left, or back in a recording.
    Left,
    /// To the right, or on in a recording.
    Right,
    /// To the beginning.
    Home,
}

impl Key {
    /// Name, code, Windows' number, text and modifiers of the key.
    const fn parts(self) -> (&'static str, &'static str, u32, &'static str, u32) {
        match self {
            Self::Tab => ("Tab", "Tab", 9, "", 0),
            Self::BackTab => ("Tab", "Tab", 9, "", 8),
            Self::Enter => ("Enter", "Enter", 13, "\r", 0),
            Self::Space => (" ", "Space", 32, " ", 0),
            Self::Escape => ("Escape", "Escape", 27, "", 0),
            Self::Up => ("ArrowUp", "ArrowUp", 38, "", 0),
            Self::Down => ("ArrowDown", "ArrowDown", 40, "", 0),
            Self::Left => ("ArrowLeft", "ArrowLeft", 37, "", 0),
            Self::Right => ("ArrowRight", "ArrowRight", 39, "", 0),
            Self::Home => ("Home", "Home", 36, "", 0),
        }
    }
}

impl Page {
    /// Clicks with the mouse, as soon as the element is there and nothing covers it.
    pub async fn click(&self, element: Element) {
        let place = format!(
            "(() => {{
                const one = {};
                if (!one || one.disabled) return null;
                one.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }});
                const box = one.getClientRects()[0];
                if (!box || !box.width || !box.height) return null;
                const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
                const top = document.elementFromPoint(x, y);
                const hit = top && (one.contains(top) || top.contains(one) && top.closest('label, a, button'));
                return hit ? {{ x, y }} : null;
            }})()",
            element.script()
        );
        let place = self.until_some(&place, || format!("{element:?} cannot be clicked")).await;
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let event =
                json!({ "type": kind, "x": place["x"], "y": place["y"], "button": button, "clickCount": 1 });
            self.input("Input.dispatchMouseEvent", event).await;
        }
    }

    /// Clicks, and waits until the page that it leads to is loaded.
    pub async fn follow(&self, element: Element) {
        let told = format!("{element:?} leads nowhere");
        self.leaving(&told, self.click(element)).await;
    }

    /// Presses a key, and waits until the page that it leads to is loaded.
    pub async fn press_through(&self, key: Key) {
        self.leaving(&format!("{key:?} leads nowhere"), self.press(key)).await;
    }

    /// Presses and releases a key.
    pub async fn press(&self, key: Key) {
        let (name, code, number, text, modifiers) = key.parts();
        for kind in ["keyDown", "keyUp"] {
            let mut event = json!({
                "type": kind, "key": name, "code": code, "modifiers": modifiers,
                "windowsVirtualKeyCode": number, "nativeVirtualKeyCode": number,
            });
            if let (true, "keyDown", Some(fields)) = (!text.is_empty(), kind, event.as_object_mut()) {
                fields.insert("text".to_owned(), json!(text));
            }
            self.input("Input.dispatchKeyEvent", event).await;
        }
    }

    /// Goes by Tab alone to an element, and insists that one sees where one is at every step.
    pub async fn tab_to(&self, element: Element) {
        let look = format!(
            "(() => {{
                const here = document.activeElement, style = getComputedStyle(here);
                const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
                const told = here.outerHTML.slice(0, 200);
                return {{ there: here === {}, seen: here === document.body || outlined || style.boxShadow !== 'none', told }};
            }})()",
            element.script()
        );
        for _ in 0..STEPS_MAX {
            self.press(Key::Tab).await;
            let here = self.evaluate(&look).await;
            assert!(here["seen"] == true, "nobody sees the focus on {}", here["told"]);
            if here["there"] == true {
                return;
            }
        }
        self.fail(&format!("{element:?} cannot be reached by the keyboard")).await;
    }

    /// Types where the cursor is.
    pub async fn type_text(&self, text: &str) {
        self.input("Input.insertText", json!({ "text": text })).await;
    }

    /// Replaces what stands in a field by typing.
    pub async fn fill(&self, element: Element, text: &str) {
        let focus = format!(
            "(() => {{ const one = {}; if (!one || one.disabled) return null;
                one.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                one.focus(); one.select?.(); return document.activeElement === one || null; }})()",
            element.script()
        );
        self.until_some(&focus, || format!("{element:?} cannot be typed into")).await;
        if text.is_empty() {
            let (name, number) = ("Delete", 46);
            for kind in ["keyDown", "keyUp"] {
                let event =
                    json!({ "type": kind, "key": name, "code": name, "windowsVirtualKeyCode": number });
                self.input("Input.dispatchKeyEvent", event).await;
            }
        } else {
            self.type_text(text).await;
        }
    }

    /// Chooses what a list of choices shows under this name.
    pub async fn choose(&self, element: Element, shown: &str) {
        let choose = format!(
            "(() => {{ const one = {}; if (!one || one.disabled) return null;
                const wanted = {};
                const choice = [...one.options].find(own => own.label.replace(/\\s+/g, ' ').trim() === wanted)
                    ?? [...one.options].find(own => own.label.includes(wanted));
                if (!choice) return null;
                one.focus(); choice.selected = true;
                one.dispatchEvent(new Event('input', {{ bubbles: true }}));
                one.dispatchEvent(new Event('change', {{ bubbles: true }}));
                return true; }})()",
            element.script(),
            json!(shown),
        );
        self.until_some(&choose, || format!("{element:?} offers no {shown:?}")).await;
    }

    /// Waits until an expression is neither null nor false, and gives its value.
    pub(crate) async fn until_some(&self, script: &str, told: impl Fn() -> String) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let value = self.evaluate(script).await;
            if !matches!(value, Value::Null | Value::Bool(false)) {
                return value;
            }
            if Instant::now() > deadline {
                self.fail(&told()).await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
