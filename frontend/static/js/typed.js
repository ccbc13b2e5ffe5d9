// Text typed while a part of the page is on its way stays: fields of the part that changed since its request
// was sent keep what they hold, and the one that is being typed into keeps the focus. Their new form hears of the change, as
// the old one would have.
const TYPED = "input[id]:not([type=hidden], [type=file]), textarea[id], select[id]";
const sent = new WeakMap();
const kept = new WeakMap();

const isTicked = (field) => field.matches("[type=checkbox], [type=radio]");
const stateOf = (field) => (isTicked(field) ? field.checked : field.value);

function put([field, state]) {
  const now = document.getElementById(field.id);
  if (!now || now === field || now.type !== field.type) return null;
  if (isTicked(now)) now.checked = state;
  else now.value = state;
  return now;
}

function tell(field) {
  if (!field.isConnected) return;
  const change = () => field.dispatchEvent(new Event("change", { bubbles: true }));
  // Text that is being typed is a change once it is left.
  if (field === document.activeElement && typeof field.selectionStart === "number") field.addEventListener("blur", change, { once: true });
  else change();
}

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  // The editor keeps its text itself.
  const fields = [...document.querySelectorAll(TYPED)].filter((field) => !field.closest("mirror-editor"));
  sent.set(detail.xhr, new Map(fields.map((field) => [field, stateOf(field)])));
});
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const changed = [...(sent.get(detail.xhr) ?? [])].filter(([field, state]) => field.isConnected && stateOf(field) !== state);
  const states = changed.map(([field]) => [field, stateOf(field)]);
  const at = changed.find(([field]) => field === document.activeElement)?.[0];
  kept.set(detail.xhr, { states, at: at && { id: at.id, from: at.selectionStart, to: at.selectionEnd } });
});
// A field that comes with `autofocus` takes the focus when all has settled.
for (const name of ["htmx:afterSwap", "htmx:afterSettle"]) {
  document.addEventListener(name, ({ detail }) => {
    const held = kept.get(detail.xhr) ?? {};
    const { states = [], at } = held;
    if (name === "htmx:afterSwap") held.put = states.map(put).filter(Boolean);
    const field = at && document.getElementById(at.id);
    if (field && field !== document.activeElement) {
      field.focus({ preventScroll: true });
      if (typeof at.from === "number") field.setSelectionRange(at.from, at.to);
    }
    // Its form listens once it has settled.
    if (name === "htmx:afterSettle") held.put?.splice(0).forEach(tell);
  });
}
