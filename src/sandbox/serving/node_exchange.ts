import type { IncomingMessage, ServerResponse } from "node:http";

/** The request that Node has read, as one of `fetch`; `undefined` if it can be none. */
export function requestOf(message: IncomingMessage, origin: string): Request | undefined {
  const { method = "GET", rawHeaders } = message;
  try {
    const headers = new Headers();
    for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i], rawHeaders[i + 1]);
    const hasBody = method !== "GET" && method !== "HEAD";
    const body = hasBody ? ReadableStream.from<Uint8Array<ArrayBuffer>>(message) : undefined;
    return new Request(new URL(message.url ?? "/", origin), { method, headers, body });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Sends an answer; one that is abandoned has its stream cancelled. */
export async function send(response: Response, out: ServerResponse): Promise<void> {
  out.writeHead(response.status, [...response.headers].flat());
  const reader = response.body?.getReader();
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
