/* The experience page: keeps the distillation's progress fresh while one is under way. */
import { fragment } from "./request.js";

const EVERY_MS = 1000;
const place = document.getElementById("distillation");

async function refresh() {
  const html = await fragment("/experience/distillation").catch(() => null);
  if (html === null) {
    setTimeout(refresh, 4 * EVERY_MS);
    return;
  }
  const before = place.innerHTML;
  place.innerHTML = html;
  if (place.querySelector(".waiting")) setTimeout(refresh, EVERY_MS);
  else if (before !== html) window.location.reload();
}

if (place?.querySelector(".waiting")) setTimeout(refresh, EVERY_MS);
