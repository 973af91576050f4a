import { decodeBase64 } from "@std/encoding/base64";
import type { Secret } from "../../api/mod.ts";

/**
 * What a Secret has under `key`; nothing if the key is absent.
 *
 * @throws {TypeError} If it is no base64, which no API server stores.
 */
export function bytesOf({ data }: Secret, key: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(data && Object.hasOwn(data, key) ? data[key] ?? "" : "");
}

/** Like {@link bytesOf}, as text; each byte that is no UTF-8 becomes a replacement character. */
export function textOf(secret: Secret, key: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(secret, key));
}
