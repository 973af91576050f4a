import type { Resource } from "../../../api/mod.ts";
import type { ServedSubresource } from "./served.ts";

const READ_WRITE = ["get", "patch", "update"];
const PROXY = ["create", "delete", "get", "patch", "update"];

/** The verbs of subresources, and the kind of their body if it is not the resource's. */
const SUBRESOURCES: Readonly<Record<string, Partial<ServedSubresource> & { readonly verbs: readonly string[] }>> = {
  approval: { verbs: READ_WRITE },
  attach: { kind: "PodAttachOptions", verbs: ["create", "get"] },
  binding: { kind: "Binding", verbs: ["create"] },
  ephemeralcontainers: { verbs: READ_WRITE },
  eviction: { group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
  exec: { kind: "PodExecOptions", verbs: ["create", "get"] },
  finalize: { verbs: ["update"] },
  log: { verbs: ["get"] },
  portforward: { kind: "PodPortForwardOptions", verbs: ["create", "get"] },
  resize: { verbs: READ_WRITE },
  scale: { group: "autoscaling", version: "v1", kind: "Scale", verbs: READ_WRITE },
  status: { verbs: READ_WRITE },
  token: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", verbs: ["create"] },
};

export function subresourceOf(resource: Resource, name: string): ServedSubresource {
  const { group, version, kind } = resource;
  if (name === "proxy") return { name, group, version, kind: `${kind}ProxyOptions`, verbs: PROXY };
  return { name, group, version, kind, ...SUBRESOURCES[name] ?? { verbs: ["get"] } };
}
