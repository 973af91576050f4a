/** A kit for a namespace of a test's own cluster. */
import type { EventuallyOptions, TestCluster } from "../../src/testkit/mod.ts";
import { Kit } from "./kit.ts";

/** @param options.withinMs How long it waits for anything, in virtual time. */
export function kitOf(cluster: TestCluster, namespace: string, { withinMs }: EventuallyOptions = {}): Kit {
  return new Kit({
    client: cluster.client,
    namespace,
    eventually: (what, condition) => cluster.eventually(what, condition, { withinMs }),
    store: (resource, object) => Promise.resolve(cluster.apiServer.storeUnchecked(resource, object)),
  });
}
