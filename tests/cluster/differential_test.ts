// deno-lint-ignore-file no-console -- a difference that does not show again is told
/** The recorded requests, sent to kube-apiserver and to the embedded server: both must answer the same. */
import { assert, assertEquals } from "@std/assert";
import { clusterTest } from "./cluster.ts";
import { areas, casesOf } from "./differential/areas.ts";
import { compareCase, type Difference } from "./differential/compare.ts";
import { embeddedServer, type Features, GATED, GROUPS_ALONE, startRealServer } from "./differential/servers.ts";

const FEWEST_REQUESTS = 300;

interface Outcome {
  readonly compared: number;
  readonly differences: readonly Difference[];
  /** Areas with differences. */
  readonly differing: readonly string[];
}

async function compare(
  names: readonly string[],
  folder?: "gated_cases",
  options?: Features,
): Promise<Outcome> {
  await using real = await startRealServer(options);
  await using embedded = embeddedServer(options);
  const differences: Difference[] = [];
  const differing = new Set<string>();
  let compared = 0;
  for (const area of names) {
    for (const test of await casesOf(area, folder)) {
      const outcome = await compareCase(real, embedded, test);
      differences.push(...outcome.differences);
      if (outcome.differences.length > 0) differing.add(area);
      compared += outcome.compared;
    }
  }
  return { compared, differences, differing: [...differing] };
}

/** Areas that differ are compared once more on new servers: what load alone has done does not show again. */
async function assertSame(folder?: "gated_cases", options?: Features, only?: readonly string[]): Promise<number> {
  const { compared, differences, differing } = await compare(only ?? await areas(folder), folder, options);
  if (differing.length > 0) {
    console.warn("compared once more:", differing, differences);
    assertEquals((await compare(differing, folder, options)).differences, []);
  }
  return compared;
}

clusterTest("the embedded server answers recorded requests as kube-apiserver does", async () => {
  const compared = await assertSame();
  assert(compared >= FEWEST_REQUESTS, `only ${compared} requests were compared`);
});

clusterTest(
  "the embedded server answers as kube-apiserver does where features are on that usually are off",
  async () => void await assertSame("gated_cases", GATED),
);

clusterTest(
  "the embedded server drops what kube-apiserver drops of groups that may not share claims",
  async () => void await assertSame("gated_cases", GROUPS_ALONE, ["group_claims", "group_features"]),
);
