/* A passage as it is said aloud: formulas in words, where a voice would otherwise run their parts together. */

const SIGNS = {
  "×": " times ", "·": " times ", "⋅": " times ", "÷": " divided by ", "/": " over ", "−": " minus ", "-": " minus ",
  "+": " plus ", "=": " equals ", "<": " is less than ", ">": " is greater than ", "≤": " is at most ",
  "≥": " is at least ", "≈": " is about ", "%": " percent ",
};

/** Return the words of an element; `language` is a BCP 47 tag, and only English has words for signs. */
export function spoken(element, language = "en") {
  const inEnglish = language.toLowerCase().startsWith("en");
  const say = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.textContent;
    const parts = [...node.childNodes].map(say);
    switch (node.localName) {
      case "mfrac":
        return inEnglish ? ` ${parts[0]} over ${parts[1]} ` : ` ${parts[0]}/${parts[1]} `;
      case "msup":
        return inEnglish ? ` ${parts[0]} ${power(parts[1])} ` : ` ${parts[0]}^${parts[1]} `;
      case "msqrt":
        return inEnglish ? ` the square root of ${parts.join("")} ` : ` √(${parts.join("")}) `;
      case "mo":
        return (inEnglish && SIGNS[node.textContent]) || ` ${node.textContent} `;
      case "p":
      case "li":
      case "mtr":
        return `${parts.join("")}\n`;
      case "mtd":
        return `${parts.join("")} `;
      default:
        return parts.join("");
    }
  };
  return say(element).replace(/[ \t]+/g, " ").replace(/ ([.,;:!?])/g, "$1").replace(/ ?\n\s*/g, "\n").trim();
}

function power(exponent) {
  const known = { 2: "squared", 3: "cubed" };
  return known[exponent.trim()] ?? `to the power of ${exponent.trim()}`;
}
