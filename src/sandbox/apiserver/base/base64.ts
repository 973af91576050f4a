const ALPHABET = /[A-Za-z0-9+/]/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a text is standard base64 with padding; line breaks do not count. */
export function isBase64(text: string): boolean {
  return BASE64.test(text) || (/[\r\n]/.test(text) && BASE64.test(text.replace(/[\r\n]/g, "")));
}

/** What Go says about a text that is no base64: `illegal base64 data at input byte 3`. Upstream: `encoding/base64` (decodeQuantum). */
export function base64Error(text: string): string | undefined {
  if (isBase64(text)) return undefined;
  return `illegal base64 data at input byte ${corruptAt(text)}`;
}

/** Where Go's decoder gives up. */
function corruptAt(text: string): number {
  let inQuantum = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "\r" || char === "\n") continue;
    if (ALPHABET.test(char)) {
      inQuantum = (inQuantum + 1) % 4;
      continue;
    }
    if (char !== "=" || inQuantum < 2) return i;
    const rest = text.slice(i + 1).replace(/^[\r\n]+/, "");
    const after = text.length - rest.length;
    if (inQuantum === 3) return after;
    if (rest === "") return text.length;
    return rest[0] === "=" ? after + 1 : after;
  }
  return text.length - inQuantum;
}
