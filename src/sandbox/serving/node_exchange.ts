import type { ServerResponse } from "node:http";

/** Sends an answer; one that is abandoned has its stream cancelled. */
export async function send(response: Response, out: ServerResponse): Promise<void> {
  out.writeHead(response.status, [...response.headers].flat());
  const reader = response.body?.getReader();
  // Nobody is left to take it, and nobody will say so any more.
  if (out.destroyed) return void await reader?.cancel();
  // An answer that ends at once must do so in one piece: after one without a body whose headers went ahead, Deno's `node:http`
  // reads no further request from the connection.
  if (!reader) return void out.end();
  // A watch may have nothing to say for long, and yet has begun.
  out.flushHeaders();
  const closed = Promise.withResolvers<undefined>();
  out.once("close", () => closed.resolve(undefined));
  try {
    for (;;) {
      const read = await Promise.race([reader.read(), closed.promise]);
      if (!read) return await reader.cancel();
      if (read.done) return void out.end();
      if (!out.write(read.value)) await Promise.race([drained(out), closed.promise]);
    }
  } catch {
    // The answer broke off, which can only be shown by breaking off the connection.
    out.destroy();
  }
}

function drained(out: ServerResponse): Promise<void> {
  return new Promise((resolve) => out.once("drain", resolve));
}
