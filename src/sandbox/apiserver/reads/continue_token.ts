import { encodeBase64Url } from "@std/encoding/base64url";
import { badRequest, isObject } from "../base/mod.ts";

/** Where a paged list goes on. */
export interface Continue {
  /** The revision of the pages before; negative for the present one, whatever the pages before have shown. */
  readonly revision: number;
  /** The first key of the page, without the prefix that the path of the request stands for. */
  readonly start: string;
}

const VERSION = "meta.k8s.io/v1";

/** Upstream: `apiserver/pkg/storage/continue.go` (EncodeContinue). */
export function formatContinue({ revision, start }: Continue): string {
  return encodeBase64Url(JSON.stringify({ v: VERSION, rv: revision, start }));
}

/**
 * Reads a token that {@link formatContinue} made. Upstream: `apiserver/pkg/storage/continue.go` (DecodeContinue).
 *
 * @throws {ApiError} 400 if it did not.
 */
export function parseContinue(token: string): Continue {
  const { v = "", rv = 0, start = "" } = fieldsOf(parseBytes(decode(token)));
  if (v !== VERSION) throw notValid(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw notValid(`: incorrect encoded start resourceVersion (version ${VERSION})`);
  if (start === "") throw notValid(`: encoded start key empty (version ${VERSION})`);
  if (!isCleanPath(start)) throw notValid(`: ${start}`);
  return { revision: rv, start: start.replace(/^\//, "") };
}

function notValid(why: string) {
  return badRequest(`invalid continue token: continue key is not valid${why}`);
}

function decode(token: string): Uint8Array {
  const text = token.replace(/[\r\n]/g, "");
  const wrongAt = text.search(/[^\w-]/);
  if (wrongAt >= 0) throw notValid(`: illegal base64 data at input byte ${wrongAt}`);
  if (text.length % 4 === 1) throw notValid(`: illegal base64 data at input byte ${text.length - 1}`);
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}

function parseBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    const first = bytes.find((byte) => ![9, 10, 13, 32].includes(byte));
    const isBeginning = first !== undefined && '{["-0123456789tfn'.includes(String.fromCharCode(first));
    if (first === undefined || isBeginning) throw notValid(": unexpected end of JSON input");
    throw notValid(`: invalid character '${String.fromCharCode(first)}' looking for beginning of value`);
  }
}

interface Fields {
  readonly v?: string;
  readonly rv?: number;
  readonly start?: string;
}

/** The token's fields, each of its type, as Go's decoder would complain. */
function fieldsOf(value: unknown): Fields {
  if (value === null) return {};
  if (!isObject(value)) {
    throw notValid(`: json: cannot unmarshal ${kindOf(value)} into Go value of type storage.continueToken`);
  }
  const check = (field: string, isRight: boolean, type: string) => {
    if (isRight || value[field] === undefined || value[field] === null) return;
    const found = kindOf(value[field]);
    throw notValid(`: json: cannot unmarshal ${found} into Go struct field continueToken.${field} of type ${type}`);
  };
  check("v", typeof value.v === "string", "string");
  check("rv", Number.isInteger(value.rv), "int64");
  check("start", typeof value.start === "string", "string");
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "number" && !Number.isInteger(value) ? `number ${value}` : typeof value;
}

/** Whether Go's `path.Clean` would leave it as it is: no way up, and nothing that stands for nothing. */
function isCleanPath(start: string): boolean {
  const path = start.replace(/^\//, "");
  return path === "" || path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}
