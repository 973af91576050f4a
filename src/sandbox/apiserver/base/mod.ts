/** Used by all rooms: Status errors, JSON values, bodies. */
export { attempt, translate } from "./attempt.ts";
export { isBase64 } from "./base64.ts";
export { readBody, type RequestBody } from "./body.ts";
export * from "./errors.ts";
export { isMap, isObject, type JsonObject } from "./json.ts";
export { selectorText } from "./selector_text.ts";
