import { ENDPOINTS, ENDPOINTSLICES, formatTime, NODES, type Pod, PODS, SERVICES } from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { makeNamespace } from "./kit.ts";
import type { Load } from "./load.ts";
import { Watched } from "./watched.ts";

const COUNT = 1_000;
const PODS_EACH = 10;
const REPLACED = 200;
const NODE_COUNT = 50;
/** How many requests are under way at a time. */
const AT_ONCE = 50;
const NAMESPACES = Array.from({ length: 20 }, (_, i) => `services-${i}`);

/** Services whose pods are there already, then most of the work that a large rollout makes. */
export const SERVICES_WITH_PODS: Load = {
  name: "services",
  description:
    `${COUNT} Services of ${PODS_EACH} pods each get endpoints and slices, then all pods of ${REPLACED} are replaced`,
  controllers: ["endpoints-controller", "endpointslice-controller"],

  async prepare({ client }) {
    await parallelize(AT_ONCE, NAMESPACES.length, (i) => makeNamespace(client, NAMESPACES[i]));
    // Pods of nodes that do not exist are left out of slices.
    await parallelize(AT_ONCE, NODE_COUNT, async (i) => {
      await client.createMetadata(NODES, { metadata: { name: `node-${i}` } });
    });
    await parallelize(AT_ONCE, COUNT * PODS_EACH, (i) => makePod(client, i % COUNT, `old-${Math.floor(i / COUNT)}`, i));
  },

  async run({ client }) {
    await using slices = new Watched(client, ENDPOINTSLICES);
    await using endpoints = new Watched(client, ENDPOINTS);
    const written = async (what: string, prefixOf: (service: number) => string) => {
      await slices.until(`slices hold ${what}`, (all) =>
        holdAll(
          all.map(({ metadata, endpoints }) => ({
            service: metadata?.labels?.["kubernetes.io/service-name"],
            pods: (endpoints ?? []).map(({ targetRef }) => targetRef?.name),
          })),
          prefixOf,
        ));
      await endpoints.until(`endpoints hold ${what}`, (all) =>
        holdAll(
          all.map(({ metadata, subsets }) => ({
            service: metadata?.name,
            pods: (subsets ?? []).flatMap(({ addresses }) => (addresses ?? []).map(({ targetRef }) => targetRef?.name)),
          })),
          prefixOf,
        ));
    };
    await parallelize(AT_ONCE, COUNT, async (i) => {
      const ports = [{ name: "http", port: 80, targetPort: 8080 }];
      const metadata = { name: `s-${i}` };
      await client.create(SERVICES, { metadata, spec: { selector: { app: `s-${i}` }, ports } }, {
        namespace: namespaceOf(i),
      });
    });
    await written("the first pods", () => "old");
    await parallelize(AT_ONCE, REPLACED * PODS_EACH, async (i) => {
      const service = i % REPLACED;
      const turn = Math.floor(i / REPLACED);
      const name = `s-${service}-old-${turn}`;
      await client.delete(PODS, { namespace: namespaceOf(service), name }, { gracePeriodSeconds: 0 });
      await makePod(client, service, `new-${turn}`, COUNT * PODS_EACH + i);
    });
    await written("the new pods", (service) => service < REPLACED ? "new" : "old");
  },
};

interface Written {
  readonly service: string | undefined;
  readonly pods: readonly (string | undefined)[];
}

/** Whether every Service has all of its pods, and those with the right prefix. */
function holdAll(written: readonly Written[], prefixOf: (service: number) => string): boolean {
  const held = new Map<string, number>();
  for (const { service, pods } of written) {
    if (!service?.startsWith("s-")) continue;
    const prefix = `${service}-${prefixOf(Number(service.slice(2)))}-`;
    const right = pods.filter((pod) => pod?.startsWith(prefix)).length;
    if (right !== pods.length) return false;
    held.set(service, (held.get(service) ?? 0) + right);
  }
  return held.size === COUNT && held.values().every((pods) => pods === PODS_EACH);
}

const namespaceOf = (service: number) => NAMESPACES[service % NAMESPACES.length];

/** A pod that runs, with an address that no other has. */
async function makePod(client: Client, service: number, suffix: string, number: number): Promise<void> {
  const namespace = namespaceOf(service);
  const name = `s-${service}-${suffix}`;
  const pod: Pod = {
    metadata: { name, labels: { app: `s-${service}` } },
    spec: { nodeName: `node-${number % NODE_COUNT}`, containers: [{ name: "c", image: "nginx:1" }] },
  };
  await client.createMetadata(PODS, pod, { namespace });
  const at = formatTime(Date.now());
  const podIP = `10.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
  const status = {
    phase: "Running",
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: at,
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: at }],
  };
  await client.patchMetadata(PODS, { namespace, name }, { type: "strategic", body: { status }, subresource: "status" });
}
