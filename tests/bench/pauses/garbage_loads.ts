import { CONFIGMAPS, type OwnerReference } from "../../../src/api/mod.ts";
import type { Client } from "../../../src/client/mod.ts";
import { each } from "./large_parts.ts";
import type { PauseLoad } from "./load.ts";

type Owners = readonly OwnerReference[];

async function configMap(client: Client, namespace: string, name: string, ownerReferences: OwnerReference[] = []) {
  const { metadata } = await client.create(CONFIGMAPS, { metadata: { name, ownerReferences } }, { namespace });
  return reference(name, metadata!.uid!);
}

function reference(name: string, uid: string): OwnerReference {
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, blockOwnerDeletion: true };
}

async function deleteAll(
  client: Client,
  namespace: string,
  owners: Owners,
  propagationPolicy: "Foreground" | "Orphan",
) {
  const remove = (i: number) => client.delete(CONFIGMAPS, { namespace, name: owners[i].name }, { propagationPolicy });
  await each(owners.length, (i) => remove(i).catch(() => {})); // some are collected meanwhile
}

export const GARBAGE_LOADS: readonly PauseLoad[] = [
  {
    name: "garbage: ConfigMaps owned by all earlier ones, foreground",
    async run(client, namespace) {
      const owners: OwnerReference[] = [];
      for (let i = 0; i < 500; i++) owners.push(await configMap(client, namespace, `c${i}`, [...owners]));
      await deleteAll(client, namespace, owners, "Foreground");
    },
  },
  {
    name: "garbage: a chain of 3,000, foreground",
    async run(client, namespace) {
      const owners = [await configMap(client, namespace, "c0")];
      for (let i = 1; i < 3000; i++) owners.push(await configMap(client, namespace, `c${i}`, owners.slice(-1)));
      await deleteAll(client, namespace, owners.slice(0, 1), "Foreground");
    },
  },
  ...(["Foreground", "Orphan"] as const).map((policy): PauseLoad => ({
    name: `garbage: an owner of 5,000, ${policy}`,
    async run(client, namespace) {
      const owner = await configMap(client, namespace, "owner");
      await each(5000, (i) => configMap(client, namespace, `c${i}`, [owner]));
      await deleteAll(client, namespace, [owner], policy);
    },
  })),
  {
    name: "garbage: a chain of 2,000 that waits for ever, at whose head two flip",
    async run(client, namespace) {
      const owners = [await configMap(client, namespace, "c0")];
      for (let i = 1; i < 2000; i++) owners.push(await configMap(client, namespace, `c${i}`, owners.slice(-1)));
      const held = { namespace, name: owners.at(-1)!.name };
      const keep = { metadata: { finalizers: ["example.com/never"] } };
      await client.patch(CONFIGMAPS, held, { type: "merge", body: keep });
      const flipping = await Promise.all(
        ["x", "y"].map((name) => configMap(client, namespace, name, owners.slice(0, 1))),
      );
      for (const { name } of flipping) {
        await client.patch(CONFIGMAPS, { namespace, name }, { type: "merge", body: keep });
      }
      await deleteAll(client, namespace, owners, "Foreground");
      for (let flip = 0; flip < 200; flip++) {
        const ownerReferences = [{ ...owners[0], blockOwnerDeletion: flip % 4 < 2 }];
        const ref = { namespace, name: flipping[flip % 2].name };
        await client.patch(CONFIGMAPS, ref, { type: "merge", body: { metadata: { ownerReferences } } });
      }
    },
  },
  {
    name: "garbage: objects of 9,000 owners that do not exist, changing",
    async run(client, namespace) {
      const owners = (blockOwnerDeletion: boolean) =>
        Array.from({ length: 9000 }, (_, i) => ({
          ...reference(`o${i}`, `3f1c6f0e-0000-4000-8000-${String(i).padStart(12, "0")}`),
          blockOwnerDeletion,
        }));
      for (let i = 0; i < 6; i++) await configMap(client, namespace, `c${i}`, owners(true));
      for (let flip = 0; flip < 6; flip++) {
        const body = { metadata: { ownerReferences: owners(flip % 2 === 0) } };
        await each(
          6,
          (i) => client.patch(CONFIGMAPS, { namespace, name: `c${i}` }, { type: "merge", body }).catch(() => {}),
        );
      }
    },
  },
];
