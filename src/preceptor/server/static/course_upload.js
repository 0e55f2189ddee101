/* Uploading course files: one request a file, with how far it is; then what becomes of each, until all are read. */
import { fragment } from "./request.js";

const form = document.getElementById("upload");
const list = document.getElementById("uploads");
const trouble = document.getElementById("upload-trouble");
const POLL_MS = 700;
let polling = false;
let sentSome = false;

function say(words) {
  document.getElementById("sent-words").textContent = words;
}

function send(file, onProgress) {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.dataset.api);
    request.upload.addEventListener("progress", (event) => onProgress(event.loaded / Math.max(1, event.total)));
    request.addEventListener("load", () => {
      if (request.status < 300) resolve("");
      else resolve(messageOf(request) ?? `${file.name}: the server answered ${request.status}.`);
    });
    request.addEventListener("error", () => resolve(`${file.name}: the connection broke off; it was not stored.`));
    const body = new FormData();
    body.append("files", file, file.name);
    request.send(body);
  });
}

function messageOf(request) {
  try {
    return JSON.parse(request.responseText).error?.message;
  } catch {
    return undefined;
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const input = document.getElementById("upload-files");
  const files = [...input.files];
  const bar = document.getElementById("sent");
  const button = form.querySelector("button");
  const failed = [];
  trouble.hidden = true;
  document.getElementById("sending").hidden = false;
  button.setAttribute("aria-disabled", "true");
  for (const [place, file] of files.entries()) {
    say(`Sending ${file.name} (${place + 1} of ${files.length})`);
    bar.value = place / files.length;
    const max = Number(form.dataset.maxBytes);
    const problem =
      file.size > max
        ? `${file.name}: has ${file.size} bytes, at most ${form.dataset.maxWords} are read.`
        : await send(file, (share) => {
            bar.value = (place + share) / files.length;
          });
    if (problem) failed.push(problem);
    else sentSome = true;
    poll();
  }
  document.getElementById("sending").hidden = true;
  button.removeAttribute("aria-disabled");
  input.value = "";
  trouble.textContent = failed.join(" ");
  trouble.hidden = failed.length === 0;
});

/** Refresh the list until nothing is left to read, then show the whole page as it is now. */
async function poll() {
  if (polling) return;
  polling = true;
  let worked = false;
  for (;;) {
    const html = await fragment(list.dataset.address).catch(() => null);
    if (html !== null) list.innerHTML = html;
    const work = list.querySelector("[data-work]")?.dataset.work ?? "idle";
    const sending = !document.getElementById("sending").hidden;
    if (work === "idle" && !sending) break;
    worked = worked || work !== "idle";
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  polling = false;
  if ((worked || sentSome) && trouble.hidden) window.location.reload();
}

if (list.querySelector("[data-work]")?.dataset.work !== "idle") poll();
