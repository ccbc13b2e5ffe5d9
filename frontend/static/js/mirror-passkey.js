// <mirror-passkey ask="/address/">: around a form that a passkey answers. On its button the options are asked for with what
// the form holds, the browser asks its user, and the form is sent with the answer. The server checks everything.
import { gettext } from "./words.js";
const SAID = {
  NotAllowedError: gettext("No passkey was given: it was cancelled, took too long, or there is none for this page here."),
  InvalidStateError: gettext("This device has a passkey of yours already."),
  SecurityError: gettext("The browser allows no passkeys at this address."),
};

class MirrorPasskey extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    if (!this.form || this.alert) return;
    this.alert = Object.assign(document.createElement("p"), { className: "notice notice-bad", hidden: true });
    this.alert.setAttribute("role", "alert");
    this.form.after(this.alert);
    this.querySelector("[data-without]")?.remove();
    if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
      if (!this.hasAttribute("quiet")) this.say(gettext("This browser knows no passkeys, or is too old for them."));
      return;
    }
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.answer();
    });
  }

  say(said) {
    this.alert.textContent = said;
    this.alert.hidden = !said;
  }

  async answer() {
    const button = this.form.querySelector("button");
    if (button.getAttribute("aria-disabled") === "true") return;
    this.say("");
    button.setAttribute("aria-disabled", "true");
    try {
      const reply = await fetch(this.getAttribute("ask"), { method: "POST", body: new FormData(this.form) });
      // The session ended meanwhile: the page leads to where it is begun.
      if (reply.redirected) return location.reload();
      const { options, said } = await reply.json();
      if (said) return this.say(said);
      const credential = this.hasAttribute("makes")
        ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
      this.form.elements.answer.value = JSON.stringify(credential.toJSON());
      if (this.form.elements.password) this.form.elements.password.value = "";
      this.form.submit();
    } catch (error) {
      this.say(SAID[error.name] ?? gettext("Mirror could not be reached, or did not understand. Load the page again."));
    } finally {
      button.removeAttribute("aria-disabled");
    }
  }
}

customElements.define("mirror-passkey", MirrorPasskey);
