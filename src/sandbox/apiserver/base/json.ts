import { isRawNumber } from "../../../base/mod.ts";

/** A JSON object of any shape. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON object; numbers that are kept as text are not. */
export function isMap(value: unknown): value is JsonObject {
  return isObject(value) && !isRawNumber(value);
}
