import { apiVersionOf, joinKey } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { awaitDefaultAccount } from "../admission/mod.ts";
import {
  type Application,
  applyTo,
  emptyObject,
  heedDuplicates,
  readApplied,
  setEntries,
  shapeOfServed,
  storedOwners,
} from "../apply/mod.ts";
import { conflict, isObject, type JsonObject, notFound, type RequestBody } from "../base/mod.ts";
import { answerObject, type Exchange, operationOf, readPatch } from "../exchange/mod.ts";
import { decodeObject, type Operation, targetOf, toStored } from "../operations/mod.ts";
import { booleanParameter } from "../requests/mod.ts";
import { APPLY_PATCH, patchedObject } from "../patch/mod.ts";
import { inServedVersion } from "../resources/mod.ts";
import { changeThrough, checkName, updateObject } from "../writes/mod.ts";
import { withWebhooks } from "../webhooks/mod.ts";

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
    const object = toStored(operation, patched);
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
    if (!old && object.metadata.uid) {
      const why = "and no existing object was found";
      throw conflict(served, name, `uid mismatch: the provided object specified uid ${object.metadata.uid}, ${why}`);
    }
    checkName(operation, object, name);
    return old ? changeThrough(operation, subresource, object, old, { keepsManagers: true }) : object;
  };
  const isNew = !state.store.get(served.collection, joinKey(namespace, name));
  if (isNew && subresource) throw notFound(served, name);
  if (isNew) await awaitDefaultAccount(operation, appliedObject(operation, undefined, { wanted, force, subresource }));
  const options = { subresource, isPatch: true, creates: true, keepsManagers: true };
  const { object, created } = await withWebhooks(
    operation,
    (operation) => updateObject(operation, name, changeOf(operation), options),
  );
  return answerObject(exchange, object, { status: created ? 201 : 200 });
}

/** The object to store after an apply, with its field owners. */
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
