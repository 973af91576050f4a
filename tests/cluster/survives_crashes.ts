// deno-lint-ignore-file no-console -- which writes were deadly is worth knowing
/**
 * Scenarios, all at once on a real API server, first under a manager that lives, then under one that is ended by SIGKILL at writes of
 * theirs and started again: both come to the same end.
 *
 * A few writes are chosen by a seed; `KUBELOOP_CRASH_SEED=N` chooses others.
 * `KUBELOOP_CRASHES=every` kills it right after every single write of every scenario, every eighth in one round.
 */
import { assert, assertEquals } from "@std/assert";
import { SeededRandom } from "../../src/base/mod.ts";
import { NAMESPACES, NODES, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import type { CrashMoment } from "../../src/embedded/mod.ts";
import { CrashingManager, type ManagerWrite } from "../controlplane/crashing_manager.ts";
import { ServedMetrics } from "../controlplane/metrics_api.ts";
import { eventually } from "../controlplane/process.ts";
import type { CrashScenario } from "../scenarios/crash_scenarios.ts";
import { Kit } from "../scenarios/kit.ts";
import { type Snapshot, snapshot } from "../scenarios/snapshot.ts";
import { Cluster, type ClusterOptions } from "./cluster.ts";

/** What is played together. */
interface Programme {
  readonly scenarios: readonly CrashScenario[];
  readonly flags: readonly string[];
}

/** Deaths in a run of the gate. */
const FEW = 6;
/** With every write deadly, one in so many of a round. */
const ROUNDS = 8;
/** Events are written behind the work. */
const QUIET_MS = 3_000;

const IS_EVERY = Deno.env.get("KUBELOOP_CRASHES") === "every";
/** Long enough for a round of deaths on a machine that has more to do. */
const WITHIN_MS = IS_EVERY ? 900_000 : 300_000;
const SEED = Number(Deno.env.get("KUBELOOP_CRASH_SEED") ?? 1);

/** What came of one scenario. */
interface End extends Snapshot {
  readonly writes: number;
  readonly created: Readonly<Record<string, number>>;
}

/** Which write of which scenario is deadly; writes of a scenario are counted from 1. */
type Deadly = (scenario: string, write: number) => CrashMoment | undefined;

/**
 * Counts the writes of scenarios from when they begin, each in a namespace of its own or about something outside of namespaces whose
 * name begins with that namespace's.
 */
class WriteCounts {
  readonly #counts = new Map<string, number>();
  readonly #round: Round;

  constructor(round: Round) {
    this.#round = round;
  }

  begin(): void {
    for (const { name } of this.#round.programme.scenarios) this.#counts.set(name, 0);
  }

  of(scenario: string): number {
    return this.#counts.get(scenario) ?? 0;
  }

  deathBy({ namespace, name: object, method, plural }: ManagerWrite): CrashMoment | undefined {
    const { prefix, programme, deadly } = this.#round;
    const isOf = (own: string) => namespace ? namespace === own : new RegExp(`^${own}[.-]`).test(object);
    const name = programme.scenarios.find((scenario) => isOf(prefix + scenario.name))?.name ?? "";
    const before = this.#counts.get(name);
    if (before === undefined) return undefined;
    this.#counts.set(name, before + 1);
    const moment = deadly(name, before + 1);
    if (moment && !IS_EVERY) console.log(`killed ${moment} write ${before + 1} of ${name}: ${method} ${plural}`);
    return moment;
  }
}

interface Round {
  readonly programme: Programme;
  readonly cluster: Cluster;
  readonly metrics: ServedMetrics;
  readonly prefix: string;
  readonly deadly: Deadly;
}

/** Plays all scenarios at once. */
async function play(round: Round): Promise<{ ends: Map<string, End>; kills: number }> {
  const { programme: { scenarios, flags }, cluster, metrics, prefix } = round;
  const counts = new WriteCounts(round);
  await using manager = new CrashingManager({
    plane: cluster.plane,
    flags,
    deathBy: (write) => counts.deathBy(write),
  });
  const played = (async () => {
    await Promise.all(scenarios.map(({ name }) => makeNamespace(patientKit(cluster, `${prefix}${name}`))));
    counts.begin();
    await Promise.all(
      scenarios.map(async ({ name, run }) => {
        const kit = patientKit(cluster, `${prefix}${name}`);
        await run(kit, metrics.api);
        await removeNodes(kit);
      }),
    );
    await eventually("nothing is written", () => manager.quietMs > QUIET_MS);
  })();
  await Promise.race([played, manager.failed]);
  const ends = new Map<string, End>();
  for (const { name, resources } of scenarios) {
    const namespace = `${prefix}${name}`;
    const seen = await snapshot(cluster.client, namespace, { resources });
    ends.set(name, { ...seen, writes: counts.of(name), created: manager.created(namespace) });
  }
  return { ends, kills: manager.kills };
}

function patientKit({ client }: Cluster, namespace: string): Kit {
  return new Kit({
    client,
    namespace,
    eventually: (what, condition) => eventually(what, condition, { withinMs: WITHIN_MS }),
  });
}

/** Takes away the nodes of a scenario that is over: nobody gives signs of their life any more. */
async function removeNodes({ client, namespace }: Kit): Promise<void> {
  for (const { metadata } of (await client.list(NODES)).items) {
    if (metadata!.name!.startsWith(`${namespace}.`)) await client.delete(NODES, { name: metadata!.name! });
  }
}

async function makeNamespace(kit: Kit): Promise<void> {
  await kit.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: kit.namespace } });
  await kit.until(SERVICEACCOUNTS, "default", "is there", () => true);
}

