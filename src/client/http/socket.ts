/** A connected stream of bytes; `Deno.Conn` is one. */
export interface Socket {
  /** Reads at least one byte; `null` at the end. */
  read(into: Uint8Array): Promise<number | null>;
  /** Writes some or all of `bytes` and returns how many. */
  write(bytes: Uint8Array): Promise<number>;
  close(): void;
}

/** Opens a connection to the server; gives up when the signal aborts. */
export type Dial = (signal?: AbortSignal) => Promise<Socket>;

/** Writes all of `bytes`. `beforeMore` is called before each piece except the first, and throws to hold it back. */
export async function writeAll(socket: Socket, bytes: Uint8Array, beforeMore?: () => void): Promise<void> {
  for (let at = await socket.write(bytes); at < bytes.length;) {
    beforeMore?.();
    at += await socket.write(bytes.subarray(at));
  }
}
