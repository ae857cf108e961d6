// What makes the pages quicker for those who have JavaScript. Every page works without it.
import "./vendor/htmx-4.0.1.esm.min.js";

const root = document.documentElement;
root.classList.add("js");

const SPEAK_AFTER = 700; // ms of rest before a preview is read out, so that nobody is talked over while typing

// --- the answer box -------------------------------------------------------------------------------------------------

const waiting = new Map();

function speakLater(box) {
  clearTimeout(waiting.get(box.id));
  waiting.set(
    box.id,
    setTimeout(() => {
      const shown = document.getElementById(box.dataset.und);
      const spoken = document.getElementById(box.dataset.say);
      if (shown && spoken) spoken.textContent = shown.textContent.replace(/\s+/g, " ").trim();
    }, SPEAK_AFTER),
  );
}

document.addEventListener("input", (event) => {
  if (event.target.matches("input[data-und]")) speakLater(event.target);
});

// What comes back of an answer that was sent stands where its preview would: a preview of the same text, asked for a
// moment before or still under way, must not take its place.
document.addEventListener("submit", (event) => {
  const box = event.target.querySelector?.("input[data-und]");
  if (box) box.dataset.sent = box.value;
}, true);

for (const name of ["htmx:before:request", "htmx:before:swap"]) {
  document.addEventListener(name, (event) => {
    const box = event.detail?.ctx?.sourceElement ?? event.target;
    if (box.matches?.("input[data-und]") && box.dataset.sent === box.value) event.preventDefault();
  });
}

// "Use (12, 1000)" and the readings of an ambiguous answer put their text into the box; sending it stays a choice.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-fills]");
  if (!button) return;
  event.preventDefault();
  const box = document.querySelector(`input[data-und="${button.closest(".und").id}"]`);
  box.value = button.value;
  box.focus();
  box.dispatchEvent(new Event("input", { bubbles: true }));
});

// The server could not be reached at all: the box keeps its text and the form its key, so sending again is safe.
document.addEventListener("htmx:error", (event) => {
  const form = event.target.closest?.("form.ans");
  const words = document.getElementById("say-offline");
  const place = form?.querySelector(".und");
  if (!place || !words) return;
  place.replaceChildren(words.content.cloneNode(true));
  speakLater(form.querySelector("input[data-und]"));
});

// --- keys -----------------------------------------------------------------------------------------------------------

const OFF = "maskwise.keys";
const keysOff = () => localStorage.getItem(OFF) === "off";
const help = document.getElementById("keys-help");

function go(relation) {
  document.querySelector(`a[rel="${relation}"]`)?.click();
}

document.addEventListener("keydown", (event) => {
  const box = event.target.closest?.("input, select, textarea");
  if (event.key === "Escape" && box) box.blur();
  if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === "KeyH" && !keysOff()) {
    const hint = (event.target.closest?.(".part") ?? document).querySelector("details.hints");
    if (hint) {
      event.preventDefault();
      hint.open = !hint.open;
    }
  }
  if (box || event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.key === "?" && help) {
    event.preventDefault();
    help.showModal();
    return;
  }
  if (keysOff()) return;
  if (event.key === "n") go("next");
  if (event.key === "p") go("prev");
  if (/^[a-h]$/.test(event.key)) {
    const target = document.querySelector(`[data-letter="${event.key}"]`);
    if (target) {
      event.preventDefault();
      (target.querySelector("input[data-und]") ?? target).focus();
    }
  }
});

const switchOff = help?.querySelector("input[type=checkbox]");
if (switchOff) {
  switchOff.checked = keysOff();
  switchOff.addEventListener("change", () => localStorage.setItem(OFF, switchOff.checked ? "off" : "on"));
}
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-opens-keys]")) help?.showModal();
});
