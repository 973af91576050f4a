import { decodeBase64 } from "@std/encoding/base64";
import type { Secret } from "../../api/mod.ts";

/** The value of a Secret's `key`; empty if the key is absent or not valid base64, which no API server stores. */
export function bytesOf({ data }: Secret, key: string): Uint8Array<ArrayBuffer> {
  try {
    return decodeBase64(data && Object.hasOwn(data, key) ? data[key] ?? "" : "");
  } catch {
    return new Uint8Array();
  }
}

/** Like {@link bytesOf}, as text; each byte that is not UTF-8 becomes a replacement character. */
export function textOf(secret: Secret, key: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(secret, key));
}
