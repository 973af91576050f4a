import type { Namespace, Pod } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { recordUpdate } from "../apply/mod.ts";
import { nowText, type Traits } from "../traits/mod.ts";
import { validateSpecFinalizer } from "../kinds/core/mod.ts";
import type { Operation } from "../operations/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";
import { type SigningRequest, stampConditions, validateConditions, validateDecision } from "../kinds/mod.ts";
import { takeEphemeralContainers, takeResources, validateEphemeralContainers, validateResize } from "./pod_changes.ts";

/** What a subresource that is a part of an object changes. */
interface Change {
  /** Copies what may change from `sent` into a copy of the stored object. */
  take(object: StoredObject, sent: StoredObject, operation: Operation): void;
  /** The kind's rules for this subresource; rules for all objects have been checked. */
  validate(object: StoredObject, old: StoredObject, traits: Traits, errors: FieldErrors): void;
}

function takeMetadata(object: StoredObject, { metadata }: StoredObject): void {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  object.metadata = { ...object.metadata, labels, annotations, finalizers, ownerReferences };
}

/** Adopts the sent conditions, with missing times set. Upstream: `registry/certificates/certificates/strategy.go`. */
function takeConditions(request: SigningRequest, sent: SigningRequest, now: string): void {
  stampConditions(sent, request, now);
  const { conditions: _conditions, ...rest } = request.status ?? {};
  const conditions = sent.status?.conditions ?? [];
  request.status = conditions.length > 0 ? { ...rest, conditions } : rest;
}

const CHANGES: Readonly<Record<string, Change>> = {
  /** Metadata and `spec.finalizers`: the last step of deleting a namespace. */
  finalize: {
    take(object, sent) {
      takeMetadata(object, sent);
      const left = (sent as Namespace).spec?.finalizers;
      object.spec = left ? { finalizers: left } : {};
    },
    validate(object, _old, _traits, errors) {
      for (const [i, finalizer] of ((object as Namespace).spec?.finalizers ?? []).entries()) {
        validateSpecFinalizer(finalizer, `spec.finalizers[${i}]`, errors);
      }
    },
  },
  ephemeralcontainers: {
    take: (object, sent) => takeEphemeralContainers(object as Pod, sent as Pod),
    validate(object, old, traits, errors) {
      traits.validate?.(object, errors, old);
      validateEphemeralContainers(object as Pod, old as Pod, errors);
    },
  },
  resize: {
    take: (object, sent) => takeResources(object as Pod, sent as Pod),
    validate(object, old, traits, errors) {
      traits.validate?.(object, errors, old);
      validateResize(object as Pod, old as Pod, errors);
    },
  },
  /** Metadata and conditions; a decision cannot be changed. */
  approval: {
    take(object, sent, { state }) {
      takeMetadata(object, sent);
      takeConditions(object as SigningRequest, sent as SigningRequest, nowText(state));
    },
    validate(object, old, traits, errors) {
      traits.validate?.(object, errors, old);
      validateConditions(object as SigningRequest, errors, old as SigningRequest);
      validateDecision(object as SigningRequest, old as SigningRequest, errors);
    },
  },
};

/**
 * The object to store when `sent` is written through `subresource`. The main resource and status are handled elsewhere.
 *
 * @param keepsManagers Whether `sent` has its field owners already.
 */
export function changeThrough(
  operation: Operation,
  subresource: string,
  sent: StoredObject,
  old: StoredObject,
  { keepsManagers = false }: { readonly keepsManagers?: boolean } = {},
): StoredObject {
  const change = CHANGES[subresource];
  if (!change) return sent;
  // The writer owns all it sent, although only a part of it is stored.
  if (!keepsManagers) recordUpdate(operation, sent, old, subresource);
  const object = deepCopy(old);
  const { name, namespace, uid, resourceVersion, managedFields } = sent.metadata;
  // The sent object's identity is checked as for any update.
  Object.assign(object.metadata, {
    name: name ?? old.metadata.name,
    namespace: namespace ?? old.metadata.namespace,
    uid: uid ?? old.metadata.uid,
    resourceVersion: resourceVersion ?? old.metadata.resourceVersion,
    managedFields,
  });
  change.take(object, sent, operation);
  const metadata = Object.entries(object.metadata).filter(([, value]) => value !== undefined);
  object.metadata = Object.fromEntries(metadata);
  return object;
}

/** Validates an object changed through a subresource. */
export function validateChange(
  subresource: string,
  object: StoredObject,
  old: StoredObject,
  { traits, errors }: { readonly traits: Traits; readonly errors: FieldErrors },
): void {
  CHANGES[subresource]?.validate(object, old, traits, errors);
}
