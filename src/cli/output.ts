/** Where a command prints: standard output or standard error. */
export interface Sink {
  writeSync(bytes: Uint8Array): number;
}

/** Prints a line, to standard output unless told otherwise. */
export function printLine(text: string, sink: Sink = Deno.stdout): void {
  write(`${text}\n`, sink);
}

/** Writes all of `text`, however little a terminal or pipe takes at a time. */
export function write(text: string, sink: Sink): void {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(sink.writeSync(bytes));
}

/** Tells a person what they got wrong, in one last line, below how the command is used where that helps. */
export function refuse(message: string, usage?: string): 1 {
  printLine(usage === undefined ? `Error: ${message}` : `${usage}\n\nError: ${message}`, Deno.stderr);
  return 1;
}
