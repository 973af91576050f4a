import { parseJson } from "../../base/mod.ts";

/** How long an answer may be. A page of fifty servers has about 300 kB. */
const MAX_BYTES = 2 * 1024 * 1024;

/**
 * What an answer holds as JSON; `undefined` if it holds nothing.
 *
 * @throws {Error} If it is longer than 2 MiB, breaks off, or is no JSON.
 */
export async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  return text === "" ? undefined : parseJson(text);
}

async function readText({ body }: Response): Promise<string> {
  if (!body) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream.
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) throw new RangeError(`it is longer than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}
