/**
 * Makes untrusted names and messages printable: characters that would move a terminal's cursor or break a line become
 * spaces.
 */
export function printable(text: string): string {
  // deno-lint-ignore no-control-regex -- they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
