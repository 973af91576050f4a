import type { EventRecorder } from "../../events/mod.ts";
import type { NodeView } from "./graph.ts";
import { identityOfOwner, identityText } from "./identity.ts";

/** Tells users, by an event on `dependent`, that its owner cannot be where the reference implies. */
export function reportInvalidNamespace(recorder: EventRecorder, dependent: NodeView, ownerUid: string): void {
  const reference = dependent.referencesTo(ownerUid)[0];
  if (!reference) return;
  const { namespace } = dependent.identity;
  const owner = identityText(identityOfOwner(reference, namespace));
  recorder.event(
    { ...dependent.identity },
    "Warning",
    "OwnerRefInvalidNamespace",
    `ownerRef ${owner} does not exist in namespace ${JSON.stringify(namespace)}`,
  );
}
