/** The commands that people type, on the embedded server and on kube-apiserver: each prints what it should, and both the same. */
import { assert, assertEquals } from "@std/assert";
import { clusterTest } from "./cluster.ts";
import { APPLYING } from "./kubectl_embedded/chapters/applying.ts";
import { CREATING } from "./kubectl_embedded/chapters/creating.ts";
import { CUSTOM } from "./kubectl_embedded/chapters/custom.ts";
import { DELETING } from "./kubectl_embedded/chapters/deleting.ts";
import { DEPLOYMENTS } from "./kubectl_embedded/chapters/deployments.ts";
import { DISCOVERY } from "./kubectl_embedded/chapters/discovery.ts";
import { NODES } from "./kubectl_embedded/chapters/nodes.ts";
import { PODS } from "./kubectl_embedded/chapters/pods.ts";
import { READING } from "./kubectl_embedded/chapters/reading.ts";
import { differences, play } from "./kubectl_embedded/play.ts";
import { Playground } from "./kubectl_embedded/playground.ts";

/** Nodes are drained before other chapters have pods on them. */
const CHAPTERS = [DISCOVERY, NODES, CREATING, READING, APPLYING, DEPLOYMENTS, DELETING, CUSTOM, PODS];
const FEWEST_COMMANDS = 250;

clusterTest("kubectl's commands work on the embedded server as they do on kube-apiserver", async () => {
  await using embedded = await Playground.embedded();
  await using real = await Playground.real();
  const found: object[] = [];
  let commands = 0;
  for (const chapter of CHAPTERS) {
    const [wanted, got] = await Promise.all([play(real, chapter), play(embedded, chapter)]);
    found.push(...differences(chapter, wanted, got));
    commands += got.length;
  }
  assertEquals(found, []);
  assert(commands >= FEWEST_COMMANDS, `only ${commands} commands`);
});
