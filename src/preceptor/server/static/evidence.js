/* Evidence chips: a click opens the cited page beside the conversation, its span in view. Without this, a chip is a link. */
import { fragment } from "./request.js";

export function openBeside(turns, panel) {
  let opener = null;

  function close() {
    panel.hidden = true;
    panel.replaceChildren();
    document.body.classList.remove("with-evidence");
    opener?.removeAttribute("aria-expanded");
    opener?.focus();
    opener = null;
  }

  async function open(chip) {
    const html = await fragment(chip.dataset.evidence).catch(() => null);
    if (html === null) {
      window.location.assign(chip.href);
      return;
    }
    opener?.removeAttribute("aria-expanded");
    opener = chip;
    chip.setAttribute("aria-expanded", "true");
    panel.innerHTML = html;
    panel.hidden = false;
    document.body.classList.add("with-evidence");
    panel.focus({ preventScroll: true });
    const quoted = panel.querySelector("#quoted");
    if (quoted) panel.scrollTop += quoted.getBoundingClientRect().top - panel.getBoundingClientRect().top - 120;
  }

  turns.addEventListener("click", (event) => {
    const chip = event.target.closest("a[data-evidence]");
    if (!chip || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    if (chip === opener) close();
    else open(chip);
  });
  panel.addEventListener("click", (event) => {
    if (event.target.closest("[data-closes]")) close();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !panel.hidden) close();
  });
}
