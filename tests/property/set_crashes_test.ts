/** A controller that is killed at any of its requests leaves nothing behind that its successor does not bring to the same end. */
import { assert, assertEquals } from "@std/assert";
import {
  CONTROLLERREVISIONS,
  DAEMONSETS,
  NODES,
  PERSISTENTVOLUMECLAIMS,
  type Pod,
  PODS,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import {
  daemonSet,
  DaemonSetHarness,
  nodes,
  rolling,
  template as daemonTemplate,
} from "../unit/controllers/daemonset/fixtures.ts";
import { DATA_TEMPLATE, statefulSet, StatefulSetHarness, template } from "../unit/controllers/statefulset/fixtures.ts";

/** How often the work may be looked at until it is done. */
const MOST_ROUNDS = 60;
const KILLED = new Error("killed");

interface Harness {
  readonly client: StatefulSetHarness["client"];
  readonly world: StatefulSetHarness["world"];
  sync(): Promise<void>;
  allReady(): void;
}

interface Play<H extends Harness> {
  begin(): H;
  /** What a new process finds. */
  restart(dead: H): H;
  /** What a user does when the first half is done. */
  change(harness: H): void;
  isDone(harness: H): boolean;
  outcome(harness: H): unknown;
}

/** Plays both halves; the process is killed at its request number `killedAt`, if that comes. */
async function perform<H extends Harness>(
  play: Play<H>,
  killedAt = Infinity,
): Promise<{ outcome: unknown; calls: number }> {
  let harness = play.begin();
  let calls = 0;
  let isKilled = false;
  harness.client.fail("", KILLED, { skip: killedAt });
  for (let half = 0; half < 2; half++) {
    if (half === 1) play.change(harness);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const before = harness.client.calls.length;
      const failure = await sync(harness);
      if (failure && !isKilled) {
        assert(failure.message.includes(KILLED.message), failure.message);
        isKilled = true;
        harness = play.restart(harness);
        continue;
      }
      calls += harness.client.calls.length - before;
      harness.allReady();
    }
    assert(play.isDone(harness), `half ${half} of the run killed at ${killedAt} comes to its end`);
  }
  return { outcome: play.outcome(harness), calls };
}

/** A sync, and the time that its retries take. What it fails with is a matter of the next one. */
async function sync(harness: Harness): Promise<Error | undefined> {
  let isDone = false;
  const syncing = harness.sync().then(() => undefined, (error: Error) => error).finally(() => isDone = true);
  while (!isDone) await harness.world.clock.advance(10);
  return await syncing;
}

async function everywhere<H extends Harness>(play: Play<H>, fewest: number): Promise<void> {
  const { outcome, calls } = await perform(play);
  assert(calls >= fewest, `${calls} requests are worth it`);
  for (let at = 0; at < calls; at++) {
    assertEquals((await perform(play, at)).outcome, outcome, `killed at request ${at}`);
  }
}

const plain = ({ metadata, spec }: Pod) => ({ labels: metadata?.labels, owners: metadata?.ownerReferences, spec });

const revisionsOf = ({ client }: Harness) =>
  client.all(CONTROLLERREVISIONS)
    .map(({ metadata, revision, data }) => ({ name: metadata?.name, labels: metadata?.labels, revision, data }))
    .sort((a, b) => a.revision - b.revision);

for (const podManagementPolicy of ["OrderedReady", "Parallel"]) {
  Deno.test(`a ${podManagementPolicy} StatefulSet comes to the same end wherever its controller is killed`, () =>
    everywhere<StatefulSetHarness>({
      begin: () =>
        new StatefulSetHarness({
          set: statefulSet({
            podManagementPolicy,
            volumeClaimTemplates: [DATA_TEMPLATE],
            persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
          }),
        }),
      restart: ({ client }) =>
        new StatefulSetHarness({
          set: client.all(STATEFULSETS)[0],
          pods: client.all(PODS),
          claims: client.all(PERSISTENTVOLUMECLAIMS),
          revisions: client.all(CONTROLLERREVISIONS),
        }),
      change: (harness) => harness.change({ template: template("i:2"), replicas: 2 }),
      isDone: ({ status }) =>
        status?.updatedReplicas === status?.replicas && status?.currentRevision === status?.updateRevision,
      outcome: (harness) => ({
        pods: harness.client.all(PODS).map((pod) => ({ name: pod.metadata?.name, ...plain(pod) }))
          .sort((a, b) => a.name! < b.name! ? -1 : 1),
        claims: harness.client.all(PERSISTENTVOLUMECLAIMS).map(({ metadata }) => ({
          name: metadata?.name,
          owners: metadata?.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`),
        })).sort((a, b) => a.name! < b.name! ? -1 : 1),
        revisions: revisionsOf(harness),
        status: harness.status,
      }),
    }, 20));
}

for (const surge of [0, 1]) {
  Deno.test(`a DaemonSet that rolls with surge ${surge} comes to the same end wherever its controller is killed`, () =>
    everywhere<DaemonSetHarness>({
      begin: () => new DaemonSetHarness({ set: daemonSet(rolling(1 - surge, surge)), nodes: nodes(3), revisions: [] }),
      restart: ({ client }) =>
        new DaemonSetHarness({
          set: client.all(DAEMONSETS)[0],
          nodes: client.all(NODES),
          pods: client.all(PODS),
          revisions: client.all(CONTROLLERREVISIONS),
        }),
      change: (harness) => harness.change({ template: daemonTemplate("i:2") }),
      isDone: ({ status }) => status?.updatedNumberScheduled === 3 && status.numberAvailable === 3,
      outcome: (harness) => ({
        pods: harness.client.all(PODS).map(plain).sort((a, b) => a.spec!.nodeName! < b.spec!.nodeName! ? -1 : 1),
        revisions: revisionsOf(harness),
        status: harness.status,
      }),
    }, 15));
}
