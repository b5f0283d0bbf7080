// Keeps a page up to date: the server sends the parts that changed, and they take the place of the old ones
// without moving focus, scroll or what is open. Without scripts the page shows how things stood.
"use strict";

const live = document.querySelector("[data-live]");
const mark = document.getElementById("live-mark");
let version = live.dataset.version;
let source, later;
let wait = 5000;

function open() {
  clearTimeout(later);
  if (source || document.hidden) return;
  const address = live.dataset.live;
  source = new EventSource(address + (address.includes("?") ? "&" : "?") + "since=" + version);
  source.addEventListener("open", () => { wait = 5000; if (mark) mark.hidden = false; });
  source.addEventListener("error", refused);
  source.addEventListener("change", (event) => apply(JSON.parse(event.data)));
  source.addEventListener("enough", close);
  // Whoever may no longer see this is shown why, and no customer stays on the screen.
  source.addEventListener("over", () => location.reload());
}

// The browser itself comes back after a cut, but not after a refusal: while the service starts, or has too
// many streams. Not all pages come back at once, and those that are refused again less and less often.
function refused() {
  if (mark) mark.hidden = true;
  if (source?.readyState !== EventSource.CLOSED) return;
  close();
  later = setTimeout(open, wait * (1 + Math.random()));
  wait = Math.min(wait * 2, 80000);
}

function close() {
  clearTimeout(later);
  source?.close();
  source = undefined;
  if (mark) mark.hidden = true;
}

function element(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstElementChild;
}

// The same link or control in the new part.
function twin(old, fresh) {
  if (old.id) return fresh.querySelector("#" + CSS.escape(old.id));
  const href = old.getAttribute("href");
  if (href) return fresh.querySelector('a[href="' + CSS.escape(href) + '"]');
  const name = old.localName;
  return fresh.querySelectorAll(name)[[...old.closest("[id]").querySelectorAll(name)].indexOf(old)];
}

function replace(old, fresh) {
  for (const details of old.querySelectorAll("details[id][open]")) {
    const same = fresh.querySelector("#" + CSS.escape(details.id));
    if (same) same.open = true;
  }
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const next = focused && twin(focused, fresh);
  old.replaceWith(fresh);
  next?.focus({ preventScroll: true });
}

function apply(change) {
  version = change.version;
  const fresh = new Map();
  for (const [id, html] of change.parts) {
    const part = element(html);
    const old = document.getElementById(id);
    if (!old) fresh.set(id, part);
    // What is being heard goes on.
    else if (!(id === "player" && document.getElementById("audio")?.src)) replace(old, part);
  }
  const rows = document.getElementById("rows");
  if (rows && change.rows) {
    const wanted = new Set(change.rows);
    for (const row of [...rows.children]) if (!wanted.has(row.id)) row.remove();
    let place = rows.firstElementChild;
    for (const id of change.rows) {
      if (place?.id === id) { place = place.nextElementSibling; continue; }
      let row = document.getElementById(id);
      if (!row) {
        row = fresh.get(id);
        if (!row) continue;
        row.classList.add("fresh");
      }
      rows.insertBefore(row, place);
    }
  }
  tick();
  dispatchEvent(new Event("parts"));
}

// How long a call has been going on.
function tick() {
  for (const span of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(span.dataset.since)) / 1000));
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    span.textContent = (hours ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds % 60);
  }
}

setInterval(tick, 1000);
tick();
// A page that nobody sees asks for nothing.
document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else open(); });
open();
