import { apiVersionOf, joinKey } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { admitDelete, prepareAdmission } from "../admission/mod.ts";
import { answerJson, answerSuccess } from "../answers.ts";
import { readObject, readOptionalObject } from "../body.ts";
import { badRequest } from "../errors.ts";
import { answerObject, type Exchange, operationOf } from "../exchange.ts";
import { listPage } from "../list.ts";
import type { Operation } from "../operation.ts";
import { changeThrough } from "../subresources/changes.ts";
import { createObject } from "../writes/create.ts";
import { decodeObject } from "../writes/decode.ts";
import { deleteEach, deleteObject, type DeleteOptions } from "../writes/delete.ts";
import { updateObject } from "../writes/update.ts";
import { itemText } from "../encode.ts";

export async function handleCreate(exchange: Exchange): Promise<Response> {
  const operation = operationOf(exchange);
  const object = decodeObject(operation, await readObject(exchange.request));
  const created = await createObject(operation, object);
  return answerObject(exchange, created, { status: 201, warnings: operation.warnings });
}

export async function handleUpdate(exchange: Exchange): Promise<Response> {
  const operation = operationOf(exchange);
  const { name, subresource } = exchange.route;
  const object = decodeObject(operation, await readObject(exchange.request));
  const { store } = exchange.state;
  const isMissing = !store.get(operation.served.collection, joinKey(operation.namespace, name));
  if (isMissing && operation.served.traits.createsOnUpdate) await prepareAdmission(operation, object);
  const change = (old: StoredObject | undefined) => old ? changeThrough(operation, subresource, object, old) : object;
  const updated = updateObject(operation, name, change, { subresource });
  return answerObject(exchange, updated.object, { status: updated.created ? 201 : 200, warnings: operation.warnings });
}

export async function handleDelete(exchange: Exchange): Promise<Response> {
  const { form, route } = exchange;
  const { operation, options } = await readDeletion(exchange);
  admitDelete(operation, route.name);
  const { object, removed } = deleteObject(operation, route.name, options);
  const { warnings } = operation;
  if (!removed || operation.served.traits.answersDeleted) {
    const status = !removed && options.orphanDependents === false ? 202 : 200;
    return answerObject(exchange, object, { status, warnings });
  }
  const { plural, group } = operation.served;
  const details = { name: route.name, ...group ? { group } : {}, kind: plural, uid: object.metadata.uid };
  return answerSuccess({ details, yaml: form.yaml, warnings });
}

export async function handleDeleteCollection(exchange: Exchange): Promise<Response> {
  const { state, route, query } = exchange;
  const { operation, options } = await readDeletion(exchange);
  const { objects, metadata } = await listPage(state, route.served, { namespace: route.namespace, query });
  await deleteEach(operation, objects, options);
  const items = objects.map((object) => JSON.parse(itemText(route.served, object)));
  const list = { kind: route.served.listKind, apiVersion: apiVersionOf(route.served), metadata, items };
  return answerJson(list, { yaml: exchange.form.yaml, warnings: operation.warnings });
}

interface Deletion {
  readonly operation: Operation;
  readonly options: DeleteOptions;
}

/** Options of a deletion stand in its body, in its query, or partly here and there. */
async function readDeletion(exchange: Exchange): Promise<Deletion> {
  const { query, request } = exchange;
  const operation = operationOf(exchange);
  const body = await readOptionalObject(request) ?? {};
  if (body.kind !== undefined && body.kind !== "DeleteOptions") {
    throw badRequest(`a ${body.kind} cannot be handled as DeleteOptions`);
  }
  const seconds = query.get("gracePeriodSeconds");
  const policy = query.get("propagationPolicy");
  const orphan = query.get("orphanDependents");
  const options: DeleteOptions = {
    ...seconds ? { gracePeriodSeconds: Number(seconds) } : {},
    ...policy ? { propagationPolicy: policy } : {},
    ...orphan ? { orphanDependents: orphan === "true" } : {},
    ...withoutNulls(body),
  };
  warnAboutJobs(operation, options);
  const dryRun = operation.dryRun || (Array.isArray(body.dryRun) && body.dryRun.includes("All"));
  return { operation: { ...operation, dryRun }, options };
}

function withoutNulls(body: Record<string, unknown>): DeleteOptions {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)) as DeleteOptions;
}

function warnAboutJobs({ served, warnings }: Operation, { propagationPolicy, orphanDependents }: DeleteOptions): void {
  if (served.collection !== "jobs.batch" || propagationPolicy !== undefined || orphanDependents !== undefined) return;
  warnings.add(
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set " +
      "propagationPolicy=Orphan to suppress this warning",
  );
}
