import { apiVersionOf } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { answerText, booleanParameter } from "../requests/mod.ts";
import {
  applyTo,
  compare,
  emptyObject,
  entriesOf,
  heedDuplicates,
  type Owner,
  readApplied,
  updatedOwners,
} from "../apply/mod.ts";
import { shapeOf, structOf } from "../schema/mod.ts";
import {
  badRequest,
  internalError,
  invalid,
  isObject,
  type JsonObject,
  notFound,
  plainError,
  readBody,
  type RequestBody,
  selectorText,
} from "../base/mod.ts";
import { replicasAt, setReplicas, textAt } from "../custom/mod.ts";
import { decodeBody } from "../decoding/mod.ts";
import { answerOptions, type Exchange, operationOf, partText, readPatch, storedObject } from "../exchange/mod.ts";
import type { Operation, View } from "../operations/mod.ts";
import { APPLY_PATCH, patchedObject } from "../patch/mod.ts";
import type { ServedResource } from "../resources/mod.ts";
import { FieldErrors } from "../validation/mod.ts";
import { withWebhooks } from "../webhooks/mod.ts";
import { checkName, updateObject } from "../writes/mod.ts";
import { pathsOf, scaleOwners, withScaleOwners } from "./scale_owners.ts";

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale", struct: structOf("autoscaling.v1.Scale")! };
const SUBJECT = { ...SCALE, plural: "scales" };

/** Upstream's marker for absent replicas. */
const UNSET = -2147483648;

/**
 * The Scale of an object.
 *
 * @throws {ApiError} 500, as upstream, if a value in the object is invalid.
 */
function scaleOf(served: ServedResource, stored: StoredObject): JsonObject {
  const object = served.custom?.version.view(stored) ?? stored;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = pathsOf(served);
  const replicas = countAt(object, paths.specReplicasPath) ?? (served.custom ? UNSET : 0);
  const selector = selectorOf(served, object);
  return {
    kind: SCALE.kind,
    apiVersion: apiVersionOf(SCALE),
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: countAt(object, paths.statusReplicasPath) ?? 0, ...selector ? { selector } : {} },
  };
}

function countAt(object: unknown, path: string): number | undefined {
  const found = replicasAt(object, path);
  if (found.kind === "misfit") throw plainError(found.why);
  return found.kind === "value" ? found.value : undefined;
}

function selectorOf({ custom }: ServedResource, object: StoredObject): string {
  if (!custom) return selectorText((object.spec as JsonObject | undefined)?.selector);
  const path = custom.scale?.labelSelectorPath;
  const found = path ? textAt(object, path) : undefined;
  if (found?.kind === "misfit") throw plainError(found.why);
  return found?.kind === "value" ? found.value : "";
}

/**
 * GET, PUT and PATCH of /scale, a view of an object with nothing but its replicas. Upstream: ScaleREST of each kind.
 */
export async function handleScale(exchange: Exchange): Promise<Response> {
  const { route: { verb, served } } = exchange;
  const answer = (object: StoredObject) => answerScale(exchange, object);
  if (verb === "get") return answer(storedObject(exchange));
  const isPatch = verb === "patch";
  const body = isPatch ? await readPatch(exchange) : await readBody(exchange.request);
  const operation = operationOf(exchange, body.mediaType === APPLY_PATCH);
  const sent = isPatch ? undefined : decodeBody(body, SCALE, operation);
  // The body is validated before it is known whether the object exists.
  if (sent) checkName(operation, sent as StoredObject, exchange.route.name);
  const changeOf = (operation: Operation) => (old: StoredObject | undefined) => {
    if (!old) throw notFound(served, exchange.route.name);
    if (body.mediaType === APPLY_PATCH) return appliedScale(exchange, operation, old, body);
    const current = scaleOf(served, old);
    const present = scaleOwners(operation, old);
    const scale = sent ?? patchedScale(operation, body, current, present);
    // Replicas without an owner get none until somebody applies.
    if (present.length === 0) return scaled(operation, old, scale, present);
    const owners = updatedOwners({ ...operation, served: asScale(operation) }, present, {
      differenceIn: () => compare(current, { ...scale, apiVersion: current.apiVersion, kind: current.kind }, SHAPE),
      subresource: "scale",
    });
    return scaled(operation, old, scale, owners);
  };
  const { name } = exchange.route;
  const options = { subresource: "scale", isPatch, keepsManagers: true };
  const updated = await withWebhooks(
    operation,
    (operation) => updateObject(operation, name, changeOf(operation), options),
    scaleView(served),
  );
  return answer(updated.object);
}

