/** The recorded requests, sent to kube-apiserver and to the embedded server: both must answer the same. */
import { assert, assertEquals } from "@std/assert";
import { clusterTest } from "./cluster.ts";
import { areas, casesOf } from "./differential/areas.ts";
import { compareCase, type Difference } from "./differential/compare.ts";
import { embeddedServer, GATED, startRealServer } from "./differential/servers.ts";

const FEWEST_REQUESTS = 300;

clusterTest("the embedded server answers recorded requests as kube-apiserver does", async () => {
  await using real = await startRealServer();
  await using embedded = embeddedServer();
  const differences: Difference[] = [];
  let compared = 0;
  for (const area of await areas()) {
    for (const test of await casesOf(area)) {
      const outcome = await compareCase(real, embedded, test);
      differences.push(...outcome.differences);
      compared += outcome.compared;
    }
  }
  assertEquals(differences, []);
  assert(compared >= FEWEST_REQUESTS, `only ${compared} requests were compared`);
});

clusterTest(
  "the embedded server answers as kube-apiserver does where features are on that usually are off",
  async () => {
    await using real = await startRealServer(GATED);
    await using embedded = embeddedServer(GATED);
    const differences: Difference[] = [];
    for (const area of await areas("gated_cases")) {
      for (const test of await casesOf(area, "gated_cases")) {
        differences.push(...(await compareCase(real, embedded, test)).differences);
      }
    }
    assertEquals(differences, []);
  },
);
