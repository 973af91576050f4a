import { apiVersionOf } from "../../../api/mod.ts";
import { deepCopy } from "../../../base/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { Attributes, Operation, View } from "../operations/mod.ts";
import { normalise } from "../schema/mod.ts";
import type { Target } from "../decoding/mod.ts";
import { withWebhooks } from "./asking.ts";

/** Something that is posted but not stored: a binding, an eviction, a token request, a review. */
export interface Posted {
  /** Empty if it belongs to no object. */
  readonly subresource: string;
  readonly name: string;
  /** Decoded into the type of {@link target}. */
  readonly body: object;
  readonly target: Target;
}

/**
 * Calls webhooks for something that is posted.
 *
 * @returns The body after mutating webhooks.
 * @throws {ApiError} If a webhook refuses.
 */
export function askAboutPosted<T extends object>(
  operation: Operation,
  { subresource, name, body, target }: Posted & { readonly body: T },
): Promise<T> {
  const { group, version, kind, struct } = target;
  const view: View = {
    kindIn: () => ({ group, version, kind }),
    show: (_served, object) => ({ ...object, apiVersion: apiVersionOf(target), kind }),
    take(_served, object, patched) {
      for (const field of Object.keys(object)) delete object[field];
      Object.assign(object, struct ? normalise(patched, struct) : patched);
      object.metadata ??= {};
    },
  };
  return withWebhooks(operation, (operation) => {
    if (!operation.webhooks) return body;
    const object: StoredObject = { metadata: {}, ...deepCopy(body) };
    if (subresource !== "") object.metadata.namespace ||= operation.namespace;
    const attributes: Attributes = { verb: "CREATE", operation, subresource, name, object, view };
    operation.webhooks.mutate(attributes);
    operation.webhooks.validate(attributes);
    return object as StoredObject & T;
  }, view);
}