/** Webhooks see the Scale rather than the scaled object, and may change its replicas. */
function scaleView(served: ServedResource): View {
  return {
    kindIn: () => SCALE,
    show: (_version, object) => scaleOf(served, deepCopy(object)),
    take(_version, object, patched) {
      setReplicas(object, pathsOf(served).specReplicasPath, countAt(patched, ".spec.replicas") ?? 0);
    },
  };
}

const SHAPE = shapeOf(SCALE.struct);

/** Applies a patch to the current Scale, which includes its field owners. */
function patchedScale(rules: Operation, body: RequestBody, current: JsonObject, owners: readonly Owner[]): JsonObject {
  const metadata = { ...current.metadata as JsonObject, managedFields: entriesOf(owners) };
  const patched = patchedObject({ ...current, metadata }, body, { target: SCALE, rules });
  const { managedFields: _managedFields, ...rest } = isObject(patched.metadata) ? patched.metadata : {};
  return { ...patched, metadata: rest };
}

/** The Scale's own version, in which ownership is recorded. */
function asScale({ served }: Operation): ServedResource {
  return { ...served, ...SCALE, custom: undefined, conversion: undefined, served: new Map() };
}

function answerScale(exchange: Exchange, object: StoredObject): Response {
  const { form, route: { served } } = exchange;
  const scale = scaleOf(served, object);
  if (countAt(scale, ".spec.replicas") === UNSET) {
    throw internalError(`the spec replicas field ${pathText(served)} does not exist`);
  }
  if (form.shape === "object") return answerText(JSON.stringify(scale), answerOptions(exchange));
  const shown = { ...served, ...SCALE, custom: undefined, collection: "scales.autoscaling" };
  return answerText(partText(exchange, shown, scale as unknown as StoredObject), answerOptions(exchange));
}

function pathText(served: ServedResource): string {
  return JSON.stringify(pathsOf(served).specReplicasPath);
}

function scaled(operation: Operation, old: StoredObject, scale: JsonObject, owners: readonly Owner[]): StoredObject {
  const { served } = operation;
  checkName(operation, scale as StoredObject, old.metadata.name!);
  const replicas = countAt(scale, ".spec.replicas") ?? 0;
  if (replicas === UNSET) throw badRequest(`the spec replicas field ${pathText(served)} cannot be empty`);
  // Custom resources have their own rules for replicas.
  if (replicas < 0 && !served.custom) {
    const errors = new FieldErrors();
    errors.invalid("spec.replicas", replicas, "must be greater than or equal to 0");
    throw invalid(SUBJECT, old.metadata.name!, errors.causes);
  }
  const object = deepCopy(old);
  const { uid, resourceVersion } = isObject(scale.metadata) ? scale.metadata as Record<string, string> : {};
  object.metadata.uid = uid || old.metadata.uid;
  object.metadata.resourceVersion = resourceVersion || old.metadata.resourceVersion;
  setReplicas(object, pathsOf(served).specReplicasPath, replicas);
  withScaleOwners(operation, object, owners);
  return object;
}

function appliedScale({ query }: Exchange, operation: Operation, old: StoredObject, body: RequestBody): StoredObject {
  const { served } = operation;
  const wanted = readApplied(body, SCALE);
  const { value, owners } = applyTo({ ...operation, served: asScale(operation) }, {
    wanted,
    live: scaleOf(served, old),
    empty: emptyObject({ struct: SCALE.struct } as ServedResource),
    owners: scaleOwners(operation, old),
    shape: SHAPE,
    force: booleanParameter(query, "force") ?? false,
    subresource: "scale",
  });
  heedDuplicates(body, operation);
  return scaled(operation, old, value ?? scaleOf(served, old), owners);
}
