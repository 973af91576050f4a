/** What a user does with Services and pods, and what Endpoints must come of it, on any server and under either manager. */
import { deepEqual } from "../../src/base/mod.ts";
import { ENDPOINTS, type Endpoints, PODS, SERVICES } from "../../src/api/mod.ts";
import { repackSubsets } from "../../src/controllers/endpoint_subsets/mod.ts";
import {
  createServedPod,
  createService,
  letGo,
  removeServedPod,
  sayOfPod,
  sidecar,
  untilEndpoints,
  untilMadeAnew,
  untilThereAreEndpoints,
} from "./endpoints_kit.ts";
import type { Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";
const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

/** That subsets, ports and addresses are in the order that upstream writes them in, which goes by hashes of random uids. */
function assertCanonical({ subsets = [] }: Endpoints): void {
  const work = repackSubsets(subsets);
  let step = work.next();
  while (!step.done) step = work.next();
  if (!deepEqual(step.value, subsets)) {
    throw new Error(`Not in canonical order: ${JSON.stringify(subsets)}, but ${JSON.stringify(step.value)}`);
  }
}

const triggered = (time: string | undefined) => ({ metadata }: Endpoints) =>
  metadata?.annotations?.[TRIGGER_TIME] === time;

/** Endpoints that a user has made. */
function own(name: string, ip: string): Endpoints {
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name, labels: { own: "yes" } },
    subsets: [{ addresses: [{ ip }], ports: [{ port: 8080 }] }],
  };
}

/** A pod of a Service that is written after all else that was done: what concerns another one has not been written then either. */
async function provePassed(kit: Kit): Promise<void> {
  await createService(kit, { selector: { app: "probe" } }, { name: "probe" });
  await createServedPod(kit, "probe", { labels: { app: "probe" }, ips: ["10.9.9.9"] });
  await untilEndpoints(kit, ["10.9.9.9 :80/TCP:http"], { name: "probe" });
}

const MEMBERSHIP: readonly Scenario[] = [
  {
    name: "endpoints-of-pods-in-all-states",
    run: async (kit) => {
      await createServedPod(kit, "ready", { ips: ["10.1.0.1"] });
      await createServedPod(kit, "dual", { ips: ["10.1.0.2", "fd00::2"] });
      await createServedPod(kit, "six", { ips: ["fd00::3"] });
      await createServedPod(kit, "waiting", { ips: ["10.1.0.4"], ready: false });
      await createServedPod(kit, "pending", { ips: ["10.1.0.5"], phase: "Pending" });
      await createServedPod(kit, "failed", { ips: ["10.1.0.6"], phase: "Failed" });
      await createServedPod(kit, "succeeded", { ips: ["10.1.0.7"], phase: "Succeeded" });
      await createServedPod(kit, "nowhere");
      await createServedPod(kit, "other", { ips: ["10.1.0.8"], labels: { app: "b" } });
      await createService(kit);
      assertCanonical(await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 10.1.0.5 !10.1.0.4 :80/TCP:http"]));
    },
  },
  {
    name: "endpoints-follow-pods",
    run: async (kit) => {
      await createService(kit);
      await untilThereAreEndpoints(kit);
      await createServedPod(kit, "x", { ips: ["10.1.0.1"], since: 1 });
      await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"], { also: triggered("2024-01-01T00:00:01Z") });
      await createServedPod(kit, "y", { ips: ["10.1.0.2"], ready: false, since: 2 });
      await untilEndpoints(kit, ["10.1.0.1 !10.1.0.2 :80/TCP:http"], { also: triggered("2024-01-01T00:00:02Z") });
      await sayOfPod(kit, "y", { ready: true, since: 3 });
      await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 :80/TCP:http"], { also: triggered("2024-01-01T00:00:03Z") });
      await sayOfPod(kit, "x", { ips: ["10.1.0.9"], since: 1 });
      await untilEndpoints(kit, ["10.1.0.2 10.1.0.9 :80/TCP:http"], { also: triggered(undefined) });
      await kit.merge(PODS, "x", { metadata: { labels: { app: "b" } } });
      await untilEndpoints(kit, ["10.1.0.2 :80/TCP:http"]);
      await removeServedPod(kit, "y");
      await untilEndpoints(kit, []);
    },
  },
  {
    name: "endpoints-of-pods-that-end",
    run: async (kit) => {
      for (const [i, name] of ["x", "y"].entries()) {
        await createServedPod(kit, name, {
          ips: [`10.1.0.${i + 1}`],
          ready: i === 0,
          finalizers: ["example.com/stay"],
        });
      }
      await createService(kit);
      await createService(kit, { publishNotReadyAddresses: true }, { name: "all" });
      await untilEndpoints(kit, ["10.1.0.1 !10.1.0.2 :80/TCP:http"]);
      await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 :80/TCP:http"], { name: "all" });
      for (const name of ["x", "y"]) await kit.delete(PODS, name);
      await untilEndpoints(kit, []);
      await provePassed(kit);
      await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 :80/TCP:http"], { name: "all" });
      await sayOfPod(kit, "x", { phase: "Succeeded", ready: false, since: 9 });
      await untilEndpoints(kit, ["10.1.0.2 :80/TCP:http"], { name: "all" });
      for (const name of ["x", "y"]) await letGo(kit, name);
      await untilEndpoints(kit, [], { name: "all" });
    },
  },
  {
    name: "endpoints-with-hostnames",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"], spec: { hostname: "first", subdomain: "s" } });
      await createServedPod(kit, "y", { ips: ["10.1.0.2"], spec: { hostname: "second", subdomain: "t" } });
      await createServedPod(kit, "z", { ips: ["10.1.0.3"], spec: { subdomain: "s" } });
      await createService(kit, { clusterIP: "None" });
      await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 10.1.0.3 :80/TCP:http"]);
    },
  },
];