type Ends = ReadonlyMap<string, End>;

/** @throws {Error} With everything in which ends differ. */
function assertSameEnds({ scenarios }: Programme, actual: Ends, expected: Ends): void {
  const differences = scenarios.flatMap((scenario) => {
    const { name } = scenario;
    try {
      assertSameEnd(scenario, actual.get(name)!, expected.get(name)!);
      return [];
    } catch (error) {
      return [`${name}: ${(error as Error).message}`];
    }
  });
  if (differences.length > 0) throw new Error(differences.join("\n\n"));
}

function assertSameEnd({ mayTell = new Map() }: CrashScenario, actual: End, expected: End): void {
  assertEquals(actual.objects, expected.objects);
  assertEquals(actual.created, expected.created, "nothing is created that was not needed");
  const mayBe = (event: string) => [...mayTell.keys()].some((pattern) => pattern.test(event));
  const added = actual.events.filter((event) => !expected.events.includes(event) && !mayBe(event));
  assertEquals(added, [], "no event is told that did not happen");
}

/** Some writes of some scenarios, as the seed has it. */
function few({ scenarios }: Programme, expected: Ends): Deadly {
  const random = new SeededRandom(SEED);
  const pick = <T>(items: readonly T[]) => items[Math.floor(random.float() * items.length)];
  const deadly = new Map<string, CrashMoment>();
  while (deadly.size < FEW) {
    const { name } = pick(scenarios);
    const write = 1 + Math.floor(random.float() * expected.get(name)!.writes);
    deadly.set(`${name} ${write}`, pick(["before", "after"]));
  }
  return (name, write) => deadly.get(`${name} ${write}`);
}

/** @throws {Error} If the manager that is killed leaves something else behind. */
export async function assertSurvives(programme: Programme, options: ClusterOptions = {}): Promise<void> {
  await using cluster = await Cluster.start(options);
  await using metrics = await ServedMetrics.start(cluster);
  const common = { programme, cluster, metrics };
  const { ends: expected } = await play({ ...common, prefix: "alive-", deadly: () => undefined });
  const total = [...expected.values()].reduce((sum, { writes }) => sum + writes, 0);
  assert([...expected.values()].every(({ writes }) => writes > 0), "every scenario makes its controllers write");
  console.log(`${total} writes in ${expected.size} scenarios; seed ${SEED}`);
  if (!IS_EVERY) {
    const { ends, kills } = await play({ ...common, prefix: "killed-", deadly: few(programme, expected) });
    assert(kills > 0, "it was killed");
    return assertSameEnds(programme, ends, expected);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const deadly: Deadly = (_, write) => write % ROUNDS === round ? "after" : undefined;
    const { ends, kills } = await play({ ...common, prefix: `round-${round}-`, deadly });
    console.log(`round ${round}: killed ${kills} times`);
    assertSameEnds(programme, ends, expected);
  }
}
