// Small manners of every page: dialogs, menus, copying, and what happens when the server cannot be reached.
import { announce } from "./announce.js";
import { landNext } from "./focus.js";
import { dates, gettext } from "./words.js";

// Elements that float over the page close with Escape and with a click elsewhere.
const FLOATING = "details.menu[open], details.why[open], details.chart-axes[open]";

function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!dialog || dialog.open) return;
  dialog.showModal();
  (dialog.querySelector("[aria-invalid=true], [autofocus], input:not([type=hidden]), textarea, select") ?? dialog).focus();
}

async function copy(button) {
  const from = document.querySelector(button.dataset.copies);
  if (!from) return;
  const text = from.value ?? from.textContent;
  await navigator.clipboard.writeText(text);
  const word = button.querySelector("[data-word]") ?? button;
  const before = word.textContent;
  word.textContent = gettext("Copied");
  announce(gettext("Copied"));
  setTimeout(() => { word.textContent = before; }, 1500);
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-opens]");
  if (opener) openDialog(opener.dataset.opens);
  if (event.target.closest("[data-closes]")) event.target.closest("dialog")?.close();
  if (event.target instanceof HTMLDialogElement) event.target.close();
  const copier = event.target.closest("[data-copies]");
  if (copier) copy(copier);
  for (const floating of document.querySelectorAll(FLOATING)) {
    if (!floating.contains(event.target) || event.target.closest(".menu-item")) floating.open = false;
  }
});

// Escape leaves a search field and the question on Ask, so that keys of the page work; what was typed stays.
function leave(event) {
  if (event.defaultPrevented || !event.target.matches("input[type=search], mirror-ask textarea") || document.querySelector("dialog[open]")) return;
  event.preventDefault();
  event.target.blur();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const floating = document.querySelector(FLOATING);
  const fold = event.target.closest("details[data-fields][open]");
  const closes = floating ?? fold;
  if (!closes) return leave(event);
  closes.open = false;
  closes.querySelector("summary").focus();
});

// A fold with fields is opened to type into them, and Escape closes it.
document.addEventListener("toggle", ({ target }) => {
  if (target.matches("details[data-fields][open]") && target.contains(document.activeElement)) target.querySelector("input:not([type=hidden])").select();
}, true);

// A select that is a whole question by itself ("which source?") sends its form when changed; arrows go past choices that are
// not meant, so what they chose is sent by Enter, or when the select is left.
const SENDS = "select[data-submits], select[data-goes]";
let walked = null;

function send(select, next = select) {
  walked = null;
  if (select.matches("[data-goes]")) return location.assign(select.dataset.goes + encodeURIComponent(select.value));
  if (select.form?.method === "get") landNext([...(next?.name ? [`#main [name="${CSS.escape(next.name)}"]`] : []), `#main [name="${CSS.escape(select.name)}"]`], true);
  return select.form?.requestSubmit();
}

document.addEventListener("change", ({ target }) => {
  if (target.matches(SENDS) && walked?.select !== target) send(target);
});
document.addEventListener("keydown", (event) => {
  if (!event.target.matches(SENDS) || event.ctrlKey || event.metaKey) return;
  if (event.key === "Enter" && walked?.select === event.target && walked.value !== event.target.value) {
    event.preventDefault();
    send(event.target);
  } else if ((event.key.startsWith("Arrow") && !event.altKey) || /^(Home|End|Page.*|\S)$/.test(event.key)) walked ??= { select: event.target, value: event.target.value };
});
document.addEventListener("focusout", ({ target, relatedTarget }) => {
  if (walked?.select !== target) return;
  const { value } = walked;
  walked = null;
  // The form's own button says the same.
  if (value !== target.value && relatedTarget?.type !== "submit") send(target, relatedTarget);
});

// A form whose answer may take a while says what is being done and for how long already, and is sent once.
document.addEventListener("submit", (event) => {
  const words = event.target.dataset.busy;
  const button = event.submitter;
  if (!words || !button || event.defaultPrevented) return;
  if (button.ariaBusy === "true") { event.preventDefault(); return; }
  const [before, began] = [button.textContent, Date.now()];
  button.ariaBusy = "true";
  button.textContent = `${words} …`;
  announce(words);
  const count = setInterval(() => { button.textContent = `${words} … ${Math.round((Date.now() - began) / 1000)} s`; }, 1000);
  // A return to this page by the browser's own way finds it as it was.
  addEventListener("pageshow", () => {
    clearInterval(count);
    button.ariaBusy = null;
    button.textContent = before;
  }, { once: true });
});

// A request that failed says so in words, in one place, and what was typed stays.
function complain(words) {
  let notice = document.getElementById("trouble");
  if (!notice) {
    notice = document.createElement("div");
    notice.id = "trouble";
    notice.className = "notice notice-bad";
    notice.setAttribute("role", "alert");
    document.querySelector("#main .content")?.prepend(notice);
  }
  const words_ = document.createElement("div");
  words_.textContent = words;
  notice.replaceChildren(words_);
}

document.addEventListener("htmx:sendError", () => complain(gettext("The server could not be reached. Nothing you typed is lost; try again in a moment.")));
document.addEventListener("htmx:responseError", (event) => {
  const { status } = event.detail.xhr;
  if (status === 403) complain(gettext("That is not allowed, or you were signed out. Reload the page and try again."));
  else if (status === 404) complain(gettext("That is not there any more. Reload the page to see what is."));
  else complain(gettext("The server answered with an error ({status}). Nothing you typed is lost; try again.", { status }));
});
document.addEventListener("htmx:beforeSwap", (event) => {
  document.getElementById("trouble")?.remove();
  // Signed out meanwhile: the whole page goes to sign in, not a piece of it. Drafts are kept by their elements.
  if (new URL(event.detail.xhr.responseURL || location.href).pathname.startsWith("/sign-in/")) {
    event.detail.shouldSwap = false;
    location.reload();
  }
});

// Times come from the server in UTC and are read in the reader's own zone.
const forms = {
  time: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  moment: { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  full: { day: "numeric", month: "long", year: "numeric", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" },
};

// An age is the time of today, and a moment of any other day.
function formOf(name, when) {
  return forms[name] ?? (when.toDateString() === new Date().toDateString() ? forms.time : forms.moment);
}

function localise(root) {
  for (const time of [...(root.matches?.("time[data-form]") ? [root] : []), ...root.querySelectorAll("time[data-form]")]) {
    const when = new Date(time.dateTime);
    time.textContent = new Intl.DateTimeFormat(dates, formOf(time.dataset.form, when)).format(when);
    delete time.dataset.form;
  }
}

localise(document);
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) localise(node);
}).observe(document.body, { childList: true, subtree: true });

// A fragment that arrives may ask to be read out, or for a dialog to stay open with its errors.
document.addEventListener("htmx:afterSwap", (event) => {
  const old = event.detail.target;
  // One that was exchanged as a whole is still the old one here.
  const place = document.getElementById(old.id) ?? old;
  const told = place.matches?.("[data-announce]") ? place : place.querySelector?.("[data-announce]");
  if (told) announce(told.dataset.announce);
});
