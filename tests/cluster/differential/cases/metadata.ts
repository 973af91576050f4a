/** What the server makes of metadata, whatever the kind. */
import { CONFIG_MAPS, configMap, get, put } from "../bodies.ts";
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, post, remove } from "../requests.ts";

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases";
const owner = (name: string, uid: string) => ({ apiVersion: "v1", kind: "Pod", name, uid });
const TWICE = [owner("a", "1"), owner("a", "1"), owner("b", "2")];
const created = (metadata: Fields): Probe => post(CONFIG_MAPS, { metadata });
const lease = (name: string, metadata: Fields = {}, spec: Fields = {}): Probe =>
  put(`${LEASES}/${name}`, { metadata: { name, ...metadata }, spec });

export const CASES: readonly DifferentialCase[] = [
  {
    name: "owners that come twice",
    probes: [
      created({ name: "a", ownerReferences: TWICE }),
      {
        method: "PATCH",
        path: `${CONFIG_MAPS}/a`,
        body: [{ op: "add", path: "/metadata/ownerReferences/-", value: owner("b", "2") }],
        type: "application/json-patch+json",
      },
      put(`${CONFIG_MAPS}/a`, configMap(undefined, { ownerReferences: [...TWICE, ...TWICE] })),
    ],
  },
  {
    name: "what the server sets itself",
    probes: [
      created({
        name: "a",
        deletionTimestamp: "2020-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        generation: 7,
        selfLink: "x",
        uid: "abc",
        creationTimestamp: "2001-01-01T00:00:00Z",
        managedFields: [{
          manager: "x",
          operation: "Update",
          apiVersion: "v1",
          fieldsType: "FieldsV1",
          fieldsV1: { "f:data": {} },
        }],
      }),
      created({ name: "b", finalizers: ["a/b", "a/b", "c/d"] }),
      created({ generateName: "g-" }),
      created({ generateName: "g-", name: "named" }),
      created({}),
    ],
  },
  {
    name: "names that are taken by what is being deleted",
    probes: [
      created({ name: "a", finalizers: ["x.y/z"] }),
      remove(`${CONFIG_MAPS}/a`),
      created({ name: "a" }),
    ],
  },
  {
    name: "PUT creates where the kind allows it",
    probes: [
      lease("a"),
      lease("b", { resourceVersion: "1" }),
      lease("c", { uid: "1" }),
      lease("a", {}, { leaseDurationSeconds: 3 }),
      lease("a", {}, { leaseDurationSeconds: -3 }),
      get(`${LEASES}/a`),
    ],
  },
  {
    name: "a write that changes nothing is none",
    probes: [
      { ...created({ name: "a" }), save: "made" },
      { ...put(`${CONFIG_MAPS}/a`, configMap()), save: "again" },
      put(`${CONFIG_MAPS}/a`, configMap(undefined, { resourceVersion: "{made.metadata.resourceVersion}" })),
      put(`${CONFIG_MAPS}/a`, configMap({ x: "1" }, { resourceVersion: "{again.metadata.resourceVersion}" })),
      put(`${CONFIG_MAPS}/a`, configMap({ x: "2" }, { resourceVersion: "{made.metadata.resourceVersion}" })),
      put(`${CONFIG_MAPS}/a?dryRun=All`, configMap({ x: "3" })),
      get(`${CONFIG_MAPS}/a`),
    ],
  },
];
