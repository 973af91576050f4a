const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;

/**
 * Whether the JSON in `text` is nested deeper than `limit`; undefined for malformed JSON. Texts that are too short are
 * not scanned.
 */
export function isDeeperThan(text: string, limit: number): boolean {
  const { length } = text;
  if (length <= 2 * limit) return false;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(text, at);
      if (at < 0) return false;
    } else if (code >= OPEN_BRACKET) {
      // Bit 5 distinguishes braces from brackets; a closing one is its opening one plus 2.
      const brace = code | 0x20;
      if (brace === OPEN_BRACE && ++depth > limit) return true;
      if (brace === OPEN_BRACE + 2) depth--;
    }
  }
  return false;
}

/** Where the string ends that begins at `at`: the index of its closing quote, or -1. */
export function stringEnd(text: string, at: number): number {
  for (;;) {
    at = text.indexOf('"', at + 1);
    if (at < 0) return at;
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
}
