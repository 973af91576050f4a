import type { DifferentialCase } from "../probe.ts";

const PODS = "/api/v1/namespaces/{ns}/pods";
const POD = { metadata: { name: "web" }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };

export const CASES: readonly DifferentialCase[] = [
  {
    name: "a pod is created, read, listed and deleted",
    probes: [
      { method: "POST", path: PODS, body: POD, save: "pod" },
      { method: "GET", path: `${PODS}/web` },
      { method: "GET", path: `${PODS}?fieldSelector=metadata.name=web` },
      { method: "POST", path: PODS, body: POD },
      { method: "GET", path: `${PODS}?watch=true&timeoutSeconds=1`, lines: 1 },
      { method: "DELETE", path: `${PODS}/web`, body: { kind: "DeleteOptions", preconditions: { uid: "other" } } },
      { method: "DELETE", path: `${PODS}/web`, body: { preconditions: { uid: "{pod.metadata.uid}" } } },
      { method: "GET", path: `${PODS}/web` },
    ],
  },
];
