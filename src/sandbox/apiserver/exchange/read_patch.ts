import { noPatchType, readBody, type RequestBody, unsupportedMediaType } from "../base/mod.ts";
import type { Exchange } from "./exchange.ts";
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH } from "../patch/mod.ts";

const TYPES: readonly string[] = [JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH, APPLY_PATCH];
/** Nobody knows the merge keys of custom resources. */
const CUSTOM_TYPES: readonly string[] = [JSON_PATCH, MERGE_PATCH, APPLY_PATCH];

/**
 * Receives a patch.
 *
 * @throws {ApiError} 415 if it is none of the kind's.
 */
export async function readPatch({ request, route }: Exchange): Promise<RequestBody> {
  const body = await readBody(request);
  const { custom } = route.served;
  // Unlike those of other writes, these types are compared letter by letter.
  const type = request.headers.get("content-type")?.split(";")[0] ?? "";
  if (!(custom ? CUSTOM_TYPES : TYPES).includes(type)) {
    throw custom ? unsupportedMediaType(CUSTOM_TYPES) : noPatchType();
  }
  return body;
}
