/** What loads have in common. */
import { NAMESPACES, type Resource, SERVICEACCOUNTS } from "../../../../src/api/mod.ts";
import type { Client } from "../../../../src/client/mod.ts";

/** For `eventually`: slower machines are waited for, and who asks often would be measured himself. */
export const PATIENCE = { withinMs: 300_000, everyMs: 50 };

/** Makes a namespace in which pods can be created, although no controller makes its ServiceAccount. */
export async function makeNamespace(client: Client, name: string): Promise<void> {
  await client.create(NAMESPACES, { metadata: { name } });
  await client.create(SERVICEACCOUNTS, { metadata: { name: "default", namespace: name } });
}

/** How many objects of a kind exist, for the price of reading one. */
export async function count(client: Client, resource: Resource, namespace?: string): Promise<number> {
  const { items, metadata } = await client.listMetadata(resource, { namespace, limit: 1 });
  return items.length + (metadata?.remainingItemCount ?? 0);
}

export const sleepS = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));
