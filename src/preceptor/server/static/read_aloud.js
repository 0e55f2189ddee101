/* "Read it to me": the browser's own voice, only where there is one. Nothing is sent anywhere. */
import { spoken } from "./spoken.js";

/** Let every button that names an element in `data-reads`, now or later, read that element aloud. */
export function offerReadAloud() {
  const voice = window.speechSynthesis;
  if (!voice || typeof SpeechSynthesisUtterance === "undefined") return;
  document.documentElement.classList.add("has-voice");
  let reading = null;
  const rest = () => {
    reading?.removeAttribute("aria-pressed");
    reading = null;
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-reads]");
    if (!button) return;
    const again = button === reading;
    voice.cancel();
    rest();
    if (again) return;
    const passage = button.closest(".problem, .tutor").querySelector(button.dataset.reads);
    const language = passage.lang || passage.dataset.language || "en";
    const utterance = new SpeechSynthesisUtterance(spoken(passage, language));
    utterance.lang = language;
    utterance.rate = 0.95;
    utterance.onend = () => button === reading && rest();
    utterance.onerror = utterance.onend;
    reading = button;
    button.setAttribute("aria-pressed", "true");
    voice.speak(utterance);
  });
  window.addEventListener("pagehide", () => voice.cancel());
}
