const TOKEN = /\s*([{}[\],:]|"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)\s*/gy;

/**
 * The value of a JSON text. Only its strings, numbers and words are read by `JSON.parse`: that of V8 15.0 now and then takes a key
 * that is written with an escape for another one, such as `"` for `\`, and whoever judges others must not err.
 */
export function readJson(text: string): unknown {
  const tokens = Array.from(text.matchAll(TOKEN), ([, token]) => token).reverse();
  const next = () => tokens.pop()!;
  const list = (end: string, one: () => void) => {
    if (tokens.at(-1) === end) return void next();
    do one(); while (next() !== end);
  };
  const value = (): unknown => {
    const token = next();
    if (token === "[") {
      const items: unknown[] = [];
      list("]", () => items.push(value()));
      return items;
    }
    if (token !== "{") return JSON.parse(token);
    const members: [string, unknown][] = [];
    list("}", () => {
      const key = JSON.parse(next());
      next();
      members.push([key, value()]);
    });
    return Object.fromEntries(members);
  };
  return value();
}
