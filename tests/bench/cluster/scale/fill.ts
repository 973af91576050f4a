import { NAMESPACES } from "../../../../src/api/mod.ts";
import { parallelize } from "../../../../src/base/mod.ts";
import { type Client, isAlreadyExists } from "../../../../src/client/mod.ts";
import type { ControlPlane } from "../../../controlplane/control_plane.ts";
import { LEASE_NAMESPACE, namespacesOf, objectsOf, type Population } from "./population.ts";

/** Objects in one transaction of etcd, which takes 128 and 1.5 MiB, and transactions under way. */
const A_TRANSACTION = 100;
const AT_ONCE = 4;

/**
 * Fills a server: namespaces by its API, everything else straight into etcd, which is ten times as fast. kube-apiserver adds the
 * defaults as it reads, so that nobody behind it sees a difference.
 */
export async function fill(plane: ControlPlane, client: Client, population: Population): Promise<void> {
  const namespaces = [LEASE_NAMESPACE, ...namespacesOf(population)];
  await parallelize(AT_ONCE, namespaces.length, async (i) => {
    await client.create(NAMESPACES, { metadata: { name: namespaces[i] } }).catch((error) => {
      if (!isAlreadyExists(error)) throw error;
    });
  });
  for (const { resource, count, make } of objectsOf(population)) {
    await parallelize(AT_ONCE, Math.ceil(count / A_TRANSACTION), async (k) => {
      const [from, to] = [k * A_TRANSACTION, Math.min(count, (k + 1) * A_TRANSACTION)];
      await plane.storeAll(resource, Array.from({ length: to - from }, (_, i) => make(from + i)));
    });
  }
}
