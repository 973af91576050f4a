import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerJson } from "../answers.ts";
import { readObject } from "../body.ts";
import { invalid, notFound } from "../errors.ts";
import { type Exchange, operationOf } from "../exchange.ts";
import { storedObject } from "../handlers/read.ts";
import { patched, readPatch } from "../handlers/patch.ts";
import { isObject } from "../json.ts";
import { structOf } from "../schema/types.ts";
import { selectorText } from "../selector_text.ts";
import type { ScalePaths, ServedResource } from "../served.ts";
import { FieldErrors } from "../validation/field_errors.ts";
import { decodeAs } from "../writes/decode.ts";
import { updateObject } from "../writes/update.ts";

const SCALE = structOf("autoscaling.v1.Scale")!;

/** Where built-in kinds keep the numbers. */
const BUILT_IN: ScalePaths = {
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  labelSelectorPath: ".spec.selector",
};

function pathsOf({ custom }: ServedResource): ScalePaths {
  return custom?.scale ?? BUILT_IN;
}

function steps(path: string): string[] {
  return path.split(".").filter((step) => step !== "");
}

function read(object: unknown, path: string): unknown {
  return steps(path).reduce((value: unknown, step) => isObject(value) ? value[step] : undefined, object);
}

function write(object: Record<string, unknown>, path: string, value: unknown): void {
  const parts = steps(path);
  let at = object;
  for (const step of parts.slice(0, -1)) {
    const next = at[step];
    at = isObject(next) ? next : at[step] = {} as Record<string, unknown>;
  }
  at[parts.at(-1)!] = value;
}

function scaleOf(served: ServedResource, object: StoredObject): Record<string, unknown> {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = pathsOf(served);
  const replicas = Number(read(object, paths.specReplicasPath) ?? 0);
  const selector = paths.labelSelectorPath ? selectorText(read(object, paths.labelSelectorPath)) : "";
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: Number(read(object, paths.statusReplicasPath) ?? 0), ...selector ? { selector } : {} },
  };
}

/** GET, PUT and PATCH of /scale: a view of the object with its replicas alone. */
export async function handleScale(exchange: Exchange): Promise<Response> {
  const { route: { verb, served, name }, request, form } = exchange;
  const answer = (object: StoredObject) => answerJson(scaleOf(served, object), { yaml: form.yaml });
  if (verb === "get") return answer(storedObject(exchange));
  const operation = operationOf(exchange);
  const patch = verb === "patch" ? await readPatch(request) : undefined;
  const body = patch ? undefined : await readObject(request);
  const change = (old: StoredObject | undefined) => {
    if (!old) throw notFound(served, name);
    const sent = decodeAs(patch ? patched(scaleOf(served, old), patch, SCALE) : body, SCALE);
    return withReplicas(exchange, old, sent);
  };
  return answer(updateObject(operation, name, change, { subresource: "scale", isPatch: patch !== undefined }).object);
}

function withReplicas({ route: { served } }: Exchange, old: StoredObject, sent: Record<string, unknown>): StoredObject {
  const replicas = Number(read(sent, ".spec.replicas") ?? 0);
  if (replicas < 0) {
    const errors = new FieldErrors();
    errors.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalid({ group: "autoscaling", plural: "scales", kind: "Scale" }, old.metadata.name!, errors.causes);
  }
  const object = deepCopy(old);
  const { name, uid, resourceVersion } = sent.metadata as { name?: string; uid?: string; resourceVersion?: string };
  Object.assign(object.metadata, {
    name: name || old.metadata.name,
    uid: uid || old.metadata.uid,
    resourceVersion: resourceVersion || old.metadata.resourceVersion,
  });
  write(object, pathsOf(served).specReplicasPath, replicas);
  return object;
}
