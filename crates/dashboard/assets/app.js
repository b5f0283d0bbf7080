// What every page does more easily with a script than without. Nothing depends on it.
"use strict";

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const words = button.textContent;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).value);
    button.textContent = button.dataset.copied;
    setTimeout(() => { button.textContent = words; }, 2000);
  });
}

// A readonly field that is there to be copied is selected whole.
for (const field of document.querySelectorAll("[data-copy-from]")) {
  field.addEventListener("focus", () => field.select());
}

// Whoever is told what is wrong with a form begins there.
document.querySelector('[aria-invalid="true"]')?.focus();

// A form is sent once; coming back by the Back button makes it usable again.
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", () => {
    setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true; });
  });
}
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[method=post] button")) button.disabled = false;
});

// The menu of small screens closes by Escape.
addEventListener("keydown", (event) => {
  const menu = document.querySelector("details.menu[open]");
  if (event.key === "Escape" && menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});

// What a part of a form says of itself while it is closed is what was saved: not once something in it changes.
for (const told of document.querySelectorAll("summary > .soft")) {
  told.closest("details").addEventListener("input", () => { told.hidden = true; }, { once: true });
}
