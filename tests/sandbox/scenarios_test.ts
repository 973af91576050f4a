/** The scenarios of the parity tests, on the embedded API server: the whole manager, no network, no waiting. */
import { SCENARIOS } from "../scenarios/scenarios.ts";
import { EmbeddedCluster } from "./embedded_cluster.ts";

for (const { name, run, needsRealServer } of SCENARIOS) {
  if (needsRealServer) continue;
  Deno.test(`scenario ${name} settles on the embedded API server`, async () => {
    await using cluster = await EmbeddedCluster.start();
    await run(await cluster.namespace("scenario"));
  });
}
