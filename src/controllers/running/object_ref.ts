import type { KubeObject } from "../../api/mod.ts";
import type { ObjectRef } from "../../client/mod.ts";

/** Where an object is, as requests name it. */
export function refOf({ metadata }: KubeObject): ObjectRef {
  return { namespace: metadata?.namespace, name: metadata?.name ?? "" };
}
