import jsonPatch from "fast-json-patch";
import { deepCopy } from "../../../base/mod.ts";
import { ApiError, badRequest } from "../errors.ts";

const MOST_OPERATIONS = 10_000;

/**
 * JSON Patch (RFC 6902) on a copy of `target`.
 *
 * @throws {ApiError} 400 for a patch that is none, 413 for too many operations, 422 if an operation cannot be applied.
 */
export function applyJsonPatch(target: unknown, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest("a JSON patch must be a list of operations");
  if (patch.length > MOST_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`;
    throw new ApiError(413, "RequestEntityTooLarge", message);
  }
  try {
    return jsonPatch.applyPatch(deepCopy(target), patch, true).newDocument;
  } catch {
    throw new ApiError(422, "Invalid", "the server rejected our request due to an error in our request", {});
  }
}
