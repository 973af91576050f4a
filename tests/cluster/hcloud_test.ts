/**
 * Nodes, Services and routes on Hetzner Cloud, under ours and under the vendor's own manager, beside an emulator of the cloud. What the
 * vendor's leaves behind is recorded: `KUBELOOP_PARITY=record`, with the path of its executable in `$KUBELOOP_HCLOUD_VENDOR`, does that
 * for the scenarios that have no recording yet.
 */
import { assertEquals, assertNotEquals, equal } from "@std/assert";
import { Cluster, clusterTest, PARITY } from "./cluster.ts";
import { OURS, VENDOR } from "./hcloud/bed.ts";
import { compared, moreCalls } from "./hcloud/comparison.ts";
import { HCLOUD_DEPARTURES } from "./hcloud/departures.ts";
import { play } from "./hcloud/play.ts";
import { readRecording, writeRecording } from "./hcloud/recording.ts";
import { HCLOUD_SCENARIOS, type HcloudScenario } from "./hcloud/scenarios.ts";
import { takeOver, takeOverFromRecording } from "./hcloud/takeover.ts";
import { sampleOf } from "./sample.ts";

/** So many scenarios are played at a time, each on a cluster of its own. */
const LANES = 2;

async function inLanes<T>(items: readonly T[], run: (cluster: Cluster, item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const errors: string[] = [];
  await Promise.all(Array.from({ length: LANES }, async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    for (let item; (item = queue.shift());) {
      await run(cluster, item).catch((error) => errors.push((error as Error).message));
    }
  }));
  if (errors.length > 0) throw new Error(errors.join("\n\n"));
}

const ALL: readonly HcloudScenario[] = [...HCLOUD_SCENARIOS, ...HCLOUD_DEPARTURES];

clusterTest("What the vendor's manager of Hetzner Cloud does is recorded", async () => {
  const outcomes = new Map(await readRecording());
  await inLanes(ALL.filter(({ name }) => !outcomes.has(name)), async (cluster, scenario) => {
    outcomes.set(scenario.name, await play(cluster, scenario, { maker: "vendor" }));
  });
  await writeRecording(new Map(ALL.map(({ name }) => [name, outcomes.get(name)!])));
}, { ignore: PARITY !== "record" || VENDOR === "", records: true });

const WITH_BALANCERS = HCLOUD_SCENARIOS.filter(({ services }) => services);

clusterTest(
  "Nodes, Services and routes on Hetzner Cloud fare as under the vendor's manager, and are taken over from it without a change",
  async () => {
    const recording = await readRecording();
    assertEquals([...recording.keys()], ALL.map(({ name }) => name));
    const asPrograms = new Set((await sampleOf(ALL, ({ name }) => name)).map(({ name }) => name));
    const makerOf = ({ name }: HcloudScenario) => asPrograms.has(name) ? "kubeloop" : OURS;
    const fare = HCLOUD_SCENARIOS.map((scenario) => async (cluster: Cluster) => {
      const { name } = scenario;
      const theirs = recording.get(name)!;
      const ours = await play(cluster, scenario, {
        maker: makerOf(scenario),
        isWanted: (outcome) => equal(compared(outcome), compared(theirs)),
      });
      assertEquals(compared(ours), compared(theirs), name);
      assertEquals(moreCalls(ours, theirs), undefined, `${name}\n${ours.calls.join("\n")}`);
    });
    const depart = HCLOUD_DEPARTURES.map((scenario) => async (cluster: Cluster) => {
      const theirs = recording.get(scenario.name)!;
      scenario.theirs(theirs);
      const ours = await play(cluster, scenario, { maker: makerOf(scenario) });
      scenario.ours(ours);
      assertNotEquals(compared(ours), compared(theirs), scenario.name);
    });
    const takeOvers = WITH_BALANCERS.map((scenario) => (cluster: Cluster) =>
      takeOverFromRecording(cluster, scenario, {
        recorded: recording.get(scenario.name)!,
        maker: makerOf(scenario),
      })
    );
    await inLanes([...fare, ...depart, ...takeOvers], (cluster, run) => run(cluster));
  },
);

clusterTest("The vendor's manager takes over from ours without a loss", async () => {
  await inLanes(WITH_BALANCERS, (cluster, scenario) => takeOver(cluster, scenario));
}, { ignore: VENDOR === "" });
