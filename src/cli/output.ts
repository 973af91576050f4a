/** Where a command prints: standard output or standard error. */
export interface Sink {
  writeSync(bytes: Uint8Array): number;
}

/** Prints a line, by default to standard output. */
export function printLine(text: string, sink: Sink = Deno.stdout): void {
  write(`${text}\n`, sink);
}

/** Writes all of `text`, even if a terminal or pipe accepts only a little at a time. */
export function write(text: string, sink: Sink): void {
  let bytes = new TextEncoder().encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(sink.writeSync(bytes));
}

/** Reports a usage error in one last line, after the usage if that helps. */
export function refuse(message: string, usage?: string): 1 {
  printLine(usage === undefined ? `Error: ${message}` : `${usage}\n\nError: ${message}`, Deno.stderr);
  return 1;
}