const PORTS: readonly Scenario[] = [
  {
    name: "endpoints-of-named-ports",
    run: async (kit) => {
      const web = (containerPort: number) => [{ name: "web", containerPort }];
      await createServedPod(kit, "x", { ips: ["10.1.0.1"], ports: web(8080) });
      await createServedPod(kit, "y", { ips: ["10.1.0.2"], ports: web(8081) });
      await createServedPod(kit, "z", { ips: ["10.1.0.3"], ports: web(8080), ready: false });
      await createServedPod(kit, "v", { ips: ["10.1.0.4"], spec: sidecar(web(8082)) });
      await createServedPod(kit, "w", {
        ips: ["10.1.0.5"],
        ports: [{ name: "web", containerPort: 1, protocol: "UDP" }],
      });
      await createService(kit, {
        ports: [
          { name: "named", port: 80, targetPort: "web" },
          { name: "numbered", port: 81, targetPort: 8080 },
          { name: "absent", port: 82, targetPort: "none" },
        ],
      });
      assertCanonical(
        await untilEndpoints(kit, [
          "10.1.0.1 !10.1.0.3 :8080/TCP:named",
          "10.1.0.2 :8081/TCP:named",
          "10.1.0.4 :8082/TCP:named",
          "10.1.0.1 10.1.0.2 10.1.0.4 10.1.0.5 !10.1.0.3 :8080/TCP:numbered",
        ]),
      );
    },
  },
  {
    name: "endpoints-of-many-ports",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      const protocols = ["TCP", "UDP", "SCTP"];
      const ports = protocols.flatMap((protocol, i) => [
        { name: `a${i}`, port: 80 + i, targetPort: 8080, protocol },
        { name: `b${i}`, port: 90 + i, targetPort: 8080, protocol, appProtocol: "kubernetes.io/h2c" },
        { name: `c${i}`, port: 70 + i, protocol },
      ]);
      await createService(kit, { ports });
      const { subsets, ...rest } = await kit.until(
        ENDPOINTS,
        "s",
        "have all ports",
        ({ subsets }) => subsets?.length === 1 && subsets[0].ports?.length === ports.length,
      );
      assertCanonical({ ...rest, subsets });
    },
  },
  {
    name: "endpoints-without-ports",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      await createServedPod(kit, "y", { ips: ["10.1.0.2"], ready: false });
      await createService(kit, { clusterIP: "None", ports: undefined });
      assertCanonical(await untilEndpoints(kit, ["10.1.0.1 !10.1.0.2"]));
      await kit.merge(SERVICES, "s", { spec: { ports: [{ port: 80, targetPort: 8080 }] } });
      await untilEndpoints(kit, ["10.1.0.1 !10.1.0.2 :8080/TCP:"]);
    },
  },
];

