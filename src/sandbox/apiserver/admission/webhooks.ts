import type { ObjectMeta } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import { badRequest } from "../base/mod.ts";
import type { Admission, AskedWebhooks, Attributes } from "../operations/mod.ts";

/** Lets mutating webhooks change the object. Upstream: `admission/plugin/webhook/mutating`. */
export function callMutatingWebhooks(admission: Admission): void {
  const { operation: { webhooks }, moment, object } = admission;
  if (!webhooks) return;
  const { metadata } = object;
  // They see a new object as it was sent, before it has its uid and creation time.
  const identity: Partial<ObjectMeta> = moment === "create"
    ? { uid: metadata.uid, creationTimestamp: metadata.creationTimestamp }
    : {};
  for (const field of Object.keys(identity) as (keyof ObjectMeta)[]) delete metadata[field];
  const { namespace } = metadata;
  webhooks.mutate(attributesOf(admission, webhooks));
  Object.assign(object.metadata, identity);
  if (object.metadata.namespace !== namespace) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
}

/** Lets validating webhooks refuse the write. Upstream: `admission/plugin/webhook/validating`. */
export function callValidatingWebhooks(admission: Admission): void {
  const { operation: { webhooks }, object, old, moment } = admission;
  if (!webhooks) return;
  // By now it is known which version is replaced, even if the request did not say.
  if (moment.startsWith("update")) object.metadata.resourceVersion ||= old?.metadata.resourceVersion;
  webhooks.validate(attributesOf(admission, webhooks));
}

function attributesOf({ operation, moment, object, old }: Admission, { view }: AskedWebhooks): Attributes {
  const [verb, subresource = ""] = moment.split("/");
  const isDeletion = verb === "delete";
  return {
    verb: verb === "create" ? "CREATE" : isDeletion ? "DELETE" : "UPDATE",
    operation,
    subresource,
    name: object.metadata.name ?? "",
    ...isDeletion ? {} : { object: object as StoredObject },
    old: old as StoredObject | undefined,
    view,
  };
}
