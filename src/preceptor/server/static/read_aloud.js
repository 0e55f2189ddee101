/* "Read it to me": the browser's own voice, only where there is one. Nothing is sent anywhere. */

export function offerReadAloud(button, text) {
  const voice = window.speechSynthesis;
  if (!voice || typeof SpeechSynthesisUtterance === "undefined") return;
  const words = button.querySelector(".words");
  const atRest = words.textContent;
  const rest = () => {
    words.textContent = atRest;
    button.removeAttribute("aria-pressed");
  };
  button.hidden = false;
  button.addEventListener("click", () => {
    if (voice.speaking) {
      voice.cancel();
      rest();
      return;
    }
    const utterance = new SpeechSynthesisUtterance(text.innerText);
    utterance.lang = text.dataset.language;
    utterance.rate = 0.95;
    utterance.onend = rest;
    utterance.onerror = rest;
    words.textContent = "Stop reading";
    button.setAttribute("aria-pressed", "true");
    voice.speak(utterance);
  });
  window.addEventListener("pagehide", () => voice.cancel());
}
