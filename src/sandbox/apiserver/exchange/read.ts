import { joinKey } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { notFound } from "../base/mod.ts";
import { answerObject, type Exchange } from "./exchange.ts";
import { revisionOf, waitForRevision } from "../reads/mod.ts";

export function storedObject({ state, route }: Exchange): StoredObject {
  const { served, namespace, name } = route;
  const object = state.store.get(served.collection, joinKey(namespace, name));
  if (!object) throw notFound(served, name);
  return object;
}

export async function handleGet(exchange: Exchange): Promise<Response> {
  const { state, query, request } = exchange;
  const asked = revisionOf(query.get("resourceVersion"));
  await waitForRevision(state, asked, request.signal);
  return answerObject(exchange, storedObject(exchange));
}
