/** Services with a selector and their EndpointSlices: which pods are endpoints, and what is said of them. */
import { CONFIGMAPS, ENDPOINTSLICES, PODS, SERVICES } from "../../src/api/mod.ts";
import type { Scenario } from "./scenario.ts";
import {
  addPod,
  addPods,
  addService,
  ensureNodes,
  removePod,
  setPod,
  tellSlices,
  untilEndpoints,
  untilSlices,
} from "./slice_kit.ts";

const IP = "10.9.0.1";
const HOLD = { name: "hold", image: "nginx:1" };

export const SLICE_SCENARIOS: readonly Scenario[] = [
  {
    name: "slices-placeholder",
    async run(kit) {
      await addService(kit, { metadata: { labels: { tier: "front" } } });
      await untilEndpoints(kit, 0);
      await tellSlices(kit, { times: true, writes: true });
      await ensureNodes(kit);
      await addPod(kit, "one", { ip: IP });
      await untilEndpoints(kit, 1);
      await tellSlices(kit);
      await removePod(kit, "one");
      await untilEndpoints(kit, 0);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-readiness",
    async run(kit) {
      await ensureNodes(kit);
      await addPod(kit, "one", { ip: IP, ready: false });
      await addPod(kit, "two", { ip: "10.9.0.2" });
      await addService(kit);
      await untilEndpoints(kit, 2, 1);
      await tellSlices(kit);
      await setPod(kit, "one", { ip: IP });
      await untilEndpoints(kit, 2);
      await setPod(kit, "two", { ip: "10.9.0.2", ready: false });
      await untilEndpoints(kit, 2, 1);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-not-ready-published",
    async run(kit) {
      await ensureNodes(kit);
      await addPod(kit, "one", { ip: IP, ready: false });
      await addService(kit, { publishNotReadyAddresses: true });
      await untilEndpoints(kit, 1);
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { spec: { publishNotReadyAddresses: false } });
      await untilEndpoints(kit, 1, 0);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-terminating",
    async run(kit) {
      await ensureNodes(kit);
      for (const [name, ready] of [["one", true], ["two", false]] as const) {
        await addPod(kit, name, { ip: name === "one" ? IP : "10.9.0.2", ready });
      }
      await addService(kit);
      await addService(kit, { name: "all", publishNotReadyAddresses: true });
      await untilEndpoints(kit, 2, 1);
      for (const name of ["one", "two"]) await kit.delete(PODS, name);
      await untilSlices(
        kit,
        "both are terminating",
        ([slice]) =>
          slice.endpoints?.length === 2 && slice.endpoints.every(({ conditions }) => conditions?.terminating),
      );
      await untilSlices(
        kit,
        "both are terminating",
        ([slice]) =>
          slice.endpoints?.length === 2 && slice.endpoints.every(({ conditions }) => conditions?.terminating),
        "all",
      );
      await tellSlices(kit);
    },
  },
  {
    name: "slices-finished-pods",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 3);
      await addService(kit, { publishNotReadyAddresses: true });
      await untilEndpoints(kit, 3);
      for (const [name, phase] of [["p0", "Succeeded"], ["p1", "Failed"]]) {
        await kit.merge(PODS, name, { status: { phase, conditions: [{ type: "Ready", status: "False" }] } }, "status");
      }
      await untilEndpoints(kit, 1);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-address-comes-late",
    async run(kit) {
      await ensureNodes(kit);
      await addPod(kit, "one");
      await addService(kit);
      await untilEndpoints(kit, 0);
      await setPod(kit, "one", { ip: IP });
      await untilEndpoints(kit, 1);
      await setPod(kit, "one", { ip: "10.9.0.7" });
      await untilSlices(kit, "the new address", ([slice]) => slice.endpoints?.[0]?.addresses[0] === "10.9.0.7");
      await tellSlices(kit);
    },
  },
  {
    name: "slices-headless",
    async run(kit) {
      await ensureNodes(kit);
      const spec = { hostname: "first", subdomain: "web" };
      await addPod(kit, "one", { ip: IP, spec });
      await addPod(kit, "two", { ip: "10.9.0.2", spec: { hostname: "second", subdomain: "other" } });
      await addService(kit, { clusterIP: "None" });
      await addService(kit, { name: "bare", clusterIP: "None", ports: undefined });
      await untilEndpoints(kit, 2);
      await untilEndpoints(kit, 2, 2, "bare");
      await tellSlices(kit, { writes: true });
    },
  },
  {
    name: "slices-of-nobody",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      await addService(kit, { name: "plain", selector: undefined });
      await addService(kit, { name: "outside", type: "ExternalName", externalName: "example.com" });
      await addService(kit);
      await untilEndpoints(kit, 2);
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", {
        spec: { type: "ExternalName", externalName: "example.com", clusterIP: null },
      });
      await addService(kit, { name: "later" });
      await untilEndpoints(kit, 2, 2, "later");
      await tellSlices(kit);
    },
  },
  {
    name: "slices-selector-goes",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      await addService(kit);
      await untilEndpoints(kit, 2);
      await kit.merge(SERVICES, "web", { spec: { selector: null } });
      await removePod(kit, "p0");
      await addService(kit, { name: "later" });
      await untilEndpoints(kit, 1, 1, "later");
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { spec: { selector: { app: "web" } } });
      await untilEndpoints(kit, 1);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-selector-and-labels-change",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      await addPods(kit, 3, { from: 2, labels: { app: "db" } });
      await addService(kit);
      await untilEndpoints(kit, 2);
      await kit.merge(SERVICES, "web", { spec: { selector: { app: "db" } } });
      await untilEndpoints(kit, 3);
      await kit.merge(PODS, "p2", { metadata: { labels: { app: "other" } } });
      await untilEndpoints(kit, 2);
      await kit.merge(PODS, "p0", { metadata: { labels: { app: "db" } } });
      await untilEndpoints(kit, 3);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-named-ports",
    async run(kit) {
      await ensureNodes(kit);
      const ports = (containerPort: number) => ({
        containers: [{
          ...HOLD,
          ports: [{ name: "http", containerPort }, { name: "dns", containerPort: 53, protocol: "UDP" }],
        }],
      });
      await addPod(kit, "one", { ip: IP, spec: ports(8080) });
      await addPod(kit, "two", { ip: "10.9.0.2", spec: ports(9090) });
      await addPod(kit, "three", { ip: "10.9.0.3" });
      const sidecar = {
        ...HOLD,
        name: "side",
        restartPolicy: "Always",
        ports: [{ name: "http", containerPort: 7070 }],
      };
      await addPod(kit, "four", { ip: "10.9.0.4", spec: { initContainers: [sidecar] } });
      await addService(kit, {
        ports: [
          { name: "web", port: 80, targetPort: "http" },
          { name: "dns", port: 53, targetPort: "dns", protocol: "UDP" },
        ],
      });
      await untilEndpoints(kit, 4);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-many-ports",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      const numbers = [80, 443, 8080, 9090, 5000];
      await addService(kit, {
        ports: [
          ...numbers.map((port) => ({
            name: `p${port}`,
            port,
            appProtocol: port === 443 ? "kubernetes.io/h2c" : undefined,
          })),
          { name: "udp", port: 80, protocol: "UDP" },
          { name: "sctp", port: 80, protocol: "SCTP" },
        ],
      });
      await untilEndpoints(kit, 2);
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { spec: { ports: [{ name: "only", port: 80, targetPort: 81 }] } });
      await untilSlices(kit, "one port", ([slice]) => slice.ports?.length === 1 && slice.endpoints?.length === 2);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-labels",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      const headless = "service.kubernetes.io/headless";
      await addService(kit, { metadata: { labels: { tier: "front", [headless]: "x" } } });
      await untilEndpoints(kit, 2);
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { metadata: { labels: { tier: "back", more: "yes" } } });
      await untilSlices(kit, "new labels", ([slice]) => slice.metadata?.labels?.more === "yes");
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { metadata: { labels: { [headless]: "y" } } });
      await kit.merge(SERVICES, "web", { metadata: { labels: { more: null } } });
      await untilSlices(kit, "one label less", ([slice]) => slice.metadata?.labels?.more === undefined);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-node-missing",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 1);
      await addPod(kit, "lost", { ip: IP, node: "slice-nowhere" });
      await addService(kit);
      await untilEndpoints(kit, 1);
      await kit.untilEvent("FailedToUpdateEndpointSlices");
      await addService(kit, { name: "all", publishNotReadyAddresses: true });
      await untilEndpoints(kit, 2, 2, "all");
      await tellSlices(kit);
    },
  },
  {
    name: "slices-same-address",
    async run(kit) {
      await ensureNodes(kit);
      for (const name of ["one", "two"]) await addPod(kit, name, { ip: IP });
      await addService(kit);
      await addService(kit, { name: "other" });
      await untilEndpoints(kit, 2);
      await untilEndpoints(kit, 2, 2, "other");
      await tellSlices(kit);
    },
  },
  {
    name: "slices-long-name",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 1);
      const name = `a${"b".repeat(62)}`;
      await addService(kit, { name });
      await untilEndpoints(kit, 1, 1, name);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-service-goes",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      await addService(kit);
      await untilEndpoints(kit, 2);
      await kit.delete(SERVICES, "web", "Background");
      await kit.untilAll(ENDPOINTSLICES, "none", (slices) => slices.length === 0);
      await addService(kit, { ports: [{ port: 81 }] });
      await untilEndpoints(kit, 2);
      await tellSlices(kit);
    },
  },
  {
    name: "slices-service-made-anew",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      const { metadata: { uid } = {} } = await addService(kit);
      await untilEndpoints(kit, 2);
      await kit.delete(SERVICES, "web", "Background");
      await addService(kit);
      await untilSlices(
        kit,
        "one of the new Service",
        (slices) =>
          slices.length === 1 && slices[0].endpoints?.length === 2 &&
          slices[0].metadata?.ownerReferences?.every((owner) => owner.uid !== uid),
      );
      await tellSlices(kit);
    },
    eventsDiffer: "the garbage collector may be first to delete the old slice",
  },
  {
    name: "slices-service-ending",
    async run(kit) {
      await ensureNodes(kit);
      await addPods(kit, 2);
      await addService(kit, { metadata: { finalizers: ["example.com/hold"] } });
      await untilEndpoints(kit, 2);
      await kit.delete(SERVICES, "web", "Background");
      await removePod(kit, "p0");
      await untilEndpoints(kit, 1);
      await removePod(kit, "p1");
      await untilEndpoints(kit, 0);
      await tellSlices(kit);
      await kit.merge(SERVICES, "web", { metadata: { finalizers: null } });
      await kit.untilGone(SERVICES, "web");
      await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "done" } });
      await kit.untilAll(ENDPOINTSLICES, "none", (slices) => slices.length === 0);
    },
  },
];
