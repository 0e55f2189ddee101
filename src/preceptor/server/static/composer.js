/* The two boxes at the bottom: talk and answer. Previews how they are read; keeps what was typed until it is saved. */
import { ask } from "./request.js";

const PAUSE_MS = 250;

function timeZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || null;
}

export class Composer {
  constructor(dialogueId, { onBusy, onSent, onRefused }) {
    this.address = `/api/dialogues/${encodeURIComponent(dialogueId)}/turns`;
    this.draftKey = `draft:${dialogueId}`;
    this.on = { busy: onBusy, sent: onSent, refused: onRefused };
    this.box = document.getElementById("utterance");
    this.final = document.getElementById("final");
    this.buttons = [...document.querySelectorAll(".composer button")];
    this.working = false;
    this.box.value = sessionStorage.getItem(this.draftKey) ?? this.box.value;
    this.listen();
  }

  listen() {
    const talk = document.getElementById("talk");
    talk.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send("message", this.box);
    });
    document.getElementById("check-step").addEventListener("click", () => this.send("check_step", this.box));
    document.getElementById("stuck").addEventListener("click", () => this.send("stuck", this.box));
    document.getElementById("answer").addEventListener("submit", (event) => {
      event.preventDefault();
      this.send("answer", this.final);
    });
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        talk.requestSubmit();
      }
    });
    this.box.addEventListener("input", () => {
      sessionStorage.setItem(this.draftKey, this.box.value);
      this.grow();
    });
    this.box.addEventListener("input", later(() => this.previewTalk()));
    this.final.addEventListener("input", later(() => this.previewAnswer()));
    this.grow();
  }

  async send(mode, box) {
    const typed = box.value.trim();
    if (this.working) {
      this.on.refused("Your tutor is still answering. What you typed stays in the box.");
      return;
    }
    if (!typed && mode !== "stuck") {
      box.focus();
      this.on.refused(
        mode === "check_step" ? "Write the step you want checked, then press the button." : "Write something first.",
      );
      return;
    }
    this.disable();
    this.on.busy();
    try {
      const begun = await ask(this.address, { utterance: typed, mode, time_zone: timeZone() });
      box.value = "";
      if (box === this.box) sessionStorage.removeItem(this.draftKey);
      this.clearPreviews();
      this.on.sent(begun.turn, begun.html);
    } catch (error) {
      this.enable();
      this.on.refused(`${error.message} What you typed is still in the box.`);
    }
    box.focus();
    this.grow();
  }

  disable() {
    this.working = true;
    for (const button of this.buttons) button.setAttribute("aria-disabled", "true");
  }

  enable() {
    this.working = false;
    for (const button of this.buttons) button.removeAttribute("aria-disabled");
  }

  grow() {
    this.box.rows = Math.min(8, Math.max(2, this.box.value.split("\n").length));
  }

  clearPreviews() {
    document.getElementById("talk-preview").hidden = true;
    restAnswerLine();
  }

  async previewTalk() {
    const place = document.getElementById("talk-preview");
    const text = this.box.value;
    if (!/[$\\]/.test(text)) {
      place.hidden = true;
      return;
    }
    const { html } = await ask("/api/previews", { text }).catch(() => ({ html: "" }));
    if (this.box.value !== text) return;
    place.querySelector(".preview-body").innerHTML = html;
    place.hidden = html === "";
  }

  async previewAnswer() {
    const place = document.getElementById("answer-read");
    const answer = this.final.value.trim();
    if (!answer) {
      restAnswerLine();
      return;
    }
    const read = await ask("/api/answers/preview", { answer }).catch(() => null);
    if (read === null || this.final.value.trim() !== answer) return;
    place.innerHTML = read.html;
    place.classList.toggle("unread", read.status === "unread");
  }
}

function restAnswerLine() {
  const place = document.getElementById("answer-read");
  place.textContent = "With its unit, if it has one.";
  place.classList.remove("unread");
}

function later(act) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, PAUSE_MS);
  };
}
