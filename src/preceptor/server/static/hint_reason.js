/* Why this hint: the instructor's line under a reply, added when the reply is whole. */
import { fragment } from "./request.js";

export async function showReason(dialogue, turn, item) {
  const html = await fragment(`/learn/${encodeURIComponent(dialogue)}/turns/${turn}/reason`).catch(() => null);
  if (!html) return;
  item.querySelector(".why")?.remove();
  item.querySelector(".tutor").insertAdjacentHTML("beforeend", html);
}
