/** Names and messages come from anybody: what would move a terminal's cursor, or break a line, becomes a space. */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
