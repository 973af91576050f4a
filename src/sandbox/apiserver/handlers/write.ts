import { joinKey } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { admit, awaitDefaultAccount } from "../admission/mod.ts";
import { answerSuccess } from "../requests/mod.ts";
import { readBody } from "../base/mod.ts";
import {
  answerObject,
  answerOptions,
  checkListForm,
  type Exchange,
  operationOf,
  readDeletion,
} from "../exchange/mod.ts";
import { listPage } from "../reads/mod.ts";
import { changeThrough, checkName, createObject, deleteEach, deleteObject, updateObject } from "../writes/mod.ts";
import { decodeRequest } from "../operations/mod.ts";
import { withWebhooks } from "../webhooks/mod.ts";
import { answerPage } from "./list.ts";

/** Serves POST of an object. Upstream: `apiserver/pkg/endpoints/handlers/create.go`. */
export async function handleCreate(exchange: Exchange): Promise<Response> {
  const body = await readBody(exchange.request);
  const operation = operationOf(exchange);
  const created = await createObject(operation, decodeRequest(operation, body));
  return answerObject(exchange, created, { status: 201 });
}

/** Serves PUT of an object or a view of it. Upstream: `apiserver/pkg/endpoints/handlers/update.go`. */
export async function handleUpdate(exchange: Exchange): Promise<Response> {
  const { state: { store }, request, route: { name, subresource } } = exchange;
  const body = await readBody(request);
  const operation = operationOf(exchange);
  const object = decodeRequest(operation, body);
  checkName(operation, object, name);
  const isMissing = !store.get(operation.served.collection, joinKey(operation.namespace, name));
  if (isMissing && operation.served.traits.createsOnUpdate) await awaitDefaultAccount(operation, object);
  const updated = await withWebhooks(operation, (operation) => {
    // The write changes the object, and may have to be repeated after webhooks are called.
    const sent = operation.webhooks ? deepCopy(object) : object;
    const change = (old: StoredObject | undefined) => old ? changeThrough(operation, subresource, sent, old) : sent;
    return updateObject(operation, name, change, { subresource });
  });
  return answerObject(exchange, updated.object, { status: updated.created ? 201 : 200 });
}

/** Serves DELETE of an object. Upstream: `apiserver/pkg/endpoints/handlers/delete.go`. */
export async function handleDelete(exchange: Exchange): Promise<Response> {
  const { route } = exchange;
  const { operation, options } = await readDeletion(exchange);
  admit({ operation, moment: "delete", object: { metadata: { name: route.name } } });
  const { object, removed } = await withWebhooks(
    operation,
    (operation) => deleteObject(operation, route.name, options),
  );
  if (!removed || operation.served.traits.answersDeleted) {
    const status = !removed && options.orphanDependents === false ? 202 : 200;
    return answerObject(exchange, object, { status });
  }
  const { plural, group } = operation.served;
  const details = { name: route.name, ...group ? { group } : {}, kind: plural, uid: object.metadata.uid };
  const { status: _status, ...form } = answerOptions(exchange);
  return answerSuccess({ details, ...form });
}

/** Serves DELETE of a collection or of the selected part of it. */
export async function handleDeleteCollection(exchange: Exchange): Promise<Response> {
  const { state, route: { served, namespace }, query, request } = exchange;
  const page = await listPage(state, served, { namespace, query, signal: request.signal });
  const { operation, options } = await readDeletion(exchange);
  await deleteEach(operation, page.objects, options);
  checkListForm(exchange);
  return answerPage(exchange, page);
}
