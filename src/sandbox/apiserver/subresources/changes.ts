import type { CertificateSigningRequest, Namespace, Pod } from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { invalid } from "../errors.ts";
import { nowText } from "../environment.ts";
import type { Operation } from "../operation.ts";
import { FieldErrors } from "../validation/field_errors.ts";

/** What a write through a subresource may change: gets a copy of the stored object to change, and the object that was sent. */
type Change = (object: StoredObject, sent: StoredObject, operation: Operation) => void;

const CHANGES: Readonly<Record<string, Change>> = {
  /** Only `spec.finalizers`: the last step of a namespace's deletion. */
  finalize(object, sent) {
    const finalizers = (sent as Namespace).spec?.finalizers;
    object.spec = finalizers ? { finalizers } : {};
  },
  ephemeralcontainers(object, sent, operation) {
    const pod = object as Pod;
    const before = pod.spec?.ephemeralContainers ?? [];
    const after = (sent as Pod).spec?.ephemeralContainers ?? [];
    const keeps = before.every((container, i) => deepEqual(container, after[i]));
    if (!keeps) {
      refuse(
        operation,
        object,
        "spec.ephemeralContainers",
        "existing ephemeral containers may not be changed or removed",
      );
    }
    if (pod.spec && after.length > 0) pod.spec.ephemeralContainers = after;
  },
  resize(object, sent) {
    const { spec } = object as Pod;
    for (const container of [...spec?.containers ?? [], ...spec?.initContainers ?? []]) {
      const wanted = [...(sent as Pod).spec?.containers ?? [], ...(sent as Pod).spec?.initContainers ?? []]
        .find(({ name }) => name === container.name);
      if (!wanted) continue;
      container.resources = wanted.resources;
      if (wanted.resizePolicy) container.resizePolicy = wanted.resizePolicy;
    }
  },
  /** Only conditions; a decision is made once. */
  approval(object, sent, operation) {
    const request = object as Pick<CertificateSigningRequest, "status">;
    const before = request.status?.conditions ?? [];
    const conditions = (sent as Pick<CertificateSigningRequest, "status">).status?.conditions ?? [];
    const has = (list: typeof conditions, type: string) => list.some((condition) => condition.type === type);
    for (const type of ["Approved", "Denied"]) {
      if (has(before, type) && !has(conditions, type)) {
        refuse(operation, object, "status.conditions", `updates may not remove a condition of type "${type}"`);
      }
    }
    if (has(conditions, "Approved") && has(conditions, "Denied")) {
      refuse(operation, object, "status.conditions", "Approved and Denied conditions are mutually exclusive");
    }
    const now = nowText(operation.state);
    for (const condition of conditions) {
      condition.lastUpdateTime ||= now;
      condition.lastTransitionTime ||= now;
    }
    request.status = { ...request.status, conditions };
  },
};

/** The object to store when `sent` comes in through `subresource`. The main resource and status are merged elsewhere. */
export function changeThrough(
  operation: Operation,
  subresource: string,
  sent: StoredObject,
  old: StoredObject,
): StoredObject {
  const change = CHANGES[subresource];
  if (!change) return sent;
  const object = deepCopy(old);
  const { name, namespace, uid, resourceVersion } = sent.metadata;
  // What identifies the request's object is checked as for any update.
  object.metadata = { ...object.metadata, name: name ?? old.metadata.name };
  object.metadata.namespace = namespace ?? old.metadata.namespace;
  object.metadata.uid = uid ?? old.metadata.uid;
  object.metadata.resourceVersion = resourceVersion ?? old.metadata.resourceVersion;
  if (object.metadata.namespace === undefined) delete object.metadata.namespace;
  change(object, sent, operation);
  return object;
}

function refuse({ served }: Operation, object: StoredObject, field: string, why: string): never {
  const errors = new FieldErrors();
  errors.forbidden(field, why);
  throw invalid(served, object.metadata.name ?? "", errors.causes);
}
