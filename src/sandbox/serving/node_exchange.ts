import type { ServerResponse } from "node:http";

/** Sends a response; if the client leaves, the response's stream is cancelled. */
export async function send(response: Response, out: ServerResponse): Promise<void> {
  out.writeHead(response.status, [...response.headers].flat());
  const reader = response.body?.getReader();
  // The client has already left, so no further event follows.
  if (out.destroyed) return void await reader?.cancel();
  // An empty response must be sent in one piece: if its headers are flushed first, Deno's `node:http` reads no further
  // request from the connection.
  if (!reader) return void out.end();
  // A watch may send nothing for a long time, but has begun.
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
    // The response broke off, which can only be signalled by closing the connection.
    out.destroy();
  }
}

function drained(out: ServerResponse): Promise<void> {
  return new Promise((resolve) => out.once("drain", resolve));
}
