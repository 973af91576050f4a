import { PODS, RESOURCECLAIMS, RESOURCECLAIMTEMPLATES } from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { deviceClaim, devicePod, fromTemplate } from "../../../scenarios/resourceclaim_kit.ts";
import { DeviceScheduler } from "./device_scheduler.ts";
import { makeNamespace } from "./kit.ts";
import type { Load } from "./load.ts";
import { Watched } from "./watched.ts";

const COUNT = 1_000;
/** How many requests are under way at a time. */
const AT_ONCE = 50;
const NAMESPACE = "devices";

/**
 * Pods that each get a claim of a device, and are deleted. They do not end: upstream's manager makes another claim for a pod that
 * has ended and lost its own, again and again. A pod may have two claims: upstream's cache of its own writes holds a hundred.
 */
export const RESOURCE_CLAIMS: Load = {
  name: "resource-claims",
  description: `${COUNT} pods get a claim from a template, are given a device, and give it back as they go`,
  controllers: ["resourceclaim-controller"],

  async prepare({ client }) {
    await makeNamespace(client, NAMESPACE);
    const { spec } = deviceClaim("t");
    await client.create(RESOURCECLAIMTEMPLATES, { metadata: { name: "t" }, spec: { spec } }, { namespace: NAMESPACE });
  },

  async warmUp({ client }) {
    await pass(client, ["first"]);
  },

  async run({ client }) {
    await pass(client, Array.from({ length: COUNT }, (_, i) => `p-${i}`));
  },
};

/** Pods come, are given devices, and go. */
async function pass(client: Client, names: readonly string[]): Promise<void> {
  await using claims = new Watched(client, RESOURCECLAIMS);
  await using _scheduler = new DeviceScheduler(client);
  await parallelize(AT_ONCE, names.length, async (i) => {
    await client.create(PODS, devicePod(names[i], [fromTemplate("x")]), { namespace: NAMESPACE });
  });
  await claims.until(`claims of ${names.length} pods are reserved`, (all) => {
    const users = all.flatMap(({ status }) => status?.allocation ? status.reservedFor ?? [] : []);
    return new Set(users.map(({ name }) => name)).size === names.length;
  });
  await parallelize(AT_ONCE, names.length, async (i) => {
    await client.delete(PODS, { namespace: NAMESPACE, name: names[i] }, { gracePeriodSeconds: 0 });
  });
  const made: string[] = [];
  await claims.until("all devices are free", (all) => {
    made.splice(0, Infinity, ...all.map(({ metadata }) => metadata?.name ?? ""));
    return all.every(({ metadata, status }) => !metadata?.finalizers?.length && !status?.allocation);
  });
  // The garbage collector would.
  await parallelize(AT_ONCE, made.length, async (i) => {
    await client.delete(RESOURCECLAIMS, { namespace: NAMESPACE, name: made[i] });
  });
}
