import { PERSISTENTVOLUMECLAIMS, PERSISTENTVOLUMES, STORAGECLASSES } from "../../../../src/api/mod.ts";
import { MemoryLogger, parallelize, systemWorld } from "../../../../src/base/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";
import { SIMULATED_STORAGE_DRIVER } from "../../../../src/rules/mod.ts";
import { SimulatedStorage } from "../../../../src/sandbox/mod.ts";
import { claimOf } from "../../../scenarios/storage_kit.ts";
import { makeNamespace } from "./kit.ts";
import type { Load } from "./load.ts";
import { Parts } from "./parts.ts";
import { Watched } from "./watched.ts";

const COUNT = 2_000;
/** How many requests are under way at a time. */
const AT_ONCE = 50;
const NAMESPACE = "claims";
const CLASS = "fast";

/** Claims that a driver makes volumes for, all at once, and that go together with these. */
export const CLAIMS: Load = {
  name: "claims",
  description: `${COUNT} claims get a volume each from a driver and are bound, then deleted with their volumes`,
  controllers: [
    "persistentvolume-binder-controller",
    "persistentvolumeclaim-protection-controller",
    "persistentvolume-protection-controller",
  ],

  async prepare({ plane, client }) {
    await makeNamespace(client, NAMESPACE);
    await client.create(STORAGECLASSES, {
      metadata: { name: CLASS },
      provisioner: SIMULATED_STORAGE_DRIVER,
      reclaimPolicy: "Delete",
    });
    Parts.start(plane, new SimulatedStorage({ world: systemWorld(new MemoryLogger()), client }));
  },

  async warmUp({ client }) {
    await pass(client, ["first"]);
  },

  async run({ plane, client }) {
    await using _driver = Parts.of(plane);
    await pass(client, Array.from({ length: COUNT }, (_, i) => `claim-${i}`));
  },
};

/** Claims come, are bound and go. */
async function pass(client: Client, names: readonly string[]): Promise<void> {
  await using claims = new Watched(client, PERSISTENTVOLUMECLAIMS);
  await using volumes = new Watched(client, PERSISTENTVOLUMES);
  await parallelize(AT_ONCE, names.length, async (i) => {
    await client.createMetadata(PERSISTENTVOLUMECLAIMS, {
      ...claimOf(CLASS, names[i], { metadata: { namespace: NAMESPACE } }),
    });
  });
  await claims.until(
    `${names.length} claims are bound`,
    (all) => all.length === names.length && all.every(({ status }) => status?.phase === "Bound"),
  );
  await parallelize(AT_ONCE, names.length, async (i) => {
    await client.delete(PERSISTENTVOLUMECLAIMS, { namespace: NAMESPACE, name: names[i] });
  });
  await claims.until("no claim is left", (all) => all.length === 0);
  await volumes.until("no volume is left", (all) => all.length === 0);
}
