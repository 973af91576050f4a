/** A connected stream of bytes; `Deno.Conn` is one. */
export interface Socket {
  /** Reads at least one byte; `null` at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes some or all of `bytes`, and says how many. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** Opens a connection to the server; an aborted signal gives up. */
export type Dial = (signal?: AbortSignal) => Promise<Socket>;

/** Writes all of `bytes`; `beforeMore` is called before each piece but the first, and keeps it back by throwing. */
export async function writeAll(socket: Socket, bytes: Uint8Array, beforeMore?: () => void): Promise<void> {
  for (let at = await socket.write(bytes); at < bytes.length;) {
    beforeMore?.();
    at += await socket.write(bytes.subarray(at));
  }
}
