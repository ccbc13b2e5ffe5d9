// <mirror-run events poll>: follows a run until it ended. Server-sent events first; where they do not come
// through (a proxy, an old server) it asks the poll address every second instead. Both bring the same
// fragments, complete each time, so a reload or a reconnect needs no memory. With parts="result told" only the
// elements with these ids are exchanged at the end, wherever they stand: an editor beside them is left alone. With
// `live` beside parts, what is inside is brought up to date until then too.
import { announce } from "./announce.js";
import { exchange, place } from "./place.js";

const POLL_MS = 700;
const SILENT_MS = 20_000;

class MirrorRun extends HTMLElement {
  connectedCallback() {
    if (this.followed) return;
    this.followed = true;
    if (this.hasAttribute("events") && "EventSource" in window) this.follow();
    else this.poll();
  }

  disconnectedCallback() {
    this.followed = false;
    this.stream?.close();
    clearTimeout(this.timer);
  }

  follow() {
    this.stream = new EventSource(this.getAttribute("events"));
    this.stream.addEventListener("steps", (event) => { this.errors = 0; this.alive(); this.put("steps", event.data); });
    this.stream.addEventListener("ended", (event) => this.ended(event.data));
    this.stream.addEventListener("error", () => {
      this.errors = (this.errors ?? 0) + 1;
      if (this.errors > 2 || this.stream.readyState === EventSource.CLOSED) this.fallBack();
    });
    this.alive();
  }

  alive() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fallBack(), SILENT_MS);
  }

  fallBack() {
    this.stream?.close();
    clearTimeout(this.timer);
    this.poll();
  }

  async poll() {
    if (!this.isConnected || !this.followed) return;
    let wait = POLL_MS;
    try {
      const reply = await fetch(this.getAttribute("poll"), { headers: { "X-Requested-With": "mirror-run" } });
      if (reply.redirected) return location.reload(); // signed out meanwhile
      const html = await reply.text();
      if (!this.isConnected || !this.followed) return; // another version took its place meanwhile
      if (reply.ok && reply.headers.has("X-Mirror-Ended")) return this.ended(html);
      if (reply.ok && (this.hasAttribute("live") || !this.hasAttribute("parts"))) this.put("steps", html);
      else if (reply.status === 404 || reply.status === 403) return location.reload();
    } catch {
      wait = POLL_MS * 5; // the server is away: keep asking, more slowly
    }
    this.timer = setTimeout(() => this.poll(), wait);
  }

  put(where, html) {
    const target = this.querySelector(`[data-place="${where}"]`) ?? this;
    place(target, html);
    announce(target.querySelector("[data-announce]")?.dataset.announce);
  }

  ended(html) {
    this.stream?.close();
    clearTimeout(this.timer);
    this.followed = false;
    if (this.hasAttribute("parts")) return exchange(html, this.getAttribute("parts").split(" "));
    this.put("answer", html);
    this.dataset.ended = "";
    return undefined;
  }
}

customElements.define("mirror-run", MirrorRun);
