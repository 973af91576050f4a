import type { KubeObject, Namespace } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { recordUpdate } from "../apply/mod.ts";
import { nowText, type Stored, type Traits } from "../traits/mod.ts";
import { validateSpecFinalizer } from "../kinds/core/mod.ts";
import type { Operation } from "../operations/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";
import { type SigningRequest, stampConditions, validateConditions, validateDecision } from "../kinds/mod.ts";
import { takeEphemeralContainers, takeResources, validateEphemeralContainers, validateResize } from "./pod_changes.ts";

/** What a subresource that is a part of an object changes. Methods, so that each can have its own kind. */
interface Change {
  /** Copies what may change from `sent` into a copy of the stored object. */
  take(object: StoredObject, sent: StoredObject, operation: Operation): void;
  /** The rules for this subresource; those for all objects have been checked. */
  validate(object: StoredObject, old: StoredObject, errors: FieldErrors): void;
  /** Whether the rules of the kind do not apply. */
  readonly skipsKind?: boolean;
}

function takeMetadata(object: Stored<KubeObject>, { metadata }: Stored<KubeObject>): void {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  object.metadata = { ...object.metadata, labels, annotations, finalizers, ownerReferences };
}

const CHANGES: Readonly<Record<string, Change>> = {
  /** Metadata and `spec.finalizers`: the last step of deleting a namespace. */
  finalize: {
    take(object: Stored<Namespace>, sent: Stored<Namespace>) {
      takeMetadata(object, sent);
      const finalizers = sent.spec?.finalizers;
      object.spec = finalizers ? { finalizers } : {};
    },
    validate({ spec }: Namespace, _old, errors) {
      for (const [i, finalizer] of (spec?.finalizers ?? []).entries()) {
        validateSpecFinalizer(finalizer, `spec.finalizers[${i}]`, errors);
      }
    },
    skipsKind: true,
  },
  ephemeralcontainers: { take: takeEphemeralContainers, validate: validateEphemeralContainers },
  resize: { take: takeResources, validate: validateResize },
  /** Metadata and conditions; a decision cannot be changed. Upstream: `registry/certificates/certificates/strategy.go`. */
  approval: {
    take(object: StoredObject & SigningRequest, sent: StoredObject & SigningRequest, { state }) {
      takeMetadata(object, sent);
      stampConditions(sent, object, nowText(state));
      const { conditions: _conditions, ...rest } = object.status ?? {};
      const conditions = sent.status?.conditions ?? [];
      object.status = conditions.length > 0 ? { ...rest, conditions } : rest;
    },
    validate(request: StoredObject & SigningRequest, old: StoredObject & SigningRequest, errors) {
      validateConditions(request, errors, old);
      validateDecision(request, old, errors);
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
  const change = CHANGES[subresource];
  if (change && !change.skipsKind) traits.validate?.(object, errors, old);
  change?.validate(object, old, errors);
}
