/* The conversation: shows turns, follows a reply as it is made, and says what went wrong.

   While a reply is made, its unfinished part stands in a quiet block that screen readers skip; each finished block
   moves to a polite live region. All markup comes sanitised from the server. */
import { ask, fragment } from "./request.js";

const STALLED_MS = 8000;

export class Conversation {
  constructor(turns) {
    this.turns = turns;
    this.address = `/api/dialogues/${encodeURIComponent(turns.dataset.dialogue)}`;
    this.status = document.getElementById("status");
    this.box = document.getElementById("trouble");
    this.source = null;
    this.onRest = () => {};
    this.onWork = () => {};
    this.onReplied = () => {};
    document.getElementById("again").addEventListener("click", () => {
      this.box.hidden = true;
      this.retry?.();
    });
  }

  say(words) {
    this.status.textContent = words;
  }

  /** Show why something failed; `retry` is what the button does, null hides the button. */
  trouble(message, retry) {
    this.say("");
    this.retry = retry;
    this.box.querySelector(".cause").textContent = message;
    document.getElementById("again").hidden = retry === null;
    this.box.hidden = false;
  }

  /** Append a new turn of the learner and follow its reply. */
  begin(turn, html) {
    document.getElementById("nothing-yet")?.remove();
    this.box.hidden = true;
    this.turns.insertAdjacentHTML("beforeend", html);
    this.follow(turn);
    this.bringIntoView();
  }

  /** Ask for a reply that was never made, then follow it. */
  async resume() {
    this.onWork();
    this.say("Your message is saved. Asking your tutor again …");
    try {
      const begun = await ask(`${this.address}/resume`, {});
      if (begun === null) window.location.reload();
      else this.follow(begun.turn);
    } catch (error) {
      this.failed(error.message);
    }
  }

  follow(turn) {
    this.onWork();
    this.source?.close();
    const item = this.turns.querySelector(`[data-turn="${turn}"]`) ?? this.turns.lastElementChild;
    const reply = item.querySelector(".reply");
    const quiet = this.quietBlock(item);
    reply.setAttribute("aria-live", "polite");
    reply.replaceChildren();
    this.say("Your tutor is thinking …");
    const source = new EventSource(`${this.address}/turns/${turn}/events?after=0`);
    this.source = source;
    const on = (kind, show) =>
      source.addEventListener(kind, (event) => {
        this.stillComing();
        show(JSON.parse(event.data || "{}"));
      });
    on("saved", () => {});
    on("reading", (data) => this.showReading(item, data));
    on("delta", (data) => {
      reply.insertAdjacentHTML("beforeend", data.blocks.join(""));
      quiet.innerHTML = data.tail;
      this.say("Your tutor is writing …");
    });
    on("retracted", () => {
      reply.replaceChildren();
      quiet.innerHTML = waiting();
    });
    on("done", (data) => {
      source.close();
      quiet.remove();
      if (data.whole) reply.replaceChildren();
      reply.insertAdjacentHTML("beforeend", data.blocks.join(""));
      item.querySelector(".engine").innerHTML = data.engine;
      if (data.language) reply.lang = data.language;
      const sources = item.querySelector(".sources");
      if (sources) sources.innerHTML = data.sources ?? "";
      this.onReplied(turn, item);
      this.rest();
    });
    on("failed", (data) => {
      source.close();
      quiet.replaceChildren();
      this.failed(data.text);
    });
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) this.failed("The connection to the tutor broke off.");
      else this.say("The connection broke off. Trying again …");
    };
    this.stillComing();
  }

  quietBlock(item) {
    let quiet = item.querySelector(".coming-reply");
    if (!quiet) {
      quiet = document.createElement("div");
      quiet.className = "coming-reply";
      quiet.setAttribute("aria-hidden", "true");
      item.querySelector(".tutor").append(quiet);
    }
    quiet.innerHTML = waiting();
    return quiet;
  }

  showReading(item, data) {
    const place = item.querySelector(".reading");
    if (place) place.innerHTML = data.reading;
    const list = document.getElementById("step-list");
    if (data.steps.trim() && item.dataset.steps !== "shown") {
      item.dataset.steps = "shown";
      list.insertAdjacentHTML("beforeend", data.steps);
      document.getElementById("no-steps").hidden = true;
    }
  }

  stillComing() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.say("Still thinking. Your message is saved."), STALLED_MS);
  }

  failed(message) {
    clearTimeout(this.timer);
    this.trouble(`The reply broke off: ${message} Your message is saved.`, () => this.resume());
    this.onRest();
  }

  async rest() {
    clearTimeout(this.timer);
    this.say("");
    this.onRest();
    this.bringIntoView();
    const html = await fragment(`/learn/${encodeURIComponent(this.turns.dataset.dialogue)}/aside`).catch(() => null);
    if (html === null) return;
    const aside = document.getElementById("aside");
    const wasSolved = aside.querySelector(".solved") !== null;
    aside.innerHTML = html;
    if (!wasSolved && aside.querySelector(".solved")) this.say("Solved: you found it yourself.");
  }

  /** Show the newest turn of a conversation that is opened again. */
  toTheEnd() {
    window.scrollBy(0, this.status.getBoundingClientRect().bottom - window.innerHeight);
    this.bringIntoView();
  }

  /** Keep the newest turn above the composer, without moving a reader who has scrolled up. */
  bringIntoView() {
    const end = this.status.getBoundingClientRect().bottom;
    const composer = document.querySelector(".composer");
    const covered = getComputedStyle(composer).position === "sticky" ? composer.offsetHeight : 72;
    const hidden = end - (window.innerHeight - covered);
    if (hidden > 0 && hidden < window.innerHeight) window.scrollBy(0, hidden);
  }
}

function waiting() {
  return '<span class="waiting"><i></i><i></i><i></i></span>';
}
