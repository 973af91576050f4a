import { PODS, type ResourceQuota, RESOURCEQUOTAS, type ResourceQuotaSpec } from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import { eventually } from "../../../controlplane/process.ts";
import { pod } from "../../../scenarios/quota_kit.ts";
import { makeNamespace, PATIENCE } from "./kit.ts";
import type { Load, LoadCluster } from "./load.ts";

const COUNT = 500;
const PODS_EACH = 10;
const LEFT = 2;
/** How many requests are under way at a time. */
const AT_ONCE = 50;
const HARD: ResourceQuotaSpec["hard"] = {
  pods: "50",
  "requests.cpu": "50",
  "limits.memory": "50Gi",
  configmaps: "50",
};
const PARTS = { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } };
const NAMES = Array.from({ length: COUNT }, (_, i) => `quota-${i}`);

/** Quotas in many namespaces, measured for the first time, then after most of what they limit was deleted. */
export const QUOTAS: Load = {
  name: "quotas",
  description:
    `${COUNT} namespaces get a quota for their ${PODS_EACH} pods each, of which all but ${LEFT} are then deleted`,
  controllers: ["resourcequota-controller"],

  async prepare({ client }) {
    await parallelize(AT_ONCE, COUNT, async (i) => {
      const namespace = NAMES[i];
      await makeNamespace(client, namespace);
      for (let j = 0; j < PODS_EACH; j++) await client.create(PODS, pod(`p-${j}`, PARTS), { namespace });
    });
  },

  async warmUp(cluster) {
    await cluster.client.create(RESOURCEQUOTAS, quota("first"), { namespace: "default" });
    await untilUsed(cluster, "0", ({ metadata }) => metadata?.name === "first", 1);
  },

  async run(cluster) {
    const { client } = cluster;
    const isOurs = ({ metadata }: ResourceQuota) => metadata?.name === "q";
    await parallelize(AT_ONCE, COUNT, async (i) => {
      await client.create(RESOURCEQUOTAS, quota("q"), { namespace: NAMES[i] });
    });
    await untilUsed(cluster, String(PODS_EACH), isOurs, COUNT);
    await parallelize(AT_ONCE, COUNT * (PODS_EACH - LEFT), async (i) => {
      await client.delete(PODS, { namespace: NAMES[i % COUNT], name: `p-${Math.floor(i / COUNT)}` });
    });
    await untilUsed(cluster, String(LEFT), isOurs, COUNT);
  },
};

function quota(name: string): ResourceQuota {
  return { metadata: { name }, spec: { hard: HARD } };
}

/** Waits until all quotas of these say that so many pods are used. */
async function untilUsed(
  { client }: LoadCluster,
  pods: string,
  isMeant: (quota: ResourceQuota) => boolean,
  count: number,
): Promise<void> {
  await eventually(`${pods} pods are used in ${count} namespaces`, async () => {
    const { items } = await client.list(RESOURCEQUOTAS);
    return items.filter((quota) => isMeant(quota) && quota.status?.used?.pods === pods).length === count;
  }, { ...PATIENCE, everyMs: 100 });
}
