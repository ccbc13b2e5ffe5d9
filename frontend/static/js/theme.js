// Sets the remembered theme before anything is drawn: a plain script in the head, so nothing flashes.
{
  let kept = null;
  try { kept = localStorage.getItem("mirror-theme"); } catch { /* storage is switched off: follow the system */ }
  if (kept === "light" || kept === "dark") document.documentElement.dataset.theme = kept;
}
