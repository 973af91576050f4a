import { apiVersionOf } from "../../../api/mod.ts";
import type { StoredObject } from "../../storage/mod.ts";
import type { ServedResource } from "./served.ts";

export function inServedVersion(served: ServedResource, object: StoredObject): StoredObject {
  const converted = served.conversion ? served.conversion.fromStorage(object) : object;
  return { apiVersion: apiVersionOf(served), kind: served.kind, ...converted };
}
