import { noPatchType, readBody, type RequestBody, unsupportedMediaType } from "../base/mod.ts";
import type { Exchange } from "./exchange.ts";
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH } from "../patch/mod.ts";

const TYPES: readonly string[] = [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH];
/** Strategic merge is missing, since custom resources have no merge keys. */
const CUSTOM_TYPES: readonly string[] = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];

/**
 * Reads the body of a patch.
 *
 * @throws {ApiError} 415 if the kind does not support its type.
 */
export async function readPatch({ request, route }: Exchange): Promise<RequestBody> {
  const body = await readBody(request);
  const { custom } = route.served;
  // Unlike with other writes, upstream compares these types case-sensitively.
  const type = request.headers.get("content-type")?.split(";")[0] ?? "";
  if (!(custom ? CUSTOM_TYPES : TYPES).includes(type)) {
    throw custom ? unsupportedMediaType(CUSTOM_TYPES) : noPatchType();
  }
  return body;
}
