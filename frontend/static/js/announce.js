// Says something to people who listen to the page instead of looking at it; politely, and only once.
let last = "";

export function announce(words) {
  const place = document.getElementById("announcer");
  if (!place || !words || words === last) return;
  last = words;
  place.textContent = words;
}
