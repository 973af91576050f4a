/** What becomes of Services that want a balancer, under either manager and beside nodes that stay as they are. */
import { SERVICES } from "../../src/api/mod.ts";
import {
  aboutService,
  addCloudService,
  changeAndEnsure,
  changeService,
  type CloudScenario,
  concludeServices,
  FINALIZER,
  linger,
  untilBalanced,
  untilEnsured,
  untilService,
} from "./cloud_kit.ts";
import type { ScriptedCloud } from "../controlplane/scripted_cloud.ts";
import type { Kit } from "./kit.ts";

/** A Service that has its balancer. */
async function balanced(
  kit: Kit,
  ...made: Parameters<typeof addCloudService> extends [Kit, ...infer Rest] ? Rest : []
) {
  await addCloudService(kit, ...made);
  await untilBalanced(kit);
}

/** Changes a Service in ways that its balancer must be ensured for. */
async function ensuredForEach(kit: Kit, cloud: ScriptedCloud, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) await changeAndEnsure(kit, cloud, body);
  await concludeServices(kit, cloud);
}

/** Changes a Service in ways that are none of its balancer's. */
async function ensuredForNone(kit: Kit, cloud: ScriptedCloud, bodies: readonly unknown[]): Promise<void> {
  for (const body of bodies) {
    await changeService(kit, body);
    await linger(kit, 5);
  }
  await concludeServices(kit, cloud);
}

