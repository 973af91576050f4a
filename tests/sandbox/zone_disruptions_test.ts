/**
 * Zones of which many nodes fall silent at once, on the embedded API server: how fast the others' pods are given up depends on how many
 * are silent, and on how large the zone is.
 *
 * | zone                       | what becomes of it                                          |
 * | -------------------------- | ------------------------------------------------------------ |
 * | less than 55 % are silent  | one node in ten seconds is tainted                           |
 * | more, and over 50 nodes    | one in a hundred seconds, until less than 55 % are           |
 * | more, and up to 50 nodes   | none                                                         |
 */
import { assert, assertEquals } from "@std/assert";
import { type Node, NODES } from "../../src/api/mod.ts";
import { type TestCluster, withTestCluster } from "kubeloop/testing";
import { MINUTE_MS } from "./clock_stage.ts";

const flags = ["--controllers=node-lifecycle-controller"];
const UNREACHABLE = "node.kubernetes.io/unreachable";

function isGivenUp({ spec }: Node): boolean {
  return spec?.taints?.some(({ key, effect }) => key === UNREACHABLE && effect === "NoExecute") ?? false;
}

/** When nodes are tainted from now on, in seconds of virtual time. */
function followTaints({ apiServer, world: { clock } }: TestCluster): number[] {
  const times: number[] = [];
  const known = new Set<string>();
  apiServer.onWrite(({ collection, object, key }) => {
    if (collection !== "nodes" || known.has(key) || !isGivenUp(object as Node)) return;
    known.add(key);
    times.push(clock.monotonicMs() / 1000);
  });
  return times;
}

/** From each time to the next, in whole seconds. */
function gaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, i) => Math.round(time - times[i]));
}

function silence(cluster: TestCluster, from: number, to: number): void {
  for (let i = from; i < to; i++) cluster.nodes.stopNode(`node-${i}`);
}

async function countGivenUp({ client }: TestCluster): Promise<number> {
  return (await client.list(NODES, {})).items.filter(isGivenUp).length;
}

Deno.test("A zone of 60 nodes of which 20 fall silent loses one in ten seconds", () =>
  withTestCluster({ nodes: 60, flags }, async (cluster) => {
    await cluster.advance(MINUTE_MS);
    const times = followTaints(cluster);
    silence(cluster, 0, 20);
    await cluster.advance(6 * MINUTE_MS);
    assertEquals(gaps(times), Array(19).fill(10));
  }));

Deno.test("A zone of 60 nodes of which 36 fall silent loses one in a hundred seconds, until enough are well again", () =>
  withTestCluster({ nodes: 60, flags }, async (cluster) => {
    await cluster.advance(MINUTE_MS);
    const times = followTaints(cluster);
    silence(cluster, 0, 36);
    await cluster.advance(11 * MINUTE_MS);
    const slow = times.length;
    assert(slow >= 6 && slow <= 8, `${slow} in ten minutes`);
    assertEquals(gaps(times).slice(1), Array(slow - 2).fill(100));
    // 30 of 60 are no disruption of the zone any more.
    for (let i = 30; i < 36; i++) cluster.nodes.startNode(`node-${i}`);
    await cluster.advance(MINUTE_MS);
    const before = times.length;
    await cluster.advance(2 * MINUTE_MS);
    assertEquals(times.length - before, 12);
    await cluster.eventually(
      "all that are silent are given up, and no other",
      async () => await countGivenUp(cluster) === 30,
    );
  }));

Deno.test("A zone of 50 nodes of which 30 fall silent loses none, until enough are well again", () =>
  withTestCluster({ nodes: 50, flags }, async (cluster) => {
    await cluster.advance(MINUTE_MS);
    const times = followTaints(cluster);
    silence(cluster, 0, 30);
    await cluster.advance(60 * MINUTE_MS);
    // The zone is known to be disrupted when the first have been found silent, and the first of all has its turn at once.
    assert(times.length <= 1, String(times));
    for (let i = 25; i < 30; i++) cluster.nodes.startNode(`node-${i}`);
    await cluster.eventually("all that are silent are given up", async () => await countGivenUp(cluster) === 25);
  }));
