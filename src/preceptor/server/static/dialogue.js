/* The dialogue page: puts composer, conversation and read-aloud together. */
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { openBeside } from "./evidence.js";
import { offerReadAloud } from "./read_aloud.js";
import { showReason } from "./hint_reason.js";

const turns = document.getElementById("turns");
const conversation = new Conversation(turns);
const composer = new Composer(turns.dataset.dialogue, {
  onBusy: () => conversation.say("Your tutor is reading your message …"),
  onSent: (turn, html) => conversation.begin(turn, html),
  onRefused: (message) => conversation.trouble(message, null),
});
conversation.onRest = () => composer.enable();
conversation.onWork = () => composer.disable();

if (turns.dataset.why) conversation.onReplied = (turn, item) => showReason(turns.dataset.dialogue, turn, item);

offerReadAloud();
openBeside(turns, document.getElementById("evidence"));

if (turns.dataset.pending) {
  const pending = Number(turns.dataset.pending);
  if (turns.dataset.running === "yes") conversation.follow(pending);
  else conversation.resume();
}
if (turns.children.length > 2) conversation.toTheEnd();