const LIVES: readonly CloudScenario[] = [
  {
    name: "cloud-service-created",
    run: async (kit, cloud) => {
      await balanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-deleted",
    run: async (kit, cloud) => {
      await balanced(kit);
      await kit.delete(SERVICES, "s");
      await kit.untilGone(SERVICES, "s");
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-made-again",
    run: async (kit, cloud) => {
      await balanced(kit);
      await kit.delete(SERVICES, "s");
      await kit.untilGone(SERVICES, "s");
      await balanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-without-balancer",
    run: async (kit, cloud) => {
      await addCloudService(kit, { type: "ClusterIP" });
      await addCloudService(kit, { type: "NodePort" }, { name: "t" });
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-of-a-class",
    run: async (kit, cloud) => {
      await addCloudService(kit, { loadBalancerClass: "example.com/other" });
      await linger(kit);
      await changeService(kit, { spec: { sessionAffinity: "ClientIP" } });
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-becomes-of-a-class",
    run: async (kit, cloud) => {
      await balanced(kit);
      await changeService(kit, { spec: { type: "ClusterIP", allocateLoadBalancerNodePorts: null } });
      await untilService(kit, "is let go", ({ metadata }) => !metadata?.finalizers);
      await changeService(kit, { spec: { type: "LoadBalancer", loadBalancerClass: "example.com/other" } });
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-type-away-and-back",
    run: async (kit, cloud) => {
      await balanced(kit);
      await changeService(kit, { spec: { type: "NodePort", allocateLoadBalancerNodePorts: null } });
      await untilService(
        kit,
        "is let go",
        ({ metadata, status }) => !metadata?.finalizers && !status?.loadBalancer?.ingress,
      );
      await linger(kit, 5);
      await changeService(kit, { spec: { type: "LoadBalancer" } });
      await untilBalanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-becomes-a-name",
    run: async (kit, cloud) => {
      await balanced(kit);
      await changeService(kit, {
        spec: {
          type: "ExternalName",
          externalName: "example.com",
          clusterIP: null,
          clusterIPs: null,
          ipFamilies: null,
          ipFamilyPolicy: null,
          allocateLoadBalancerNodePorts: null,
          externalTrafficPolicy: null,
          internalTrafficPolicy: null,
        },
      });
      await untilService(kit, "is let go", ({ metadata }) => !metadata?.finalizers);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-comes-to-want-one",
    run: async (kit, cloud) => {
      await addCloudService(kit, { type: "ClusterIP" });
      await linger(kit, 5);
      await changeService(kit, { spec: { type: "LoadBalancer" } });
      await untilBalanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-left-with-a-finalizer",
    run: async (kit, cloud) => {
      await addCloudService(kit, { type: "ClusterIP" }, { finalizers: [FINALIZER] });
      await untilService(kit, "is let go", ({ metadata }) => !metadata?.finalizers);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-with-anothers-finalizer",
    run: async (kit, cloud) => {
      await balanced(kit, {}, { finalizers: ["example.com/other"] });
      await kit.delete(SERVICES, "s");
      await untilService(kit, "is let go", ({ metadata }) => metadata?.finalizers?.join() === "example.com/other");
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-loses-its-status",
    run: async (kit, cloud) => {
      await balanced(kit);
      await kit.merge(SERVICES, "s", { status: { loadBalancer: { ingress: null } } }, "status");
      await linger(kit);
      await changeAndEnsure(kit, cloud, { metadata: { annotations: { "example.com/a": "1" } } });
      await untilBalanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-whose-balancer-is-gone",
    run: async (kit, cloud) => {
      await balanced(kit);
      const { metadata } = await kit.get(SERVICES, "s");
      cloud.balancers.delete(metadata!.uid!);
      await kit.delete(SERVICES, "s");
      await kit.untilGone(SERVICES, "s");
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-many",
    run: async (kit, cloud) => {
      for (const name of ["a", "b", "c"]) await addCloudService(kit, {}, { name });
      for (const name of ["a", "b", "c"]) await untilBalanced(kit, name);
      await kit.delete(SERVICES, "b");
      await kit.untilGone(SERVICES, "b");
      await concludeServices(kit, cloud);
    },
  },
];

const ANSWERS: readonly CloudScenario[] = [
  {
    name: "cloud-service-answered-a-name",
    run: async (kit, cloud) => {
      const ports = [{ port: 80, protocol: "TCP", error: "example.com/Unwilling" }];
      cloud.statuses.set(aboutService(kit), {
        ingress: [{ hostname: "a.example.com", ports }, { hostname: "b.example.com" }],
      });
      await balanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-answered-a-mode",
    run: async (kit, cloud) => {
      cloud.statuses.set(aboutService(kit), { ingress: [{ ip: "192.0.2.7", ipMode: "Proxy" }, { ip: "2001:db8::7" }] });
      await balanced(kit);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-answered-nothing",
    run: async (kit, cloud) => {
      cloud.statuses.set(aboutService(kit), {});
      await addCloudService(kit);
      await untilEnsured(kit, cloud, 1);
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-answered-otherwise-later",
    run: async (kit, cloud) => {
      await balanced(kit);
      cloud.statuses.set(aboutService(kit), { ingress: [{ ip: "192.0.2.8" }] });
      await changeAndEnsure(kit, cloud, { metadata: { annotations: { "example.com/a": "1" } } });
      await untilService(
        kit,
        "has the other address",
        ({ status }) => status?.loadBalancer?.ingress?.[0].ip === "192.0.2.8",
      );
      cloud.statuses.set(aboutService(kit), { ingress: [{ ip: "192.0.2.8", ipMode: "Proxy" }] });
      await changeAndEnsure(kit, cloud, { metadata: { annotations: { "example.com/a": "2" } } });
      cloud.statuses.set(aboutService(kit), {});
      await changeAndEnsure(kit, cloud, { metadata: { annotations: { "example.com/a": "3" } } });
      await concludeServices(kit, cloud);
    },
  },
];

const CHANGES: readonly CloudScenario[] = [
  {
    name: "cloud-service-source-ranges",
    run: async (kit, cloud) => {
      await balanced(kit, { loadBalancerSourceRanges: ["192.0.2.0/24"] });
      await ensuredForEach(kit, cloud, [
        { spec: { loadBalancerSourceRanges: ["192.0.2.0/24", "198.51.100.0/24"] } },
        { spec: { loadBalancerSourceRanges: ["198.51.100.0/24", "192.0.2.0/24"] } },
        { spec: { loadBalancerSourceRanges: null } },
      ]);
    },
  },
  {
    name: "cloud-service-traffic-policy",
    run: async (kit, cloud) => {
      await balanced(kit, { externalTrafficPolicy: "Local" });
      await ensuredForEach(kit, cloud, [
        { spec: { externalTrafficPolicy: "Cluster" } },
        { spec: { externalTrafficPolicy: "Local" } },
      ]);
    },
  },
  {
    name: "cloud-service-without-node-ports",
    run: async (kit, cloud) => {
      await balanced(kit, { allocateLoadBalancerNodePorts: false });
      await ensuredForNone(kit, cloud, [{ spec: { internalTrafficPolicy: "Local" } }]);
    },
  },
  {
    name: "cloud-service-gets-node-ports-later",
    run: async (kit, cloud) => {
      await balanced(kit, { allocateLoadBalancerNodePorts: false });
      await ensuredForEach(kit, cloud, [{ spec: { allocateLoadBalancerNodePorts: true } }]);
    },
  },
  {
    name: "cloud-service-affinity",
    run: async (kit, cloud) => {
      await balanced(kit);
      await ensuredForEach(kit, cloud, [
        { spec: { sessionAffinity: "ClientIP" } },
        { spec: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 60 } } } },
        { spec: { sessionAffinity: "None", sessionAffinityConfig: null } },
      ]);
    },
  },
  {
    name: "cloud-service-families",
    run: async (kit, cloud) => {
      await balanced(kit);
      await ensuredForEach(kit, cloud, [
        { spec: { ipFamilyPolicy: "PreferDualStack" } },
        { spec: { ipFamilyPolicy: "SingleStack" } },
      ]);
    },
  },
  {
    name: "cloud-service-of-both-families",
    run: async (kit, cloud) => {
      await balanced(kit, { ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv6", "IPv4"] });
      await concludeServices(kit, cloud);
    },
  },
  {
    name: "cloud-service-annotations",
    run: async (kit, cloud) => {
      await balanced(kit, {}, { annotations: { "example.com/a": "1" } });
      await ensuredForEach(kit, cloud, [
        { metadata: { annotations: { "example.com/a": "2" } } },
        { metadata: { annotations: { "example.com/b": "" } } },
        { metadata: { annotations: { "example.com/a": null } } },
      ]);
    },
  },
  {
    name: "cloud-service-labels",
    run: async (kit, cloud) => {
      await balanced(kit);
      await ensuredForNone(kit, cloud, [{ metadata: { labels: { a: "1" } } }, { metadata: { labels: { a: null } } }]);
    },
  },
  {
    name: "cloud-service-selector",
    run: async (kit, cloud) => {
      await balanced(kit);
      await ensuredForNone(kit, cloud, [
        { spec: { selector: { app: "t" } } },
        { spec: { publishNotReadyAddresses: true } },
        { spec: { trafficDistribution: "PreferClose" } },
      ]);
    },
  },
  {
    name: "cloud-service-ports",
    run: async (kit, cloud) => {
      await balanced(kit, { ports: [{ name: "a", port: 80, nodePort: undefined }] });
      await ensuredForEach(kit, cloud, [
        { spec: { ports: [{ name: "b", port: 80 }] } },
        { spec: { ports: [{ name: "b", port: 80, targetPort: 8080 }] } },
        { spec: { ports: [{ name: "b", port: 80, targetPort: 8080, appProtocol: "http" }] } },
        { spec: { ports: [{ name: "b", port: 80, targetPort: 8080, appProtocol: "http" }, { name: "c", port: 81 }] } },
        { spec: { ports: [{ name: "c", port: 81 }, { name: "b", port: 80, targetPort: 8080, appProtocol: "http" }] } },
      ]);
    },
  },
  {
    name: "cloud-service-protocols",
    run: async (kit, cloud) => {
      await balanced(kit, {
        ports: [{ name: "a", port: 53, protocol: "UDP" }, { name: "b", port: 53, protocol: "TCP" }],
      });
      await ensuredForEach(kit, cloud, [{ spec: { ports: [{ name: "a", port: 53, protocol: "SCTP" }] } }]);
    },
  },
  {
    name: "cloud-service-external-addresses",
    run: async (kit, cloud) => {
      await balanced(kit);
      await ensuredForEach(kit, cloud, [
        { spec: { externalIPs: ["192.0.2.9"] } },
        { spec: { externalIPs: ["192.0.2.10"] } },
        { spec: { externalIPs: null } },
      ]);
    },
  },
  {
    name: "cloud-service-requested-address",
    run: async (kit, cloud) => {
      await balanced(kit, { loadBalancerIP: "192.0.2.20" });
      await ensuredForEach(kit, cloud, [
        { spec: { loadBalancerIP: "192.0.2.21" } },
        { spec: { loadBalancerIP: null } },
      ]);
    },
  },
];

export const CLOUD_SERVICE_SCENARIOS: readonly CloudScenario[] = [...LIVES, ...ANSWERS, ...CHANGES];
