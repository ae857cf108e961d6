// What makes the pages quicker for those who have JavaScript. Every page works without it.
import "./vendor/htmx-4.0.1.esm.min.js";

const root = document.documentElement;
root.classList.add("js");

const SPEAK_AFTER = 700; // ms of rest before a preview is read out, so that nobody is talked over while typing

// --- the answer box -------------------------------------------------------------------------------------------------

const BOX = "[data-und]"; // a line or several lines to type in

const waiting = new Map();

// What a piece of the page says to those who do not see it.
function inWords(shown) {
  const said = shown.cloneNode(true);
  for (const unsaid of said.querySelectorAll("[aria-hidden]")) unsaid.remove();
  return said.textContent.replace(/\s+/g, " ").trim();
}

function speakLater(box) {
  clearTimeout(waiting.get(box.id));
  waiting.set(
    box.id,
    setTimeout(() => {
      const shown = document.getElementById(box.dataset.und);
      const spoken = document.getElementById(box.dataset.say);
      if (shown && spoken) spoken.textContent = inWords(shown);
    }, SPEAK_AFTER),
  );
}

document.addEventListener("input", (event) => {
  if (event.target.matches(BOX)) speakLater(event.target);
});

// What comes back of an answer that was sent stands where its preview would: a preview of the same text, asked for a
// moment before or still under way, must not take its place.
document.addEventListener("submit", (event) => {
  const box = event.target.querySelector?.(BOX);
  if (box) box.dataset.sent = box.value;
}, true);

for (const name of ["htmx:before:request", "htmx:before:swap"]) {
  document.addEventListener(name, (event) => {
    const box = event.detail?.ctx?.sourceElement ?? event.target;
    if (box.matches?.(BOX) && box.dataset.sent === box.value) event.preventDefault();
  });
}

// "Use (12, 1000)" and the readings of an ambiguous answer put their text into the box; sending it stays a choice.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-fills]");
  if (!button) return;
  event.preventDefault();
  const box = document.querySelector(`[data-und="${button.closest(".und").id}"]`);
  fill(box, button.value);
  box.focus();
});

function fill(box, text) {
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

// Positions that are picked and positions that are typed are one answer: picks write the text, and what the server reads
// in a text sets the picks.
document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form.positions");
  if (form && event.target.name === "pick") {
    const picks = [...form.querySelectorAll("[name=pick]:checked")].map((pick) => pick.value);
    fill(form.querySelector(BOX), picks.join(", "));
  }
});

document.addEventListener("htmx:after:swap", () => {
  for (const read of document.querySelectorAll("form.positions [data-picks]")) {
    const form = read.closest("form");
    if (form.querySelector(BOX).value !== read.dataset.of) continue; // typed or picked on meanwhile
    const picks = new Set(read.dataset.picks.split(" "));
    for (const pick of form.querySelectorAll("[name=pick]")) pick.checked = picks.has(pick.value);
  }
});

document.addEventListener("input", (event) => {
  const form = event.target.closest?.("form.positions");
  if (!form || !event.target.matches(BOX) || event.target.value.trim()) return;
  for (const pick of form.querySelectorAll("[name=pick]")) pick.checked = false;
});

// "None of these" stands alone among options.
document.addEventListener("change", (event) => {
  const form = event.target.closest?.("form.several");
  if (!form || !event.target.checked) return;
  const alone = event.target.hasAttribute("data-alone");
  for (const pick of form.querySelectorAll("[name=pick]:checked")) {
    if (pick.hasAttribute("data-alone") !== alone) pick.checked = false;
  }
});

// In several lines Enter begins a new one; with Ctrl it checks.
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.matches("form.lines textarea")) {
    event.preventDefault();
    event.target.form.requestSubmit();
  }
});

// The server could not be reached at all: the box keeps its text and the form its key, so sending again is safe.
document.addEventListener("htmx:error", (event) => {
  const form = event.target.closest?.("form.ans");
  const words = document.getElementById("say-offline");
  const place = form?.querySelector(".und");
  if (!place || !words) return;
  place.replaceChildren(words.content.cloneNode(true));
  const box = form.querySelector(BOX);
  if (box) speakLater(box);
});

// --- keys -----------------------------------------------------------------------------------------------------------

const OFF = "maskwise.keys";
const INTO = `form.ans :is(${BOX}, [type=radio], [type=checkbox])`; // where a part's answer begins
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
      (target.querySelector(INTO) ?? target).focus();
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
