import { apiVersionOf, joinKey } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { prepareAdmission } from "../admission/mod.ts";
import type { Application } from "../apply/application.ts";
import { applyTo, storedOwners } from "../apply/apply.ts";
import { emptyObject, setEntries, shapeOfServed } from "../apply/managed.ts";
import { heedDuplicates, readApplied } from "../apply/read_applied.ts";
import { readBody, type RequestBody } from "../body.ts";
import { conflict, noPatchType, notFound, unsupportedMediaType } from "../errors.ts";
import { answerObject, type Exchange, operationOf } from "../exchange.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Operation } from "../operation.ts";
import { booleanParameter } from "../parameters.ts";
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH, patchedObject, STRATEGIC_MERGE_PATCH } from "../patch/patcher.ts";
import { inServedVersion } from "../served_version.ts";
import { changeThrough } from "../subresources/changes.ts";
import { decodeObject, targetOf, toStored } from "../writes/decode.ts";
import { withWebhooks } from "../webhooks/mod.ts";
import { checkName, updateObject } from "../writes/update.ts";

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

/** Serves PATCH. Upstream: `apiserver/pkg/endpoints/handlers/patch.go`. */
export async function handlePatch(exchange: Exchange): Promise<Response> {
  const body = await readPatch(exchange);
  const operation = operationOf(exchange, body.mediaType === APPLY_PATCH);
  if (body.mediaType === APPLY_PATCH) return await handleApply(exchange, operation, body);
  const { served } = operation;
  const { name, subresource } = exchange.route;
  const changeOf = (operation: Operation) => (old: StoredObject | undefined) => {
    if (!old) throw notFound(served, name);
    const current = inServedVersion(served, old);
    const patched = patchedObject(current, body, { target: targetOf(served), rules: operation });
    const object = toStored(served, patched);
    checkName(operation, object, name);
    return changeThrough(operation, subresource, object, old);
  };
  const { object } = await withWebhooks(
    operation,
    (operation) => updateObject(operation, name, changeOf(operation), { subresource, isPatch: true }),
  );
  return answerObject(exchange, object);
}

async function handleApply(exchange: Exchange, operation: Operation, body: RequestBody): Promise<Response> {
  const { route: { name, subresource }, query, state } = exchange;
  const { served, namespace } = operation;
  const force = booleanParameter(query, "force") ?? false;
  const wanted = readApplied(body, served);
  const changeOf = (operation: Operation) => (old: StoredObject | undefined) => {
    const object = appliedObject(operation, old, { wanted, force, subresource });
    heedDuplicates(body, operation);
    if (!old && object.metadata.uid) throw strangeUid(operation, object, name);
    checkName(operation, object, name);
    return old ? changeThrough(operation, subresource, object, old, { keepsManagers: true }) : object;
  };
  const isNew = !state.store.get(served.collection, joinKey(namespace, name));
  if (isNew && subresource) throw notFound(served, name);
  if (isNew) await prepareAdmission(operation, appliedObject(operation, undefined, { wanted, force, subresource }));
  const options = { subresource, isPatch: true, creates: true, keepsManagers: true };
  const { object, created } = await withWebhooks(
    operation,
    (operation) => updateObject(operation, name, changeOf(operation), options),
  );
  return answerObject(exchange, object, { status: created ? 201 : 200 });
}

/** The object to store after an apply, with its owners. */
function appliedObject(
  operation: Operation,
  old: StoredObject | undefined,
  rest: Pick<Application, "wanted" | "force" | "subresource">,
): StoredObject {
  const { served } = operation;
  const empty = emptyObject(served);
  const current: JsonObject = old
    ? inServedVersion(served, old)
    : { apiVersion: apiVersionOf(served), kind: served.kind, ...empty };
  const { metadata } = current;
  const { managedFields: _managedFields, ...identity } = isObject(metadata) ? metadata : {};
  const live = { ...current, metadata: identity };
  const owners = old ? storedOwners(old) : [];
  const applied = applyTo(operation, { ...rest, live, empty, owners, shape: shapeOfServed(served) });
  const object = decodeObject(operation, applied.value ?? live);
  setEntries(object, applied.owners);
  return object;
}

function strangeUid({ served }: Operation, { metadata }: StoredObject, name: string) {
  const why = `uid mismatch: the provided object specified uid ${metadata.uid}, and no existing object was found`;
  return conflict(served, name, why);
}