const LIFE: readonly Scenario[] = [
  {
    name: "endpoints-come-and-go-with-services",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      await createService(kit, {}, { name: "t" });
      await createService(kit);
      const first = await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"]);
      await kit.delete(SERVICES, "t");
      await kit.untilGone(ENDPOINTS, "t");
      await kit.delete(ENDPOINTS, "s");
      await untilMadeAnew(kit, first);
      await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"]);
    },
  },
  {
    name: "endpoints-have-the-labels-of-services",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      await createService(kit, { clusterIP: "None" }, { labels: { a: "1", b: "2" } });
      await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"]);
      await kit.merge(ENDPOINTS, "s", {
        metadata: { annotations: { mine: "yes", [OVER_CAPACITY]: "warning" }, labels: { strange: "yes" } },
      });
      await kit.merge(SERVICES, "s", { metadata: { labels: { a: null, c: "3" } } });
      const isRight = ({ metadata }: Endpoints) =>
        metadata?.labels?.c === "3" && !metadata.labels.a && !metadata.labels.strange &&
        !metadata.annotations?.[OVER_CAPACITY];
      await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"], { also: isRight });
    },
  },
  {
    name: "endpoints-of-users-are-left-alone",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      for (const name of ["s", "t", "lonely"]) await kit.create(ENDPOINTS, own(name, "10.2.0.1"));
      await createService(kit, { selector: undefined });
      await createService(kit, { type: "ExternalName", externalName: "example.com", ports: undefined }, { name: "t" });
      await provePassed(kit);
      for (const name of ["s", "t", "lonely"]) await untilEndpoints(kit, ["10.2.0.1 :8080/TCP:"], { name });
    },
  },
  {
    name: "endpoints-of-users-are-taken-over",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      await kit.create(ENDPOINTS, own("s", "10.2.0.1"));
      await createService(kit);
      await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"], { also: ({ metadata }) => !metadata?.labels?.own });
      await kit.merge(ENDPOINTS, "s", { subsets: own("s", "10.2.0.2").subsets });
      await createServedPod(kit, "y", { ips: ["10.1.0.2"] });
      await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 :80/TCP:http"]);
    },
  },
  {
    name: "endpoints-stay-when-selectors-go",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"] });
      for (const name of ["s", "t"]) {
        await createService(kit, {}, { name });
        await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"], { name });
      }
      await kit.merge(SERVICES, "s", { spec: { selector: null } });
      await kit.merge(SERVICES, "t", {
        spec: { type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null },
      });
      await createServedPod(kit, "y", { ips: ["10.1.0.2"] });
      await provePassed(kit);
      for (const name of ["s", "t"]) await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"], { name });
    },
  },
  {
    name: "endpoints-of-another-selector",
    run: async (kit) => {
      await createServedPod(kit, "x", { ips: ["10.1.0.1"], labels: { app: "a", tier: "web" } });
      await createServedPod(kit, "y", { ips: ["10.1.0.2"], labels: { app: "b" } });
      await createService(kit, { selector: { app: "a", tier: "web" } });
      await untilEndpoints(kit, ["10.1.0.1 :80/TCP:http"]);
      await kit.merge(SERVICES, "s", { spec: { selector: { app: "b", tier: null } } });
      await untilEndpoints(kit, ["10.1.0.2 :80/TCP:http"]);
      await kit.merge(PODS, "x", { metadata: { labels: { app: "b" } } });
      await untilEndpoints(kit, ["10.1.0.1 10.1.0.2 :80/TCP:http"]);
    },
  },
];

export const ENDPOINTS_SCENARIOS: readonly Scenario[] = [...MEMBERSHIP, ...PORTS, ...LIFE];
